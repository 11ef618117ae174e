"""The engines of the permutation test, and the pure function that chooses among them."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from betterthan.data.gains import Gains
from betterthan.data.resolution import SINGLE_NOISE
from betterthan.errors import Remedy, UsageError
from betterthan.exact import enumeration, grid, meet, published, rational, real
from betterthan.exact.probability import Probability
from betterthan.exact.rational import Ratio
from betterthan.numeric import TIE, UNIT_ROUNDOFF, Alternative, Floats, Numbers
from betterthan.testing.montecarlo import ORIENT, Sampled, sample_deltas
from betterthan.testing.request import Request
from betterthan.testing.swaps import Shape, Swaps

ENUMERABLE = 16
"""Units whose swaps are all tried, 65,536 at most, where no faster exact engine fits."""

QUICK = 2_000_000
"""Nanoseconds for which a fraction is preferred to anything that takes less."""

PATIENT = 1 << 30
"""Nanoseconds for which all digits are preferred, unasked, to a bracket in milliseconds."""

DUST = 1e-12
"""Differences below this share of the sum of all are dust: sums of doubles may not notice them."""

COUNTED = 34
"""Real-valued differences whose signs are all counted unasked, in some 30 ms; 44 take a second."""

GRID_COLUMNS = 3
"""Live columns that the joint law of the sums can hold."""

CHOSEN = Remedy("chooses what fits", "method", "auto")


def choose(shape: Shape) -> tuple[str, str]:
    """Choose the engine for a shape of data, and say why.

    >>> choose(Shape("mean", additive=True, live=1, whole=True, units=405, steps=1))
    ('lattice', 'differences of one size follow a binomial law (McNemar)')
    >>> choose(Shape("sums", additive=False, live=10, whole=True, units=2000))
    ('monte-carlo', 'the metric rests on 10 sums, too many to count all swaps')
    """
    if shape.live == 0:
        return "none", "no swap changes anything: the systems agree"
    if shape.form == "tasks":
        return "monte-carlo", "a mean over tasks of a metric that is not a mean"
    if shape.form == "blackbox":
        if shape.units <= enumeration.MAX_BLACKBOX_ITEMS:
            return "enumeration", f"a black-box metric, but only 2^{shape.units} swaps"
        return "monte-carlo", "a black-box metric has no structure to compute with"
    if shape.additive:
        if shape.whole and shape.steps == 1:
            return "lattice", "differences of one size follow a binomial law (McNemar)"
        countable = shape.units <= meet.MAX_ITEMS
        limit = max(QUICK, meet.cost(shape.units)) if countable else PATIENT
        if shape.whole and shape.cost <= min(limit, PATIENT):
            return "lattice", f"the differences are {multiples(shape.unit)}"
        kind = f"{multiples(shape.unit)} of too many sizes"
        kind = kind if shape.whole else "real-valued differences"
        if shape.units <= COUNTED:
            return "meet", f"{kind}, but only {shape.units} of them"
        return "certified", f"{kind}: rigorous bounds, without sampling"
    if shape.whole and shape.live <= GRID_COLUMNS:
        sums = f"{shape.live} sum{'s' * (shape.live > 1)} of {multiples(shape.unit)}"
        return "grid", f"the metric rests on {sums}: all swaps are counted"
    if shape.units <= ENUMERABLE:
        return "enumeration", f"only 2^{shape.units} swaps: all are tried"
    if not shape.whole:
        return "monte-carlo", "real-valued columns in a metric that is not a mean"
    return "monte-carlo", f"the metric rests on {shape.live} sums, too many to count all swaps"


def multiples(unit: Fraction) -> str:
    """Say what numbers are that have a common unit.

    >>> multiples(Fraction(1)), multiples(Fraction(1, 100)), multiples(Fraction(2, 3))
    ('whole numbers', 'multiples of 0.01', 'multiples of 2/3')
    >>> multiples(Fraction(0.3)), multiples(Fraction(7, 4321))
    ('multiples of 0.3', 'multiples of one number')
    """
    if unit == 1:
        return "whole numbers"
    written = f"{float(unit):g}"
    if abs(Fraction(written) / unit - 1) > UNIT_ROUNDOFF:
        written = str(unit) if unit.denominator < 1000 else "one number"
    return f"multiples of {written}"


NEEDS = {
    "additive": "a mean, or a ratio with a fixed denominator",
    "whole": "whole-number columns",
    "scored": "one task, or a mean",
}
"""What engines may need of a shape, in words."""


class Engine(NamedTuple):
    """A way to the p-value: its name in print, the work, and what it needs of the data."""

    label: str
    run: Callable[[Swaps, Request], Probability | Sampled]
    needs: tuple[str, ...] = ()

    def check(self, name: str, shape: Shape) -> None:
        """Raise an error where the engine, asked for by its name, cannot do the work."""
        missing = [NEEDS[need] for need in self.needs if not getattr(shape, need)]
        if missing:
            raise UsageError(f"method {name!r} needs {' and '.join(missing)}", CHOSEN)


def none(swaps: Swaps, request: Request) -> Probability:
    """Identical systems: no swap changes anything."""
    return Ratio.of_counts(1, 1)


def lattice(swaps: Swaps, request: Request) -> Probability:
    """One live column of integers: the law of a signed sum."""
    assert swaps.law is not None
    return swaps.law.pvalue(swaps.gains.total, request.alternative)


def rational_counts(swaps: Swaps, request: Request) -> Probability:
    """The same, counted in integers."""
    return _counted(swaps.gains.per_unit.tolist(), request)


def meet_in_the_middle(swaps: Swaps, request: Request) -> Probability:
    """Few real-valued differences: all signs, half by half."""
    as_written = _as_written(swaps)
    if as_written is not None:
        return _counted(as_written, request)
    return meet.pvalue(**_of_reals(swaps.gains, request))


def certified(swaps: Swaps, request: Request) -> Probability:
    """Many real-valued differences: a rigorous bracket."""
    p = real.pvalue(
        **_of_reals(swaps.gains, request), tolerance=request.tolerance, alpha=request.alpha
    )
    return request.on_one_side(p)


def joint_law(swaps: Swaps, request: Request) -> Probability:
    """Several live columns of integers: the joint law of their sums."""
    pair, side = swaps.pair, request.alternative
    if pair.metric.form == "ratio":
        worse, better = (pair.b, pair.a) if pair.metric.lower_is_better else (pair.a, pair.b)
        return grid.ratio_pvalue(*worse.T, *better.T, counts=pair.counts, alternative=side)
    return grid.test(*_local_effects(pair.a, pair.b), _statistic(swaps, side), counts=pair.counts)


def enumerated(swaps: Swaps, request: Request) -> Probability:
    """Few units: every swap is tried."""
    units, orient = swaps.shape.units, ORIENT[request.alternative]
    limit = enumeration.MAX_BLACKBOX_ITEMS if swaps.pair.opaque else enumeration.MAX_ITEMS
    patterns = enumeration.swap_patterns(units, limit=limit)
    deltas = np.concatenate(
        [swaps.of_net_signs(np.where(swapped, -1.0, 1.0)) for swapped in patterns]
    )
    # Ties are decided within rounding noise of the scores' size; NaN is extreme.
    slack = swaps.slack
    if swaps.pair.opaque:
        slack = max(slack, TIE * float(np.abs(deltas[np.isfinite(deltas)]).max(initial=0.0)))
    least = float(orient(swaps.observed)) - slack
    return Ratio.of_counts(int(np.count_nonzero(~(orient(deltas) < least))), 1 << units)


def dynamic_programme(swaps: Swaps, request: Request) -> Probability:
    """Zmigrod et al. (2022), Algorithms 2, 3 and 5.

    Masses are only halved (exactly) and added, one rounding an item: the error is relative.
    """
    return Probability.of(_published(swaps, request, "dp"), UNIT_ROUNDOFF * (swaps.pair.units + 64))


def recursive_fft(swaps: Swaps, request: Request) -> Probability:
    """Zmigrod et al. (2022), Algorithms 2, 4 and 5.

    A transform of m numbers is wrong by about ``u log2(m)`` in the 2-norm, absolutely; so small
    p-values have no digits. Over at most n convolutions, and summed over m values:
    """
    p = _published(swaps, request, "fft")
    stay, swap, counts = swaps.rows
    m = float(np.prod(2.0 + counts @ np.abs(swap - stay)))
    error = 8.0 * UNIT_ROUNDOFF * swaps.pair.units * np.log2(m) * np.sqrt(m)
    ends = p, max(p - error, 0.0), min(p + error, 1.0)
    return Probability(*(float(np.log(x)) if x else -np.inf for x in ends))


def monte_carlo(swaps: Swaps, request: Request) -> Sampled:
    """Zmigrod et al. (2022), Algorithm 1, with ties, the +1 rule and an interval."""
    observed, slack, cells = swaps.observed, swaps.slack, swaps.cells
    if swaps.pair.opaque:  # Python, which threads do not speed up
        request = replace(request, workers=1)
    if request.executor is not None:  # what is sent away has no more than is needed
        swaps = Swaps.of(swaps.pair.lean())
    return sample_deltas(swaps.draw, cells, observed, request, slack=slack)


def _of_reals(gains: Gains, request: Request) -> dict[str, Any]:
    """What engines of real-valued differences take."""
    return {
        "differences": gains.values.astype(np.float64),
        "counts": gains.counts,
        "error": gains.error,
        "whole": gains.whole,
        "alternative": request.alternative,
    }


def _counted(differences: list[int], request: Request) -> Probability:
    p = rational.signed_sum_pvalue(differences, alternative=request.alternative)
    return Ratio.of_fraction(p)


def _as_written(swaps: Swaps) -> list[int] | None:
    """Differences of the numbers as they are written, where some are dust beside others.

    A sum of doubles does not notice an item smaller than its own rounding: swaps that differ in
    nothing else would be taken for ties. Written out in decimals, all of them are integers of
    one unit, of any size, which Python's integers hold.
    """
    pair, gains = swaps.pair, swaps.gains
    if gains.whole or pair.metric.form != "mean" or pair.clusters is not None:
        return None
    sizes = np.abs(gains.values)
    if swaps.shape.units > ENUMERABLE or sizes[sizes > 0].min() > DUST * (gains.counts @ sizes):
        return None
    kind = np.float32 if pair.noise == SINGLE_NOISE else np.float64
    a, b = ([Fraction(str(x)) for x in side[:, 0].astype(kind)] for side in (pair.a, pair.b))
    d = [int(pair.metric.sign) * (y - x) for x, y in zip(a, b, strict=True)]
    unit = lcm(*(x.denominator for x in d))
    return list(np.repeat(np.array([int(x * unit) for x in d], object), pair.counts))


def _local_effects(stay: Numbers, swap: Numbers) -> tuple[Numbers, Numbers]:
    """What a unit adds to both systems' sums as it stays and as it is swapped (Alg. 5)."""
    return np.hstack([stay, swap]), np.hstack([swap, stay])


def _statistic(swaps: Swaps, alternative: Alternative) -> Callable[..., Floats]:
    """The function h of all sums whose large values speak against the null (eq. 12)."""
    k, orient = swaps.pair.a.shape[1], ORIENT[alternative]

    def h(*sums: Numbers) -> Floats:
        candidate = np.stack(np.broadcast_arrays(*sums[k:]), axis=-1)
        return np.asarray(orient(swaps.of_sums(candidate)))

    return h


def _published(swaps: Swaps, request: Request, convolve: published.Convolution) -> float:
    """P-value of the published algorithm, whose rounding may leave the unit interval."""
    if swaps.shape.additive:
        d = swaps.gains.per_unit
        p = published.exact_test(d, -d, ORIENT[request.alternative], convolve=convolve)
    else:
        h, scale = _statistic(swaps, request.alternative), swaps.scale or 1.0
        a, b = (np.repeat(x, swaps.pair.counts, axis=0) for x in (swaps.pair.a, swaps.pair.b))
        # Ties must not be lost to rounding: the statistic keeps twelve digits.
        # Sums at which the metric is undefined count as extreme.
        p = published.exact_test(
            *_local_effects(a, b),
            lambda *sums: np.nan_to_num(np.round(h(*sums) / scale, 12), nan=np.inf, posinf=np.inf),
            convolve=convolve,
        )
    return min(max(p, 0.0), 1.0)


ENGINES: dict[str, Engine] = {
    "none": Engine("nothing to compute", none),
    "lattice": Engine("lattice transform", lattice, ("additive", "whole")),
    "grid": Engine("lattice transform of the joint law", joint_law, ("whole",)),
    "meet": Engine("meet in the middle", meet_in_the_middle, ("additive",)),
    "certified": Engine("Graham-Vaaler bracket", certified, ("additive",)),
    "enumeration": Engine("enumeration of all swaps", enumerated, ("scored",)),
    "rational": Engine("whole-number counts", rational_counts, ("additive", "whole")),
    "dp": Engine("dynamic programme (Zmigrod et al. 2022)", dynamic_programme, ("whole",)),
    "fft": Engine("recursive FFT (Zmigrod et al. 2022)", recursive_fft, ("whole",)),
    "monte-carlo": Engine("Monte Carlo", monte_carlo),
}
