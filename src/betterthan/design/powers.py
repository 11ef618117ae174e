"""Power, required items or detectable effect: from two of the three, the third."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Unpack, overload

import numpy as np

from betterthan.checks import check_level, check_number, check_whole, several
from betterthan.comparison.effect import POWER
from betterthan.design.assumptions import Assumption
from betterthan.design.detection import Detection, PlannedTest
from betterthan.design.search import Search
from betterthan.errors import Choice, Note, Remedy, UsageError
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling
from betterthan.results.protocol import Result, Several
from betterthan.results.signature import signature
from betterthan.results.tests import Kind

TWO = (
    Remedy("to find the items for it", "effect", Choice("X")),
    Remedy("to find the effect that they detect", "items", Choice("N")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Power(Result):
    """A design and what it can do.

    Plots: ``power``, the chance of a verdict against the size of the test set; ``detectable``, the
    smallest effect that is detected against it.

    Attributes
    ----------
    items : int
        Items of the test set.
    effect : float
        True effect.
    power : float
        Probability that the test gives a verdict.
    error : float
        Bound on the error of ``power``: half a 99 % interval where it is sampled.
    type_s, type_m : float or None
        Share of verdicts that name the wrong system, and how much an effect that earned a verdict
        looks larger than it is.
    solved_for : {"power", "items", "effect"}
        Which of the three was computed.
    solved_low, solved_high : float or None
        Its 99 % interval, about, where power is simulated: at the ends of the interval of the
        power, by the normal formula.
    alpha, comparisons : float, int
        Level of the family, and how many tests share it (Bonferroni; Holm's first step).
    alternative : {"two-sided", "greater", "less"}
        Side of the test.
    kind, engine : str
        How reliable the power is, and how it was computed.
    percent : bool
        The effect is a rate, printed in points.
    given : str
        The assumption, spelled.
    notes : tuple of str
        What the reader should know.
    assumption : Assumption or None
        The assumption itself.
    """

    items: int
    effect: float
    power: float
    error: float
    type_s: float | None
    type_m: float | None
    solved_for: str
    solved_low: float | None = None
    solved_high: float | None = None
    alpha: float
    comparisons: int
    alternative: Alternative
    kind: Kind
    engine: str
    percent: bool
    given: str
    notes: tuple[str, ...] = ()
    assumption: Assumption | None = field(default=None, repr=False, compare=False)

    @property
    def signature(self) -> str:
        """One line from which the design can be computed again."""
        return signature(
            f"power-{self.kind}",
            n=self.items,
            further={"given": self.given, "d": f"{self.effect:.6g}", "k": self.comparisons},
            alpha=self.alpha,
            alternative=self.alternative,
        )


@dataclass(frozen=True, slots=True)
class Powers(Several[Power]):
    """Designs side by side, of test sets of several sizes.

    Plots: ``power`` and ``detectable``, as of a single one.
    """


class _Options(Sampling, total=False):
    """Options of a design, except for its sizes."""

    effect: float | None
    power: float | None
    repeats: int | None
    alternative: Alternative
    alpha: float
    comparisons: int
    rng: Rng


@overload
def power(
    assumed: Assumption,
    *,
    items: int | None = None,
    **options: Unpack[_Options],
) -> Power: ...


@overload
def power(
    assumed: Assumption,
    *,
    items: Sequence[int],
    **options: Unpack[_Options],
) -> Powers: ...


def power(
    assumed: Assumption,
    *,
    items: int | Sequence[int] | None = None,
    effect: float | None = None,
    power: float | None = None,
    repeats: int | None = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    comparisons: int = 1,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> Power | Powers:
    """Plan a paired comparison: from two of items, effect and power, the third.

    Parameters
    ----------
    assumed : Rates, Spread or Pilot
        What is assumed about the systems.
    items : int or sequence of int, optional
        Size of the test set, or several sizes; of a pilot its own, where there is no effect.
    effect : float, optional
        True delta, candidate minus baseline towards better, as the metric is measured: 0.02 is two
        points of accuracy.
    power : float, optional
        Probability of a verdict; 0.8 unless it is what is found.
    repeats : int, optional
        Responses of each system per item, where a spread or a pilot with several of them tells what
        they are worth; one, or as many as the pilot has.
    alternative : {"two-sided", "greater", "less"}
        Side of the test.
    alpha : float
        Level of the test, or of all tests together.
    comparisons : int
        Number of tests that share alpha: each is planned at ``alpha / comparisons``, which is
        Bonferroni's level and the first step of Holm's.
    rng : None, int or Generator
        Seed, where power is simulated.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`; ``resamples`` are simulated test sets.

    Returns
    -------
    Power or Powers
        Several of several sizes.

    Examples
    --------
    >>> from betterthan.design import Rates
    >>> design = power(Rates(accuracy=0.8, agreement=0.975), items=500, effect=0.02)
    >>> round(design.power, 2), round(design.type_m, 2)
    (0.8, 1.12)
    >>> power(Rates(agreement=0.9), effect=0.02).items
    2043
    """
    assumed = assumed if repeats is None else assumed.repeated(repeats)
    if items is None and effect is None:
        items = assumed.own_items
    if power is None and (items is None) != (effect is None):
        power = POWER
    if [items, effect, power].count(None) != 1:
        raise UsageError("power needs two of items, effect and power, to find the third", *TWO)
    check_level(alpha)
    check_whole(comparisons, "comparisons")
    search = Search(assumed, PlannedTest.of(alpha / comparisons, alternative, rng, sampling))
    family = {"alpha": alpha, "comparisons": comparisons}
    design = partial(_design, search, family, effect=effect, power=power)
    if items is None or isinstance(items, int | float | np.integer):
        return design(items=items)
    return Powers(tuple(design(items=size) for size in several("items", items)))


def _design(
    search: Search,
    family: dict[str, Any],
    *,
    items: int | None,
    effect: float | None,
    power: float | None,
) -> Power:
    """Find what is None of the three."""
    if items is not None:
        check_whole(items, "items")
    if effect is not None:
        check_number(effect, "effect")
    if power is not None:
        check_level(power, "power")
    solved_for = "items" if items is None else "effect" if effect is None else "power"
    if effect is not None and power is not None:
        items, detection = search.items(effect, power)
    elif items is not None and power is not None:
        effect, detection = search.effect(items, power)
    else:
        detection = search.detection(int(items or 0), effect or 0.0)
    low, high = search.bounds(solved_for, items, effect, power, detection)
    return Power(
        **family,
        **asdict(detection),
        items=int(items or 0),
        effect=float(effect or 0.0),
        solved_for=solved_for,
        solved_low=low,
        solved_high=high,
        alternative=search.test.alternative,
        percent=search.assumed.percent,
        given=repr(search.assumed),
        notes=(*search.powerless(items), *_notes(search, detection, effect)),
        assumption=search.assumed,
    )


def _notes(search: Search, detection: Detection, effect: float | None) -> Iterator[str]:
    if effect and detection.power < 0.5 and detection.type_m is not None:
        yield (
            f"at this power an effect that earns a verdict looks {detection.type_m:.1f} times as "
            "large as it is, on average"
        )
    if detection.type_s is not None and detection.type_s > 0.01:
        yield f"{100 * detection.type_s:.1f} % of the verdicts name the wrong system"
    side = search.test.alternative
    if effect and (effect > 0) != (side != "less") and side != "two-sided":
        yield Note(
            "the effect is on the side that this one-sided test does not look at",
            Remedy("", "effect", search.typed(-effect)),
        )
