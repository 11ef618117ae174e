"""Calibration: whether a p-value can be trusted here.

Berg-Kirkpatrick, Burkett & Klein (2012), section 4.2. Within one population: a large test set is
taken for the whole of it, small test sets are drawn from it, and the systems that come out better
with a p-value near .05 are compared with the truth. Across domains: p-values on one part of the
data against who is better on the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Unpack, overload

import numpy as np

from betterthan.checks import check_whole, several
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.data.scores import Scores
from betterthan.design.drawn_sets import UnitDraws, units_for
from betterthan.design.system_pairs import (
    BAND,
    StudyTest,
    check_band,
    check_pairs,
    gains_of_pairs,
    signed_scores,
)
from betterthan.errors import Remedy, UsageError, quote
from betterthan.metrics import Metric
from betterthan.numeric import Floats
from betterthan.resampling.generator import Rng, affordable, as_generator, clopper_pearson
from betterthan.resampling.work import Sampling, Work
from betterthan.results.protocol import Result, Several
from betterthan.results.signature import signature
from betterthan.tables.accepted import Frame, as_scores
from betterthan.testing.values import PairedTest

SIZE = 1600
TEST_SETS = 10
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
class Calibration(Result):
    """How often p-values of a size name the truly better system.

    Plots: ``calibration``, the share of verdicts that are right, by p-value.

    Attributes
    ----------
    truth : tuple of str
        What the verdicts are compared with: the population, or other domains.
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


@dataclass(frozen=True, slots=True)
class Calibrations(Several[Calibration]):
    """Calibrations on test sets of several sizes.

    Plots: ``calibration``, that of the first.
    """


class _Options(Sampling, total=False):
    """Options of a calibration, except for the sizes."""

    metric: str | Metric | None
    by: str | None
    test_sets: int
    band: tuple[float, float]
    bins: Sequence[float]
    test: str | PairedTest
    rng: Rng


@overload
def calibration(
    data: Scores | Frame,
    *,
    sizes: int = SIZE,
    **options: Unpack[_Options],
) -> Calibration: ...


@overload
def calibration(
    data: Scores | Frame,
    *,
    sizes: Sequence[int],
    **options: Unpack[_Options],
) -> Calibrations: ...


def calibration(
    data: Scores | Frame,
    *,
    metric: str | Metric | None = None,
    by: str | None = None,
    sizes: int | Sequence[int] = SIZE,
    test_sets: int = TEST_SETS,
    band: tuple[float, float] = BAND,
    bins: Sequence[float] = BINS,
    test: str | PairedTest = "bootstrap",
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> Calibration | Calibrations:
    """Compare p-values with the truth, over all pairs of systems.

    The result is how often the system that did better on a test set is better in truth, by its
    p-value.

    Parameters
    ----------
    data : Scores or data frame
        A collection of systems. All their items are the population; or, with ``by``, its parts are
        domains.
    metric : str or Metric, optional
        What is compared.
    by : str, optional
        A label column and the domain whose p-values are compared with the other domains, as in
        ``"domain=news"``.
    sizes : int or sequence of int
        Items of a drawn test set (with replacement, so it may exceed the population); of domains
        all items are used.
    test_sets : int
        Test sets drawn; every pair is tested on each.
    band : (float, float)
        P-values that are near .05.
    bins : sequence of float
        Ascending borders of the table.
    test : str or a value of ``betterthan.tests``
        As in :func:`betterthan.design.thresholds`; p-values are one-sided, of the system that did
        better.
    rng : None, int or Generator
        Seed.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`; an executor shares out the test sets.

    Returns
    -------
    Calibration or Calibrations
        Several of several sizes.
    """
    scores = as_scores(data, label=None if by is None else by.partition("=")[0], metric=metric)
    check_pairs(scores)
    check_band(band)
    edges = np.asarray(bins, dtype=np.float64)
    if edges.size < 2 or not (np.diff(edges) > 0).all() or edges[0] < 0 or edges[-1] > 1:
        raise UsageError(f"bins must be ascending borders between 0 and 1, got {quote(bins)}")
    study = StudyTest.of(test, rng, sampling)
    check_whole(test_sets, "test_sets")
    chosen = scores.measured(metric)
    run = partial(_calibrated, scores, chosen, study, by=by, sets=test_sets, band=band, edges=edges)
    if isinstance(sizes, int | np.integer):
        return run(size=sizes)
    return Calibrations(tuple(run(size=size) for size in several("sizes", sizes)))


def _calibrated(
    scores: Scores,
    metric: Metric,
    study: StudyTest,
    *,
    by: str | None,
    sets: int,
    band: tuple[float, float],
    edges: Floats,
    size: int,
) -> Calibration:
    """Compare p-values with the truth on test sets of one size."""
    names = sorted(scores.systems)  # their order leaves no trace in what is drawn
    if by is None:
        check_whole(size, "sizes", least=2)
        affordable(1e9, sizes=size, test_sets=sets)
        parts = {"population": scores.joint(names, metric)}
        drawn = _drawn(parts["population"], size, sets, study.rng)
        data = parts["population"].hashed
        notes = (f"{scores.n:,} items are taken for the population; sets share items and systems",)
    else:
        label, _, domain = by.partition("=")
        parts = {name: part.joint(names, metric) for name, part in scores.parts(label)}
        if domain not in parts or len(parts) < 2:
            raise UsageError(
                "by must name the domain that is tested, one of two or more",
                *(Remedy("", "by", f"{label}={name}") for name in list(parts)[:5]),
            )
        data = tuple(array for part in parts.values() for array in part.hashed)
        drawn, sets = [parts.pop(domain)], 1
        size = drawn[0].n
        notes = (f"p-values on {by} against who is better on the others",)
    alone = partial(gains_of_pairs, study=replace(study, executor=None, progress=None))
    tested = [one for gains in Work(executor=study.executor).jobs(alone, drawn) for one in gains]
    pvalues = np.array([one.result.pvalue for one in tested])
    right = {}
    for name, part in parts.items():
        score = signed_scores(part)
        # Of pairs that are level on the test set or in truth neither system is the better one.
        right[name] = np.array([np.sign(gain * (score[j] - score[i])) for i, j, gain, _ in tested])
    pairs = len(tested) // len(drawn)
    return Calibration(
        truth=tuple(parts),
        bins={
            name: tuple(_bin(pvalues, sign, borders) for borders in pairwise(edges.tolist()))
            for name, sign in right.items()
        },
        near={name: _bin(pvalues, sign, band, closed=True) for name, sign in right.items()},
        metric=repr(metric),
        test=repr(study.test),
        size=size,
        test_sets=sets,
        pairs=pairs,
        band=band,
        notes=notes,
        signature=signature(
            f"calibration-{study.test!r}",
            metric=metric,
            n=size,
            further={"sets": sets, "pairs": pairs},
            alternative="greater",
            data=data,
        ),
    )


def _drawn(joint: Joint, size: int, test_sets: int, rng: Rng) -> list[Joint]:
    """Test sets of about that size, drawn from the population."""
    generator, urn = as_generator(rng), UnitDraws.of(joint.ordered_items)
    joints = []
    for _ in range(test_sets):
        rows, codes = urn.draw(units_for(joint, size), generator)
        arrays = {name: x[rows] for name, x in zip(joint.systems, urn.values, strict=True)}
        joints.append(joint_of(arrays, joint.metric, codes))
    return joints


def _bin(
    pvalues: Floats, right: Floats, borders: tuple[float, float], *, closed: bool = False
) -> Bin:
    """Count tests in a bin: ``right`` is 1 or -1, or 0 for pairs that are level somewhere."""
    low, high = borders
    above = pvalues >= low if closed or low == 0.0 else pvalues > low
    inside = above & (pvalues <= high) & (right != 0)
    return Bin(low, high, int(inside.sum()), int((inside & (right > 0)).sum()))
