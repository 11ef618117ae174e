"""Tail probabilities of the classical statistics, as logarithms that do not underflow."""

import math

import numpy as np
from scipy.special import betainc, betaln, log_ndtr, stdtr

from betterthan.exact.probability import LOG2, Probability
from betterthan.numeric import Alternative

UNDERFLOW = 1e-290


def normal_pvalue(z: float, alternative: Alternative) -> Probability:
    """P-value of a standard normal statistic.

    >>> round(normal_pvalue(-40.0, "two-sided").log10, 3)
    -349.136
    """
    if alternative == "two-sided":
        return Probability.of_log(float(log_ndtr(-abs(z)))).doubled()
    return Probability.of_log(float(log_ndtr(-z if alternative == "greater" else z)))


def t_pvalue(t: float, freedom: float, alternative: Alternative) -> Probability:
    """P-value of Student's t.

    >>> round(t_pvalue(2.0, 10, "two-sided").value, 4)
    0.0734
    """
    tail = Probability.of_log(_log_t_tail(abs(t), freedom))
    if alternative == "two-sided":
        return tail.doubled()
    return tail if (t > 0) == (alternative == "greater") else tail.complement()


def _log_t_tail(t: float, freedom: float) -> float:
    """``log P(T >= t)`` for t >= 0."""
    p = (1.0 - float(betainc(0.5, freedom / 2.0, t * t / (freedom + t * t)))) / 2.0
    if p < 0.25:  # the complement would lose digits
        p = float(stdtr(freedom, -t))
    if p > UNDERFLOW:
        return math.log(p)
    # P(|T| >= t) = I_x(a, 1/2) = x^a (1-x)^(1/2) / (a B(a, 1/2)) F(a + 1/2, 1; a + 1; x)
    # with a = freedom / 2 and x = freedom / (freedom + t^2) (DLMF 8.17.8); F's terms fall like x^k.
    a = freedom / 2.0
    log_x = -math.log1p(t * t / freedom)
    k = np.arange(math.ceil(40.0 / -log_x))
    series = 1.0 + float(np.exp(np.cumsum(np.log1p(-0.5 / (a + 1.0 + k)) + log_x)).sum())
    log_rest = -math.log1p(freedom / (t * t)) / 2.0  # of 1 - x
    return float(a * log_x + log_rest - math.log(a) - betaln(a, 0.5) + math.log(series) - LOG2)


def median_table_pvalue(n: int, above: int, excess: int, alternative: Alternative) -> Probability:
    """P-value of Fisher's exact test for two samples of ``n`` scores each.

    ``above`` of the ``2n`` scores lie above the common median, ``excess`` more of the second sample
    than of the first. Given ``above`` the count of the second is hypergeometric, and its law
    symmetric because the samples are equally large.

    >>> round(1 / median_table_pvalue(4, 4, 4, "two-sided").value, 10)
    35.0
    """
    if alternative == "less":
        excess, alternative = -excess, "greater"
    if alternative == "two-sided":
        if excess == 0:
            return Probability.of(1.0)
        return _median_table_tail(n, above, abs(excess)).doubled()
    if excess > 0:
        return _median_table_tail(n, above, excess)
    return _median_table_tail(n, above, 2 - excess).complement()


def _median_table_tail(n: int, above: int, excess: int) -> Probability:
    """P(at least this excess > 0), by the ratios of successive masses from the middle outwards."""
    middle = (above + 1) // 2
    last = min(above, n)
    index = (above + excess) // 2 - middle
    if index > last - middle:
        return Probability.of(0.0)
    j = np.arange(middle, last, dtype=np.float64)  # from count j to count j + 1
    ratios = (above - j) * (n - j) / ((j + 1.0) * (n - above + j + 1.0))
    logs = np.concatenate(([0.0], np.cumsum(np.log(ratios))))
    upper = float(np.exp(logs).sum())
    total = 2.0 * upper - (1.0 if above % 2 == 0 else 0.0)  # an even law's middle counts once
    log = float(logs[index] + math.log(np.exp(logs[index:] - logs[index]).sum() / total))
    rounding = 2.0**-52 * (len(logs) + 4) * (4.0 + abs(float(logs[index])))
    return Probability.of_log(log, rounding)
