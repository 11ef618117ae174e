"""The simulators of Peyrard et al. (2021): pairings with fixed marginals, and score matrices.

They return the same :class:`Scores` that files are read into, so studies run the public pipeline.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from betterthan.data.scores import Scores
from betterthan.errors import Remedy, UsageError, not_one_of
from betterthan.numeric import Floats
from betterthan.ranking.order_agreement import kendall_tau
from betterthan.resampling.generator import Rng, affordable, as_generator

WIDE = 100.0
"""Gross outliers are uniform on [0, 100]."""

TABLE_2 = ((23.0, 50.0, 40.0, 70.0, 60.0), (28.0, 45.0, 30.0, 65.0, 50.0))
"""Mean scores of systems S and B on five types of items (the paper's Table 2)."""


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """Scores and the strengths they were drawn from.

    Attributes
    ----------
    scores : Scores
        Items by systems, with the items' ``type`` as a label column.
    strengths : (systems,) array
        True strengths, in the order of ``scores.systems``.
    """

    scores: Scores
    strengths: Floats


def paired_marginals(
    order: Sequence[int] | None = None,
    *,
    levels: tuple[Sequence[float], Sequence[float]] = TABLE_2,
    items: int = 1000,
    sd: float = 1.0,
    rng: Rng = None,
) -> Scores:
    """Two systems whose pairing varies while each one's scores stay the same (Appendix A.1).

    Items come in equally many of each type; a system's scores on a type are normal around its
    level. ``order`` permutes which level the first system has on which type. With the same seed
    every order gives each system exactly the same scores, differently paired.

    Parameters
    ----------
    order : sequence of int, optional
        A permutation of the types; as listed by default.
    levels : pair of sequences of float
        Mean score of either system on each type.
    items : int
        Number of items, a multiple of the number of types.
    sd : float
        Standard deviation within a type.
    rng : None, int or Generator
        Seed.

    Examples
    --------
    >>> one = paired_marginals(items=10, rng=0)
    >>> two = paired_marginals([1, 2, 3, 4, 0], items=10, rng=0)
    >>> sorted(one.of("S")[:, 0]) == sorted(two.of("S")[:, 0])
    True
    """
    first, second = (np.asarray(level, dtype=np.float64) for level in levels)
    types = len(first)
    chosen = list(range(types)) if order is None else list(order)
    if len(second) != types or sorted(chosen) != list(range(types)):
        raise UsageError(f"order must be a permutation of 0 .. {types - 1}, got {chosen}")
    if items < types or items % types:
        raise UsageError(
            f"items must be a multiple of the {types} types, got {items}",
            Remedy("", "items", types * max(round(items / types), 1)),
        )
    generator = as_generator(rng)
    noise = sd * generator.standard_normal((2, types, items // types))
    s = (first[:, None] + noise[0])[chosen]
    b = second[:, None] + noise[1]
    labels = np.repeat(np.arange(1, types + 1), items // types)
    return Scores.from_arrays({"S": s.ravel(), "B": b.ravel()}, groups={"type": labels.tolist()})


def score_matrix(
    *,
    systems: int = 10,
    items: int = 100,
    types: int = 1,
    outliers: float = 0.0,
    outlier: Literal["permuted", "gross"] = "permuted",
    total: float | None = None,
    sd: float = 1.0,
    offset: float = 5.0,
    independent: bool = False,
    rng: Rng = None,
) -> Simulated:
    """Scores of several systems on items of several types (section 4 and Appendix A.2).

    A system's strength is uniform on [0, 1] and its score on an item is normal around the strength
    plus the offset of the item's type, which all systems share: types change the scores and not
    who is better. On a fraction of items, the outliers, scores are dealt out to the systems at
    random, as the appendix has it: they stay on the same scale, so that no aggregation suffers
    much. The authors' released program does otherwise, ``"gross"`` here: scores on a hundred times
    the scale that contradict the true order.

    Parameters
    ----------
    systems, items, types : int
        Sizes; the paper's are 2 to 50, 10 to 200 and 1 to 10.
    outliers : float
        Fraction of items that are outliers; in the paper 0, 0.01, 0.025.
    outlier : {"permuted", "gross"}
        Scores permuted among the systems; or uniform on [0, 100], drawn until Kendall's tau with
        the strengths is negative, on one item at least where ``outliers`` is above zero.
    total : float, optional
        What strengths are scaled to add up to, as in the released program (10): the more systems,
        the closer they are.
    sd : float
        Standard deviation around the expected score.
    offset : float
        Types' offsets are uniform on [0, offset]; the first type has none.
    independent : bool
        Draw a strength for each type instead, as the appendix has it; the true strength is then
        their average.
    rng : None, int or Generator
        Seed.

    Examples
    --------
    >>> made = score_matrix(systems=3, items=50, types=2, rng=1)
    >>> made.scores.values.shape, made.strengths.shape
    ((50, 3, 1), (3,))
    """
    for name, value in (("systems", systems), ("items", items), ("types", types)):
        if value < 1:
            raise UsageError(f"{name} must be at least 1, got {value}")
    affordable(systems=systems, items=items)
    if not 0.0 <= outliers <= 1.0:
        raise UsageError(f"outliers must be a fraction between 0 and 1, got {outliers}")
    if not 0.0 <= offset < np.inf:
        raise UsageError(f"offset must be at least 0, got {offset}")
    if outlier not in ("permuted", "gross"):
        raise not_one_of("outlier", outlier, ("permuted", "gross"))
    if outlier == "gross" and outliers and systems < 2:
        raise UsageError("outliers that contradict the order need at least two systems")
    generator = as_generator(rng)
    if independent:
        expected = generator.uniform(size=(types, systems))
    else:
        drawn = generator.uniform(size=systems)
        expected = np.tile(drawn if total is None else drawn * (total / drawn.sum()), (types, 1))
        expected[1:] += generator.uniform(0.0, abs(offset), size=(types - 1, 1))
    type_of = generator.permutation(np.arange(items) % types)
    values = expected[type_of] + sd * generator.standard_normal((items, systems))
    strengths = expected.mean(axis=0) if independent else expected[0]
    count = round(outliers * items)
    if outlier == "gross" and outliers:
        count = max(1, count)
    astray = generator.choice(items, size=count, replace=False)
    if outlier == "gross" and count:
        values[astray] = [_contrary(strengths, generator) for _ in range(count)]
    else:
        values[astray] = generator.permuted(values[astray], axis=1)
    scores = Scores.from_arrays(
        {f"system {k + 1}": values[:, k] for k in range(systems)},
        groups={"type": (type_of + 1).tolist()},
    )
    return Simulated(scores, strengths)


def _contrary(strengths: Floats, generator: np.random.Generator) -> Floats:
    """Draw scores of one item that contradict the order of the strengths."""
    while True:
        drawn = generator.uniform(0.0, WIDE, strengths.size)
        if kendall_tau(drawn, strengths) < 0.0:
            return drawn
