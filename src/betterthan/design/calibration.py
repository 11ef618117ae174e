"""Calibration: whether a p-value can be trusted here.

Berg-Kirkpatrick, Burkett & Klein (2012), section 4.2. Within one population: a large test set is
taken for the whole of it, small test sets are drawn from it, and the systems that come out better
with a p-value near .05 are held against the truth. Across domains: p-values on one part of the data
against who is better on the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from betterthan.data import Scores
from betterthan.design.pairtests import Floats, chosen_metric, pair_results
from betterthan.errors import UsageError
from betterthan.metrics import Metric
from betterthan.pairs import cluster_codes
from betterthan.results import VERSION, fingerprint
from betterthan.sampling import Rng, as_generator, clopper_pearson

SIZE = 1600
TEST_SETS = 10
BAND = (0.04, 0.06)
BINS = (0.0, 0.00125, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 1.0)
"""Borders of Table 1, continued to both sides."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Tests with a p-value in ``(low, high]``, and how many named the truly better system."""

    low: float
    high: float
    tests: int
    agreeing: int

    @property
    def share(self) -> float | None:
        """Share that agrees."""
        return self.agreeing / self.tests if self.tests else None

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the share, as if tests were independent."""
        return clopper_pearson(self.agreeing, self.tests, 0.95) if self.tests else (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How often p-values of a size name the truly better system.

    Attributes
    ----------
    truth : tuple of str
        What the verdicts are held against: the population, or other domains.
    bins : mapping of str to tuple of Bin
        Per truth, tests by p-value.
    near : mapping of str to Bin
        Per truth, tests with a p-value in the band around .05.
    """

    truth: tuple[str, ...]
    bins: dict[str, tuple[Bin, ...]]
    near: dict[str, Bin]
    metric: str
    test: str
    size: int
    test_sets: int
    pairs: int
    band: tuple[float, float]
    notes: tuple[str, ...]
    signature: str


def calibration(
    scores: Scores,
    *,
    by: str | None = None,
    on: str | None = None,
    metric: str | Metric | None = None,
    size: int = SIZE,
    test_sets: int = TEST_SETS,
    test: str = "bootstrap",
    band: tuple[float, float] = BAND,
    bins: Sequence[float] = BINS,
    resamples: int | None = None,
    rng: Rng = 0,
) -> Calibration:
    """Hold p-values against the truth, over all pairs of systems.

    Parameters
    ----------
    scores : Scores
        A collection of systems. All their items are the population; or, with ``by``, its parts are
        domains.
    by, on : str, optional
        A label column, and the domain whose p-values are held against the other domains.
    metric : str or Metric, optional
        What is compared.
    size : int
        Items of a drawn test set (with replacement, so it may exceed the population).
    test_sets : int
        Test sets drawn; every pair is tested on each.
    test : str
        As in :func:`betterthan.thresholds`; p-values are one-sided, of the system that did better.
    band : (float, float)
        P-values that are near .05.
    bins : sequence of float
        Ascending borders of the table.
    resamples : int, optional
        Number of resamples, where they are drawn.
    rng : None, int or Generator
        Seed.
    """
    if len(scores.systems) < 2:
        raise UsageError("calibration needs at least two systems: their pairs are tested")
    edges = np.asarray(bins, dtype=np.float64)
    if edges.size < 2 or (np.diff(edges) <= 0).any() or edges[0] < 0 or edges[-1] > 1:
        raise UsageError(f"borders of bins ascend between 0 and 1, not {list(bins)}")
    chosen = chosen_metric(scores, metric)
    if by is None:
        if size < 2 or test_sets < 1:
            raise UsageError(f"give at least two items and one test set, not {size}, {test_sets}")
        parts = {"population": scores}
        generator = as_generator(rng)
        sets = [_drawn(scores, size, generator) for _ in range(test_sets)]
        notes = (f"{scores.n:,} items are taken for the population; sets share items and systems",)
    else:
        labels = scores.labels(by)
        parts = {
            name: scores.only(np.flatnonzero(labels == name))
            for name in sorted(set(labels.tolist()))
        }
        if on not in parts or len(parts) < 2:
            known = ", ".join(parts)
            raise UsageError(f"on names the domain that is tested, one of two or more: {known}")
        sets, size, test_sets = [parts.pop(on)], 0, 1
        size = sets[0].n
        notes = (f"p-values on {by}={on} against who is better on the others",)
    tested = [_tested(one, chosen, test, resamples, rng) for one in sets]
    pvalues = np.concatenate([p for p, _ in tested])
    better = np.concatenate([side for _, side in tested])
    pairs = list(combinations(range(len(scores.systems)), 2))
    right = {}
    for name, part in parts.items():
        score = _scores(part, chosen)
        sign = np.sign([score[j] - score[i] for i, j in pairs])
        right[name] = better * np.tile(sign, len(sets))
    return Calibration(
        truth=tuple(parts),
        bins={
            name: tuple(_bin(pvalues, sign, borders) for borders in pairwise(edges.tolist()))
            for name, sign in right.items()
        },
        near={name: _bin(pvalues, sign, band, closed=True) for name, sign in right.items()},
        metric=repr(chosen),
        test=test,
        size=size,
        test_sets=test_sets,
        pairs=len(pairs),
        band=band,
        notes=notes,
        signature=(
            f"betterthan:{VERSION}|calibration-{test}|m:{chosen!r}|n:{size}|sets:{test_sets}|"
            f"pairs:{len(pairs)}|1s>|data:{fingerprint(scores.values)}"
        ),
    )


def draw_items(
    scores: Scores, size: int, generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.int64] | None]:
    """Positions of a test set drawn with replacement, and the number of each item's cluster.

    Clusters are drawn whole, about as many as make up the size; one drawn twice is two clusters.
    """
    if scores.clusters is None:
        return generator.integers(scores.n, size=size), None
    codes, clusters = cluster_codes(scores.clusters, scores.n)
    order = np.argsort(codes, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    wanted = max(round(size * clusters / scores.n), 1)
    drawn = [members[k] for k in generator.integers(clusters, size=wanted)]
    return np.concatenate(drawn), np.repeat(np.arange(wanted), [rows.size for rows in drawn])


def _drawn(scores: Scores, size: int, generator: np.random.Generator) -> Scores:
    rows, codes = draw_items(scores, size, generator)
    clusters = None if codes is None else codes.astype(str)
    return replace(scores.only(rows), items=None, clusters=clusters)


def _tested(
    scores: Scores, metric: Metric, test: str, resamples: int | None, rng: Rng
) -> tuple[Floats, Floats]:
    """One-sided p-values of all pairs on one test set, and which of the two did better there."""
    values = [scores.of(name, metric.columns) for name in scores.systems]
    score = _scores(scores, metric)
    pairs = list(combinations(range(len(values)), 2))
    side = np.sign([score[j] - score[i] for i, j in pairs])
    ordered = [(i, j) if s >= 0 else (j, i) for (i, j), s in zip(pairs, side, strict=True)]
    results = pair_results(
        values,
        ordered,
        metric,
        test,
        alternative="greater",
        clusters=scores.clusters,
        resamples=resamples,
        rng=rng,
    )
    return np.array([r.pvalue for r in results]), side


def _scores(scores: Scores, metric: Metric) -> list[float]:
    return [metric.sign * metric.score(scores.of(s, metric.columns)) for s in scores.systems]


def _bin(
    pvalues: Floats, right: Floats, borders: tuple[float, float], *, closed: bool = False
) -> Bin:
    """Count tests in a bin: ``right`` is 1 or -1, or 0 for pairs that are level somewhere."""
    low, high = borders
    above = pvalues >= low if closed or low == 0.0 else pvalues > low
    inside = above & (pvalues <= high) & (right != 0)
    return Bin(low, high, int(inside.sum()), int((inside & (right > 0)).sum()))
