"""Why aggregations disagree on a pair: outliers, pairing, types of items; and tests on the same."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from betterthan.checks import several
from betterthan.comparison.multiplicity import Correction
from betterthan.data.scores import Scores
from betterthan.errors import DataError, Remedy
from betterthan.grammar import value_of
from betterthan.metrics import Metric
from betterthan.numeric import Bools, Floats
from betterthan.ranking.aggregate import aggregate
from betterthan.ranking.outcome_tables import signs_between
from betterthan.ranking.pair_tests import PAIR_TESTS
from betterthan.ranking.pairwise import pairwise
from betterthan.ranking.prepared import Rankable, prepare, score_table
from betterthan.ranking.result import Ranking
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling
from betterthan.tables.accepted import Frame, as_scores
from betterthan.testing.values import PairedTest

FAR = 3.5
"""Robust z-score beyond which a difference is an outlier (Iglewicz & Hoaglin, 1993)."""

UNIMODAL = 5 / 9
"""Bimodality coefficient of a uniform law; more hints at several types of items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDiagnosis:
    """Two systems on the items both have; positive numbers favour the first.

    Attributes
    ----------
    first, second : str
        The systems.
    n, wins, ties, losses : int
        Items, and on how many the first did better, equally, worse.
    mean_difference, median_difference, median_of_differences : float
        What mean, median and Bradley-Terry look at (the paper's Proposition 1), in the direction
        of better.
    trimmed_difference : float
        Mean difference without the outliers.
    outliers : int
        Items whose difference is far from the median difference, in robust units.
    correlation : float
        Pearson correlation of the two systems' scores over items; NaN where one is constant.
    variance_ratio : float
        Variance of the differences over the sum of the variances: 1 where the pairing says nothing,
        below where it helps, above where it hurts.
    skewness, kurtosis : float
        Of the differences; excess kurtosis.
    bimodality : float
        Sarle's coefficient of the differences; above 5/9 several types of items are likely.
    preferred : mapping of str to str or None
        Which system mean, median and Bradley-Terry prefer; None for a draw.
    reasons : tuple of str
        Why they disagree, or nothing where they agree.
    """

    first: str
    second: str
    n: int
    wins: int
    ties: int
    losses: int
    mean_difference: float
    median_difference: float
    median_of_differences: float
    trimmed_difference: float
    outliers: int
    correlation: float
    variance_ratio: float
    skewness: float
    kurtosis: float
    bimodality: float
    preferred: dict[str, str | None]
    reasons: tuple[str, ...]


def diagnose(
    data: Scores | Frame, first: str, second: str, *, metric: str | Metric | None = None
) -> PairDiagnosis:
    """Say what the pairing of two systems looks like, and why aggregations disagree on it.

    Examples
    --------
    >>> scores = Scores.from_arrays({"a": [1, 1, 1, 1, 30], "b": [2, 2, 2, 2, 2]})
    >>> found = diagnose(scores, "a", "b")
    >>> found.preferred
    {'mean': 'a', 'median': 'b', 'bradley-terry': 'b'}
    >>> print(*found.reasons, sep="; ")
    1 outlier decides the mean: without it -1 instead of +4.8
    """
    scores = as_scores(data, systems=(first, second), metric=metric)
    scores.check_even("a diagnosis", Remedy("compares means", command="compare"), (first, second))
    table = score_table(scores, metric=metric)
    x, y = table.values[:, scores.position(first)], table.values[:, scores.position(second)]
    both = ~np.isnan(x + y)
    if not both.any():
        raise DataError(f"{first!r} and {second!r} have no item in common")
    x, y = x[both], y[both]
    d, sign = x - y, signs_between(x, y)
    wins, losses = int((sign > 0).sum()), int((sign < 0).sum())
    far = _far(d)
    trimmed = float(d[~far].mean()) if not far.all() else 0.0
    skewness, kurtosis, bimodality = shape(d)
    total = float(x.var() + y.var())
    spread = float(x.std() * y.std())
    correlation = float(((x - x.mean()) * (y - y.mean())).mean() / spread) if spread else np.nan
    leans = {
        "mean": float(d.mean()),
        "median": float(np.median(x) - np.median(y)),
        "bradley-terry": float(wins - losses),
    }
    noise = 1e-12 * float(np.abs(d).max())
    preferred = {
        name: None if abs(lean) <= noise else first if lean > 0 else second
        for name, lean in leans.items()
    }
    reasons = []
    if far.any() and np.sign(trimmed) != np.sign(leans["mean"]) and abs(trimmed) > noise:
        count = int(far.sum())
        those = "1 outlier decides" if count == 1 else f"{count} outliers decide"
        reasons.append(
            f"{those} the mean: without {'it' if count == 1 else 'them'} {trimmed:+.3g} "
            f"instead of {leans['mean']:+.3g}"
        )
    if preferred["median"] != preferred["bradley-terry"]:
        several = "; the differences look like several types of items" * (bimodality > UNIMODAL)
        reasons.append(
            f"the medians differ by {leans['median']:+.3g} but {first} wins {wins} and loses "
            f"{losses} items: the pairing matters (correlation {correlation:.2f}){several}"
        )
    if preferred["mean"] != preferred["bradley-terry"] and not reasons:
        reasons.append("the side with fewer wins wins by more: the differences are skewed")
    return PairDiagnosis(
        first=first,
        second=second,
        n=len(d),
        wins=wins,
        ties=len(d) - wins - losses,
        losses=losses,
        mean_difference=leans["mean"],
        median_difference=leans["median"],
        median_of_differences=float(np.median(d)),
        trimmed_difference=trimmed,
        outliers=int(far.sum()),
        correlation=correlation,
        variance_ratio=float(d.var() / total) if total else np.nan,
        skewness=skewness,
        kurtosis=kurtosis,
        bimodality=bimodality,
        preferred=preferred,
        reasons=tuple(reasons) if len(set(preferred.values())) > 1 else (),
    )


def shape(values: Floats) -> tuple[float, float, float]:
    """Skewness, excess kurtosis and Sarle's bimodality coefficient; NaN for a constant."""
    n = len(values)
    centred = values - values.mean()
    # Powers of very small and very large scores would be lost; one of two changes no digit.
    centred = np.ldexp(centred, -math.frexp(float(np.abs(values).max()))[1])
    variance = float((centred**2).mean())
    if variance <= 1e-24:
        return np.nan, np.nan, np.nan
    skewness = float((centred**3).mean() / variance**1.5)
    kurtosis = float((centred**4).mean() / variance**2 - 3.0)
    # With the small-sample correction that makes a uniform law 5/9.
    small = 3.0 * (n - 1) ** 2 / ((n - 2) * (n - 3)) if n > 3 else 3.0
    return skewness, kurtosis, (skewness**2 + 1) / (kurtosis + small)


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How often tests agree (Peyrard et al., 2021, Figure 6).

    Attributes
    ----------
    tests : tuple of str
        The tests.
    matrix : (tests, tests) array
        Share of pairs significant under the column's test among those significant under the row's;
        on the diagonal the share of all pairs. NaN where the row's test finds nothing.
    pairs : int
        Pairs of systems.
    """

    tests: tuple[str, ...]
    matrix: Floats
    pairs: int


def agreement(
    data: Rankable,
    test: Sequence[PairedTest | str] = ("t", "mood", "sign", "wilcoxon"),
    *,
    metric: str | Metric | None = None,
    correction: Correction = "none",
    alpha: float = 0.05,
    ranking: Ranking | None = None,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> Agreement:
    """Run several tests on all pairs and tabulate what they find significant.

    Not adjusted by default, as in the paper: the question is about the tests, not the systems.
    ``workers`` and ``executor`` test pairs, as in :func:`pairwise`.
    """
    chosen = [value_of(one, PAIR_TESTS, "test") for one in several("test", test)]
    methods = {"mood": "median", "sign": "bradley-terry"}
    table = prepare(data, metric=metric)
    if ranking is None:  # whichever: it gives the order of the pairs, and they are all counted
        ranking = aggregate(table, "mean", rng=rng, resamples=2)
    found = [
        pairwise(
            table,
            methods.get(one.name, "mean"),
            test=one,
            correction=correction,
            alpha=alpha,
            ranking=ranking,
            rng=rng,
            **sampling,
        )
        for one in chosen
    ]
    once = np.triu_indices(len(table.systems), 1)
    significant = np.stack([p.adjusted[once] <= alpha for p in found])
    matrix = np.full((len(chosen),) * 2, np.nan)
    for i, row in enumerate(significant):
        for j, column in enumerate(significant):
            if i == j:
                matrix[i, j] = row.mean()
            elif row.any():
                matrix[i, j] = column[row].mean()
    return Agreement(tuple(map(repr, chosen)), matrix, significant.shape[1])


def _far(d: Floats) -> Bools:
    """Outliers by Iglewicz & Hoaglin (1993); where half the items agree, by mean deviation."""
    centred = np.abs(d - np.median(d))
    mad, mean_deviation = float(np.median(centred)), float(centred.mean())
    scale = 1.4826 * mad if mad > 0 else 1.2533 * mean_deviation
    noise = 1e-12 * float(np.abs(d).max(initial=0.0))
    if scale <= noise:
        return np.zeros(len(d), dtype=bool)
    return np.asarray(centred > FAR * scale)
