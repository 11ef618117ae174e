"""A campaign against our own brackets: random cases by the hundred thousand, against whole numbers.

``make campaign``, or ``python -m tests.campaign --cases 100000 --seconds 600 meet ratio``.
Every case asks an engine for a probability and compares it with the truth, a quotient of two Python
integers that was counted in another way. A fraction must be equal to it; of any other answer the
bracket must hold it, in logarithms of 40 digits, to the last bit. One that does not is printed with
the seed that repeats it, and the campaign fails.

An engine's cases come in batches that share one law, so that the truth is counted once for many
thresholds: in the middle and in the deepest tail, on both sides. Sizes, magnitudes up to the
limits, common divisors and ties vary from batch to batch.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Any
from unittest import mock

import numpy as np

from betterthan.exact import enumeration, grid, ideal, meet, real
from betterthan.exact import lattice as exact_lattice
from betterthan.exact.bandlimited import SUMMATION, Tilted
from betterthan.exact.counting import NEVER
from betterthan.exact.drawn_reals import tail_of_real_draws
from betterthan.exact.extremal import WantedPrecision, refine
from betterthan.exact.ideal import ResampledRatio, ResampledSum
from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import BudgetExceededError, Probability
from betterthan.exact.rational import Ratio, signed_sum_pvalue
from betterthan.exact.tilt import Tilt, check_budget, upper_tail
from betterthan.numeric import Alternative, Floats, Ints
from betterthan.testing.permutation import permutation_test
from printed_scores import scores_as_they_come

Case = tuple[Callable[[], Probability | Fraction], Fraction, object]
"""The question, its answer, and what to print should they disagree."""

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


# -- the truth, counted in whole numbers ----------------------------------------------------------


@dataclass(frozen=True)
class Law:
    """A law on whole numbers: ascending values, and how many of ``patterns`` are at or above each.

    ``above`` has one entry more, for nothing.
    """

    values: Ints | list[int]
    above: list[int]

    @property
    def patterns(self) -> int:
        return self.above[0]

    def at_least(self, s: int) -> int:
        """How many patterns have a value of s or more."""
        return self.above[int(np.searchsorted(self.values, s))]

    def pvalue(self, s: int, alternative: Alternative) -> Fraction:
        """Share of the patterns at least as extreme as s."""
        hits = {
            "greater": lambda: self.at_least(s),
            "less": lambda: self.patterns - self.at_least(s + 1),
            "two-sided": lambda: self.at_least(abs(s)) + self.patterns - self.at_least(1 - abs(s)),
        }[alternative]()
        return Fraction(min(hits, self.patterns), self.patterns)


def listed(steps: list[int]) -> Law:
    """Law of the signed sum, every one of the ``2**n`` patterns written down."""
    kind: Any = np.int64 if sum(map(abs, steps)) < 2**62 else object
    sums = np.zeros(1, dtype=kind)
    for step in steps:
        sums = np.concatenate([sums - step, sums + step])
    sums.sort()
    return Law(sums, list(range(sums.size, -1, -1)))


def tallied(steps: list[int], counts: list[int]) -> Law:
    """Law of the signed sum of ``counts`` copies of each step, by the number of positive signs."""
    sums, ways = np.zeros(1, dtype=np.int64), np.ones(1, dtype=object)
    for step, count in zip(steps, counts, strict=True):
        positive = range(count + 1)
        sums = np.add.outer([step * (2 * j - count) for j in positive], sums).ravel()
        ways = np.multiply.outer(
            np.array([math.comb(count, j) for j in positive], dtype=object), ways
        ).ravel()
    order = np.argsort(sums)
    return Law(sums[order], [*accumulate(ways[order][::-1].tolist(), initial=0)][::-1])


def packed_power(coefficients: dict[int, int], n: int) -> list[int]:
    """Coefficients of the n-th power of a polynomial, multiplied as one integer."""
    width = (sum(coefficients.values()) ** n).bit_length() + 1
    base = sum(c << e * width for e, c in coefficients.items())
    return digits(base**n, width, n * max(coefficients) + 1)


def digits(number: int, width: int, count: int) -> list[int]:
    """The lowest ``count`` digits of a number in base ``2**width``."""
    if count <= 64:
        mask = (1 << width) - 1
        return [number >> i * width & mask for i in range(count)]
    half = count // 2
    low = number & (1 << half * width) - 1
    return digits(low, width, half) + digits(number >> half * width, width, count - half)


def convolved(steps: list[int], counts: list[int]) -> Law:
    """Law of the signed sum, one product of polynomials per distinct step."""
    n, total = sum(counts), sum(e * c for e, c in zip(steps, counts, strict=True))
    width = n + 1
    product = 1
    for step, count in zip(steps, counts, strict=True):
        product *= sum(math.comb(count, j) << j * step * width for j in range(count + 1))
    masses = digits(product, width, total + 1)
    above = [*accumulate(reversed(masses), initial=0)][::-1]
    return Law(list(range(-total, total + 1, 2)), above)


# -- what the engines are asked --------------------------------------------------------------------


def magnitude(rng: np.random.Generator, most: float) -> int:
    """A whole number from 1 to ``most``, of any order of magnitude."""
    return int(10 ** rng.uniform(0.0, math.log10(most)))


def some_steps(rng: np.random.Generator, n: int, most: float) -> list[int]:
    """Positive whole numbers, with ties or a common divisor now and then."""
    size = magnitude(rng, most)
    steps = rng.integers(1, size + 1, n)
    if rng.random() < 0.3:
        steps = rng.choice(steps, n)  # ties
    if rng.random() < 0.2:
        steps = np.maximum(steps // 2**20, 1) * int(rng.integers(1, 2**20))
    if rng.random() < 0.2:
        steps[0] = size * int(rng.integers(1, n + 2))  # one that dominates
    return [int(step) for step in steps]


def signed(rng: np.random.Generator, steps: list[int]) -> list[int]:
    """The steps with signs that lean one way, anything from not at all to altogether."""
    lean = rng.random() ** 2 / 2
    side = 1 if rng.random() < 0.5 else -1
    return [side * (-e if rng.random() < lean else e) for e in steps]


def small_or_dense(rng: np.random.Generator) -> tuple[list[int], Law]:
    """Steps whose law can be counted: few of any size, or many small ones."""
    if rng.random() < 0.5:
        steps = some_steps(rng, int(rng.integers(1, 13)), 10.0 ** rng.choice([1, 3, 6, 12, 17]))
        return steps, listed(steps)
    steps = some_steps(rng, int(rng.integers(13, 250)), rng.choice([1, 3, 10]))
    steps = [min(step, 40) for step in steps]
    distinct, counts = np.unique(steps, return_counts=True)
    return steps, convolved(distinct.tolist(), counts.tolist())


def lattice(rng: np.random.Generator) -> Iterator[Case]:
    """The law of a signed sum of whole numbers."""
    steps, truth = small_or_dense(rng)
    law = SignedSum.of(np.array(steps))
    for alternative in ALTERNATIVES * 3:
        s = sum(signed(rng, steps)) + int(rng.integers(-1, 2))
        exact = truth.pvalue(s, alternative)
        yield partial(law.pvalue, s, alternative), exact, (steps, s, alternative)


def transform(rng: np.random.Generator) -> Iterator[Case]:
    """The same law where nothing is counted, and one step may exceed all the others."""
    steps, truth = small_or_dense(rng)
    law = SignedSum.of(np.array(steps))
    for alternative in ALTERNATIVES * 3:
        s = sum(signed(rng, steps)) + int(rng.integers(-1, 2))

        def ask(s: int = s, alternative: Alternative = alternative) -> Probability:
            with mock.patch.object(exact_lattice, "work", return_value=NEVER):
                check_budget(2**8 * law.cost(s))  # no more than a sixtieth of a second
                return law.pvalue(s, alternative)

        yield ask, truth.pvalue(s, alternative), (steps, s, alternative)


def tilt(rng: np.random.Generator) -> Iterator[Case]:
    """The tilted Fourier sum, also on laws that would be counted."""
    if rng.random() < 0.5:
        n = int(rng.integers(2, 12))
        steps = some_steps(rng, n, 10.0 ** rng.uniform(1, 2.8 if rng.random() < 0.998 else 5.7))
        truth = listed(steps)
    else:
        kinds = int(rng.integers(1, 4))
        some = rng.choice(30, kinds, replace=False) + 1
        steps = np.repeat(some, rng.integers(1, [600, 200, 60][kinds - 1], kinds)).tolist()
        distinct, copies = np.unique(steps, return_counts=True)
        truth = convolved(distinct.tolist(), copies.tolist())
    unit = math.gcd(*steps)
    reduced, counts = np.unique(np.array(steps) // unit, return_counts=True)
    total = sum(steps) // unit
    for threshold in range(30):
        if total < 3:
            return
        # From the middle of the law to its last point but one.
        beyond = min(int((total - 1) / 2 * rng.random() ** rng.choice([0.3, 1, 3])), total // 2)
        t = max(total - 1 - beyond, total // 2 + 1)
        loaded = Tilt.at(reduced, counts, excess=2 * t - total, total=total)
        if loaded.cost() > 2**25 and threshold > 1:  # a fine lattice takes its time
            return
        hits = truth.at_least(unit * (2 * t - total))
        exact = Fraction(hits, truth.patterns)
        yield partial(upper_tail, loaded, total, t), exact, (steps, t)


def rational(rng: np.random.Generator) -> Iterator[Case]:
    """Fractions, differences beyond 64 bits among them."""
    steps, truth = small_or_dense(rng)
    if len(steps) < 13 and rng.random() < 0.3:
        steps = [step * 10**15 + int(rng.integers(9)) for step in steps]
        truth = listed(steps)
    for alternative in ALTERNATIVES * 2:
        d = signed(rng, steps)
        exact = truth.pvalue(sum(d), alternative)
        yield partial(signed_sum_pvalue, d, alternative=alternative), exact, (d, alternative)


def middle(rng: np.random.Generator) -> Iterator[Case]:
    """Meeting in the middle: multiples of a power of two, or reals as they come."""
    n = int(rng.integers(1, 13))
    if rng.random() < 0.5:
        steps = some_steps(rng, n, 10.0 ** rng.uniform(0, 9))
        scale = 2.0 ** int(rng.integers(-900, 900))
    else:  # whole numbers of 2**-52 behind reals: sums are exact in Python's integers
        steps = [int(abs(x) * 2**52) + 1 for x in rng.standard_t(rng.choice([2, 30]), n)]
        scale = 2.0**-52
    truth = listed(steps)
    for alternative in ALTERNATIVES * 3:
        d = signed(rng, steps)
        if _nearly_tied(truth, sum(d), sum(steps)):
            continue
        x = np.array(d, dtype=np.float64) * scale
        exact = truth.pvalue(sum(d), alternative)
        yield partial(meet.pvalue, x, alternative=alternative), exact, (d, scale, alternative)


def _nearly_tied(truth: Law, s: int, total: int) -> bool:
    """Whether sums other than those equal to it are so close to s that they count as ties."""
    near = math.ceil(2e-12 * total)
    around = ((-near, 0), (1, near + 1))
    return any(
        truth.at_least(x + low) != truth.at_least(x + high) for x in (s, -s) for low, high in around
    )


def bracket(rng: np.random.Generator) -> Iterator[Case]:
    """The Graham-Vaaler bracket itself, on laws small enough to list."""
    n = int(rng.integers(6, 14))
    steps = [int(abs(x) * 2**40) + 1 for x in rng.standard_t(rng.choice([2, 5, 30]), n)]
    if rng.random() < 0.3:
        steps = rng.choice(steps, n).tolist()
    truth, total = listed(steps), sum(steps)
    scale = 2.0 ** -max(steps).bit_length()
    sizes, copies = np.array(steps) * scale, np.ones(n, dtype=np.int64)
    for tolerance in (0.3, 1e-2, 1e-3):
        s = total - 2 * int(rng.random() ** 2 * total / 2) - 1
        free = sizes[sizes <= (total - s) / 2 * scale]
        if free.size < n or s <= 0 or _nearly_tied(truth, s, total):
            continue
        loaded = Tilted.at(sizes, copies, (total - s) / 2 * scale)
        doubt = SUMMATION * total * scale
        goal = WantedPrecision(tolerance, None)
        ask = partial(refine, loaded, goal, doubt=2 * doubt, limit=1 << 16)
        yield ask, Fraction(truth.at_least(s), truth.patterns), (steps, s, tolerance)


def certified(rng: np.random.Generator) -> Iterator[Case]:
    """Real-valued differences as the test gets them, more than are ever counted outright."""
    kinds = int(rng.integers(2, 6))
    sizes = [int(abs(x) * 2**40) + 1 for x in rng.standard_t(rng.choice([3, 30]), kinds)]
    if rng.random() < 0.3:
        sizes = (rng.choice(40, kinds, replace=False) + 1).tolist()  # a lattice in disguise
    counts = rng.integers(2, [150, 30, 14, 9][kinds - 2], kinds).tolist()
    truth = tallied(sizes, counts)
    total = sum(e * c for e, c in zip(sizes, counts, strict=True))
    unit = 2.0**-40 if rng.random() < 0.5 else float(10 ** rng.uniform(-3, 3))
    for alternative in ALTERNATIVES * 2:
        d = signed(rng, np.repeat(np.array(sizes), counts).tolist())
        if _nearly_tied(truth, sum(d), total):
            continue
        tolerance = float(rng.choice([1e-1, 3e-2, 1e-3]))
        rows, times = np.unique(d, return_counts=True)
        grouped = bool(rng.random() < 0.5)
        x = (rows if grouped else np.array(d)) * unit
        ask = partial(real.pvalue, x, counts=times if grouped else None, tolerance=tolerance)
        data = (rows.tolist(), times.tolist(), unit, alternative, tolerance, grouped)
        yield partial(ask, alternative=alternative), truth.pvalue(sum(d), alternative), data


def difference(top: Any, bottom: Any, top_total: int, bottom_total: int) -> tuple[Any, Any]:
    """One system's ratio less the other's, over a positive denominator; n / 0 is nothing."""
    other_top, other = top_total - top, bottom_total - bottom
    top, other_top = np.where(bottom == 0, 0, top), np.where(other == 0, 0, other_top)
    bottom, other = np.where(bottom == 0, 1, bottom), np.where(other == 0, 1, other)
    return top * other - other_top * bottom, bottom * other


def extreme(top: Any, below: Any, observed: tuple[Any, Any], alternative: Alternative) -> Any:
    """Which of the fractions are at least as extreme as the observed one."""
    gap = top * observed[1] - observed[0] * below
    if alternative != "two-sided":
        return gap >= 0 if alternative == "greater" else gap <= 0
    mirrored = top * observed[1] + observed[0] * below
    return (gap >= 0) | (mirrored <= 0) if observed[0] >= 0 else (gap <= 0) | (mirrored >= 0)


def joint(rng: np.random.Generator) -> Iterator[Case]:
    """Differences of ratios of so many items that their tails are deep."""
    n = int(rng.integers(12, 60))
    den = rng.integers(0, 4, (2, n))
    if rng.random() < 0.3:
        den[1] = den[0]
    num = rng.integers(0, den + 1)
    if rng.random() < 0.7:  # one system is better nearly everywhere
        num[1] = np.where(rng.random(n) < 0.9, den[1], num[1])
        num[0] = np.where(rng.random(n) < 0.8, 0, num[0])
    totals = [int(x.sum()) for x in (num, den)]
    stride, width = totals[1] + 1, n + 1
    product = 1
    for i in range(n):
        first, second = (int(num[k, i]) * stride + int(den[k, i]) for k in (0, 1))
        product = (product << first * width) + (product << second * width)
    ways = digits(product, width, (totals[0] + 1) * stride)
    keys = np.array([key for key, count in enumerate(ways) if count])
    counts = [count for count in ways if count]
    top, below = difference(keys // stride, keys % stride, *totals)
    for alternative in ALTERNATIVES * 2:
        swap = rng.random(n) < rng.choice([0.0, 0.05, 0.3])
        sides = [np.where(swap, x[1 - k], x[k]) for k in (0, 1) for x in (num, den)]
        if rng.random() < 0.5:
            sides = sides[2:] + sides[:2]
        observed = difference(int(sides[2].sum()), int(sides[3].sum()), *totals)
        chosen = extreme(top, below, observed, alternative)
        hits = sum(count for count, hit in zip(counts, chosen.tolist(), strict=True) if hit)
        ask = partial(grid.ratio_pvalue, *sides, alternative=alternative)
        data = ([x.tolist() for x in sides], alternative)
        yield ask, Fraction(hits, 2**n), data


def ratio(rng: np.random.Generator) -> Iterator[Case]:
    """Differences of ratios, by the joint law even where all swaps could be tried."""
    n = int(rng.integers(2, 12))
    most = int(rng.choice([2, 4, 9, 30]))
    den = rng.integers(0, most + 1, (2, n))
    if rng.random() < 0.4:
        den[1] = den[0]
    num = rng.integers(0, den + 1)
    if rng.random() < 0.2:
        num = num * 7  # a common divisor
    if rng.random() < 0.1:
        num = num - rng.integers(0, 3, (2, n))
    swapped = np.arange(2**n)[:, None] >> np.arange(n) & 1
    sums = [swapped @ (x[0] - x[1]) + x[1].sum() for x in (num, den)]
    totals = [int(x.sum()) for x in (num, den)]
    top, below = difference(*sums, *totals)
    for alternative in ALTERNATIVES * 2:
        at = int(rng.integers(2**n))
        if rng.random() < 0.5:  # the far ends come up too
            score = top / below
            at = int(np.argsort(score)[-1 - int(rng.integers(min(8, 2**n)))])
        a_num, a_den = (np.where(swapped[at], x[1], x[0]) for x in (num, den))
        b_num, b_den = (np.where(swapped[at], x[0], x[1]) for x in (num, den))
        hits = int(extreme(top, below, (top[at], below[at]), alternative).sum())

        sides = (a_num, a_den, b_num, b_den)
        data = ([x.tolist() for x in sides], alternative)
        yield (
            partial(grid.ratio_pvalue, *sides, alternative=alternative),
            Fraction(hits, 2**n),
            data,
        )


def region(rng: np.random.Generator) -> Iterator[Case]:
    """Any function of several sums."""
    n, m = int(rng.integers(2, 11)), int(rng.integers(1, 4))
    stay = rng.integers(-4, 5, (n, m))
    swap = rng.integers(-4, 5, (n, m))
    statistics: list[Callable[..., Any]] = [
        lambda *s: sum(x * x for x in s),
        lambda *s: s[0] * s[-1] - s[0],
        lambda *s: abs(sum(s)),
        lambda *s: np.maximum(s[0], s[-1]),
    ]
    swapped = np.arange(2**n)[:, None] >> np.arange(n) & 1
    sums = swapped @ (swap - stay) + stay.sum(axis=0)
    for h in statistics:
        values = h(*sums.T)
        hits = int(np.count_nonzero(values >= values[0]))
        data = (stay.tolist(), swap.tolist(), hits)
        yield partial(grid.test, stay, swap, h), Fraction(hits, 2**n), data


def resampled(rng: np.random.Generator) -> Iterator[Case]:
    """The ideal bootstrap of a sum."""
    n = int(rng.choice([2, 5, 12, 40, 120]))
    kinds = int(rng.integers(2, 7))
    d = rng.choice(rng.integers(0, int(rng.choice([2, 5, 12, 40])) + 1, kinds), n)
    values, counts = np.unique(d, return_counts=True)
    masses = packed_power(dict(zip(values.tolist(), counts.tolist(), strict=True)), n)
    above = [*accumulate(reversed(masses), initial=0)][::-1]
    shift, unit = int(rng.integers(-20, 20)), int(rng.choice([1, 3, 1000]))
    law = ResampledSum.of((d + shift) * unit)
    for _ in range(10):
        s = int(rng.integers(0, len(masses)))
        asked = (s + n * shift) * unit
        data = (d.tolist(), shift, unit, s)
        yield partial(law.tail, asked), Fraction(above[s], n**n), data
        yield partial(law.lower, asked), Fraction(n**n - above[s + 1], n**n), data


def draws(values: list[int], counts: list[int]) -> Law:
    """Law of the sum of as many draws as there are units, by how often each value is drawn."""
    n = sum(counts)
    states = [(n, 0, 1)]  # draws that are left, their sum so far, and in how many ways
    for value, count in zip(values[1:], counts[1:], strict=True):
        states = [
            (left - j, total + j * value, ways * math.comb(left, j) * count**j)
            for left, total, ways in states
            for j in range(left + 1)
        ]
    ended = sorted((t + left * values[0], w * counts[0] ** left) for left, t, w in states)
    sums, ways = zip(*ended, strict=True)
    return Law(list(sums), [*accumulate(reversed(ways), initial=0)][::-1])


def resampled_reals(rng: np.random.Generator) -> Iterator[Case]:
    """The ideal bootstrap of a sum of reals, from the middle of its law to the last resample."""
    kinds = int(rng.integers(2, 5))
    counts = rng.integers(1, [60, 14, 7][kinds - 2] + 1, kinds).tolist()
    n = sum(counts)
    values = [int(x * 2**36) for x in rng.standard_t(rng.choice([2, 5, 30]), kinds)]
    truth = draws(values, counts)
    for _ in range(8):
        at = int(rng.random() ** rng.choice([0.3, 1, 3]) * len(truth.values))
        ends = truth.values[max(at - 1, 0)], truth.values[at]
        if ends[1] - ends[0] < 2**12:  # closer than rounding can tell
            continue
        s = sum(ends) // 2
        z = np.array([n * value - s for value in values], dtype=np.float64)
        doubt = SUMMATION * n * float(np.abs(z).max())
        goal = WantedPrecision(float(rng.choice([1e-1, 1e-2, 1e-3])), None)
        ask = partial(tail_of_real_draws, z, np.array(counts), goal, doubt)
        yield ask, Fraction(truth.at_least(s), truth.patterns), (values, counts, s, goal)


def resampled_ratio(rng: np.random.Generator) -> Iterator[Case]:
    """The ideal bootstrap of a ratio of sums, in two frequencies as in one."""
    n = int(rng.choice([2, 4, 8, 14]))
    d, w = rng.integers(0, 6, n), rng.integers(0, int(rng.choice([2, 5])), n)
    stride = n * int(w.max()) + 1
    keys, counts = np.unique(d * stride + w, return_counts=True)
    masses = packed_power(dict(zip(keys.tolist(), counts.tolist(), strict=True)), n)
    support = [(*divmod(key, stride), mass) for key, mass in enumerate(masses) if mass]
    law = ResampledRatio.of(d, w)
    for columns in (1, 2) * 4:
        _, a, _ = support[int(rng.integers(len(support)))]
        r = Fraction(int(rng.integers(0, 6 * n)), max(a, 1))
        strict = bool(rng.random() < 0.5)
        hits = sum(m for x, y, m in support if x * r.denominator - y * r.numerator >= int(strict))

        def ask(r: Fraction = r, strict: bool = strict, columns: int = columns) -> Probability:
            longest = ideal.SUM_LATTICE if columns == 1 else 0
            with mock.patch.object(ideal, "SUM_LATTICE", longest):
                return law.tail(r, strict=strict)

        yield ask, Fraction(hits, n**n), (d.tolist(), w.tolist(), str(r), strict, columns)


def enumerated(rng: np.random.Generator) -> Iterator[Case]:
    """All swaps, by sums and by calls, against a list of all sums."""
    steps = some_steps(rng, int(rng.integers(1, 7)), 50)
    truth = listed(steps)
    for alternative in ALTERNATIVES:
        d = np.array(signed(rng, steps))
        s = int(d.sum())
        orient = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[alternative]

        def extreme(sums: Any, s: int = s, orient: Any = orient) -> Any:
            return orient(sums[:, 0]) >= orient(s)

        def delta(swapped: Any, d: Ints = d) -> float:
            return float(np.where(swapped, -d, d).sum())

        exact, data, columns = truth.pvalue(s, alternative), (d.tolist(), alternative), d[:, None]
        yield partial(enumeration.enumeration_pvalue, columns, -columns, extreme), exact, data
        calls = partial(enumeration.blackbox_pvalue, delta, d.size)
        yield partial(calls, alternative=alternative), exact, data


def meant(rng: np.random.Generator) -> Iterator[Case]:
    """Scores that passed through other types and through print, against the numbers meant."""
    (first, second), scores = scores_as_they_come(rng)
    d = second - first
    steps, counts = np.unique(np.abs(d[d != 0]), return_counts=True)
    truth = tallied(steps.tolist(), counts.tolist()).pvalue(int(d.sum()), "two-sided")
    for name, a, b in scores:
        yield partial(_answer, a, b), truth, (name, a.tolist(), b.tolist())


def _answer(a: Floats, b: Floats) -> Probability | Fraction:
    found = permutation_test(a, b)
    if found.fraction is not None:
        return found.fraction
    value, low, high = (
        min(math.log(p), 0.0) for p in (found.pvalue, found.pvalue_low, found.pvalue_high)
    )  # printed doubles are rounded once more
    return Probability(value, min(low - 1e-15, value), min(max(high + 1e-15, value), 0.0))


ENGINES: dict[str, Callable[[np.random.Generator], Iterator[Case]]] = {
    "lattice": lattice,
    "transform": transform,
    "tilt": tilt,
    "rational": rational,
    "meet": middle,
    "bracket": bracket,
    "certified": certified,
    "ratio": ratio,
    "joint": joint,
    "region": region,
    "resampled": resampled,
    "resampled-reals": resampled_reals,
    "resampled-ratio": resampled_ratio,
    "enumeration": enumerated,
    "meant": meant,
}


# -- the comparison --------------------------------------------------------------------------------


@dataclass
class Tally:
    """What came of the cases of one engine."""

    cases: int = 0
    fractions: int = 0
    refused: int = 0
    used: float = 0.0  # largest part of a bracket that an error took
    width: float = 0.0  # widest bracket
    wrong: list[str] = field(default_factory=list)

    def add(self, answer: Probability | Fraction, truth: Fraction, about: str) -> None:
        """Compare one answer with the truth."""
        self.cases += 1
        if isinstance(answer, Ratio):
            answer = answer.fraction
        if isinstance(answer, Fraction):
            self.fractions += 1
            if answer != truth:
                self.wrong.append(f"{about}: {answer} and not {truth}")
            return
        ok, used = holds(answer, truth)
        self.used = max(self.used, used)
        self.width = max(self.width, min(answer.error, 1.0))
        if not ok:
            self.wrong.append(f"{about}: {answer} leaves out {float(truth)!r}")


def logarithm(x: Fraction) -> Decimal:
    """Natural logarithm to 40 digits, at both ends of the unit interval."""
    with localcontext() as context:
        context.prec = 45
        if 2 * x > 1:
            away = Decimal(x.denominator - x.numerator) / Decimal(x.denominator)
            if away < Decimal("1e-12"):
                return -sum((away**j / j for j in range(1, 5)), Decimal(0))
        return (Decimal(x.numerator) / Decimal(x.denominator)).ln()


def holds(p: Probability, truth: Fraction) -> tuple[bool, float]:
    """Whether the bracket holds the truth, and the part of it that the value's error takes."""
    if truth == 0:
        return p.log_low == -math.inf, 0.0
    log = logarithm(truth)
    low, value, high = (Decimal(x) for x in (p.log_low, p.log, p.log_high))
    room = high - value if log > value else value - low
    used = float(abs(log - value) / room) if 0 < room < 700 and truth < 1 else 0.0
    ok = low <= log <= high
    if truth > Fraction(1, 10**300):  # as doubles, too
        ok = ok and Fraction(p.low) <= truth <= Fraction(p.high)
    return ok, used


@contextmanager
def without_shortcuts() -> Iterator[None]:
    """The transform and the bracket, however few the items, with less patience than usual."""
    with (
        mock.patch.multiple(grid, ENUMERATE_UP_TO=0, ENUMERATE_AT_MOST=0),
        mock.patch.multiple(real, FEW_ITEMS=4, FEW_PATTERNS=4.0, MAX_ITEMS=4),
        mock.patch.object(real, "MAX_FREQUENCIES", 1 << 13),
    ):
        yield


def run(engine: str, *, cases: int, seconds: float, seed: int) -> Tally:
    """Try one engine until so many cases or seconds are over."""
    tally = Tally()
    end = time.monotonic() + seconds
    for batch in range(cases):
        for ask, truth, data in ENGINES[engine](np.random.default_rng([seed, batch])):
            about = f"{engine}, seed {seed}, batch {batch}: {data}"
            try:
                tally.add(ask(), truth, about)
            except BudgetExceededError:
                tally.refused += 1
            except Exception as error:  # a crash is a failure to report, and no end
                tally.wrong.append(f"{about}: {error!r}")
        if tally.cases >= cases or time.monotonic() >= end:
            break
    return tally


def main(arguments: list[str] | None = None) -> int:
    """Run the campaign; 1 if any answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("engines", nargs="*", default=[*ENGINES], metavar="ENGINE")
    parser.add_argument("--cases", type=int, default=100_000, help="cases per engine")
    parser.add_argument("--seconds", type=float, default=600.0, help="at most so long per engine")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    wrong = 0
    for engine in asked.engines:
        began = time.monotonic()
        with without_shortcuts():
            tally = run(engine, cases=asked.cases, seconds=asked.seconds, seed=asked.seed)
        print(
            f"{engine:16} {tally.cases:8,} cases, {len(tally.wrong)} wrong, "
            f"{tally.fractions:,} fractions, {tally.refused:,} refused; an error took at most "
            f"{tally.used:.2g} of its bracket, the widest was {tally.width:.1e}; "
            f"{time.monotonic() - began:.0f} s",
            flush=True,
        )
        for line in tally.wrong[:5]:
            print("  " + line[:2000])
        wrong += len(tally.wrong)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
