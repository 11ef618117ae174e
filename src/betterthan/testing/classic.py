"""The classic paired tests, all from per-item scores and all with the same kind of result.

``a`` is the baseline and ``b`` the candidate; a positive ``delta`` means that ``b`` is better. The
sign test, McNemar's and Wilcoxon's are exact at any size, with ties and zeros: given the sizes of
the differences their statistics are sums of integers with random signs, the law of the permutation
test. Clusters, where they are given, change sides as one.
"""

from typing import Literal

from numpy.typing import ArrayLike

from betterthan.checks import check_flag
from betterthan.data.pair import Pair
from betterthan.data.pairing import pair_of
from betterthan.metrics import mean
from betterthan.numeric import Alternative
from betterthan.results.tests import TestResult
from betterthan.testing.of_pairs import discordance, medians, signed_ranks, signs, student


def t_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    clusters: ArrayLike | None = None,
    lower_is_better: bool = False,
) -> TestResult:
    """Student's paired t-test of the mean difference; cluster-robust where clusters are given.

    Without any spread among the differences t does not exist. Identical systems then get p = 1, and
    a constant difference the exact sign-flip p-value of so many equal signs: ``2**(1 - n)``.

    Parameters
    ----------
    a, b : (n,) array_like
        Scores of the baseline and the candidate on the same items.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: the candidate is better.
    clusters : (n,) array_like, optional
        A label per item; items of one cluster are not independent.
    lower_is_better : bool
        The direction of better.

    Examples
    --------
    >>> result = t_test([1, 2, 3, 4], [2, 4, 3, 7])
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (2.3238, 0.1027)
    """
    return student(mean_pair(a, b, clusters, lower_is_better), alternative)


def sign_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    clusters: ArrayLike | None = None,
    lower_is_better: bool = False,
) -> TestResult:
    """Exact sign test of whether the candidate wins more items than it loses.

    Tied items say nothing about that and do not count; to give half of them to each side would not
    change the exact p-value. ``statistic`` is the number of wins, ``delta`` the mean difference.

    Parameters
    ----------
    a, b, alternative, clusters, lower_is_better
        As in :func:`t_test`. The items of a cluster change sides together.

    Examples
    --------
    >>> sign_test([0.2, 0.1, 0.4, 0.4, 0.2, 0.3], [0.7, 0.8, 0.5, 0.6, 0.3, 0.4]).pvalue
    0.03125
    """
    return signs(mean_pair(a, b, clusters, lower_is_better), alternative)


def mcnemar(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    variant: Literal["exact", "mid-p", "chi2"] = "exact",
    continuity: bool = True,
    clusters: ArrayLike | None = None,
    lower_is_better: bool = False,
) -> TestResult:
    """McNemar's test of two accuracies on the same items (0/1 scores).

    Parameters
    ----------
    a, b, alternative, clusters, lower_is_better
        As in :func:`t_test`; clusters with the exact variant only.
    variant : {"exact", "mid-p", "chi2"}
        The exact conditional test, which on such data is the sign test and the permutation test;
        mid-p, which counts what ties with the observed value by half and so is less conservative
        (Fagerland, Lydersen & Laake, 2013); or the chi-square approximation.
    continuity : bool
        Edwards' correction of the chi-square variant.

    Examples
    --------
    >>> mcnemar([1, 0, 0, 0, 0, 1, 1], [0, 1, 1, 1, 1, 1, 1]).pvalue
    0.375
    """
    check_flag(continuity, "continuity")
    pair = mean_pair(a, b, clusters, lower_is_better)
    return discordance(pair, alternative, variant, continuity=continuity)


def wilcoxon(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    zeros: Literal["wilcox", "pratt", "zsplit"] = "wilcox",
    clusters: ArrayLike | None = None,
    lower_is_better: bool = False,
) -> TestResult:
    """Wilcoxon's signed-rank test, exact with ties and zeros at any number of items.

    The p-value is exact given the sizes of the differences: ties share their mid-rank and only the
    signs are random. Differences within float noise of each other are tied. ``statistic`` is W+,
    the rank sum of the candidate's wins; ``delta`` the Hodges-Lehmann pseudo-median of all
    differences.

    Parameters
    ----------
    a, b, alternative, clusters, lower_is_better
        As in :func:`t_test`. The items of a cluster change sides together (after Rosner, Glynn &
        Lee, 2006).
    zeros : {"wilcox", "pratt", "zsplit"}
        Items without a difference are dropped before ranking; or ranked, then dropped (Pratt,
        1959); or ranked, and half of their ranks given to each side. Swapping such an item changes
        nothing, so the latter two have the same exact p-value and differ in W+ alone.

    Examples
    --------
    >>> result = wilcoxon([0, 0, 0, 0, 0, 0], [3, 1, 1, 2, -1, 2])
    >>> result.statistic, result.pvalue
    (19.0, 0.125)
    """
    return signed_ranks(mean_pair(a, b, clusters, lower_is_better), alternative, zeros)


def mood_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    variant: Literal["exact", "chi2"] = "exact",
    continuity: bool = True,
    lower_is_better: bool = False,
) -> TestResult:
    """Mood's median test of whether more of the candidate's scores lie above the common median.

    It takes the two systems for independent samples and so wastes the pairing; it is here because
    medians are compared with it (Peyrard et al., 2021). ``delta`` is the difference of the medians;
    ``statistic`` counts the candidate's scores above the common median (those on it count as below)
    or is the chi-square value.

    Parameters
    ----------
    a, b, alternative, lower_is_better
        As in :func:`t_test`.
    variant : {"exact", "chi2"}
        Fisher's exact test of the two-by-two table, or its chi-square approximation.
    continuity : bool
        Yates' correction of the chi-square variant.

    Examples
    --------
    >>> round(mood_test([1, 2, 3, 4], [5, 6, 7, 8]).pvalue * 35, 12)
    1.0
    """
    check_flag(continuity, "continuity")
    pair = mean_pair(a, b, None, lower_is_better)
    return medians(pair, alternative, variant, continuity=continuity)


def mean_pair(
    a: ArrayLike, b: ArrayLike, clusters: ArrayLike | None, lower_is_better: bool
) -> Pair:
    """The pair of two columns of scores whose means are compared."""
    return pair_of(a, b, mean(lower_is_better=lower_is_better), clusters)
