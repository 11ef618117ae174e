"""Gain versus confidence: how large a gain is usually significant.

Berg-Kirkpatrick, Burkett & Klein (2012), section 3: every pair of a collection of systems, ordered
so that the gain is positive, is tested; gains are set against confidence, ``1 - p``. The threshold
is a percentile of the gains among the pairs that are just significant. It is a rule of thumb for
this test set and such pairs of systems, never a replacement for the test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Unpack

import numpy as np

from betterthan.data.scores import Scores
from betterthan.design.system_groups import ALL_PAIRS, Groups, pair_group
from betterthan.design.system_pairs import (
    BAND,
    StudyTest,
    check_band,
    check_pairs,
    gains_of_pairs,
)
from betterthan.design.threshold_intervals import (
    FEWEST_PAIRS,
    NODE_RESAMPLES,
    Half,
    halves,
    threshold_interval,
)
from betterthan.errors import Remedy, UsageError, not_one_of, quote
from betterthan.metrics import Metric
from betterthan.readers.files import PathName
from betterthan.resampling.draws import bootstrap_counts
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling
from betterthan.results.protocol import Result
from betterthan.results.signature import signature
from betterthan.tables.accepted import Frame, as_scores
from betterthan.testing.values import PairedTest

PERCENTILE = 95.0
ALPHA = 0.05
FEW_PAIRS = 20  # pairs in the band below which a threshold is little more than a guess


@dataclass(frozen=True, slots=True)
class MeasuredGain:
    """One pair: the candidate gained over the baseline, and how surely."""

    baseline: str
    candidate: str
    gain: float
    pvalue: float
    group: str

    @property
    def confidence(self) -> float:
        """``1 - p``."""
        return 1.0 - self.pvalue


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """The gain that is usually significant, among one group of pairs.

    Attributes
    ----------
    group : str
        Which pairs.
    value : float or None
        The percentile of gains in the band; None where no pair is in it.
    low, high : float or None
        95 % interval of what studies of as many systems and items find on average, if others were
        drawn (:mod:`betterthan.design.threshold_intervals`); None where too few pairs are in the
        band, or too few items there, to tell.
    in_band, pairs : int
        Pairs with a p-value in the band, and all of the group.
    missed, early : float or None
        Share of the pairs with a larger gain that are not significant all the same, and of those
        with a smaller one that are.
    """

    group: str
    value: float | None
    low: float | None
    high: float | None
    in_band: int
    pairs: int
    missed: float | None
    early: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GainStudy(Result):
    """All pairs of a collection, and the thresholds of its groups.

    Plots: ``gains``, gain against confidence.
    """

    gains: tuple[MeasuredGain, ...]
    thresholds: tuple[Threshold, ...]
    metric: str
    percent: bool
    n: int
    systems: int
    test: str
    kind: str
    band: tuple[float, float]
    percentile: float
    label: str
    notes: tuple[str, ...]
    signature: str

    def threshold(self, group: str = ALL_PAIRS) -> Threshold:
        """Return the threshold of one group."""
        by_group = {threshold.group: threshold for threshold in self.thresholds}
        if group not in by_group:
            raise not_one_of("group", group, by_group)
        return by_group[group]


def thresholds(
    data: Scores | Frame,
    *,
    metric: str | Metric | None = None,
    groups: Groups | PathName | None = None,
    test: str | PairedTest = "bootstrap",
    band: tuple[float, float] = BAND,
    percentile: float = PERCENTILE,
    label: str = "",
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> GainStudy:
    """Study gain against confidence over all pairs of systems.

    Parameters
    ----------
    data : Scores or data frame
        A collection of systems on one test set.
    metric : str or Metric, optional
        What is compared; the mean of the only column by default.
    groups : mapping, path or callable, optional
        A label per system (lab, base model), or a table with them (:func:`read_groups`): pairs are
        then grouped into ``"same"`` and ``"different"``. Or a function of two systems' names that
        names their group, or returns None to leave the pair out.
    test : str or a value of ``betterthan.tests``
        ``"bootstrap"``, the one-sided shift bootstrap as published, computed from all resamples at
        once where possible: ``"bootstrap(method=sample)"`` draws resamples for all pairs, as
        published, and ``"bootstrap(strict=yes)"`` counts as Figure 1 prints it. Or
        ``"permutation"``, ``"wilcoxon"``, ``"sign"``, ``"mcnemar"``, ``"t"``, one-sided all the
        same.
    band : (float, float)
        P-values that count as just significant.
    percentile : float
        Of their gains.
    label : str
        Name of the collection, for plots that overlay several.
    rng : None, int or Generator
        Seed.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`; an executor also shares out the pairs of
        a permutation test.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> skill = generator.normal(size=(300, 1)) + generator.normal(size=(300, 40))
    >>> scores = Scores.from_arrays({f"s{k}": skill[:, k] > k / 100 for k in range(40)})
    >>> study = thresholds(scores)
    >>> round(100 * study.threshold().value, 1)
    6.0
    """
    scores = as_scores(data, metric=metric)
    check_pairs(scores)
    check_band(band)
    if not 0.0 < percentile < 100.0:
        raise UsageError(
            f"percentile must be between 0 and 100, got {quote(percentile)}",
            Remedy("as published", "percentile", PERCENTILE),
        )
    chosen = scores.measured(metric)
    names = tuple(sorted(scores.systems))  # their order leaves no trace in what is drawn
    group_of = pair_group(groups, names)
    pair_groups = {
        (i, j): group
        for i, j in combinations(range(len(names)), 2)
        if (group := group_of(names[i], names[j])) is not None
    }
    if not pair_groups:
        raise UsageError("the groups leave out every pair of systems")
    study = StudyTest.of(test, rng, sampling)
    joint = scores.joint(names, chosen)
    tested = gains_of_pairs(joint, study, lambda i, j: (i, j) in pair_groups)
    gains = tuple(
        MeasuredGain(names[i], names[j], gain, result.pvalue, pair_groups[min(i, j), max(i, j)])
        for i, j, gain, result in tested
    )
    left_out = len(names) * (len(names) - 1) // 2 - len(gains)
    redrawn = halves(scores, names, chosen, list(pair_groups), study)
    results = _thresholds(gains, names, band, percentile, rng=rng, redrawn=redrawn)
    kinds = {one.result.kind for one in tested}
    return GainStudy(
        gains=gains,
        thresholds=results,
        metric=repr(chosen),
        percent=scores.is_rate(chosen),
        n=scores.n,
        systems=len(names),
        test=repr(study.test),
        kind="+".join(sorted(kinds)),
        band=band,
        percentile=percentile,
        label=label,
        notes=_warnings(results, scores, left_out),
        signature=signature(
            f"study-{study.test!r}-{'+'.join(sorted(kinds))}",
            metric=chosen,
            n=scores.n,
            further={
                "systems": len(names),
                "band": f"{band[0]:g}-{band[1]:g}",
                "q": f"{percentile:g}",
            },
            alternative="greater",
            data=joint.hashed,
        ),
    )


def _thresholds(
    gains: Sequence[MeasuredGain],
    systems: Sequence[str],
    band: tuple[float, float],
    percentile: float,
    *,
    rng: Rng,
    redrawn: Sequence[Half] = (),
) -> tuple[Threshold, ...]:
    place = {name: index for index, name in enumerate(systems)}
    drawn = np.concatenate(list(bootstrap_counts(len(systems), NODE_RESAMPLES, rng))) / 1.0
    results = []
    for name in (ALL_PAIRS, *sorted({g.group for g in gains} - {ALL_PAIRS})):
        member = np.array([name in (ALL_PAIRS, g.group) for g in gains])
        group = [g for g in gains if name in (ALL_PAIRS, g.group)]
        inside = [g for g in group if band[0] <= g.pvalue <= band[1]]
        value = low = high = missed = early = None
        if inside:
            sizes = np.array([g.gain for g in inside])
            value = float(np.percentile(sizes, percentile))
            first, second = np.array([(place[g.baseline], place[g.candidate]) for g in inside]).T
            weights = drawn[:, first] * drawn[:, second]
            of_halves = [x[member & (band[0] <= p) & (p <= band[1])] for x, p in redrawn]
            low, high = threshold_interval(sizes, weights, of_halves, percentile) or (None, None)
            missed = _share([g.pvalue > ALPHA for g in group if g.gain > value])
            early = _share([g.pvalue <= ALPHA for g in group if g.gain < value])
        results.append(
            Threshold(
                group=name,
                value=value,
                low=low,
                high=high,
                in_band=len(inside),
                pairs=len(group),
                missed=missed,
                early=early,
            )
        )
    return tuple(results)


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None


def _warnings(results: Sequence[Threshold], scores: Scores, left_out: int) -> tuple[str, ...]:
    notes = [f"{left_out:,} pairs of systems of unlike classes are left out"] if left_out else []
    notes += [
        f"{t.group}: only {t.in_band} pair{'s are' if t.in_band > 1 else ' is'} just significant; "
        "the threshold is a guess, rather too low"
        + f", and of fewer than {FEWEST_PAIRS} has no interval"
        * (t.in_band < FEWEST_PAIRS)
        for t in results
        if 0 < t.in_band < FEW_PAIRS
    ]
    notes += [
        f"{t.group}: too few systems or items to say how far others would move the threshold"
        for t in results
        if t.in_band >= FEWEST_PAIRS and t.low is None
    ]
    notes += [
        f"{t.group}: no pair is just significant: no threshold" for t in results if not t.in_band
    ]
    notes.append(
        f"a threshold holds for this test set ({scores.n:,} items) and for pairs as alike as "
        "these: a smaller or other test set, or less similar systems, need a larger gain"
    )
    if any(t.low is not None for t in results):
        notes.append(
            "intervals of thresholds allow for other systems and other items, as many as these"
        )
    return tuple(notes)
