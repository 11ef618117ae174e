"""Padding: an interval's allowance for what did not come up in so few items.

One item is added that is won and one that is lost, as Agresti & Min (2005) and Bonett & Price
(2012) do with 0/1 scores. Ratings of which most are tied look as if nothing could happen, and an
inverted permutation test, which shifts what it saw, believes them; Student's t of the padded
differences covers all the same. How much the added items win and lose depends on the data:

- the whole range of the scores where little of it shows in the differences: at least half of the
  items are tied, or scores are whole numbers on a short scale;
- the largest score, which is all that an item can lose, where scores lie between 0 and 1, or 0 and
  100: systems that differ a little everywhere look as if none could fail altogether;
- the largest difference seen elsewhere, against skewness.
"""

import math

import numpy as np

from betterthan.data.pair import Pair
from betterthan.intervals.bounded import are_shares
from betterthan.intervals.means import student_interval
from betterthan.numeric import Alternative
from betterthan.results.interval import Interval

SHORT = 10
"""Steps of a short scale: 1 to 5 has four, 0 to 10 ten."""

PERCENT = 100.0
"""The most that scores can be which are taken for shares, or percentages, that may be lost."""


def padded_interval(pair: Pair, *, confidence: float, alternative: Alternative) -> Interval | None:
    """Student's interval of a mean difference with two items added; None where none are."""
    size = stakes(pair)
    if size is None or pair.units < 2:
        return None
    if size == 0.0:  # one and the same score throughout: nothing tells how far others may lie
        return Interval(-math.inf, math.inf, confidence, "unbounded (no spread observed)")
    one: float | int = size / float(pair.unit)
    if pair.whole:
        one = math.ceil(round(one, 6))
    found = student_interval(pair, confidence=confidence, alternative=alternative, added=one)
    return Interval(found.low, found.high, confidence, "padded t")


def stakes(pair: Pair) -> float | None:
    """What an added item wins or loses.

    None for clusters of other scores where many items differ: their own t interval, with the
    degrees of freedom of unequal clusters, covers without; and where single items are not known.
    """
    if pair.clusters is not None and pair.items is None:
        return None
    low, high = pair.span
    span = high - low if high - low >= 1.0 or not pair.rate else 1.0
    short = pair.whole and span <= SHORT * float(pair.unit) * (1.0 + 1e-9)
    ratings = short and pair.unit == 1
    may_fail = are_shares(pair.metric, low, high, 1.0 if ratings else PERCENT)
    if may_fail:
        span = max(span, high)
    if may_fail or short or 2 * pair.ties >= pair.n:
        return span
    gains = pair.gains
    if pair.clusters is not None or gains is None:
        return None
    return float(np.abs(gains.values).max()) * float(gains.unit)


def short_scale(pair: Pair) -> float | None:
    """Range of ratings, or of their means over few raters: no mean can change by more; or None."""
    if pair.metric.form != "mean" or pair.metric.lower_is_better:
        return None
    if pair.clusters is not None and pair.items is None:
        return None
    low, high = pair.span
    rating = pair.whole and pair.unit * SHORT >= 1 and high - low <= SHORT
    return high - low if rating else None


def widened(made: Interval, other: Interval | None) -> Interval:
    """Interval that holds both; its method says if the second one moved an end."""
    if other is None or (made.low <= other.low and other.high <= made.high):
        return made
    low, high = min(made.low, other.low), max(made.high, other.high)
    name = f"{made.method}, widened to the {other.method} interval"
    return Interval(low, high, made.level, name, made.error)
