"""Calibration: whether a p-value can be trusted here.

Berg-Kirkpatrick, Burkett & Klein (2012), section 4.2. Within one population: a large test set is
taken for the whole of it, small test sets are drawn from it, and the systems that come out better
with a p-value near .05 are held against the truth. Across domains: p-values on one part of the data
against who is better on the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from betterthan.blame import blames_arguments
from betterthan.data.accepted import Frame, as_scores
from betterthan.data.arguments import among
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.data.scores import Scores
from betterthan.design.drawn_sets import UnitDraws, units_for
from betterthan.design.system_pairs import StudyTest, gains_of_pairs, signed_scores
from betterthan.design.thresholds import BAND
from betterthan.errors import UsageError
from betterthan.metrics import Metric
from betterthan.numeric import Floats
from betterthan.resampling.generator import Rng, affordable, as_generator, clopper_pearson
from betterthan.resampling.work import Work
from betterthan.results.protocol import Result
from betterthan.results.signature import signature
from betterthan.testing.request import Variant

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


@blames_arguments
def calibration(
    scores: Scores | Frame,
    *,
    by: str | None = None,
    on: str | None = None,
    metric: str | Metric | None = None,
    size: int = SIZE,
    test_sets: int = TEST_SETS,
    band: tuple[float, float] = BAND,
    bins: Sequence[float] = BINS,
    test: str = "bootstrap",
    method: str = "auto",
    variant: Variant = "shift",
    recentre: bool = False,
    strict: bool = False,
    resamples: int | None = None,
    workers: int = 1,
    executor: Any = None,
    rng: Rng = 0,
) -> Calibration:
    """Hold p-values against the truth, over all pairs of systems.

    Told is how often the system that did better on a test set is better in truth, by its p-value.

    Parameters
    ----------
    scores : Scores or data frame
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
    band : (float, float)
        P-values that are near .05.
    bins : sequence of float
        Ascending borders of the table.
    test, method, variant, recentre, strict
        As in :func:`betterthan.thresholds`; p-values are one-sided, of the system that did better.
    resamples : int, optional
        Number of resamples, where they are drawn.
    workers, executor
        Threads that draw them; an executor shares out the test sets instead.
    rng : None, int or Generator
        Seed.
    """
    scores = as_scores(scores, label=by, metric=metric)
    if len(scores.systems) < 2:
        raise UsageError("calibration needs at least two systems: their pairs are tested")
    if not 0.0 <= band[0] < band[1] <= 1.0:
        raise UsageError(f"a band of p-values ascends between 0 and 1, not {band!r}")
    edges = np.asarray(bins, dtype=np.float64)
    if edges.size < 2 or not (np.diff(edges) > 0).all() or edges[0] < 0 or edges[-1] > 1:
        raise UsageError(f"borders of bins ascend between 0 and 1, not {list(bins)}")
    chosen = scores.measured(metric)
    names = sorted(scores.systems)  # their order leaves no trace in what is drawn
    if by is None:
        if size < 2 or test_sets < 1:
            raise UsageError(f"give at least two items and one test set, not {size}, {test_sets}")
        affordable(1e9, size=size, test_sets=test_sets)
        parts = {"population": scores.joint(names, chosen)}
        sets = _drawn(parts["population"], size, test_sets, rng)
        data = parts["population"].hashed
        notes = (f"{scores.n:,} items are taken for the population; sets share items and systems",)
    else:
        parts = {name: part.joint(names, chosen) for name, part in scores.parts(by)}
        if on not in parts or len(parts) < 2:
            known = ", ".join(parts)
            raise UsageError(f"on names the domain that is tested, one of two or more: {known}")
        data = tuple(array for part in parts.values() for array in part.hashed)
        sets, test_sets = [parts.pop(on)], 1
        size = sets[0].n
        notes = (f"p-values on {by}={on} against who is better on the others",)
    asked = among(StudyTest, locals())
    made = dict(Work(executor=executor).jobs(partial(_tested, replace(asked, executor=None)), sets))
    tested = [one for k in range(len(sets)) for one in made[k]]
    pvalues = np.array([pvalue for *_, pvalue in tested])
    right = {}
    for name, part in parts.items():
        score = signed_scores(part)
        # Of pairs that are level on the test set or in truth neither system is the better one.
        right[name] = np.array([np.sign(gain * (score[j] - score[i])) for i, j, gain, _ in tested])
    pairs = len(tested) // len(sets)
    return Calibration(
        truth=tuple(parts),
        bins={
            name: tuple(_bin(pvalues, sign, borders) for borders in pairwise(edges.tolist()))
            for name, sign in right.items()
        },
        near={name: _bin(pvalues, sign, band, closed=True) for name, sign in right.items()},
        metric=repr(chosen),
        test=asked.spelled,
        size=size,
        test_sets=test_sets,
        pairs=pairs,
        band=band,
        notes=notes,
        signature=signature(
            f"calibration-{asked.spelled}",
            metric=chosen,
            n=size,
            further={"sets": test_sets, "pairs": pairs},
            alternative="greater",
            data=data,
        ),
    )


def _tested(asked: StudyTest, joint: Joint) -> list[tuple[int, int, float, float]]:
    """Places, gain and p-value of every pair on one test set."""
    found = gains_of_pairs(joint, asked)
    return [(one.baseline, one.candidate, one.gain, one.result.pvalue) for one in found]


def _drawn(joint: Joint, size: int, test_sets: int, rng: Rng) -> list[Joint]:
    """Test sets of about that size, drawn from the population."""
    generator, urn = as_generator(rng), UnitDraws.of(joint.ordered_items)
    made = []
    for _ in range(test_sets):
        rows, codes = urn.draw(units_for(joint, size), generator)
        arrays = {name: x[rows] for name, x in zip(joint.systems, urn.values, strict=True)}
        made.append(joint_of(arrays, joint.metric, codes))
    return made


def _bin(
    pvalues: Floats, right: Floats, borders: tuple[float, float], *, closed: bool = False
) -> Bin:
    """Count tests in a bin: ``right`` is 1 or -1, or 0 for pairs that are level somewhere."""
    low, high = borders
    above = pvalues >= low if closed or low == 0.0 else pvalues > low
    inside = above & (pvalues <= high) & (right != 0)
    return Bin(low, high, int(inside.sum()), int((inside & (right > 0)).sum()))
