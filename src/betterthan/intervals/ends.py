"""Ends of intervals: which are bounded, and at which confidence."""

import math

from betterthan.checks import check_level
from betterthan.errors import UsageError, not_one_of
from betterthan.numeric import Alternative
from betterthan.results.interval import Interval

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def error_share(confidence: float, alternative: Alternative) -> float:
    """Error allowed on each side that is bounded."""
    if not (type(confidence) is float and 0.0 < confidence < 1.0):  # which is usual
        check_level(confidence, "confidence")
    return (1.0 - confidence) / (2.0 if alternative == "two-sided" else 1.0)


def central_confidence(confidence: float, alternative: Alternative) -> float:
    """Confidence of the two-sided interval that shares an end with a one-sided one."""
    error_share(confidence, alternative)
    if alternative not in ALTERNATIVES:
        raise not_one_of("alternative", alternative, ALTERNATIVES)
    if alternative == "two-sided":
        return confidence
    if confidence <= 0.5:
        raise UsageError(
            f"the level of a one-sided interval must be above one half, not {confidence!r}"
        )
    return 2.0 * confidence - 1.0


def one_sided(
    found: Interval, confidence: float, alternative: Alternative, of: str = ""
) -> Interval:
    """Give up the end that a one-sided interval leaves open; ``of`` says what it is one of."""
    low = -math.inf if alternative == "less" else found.low
    high = math.inf if alternative == "greater" else found.high
    return Interval(low, high, confidence, found.method, found.error, of)


def unbounded(confidence: float) -> Interval:
    """What a single item or cluster says about the others: nothing."""
    return Interval(-math.inf, math.inf, confidence, "unbounded (one unit)")
