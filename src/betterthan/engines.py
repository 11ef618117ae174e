"""The engines of the permutation test, and the pure function that chooses among them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import UsageError
from betterthan.exact import enumeration, grid, meet, published, rational, real
from betterthan.exact.lattice import BUDGET
from betterthan.exact.probability import Probability
from betterthan.exact.rational import Ratio
from betterthan.montecarlo import ORIENT, TIE, Sampled, sample_swaps
from betterthan.results import Alternative
from betterthan.sampling import Rng
from betterthan.swaps import Floats, Numbers, Shape, Swaps

ENUMERABLE = 16
"""Units whose swaps are all tried, 65,536 at most, where no faster exact engine fits."""

GRID_COLUMNS = 3
"""Live columns that the joint law of the sums can hold."""

UNIT = 2.0**-53

FLIP: dict[str, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}


def choose(shape: Shape) -> tuple[str, str]:
    """Choose the engine for a shape of data, and say why.

    >>> choose(Shape("mean", additive=True, live=1, whole=True, units=405, steps=1))
    ('lattice', 'differences of one size follow a binomial law (McNemar)')
    >>> choose(Shape("sums", additive=False, live=10, whole=True, units=2000))
    ('monte-carlo', '10 live columns are too many for a joint law')
    """
    if shape.live == 0:
        return "none", "no swap changes anything: the systems agree"
    if shape.form == "blackbox":
        if shape.units <= enumeration.MAX_BLACKBOX_ITEMS:
            return "enumeration", f"a black-box metric, but only 2^{shape.units} swaps"
        return "monte-carlo", "a black-box metric has no structure to compute with"
    if shape.additive:
        if shape.whole and shape.steps == 1:
            return "lattice", "differences of one size follow a binomial law (McNemar)"
        if shape.whole and shape.cost <= BUDGET:
            return "lattice", "whole-number differences in one live column"
        kind = "whole numbers too fine for a lattice" if shape.whole else "real-valued differences"
        if shape.units <= meet.MAX_ITEMS:
            return "meet", f"{kind}, but only {shape.units} of them"
        return "certified", f"{kind}: a rigorous bracket, without sampling"
    if shape.whole and shape.live <= GRID_COLUMNS:
        columns = f"whole numbers in {shape.live} live column{'s' * (shape.live > 1)}"
        return "grid", f"{columns}: the joint law of their sums is computed"
    if shape.units <= ENUMERABLE:
        return "enumeration", f"only 2^{shape.units} swaps: all are tried"
    if not shape.whole:
        return "monte-carlo", "real-valued columns in a metric that is not a mean"
    return "monte-carlo", f"{shape.live} live columns are too many for a joint law"


def instead(shape: Shape) -> str:
    """The engine for data that turn out to be too much for the one chosen."""
    if shape.additive:
        return "certified"
    return "enumeration" if shape.units <= ENUMERABLE else "monte-carlo"


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked of the test."""

    alternative: Alternative
    resamples: int | None
    tolerance: float
    alpha: float
    rng: Rng


@dataclass(frozen=True, slots=True)
class Engine:
    """A way to the p-value: its name in print, what it needs of the data, and the work."""

    label: str
    fits: Callable[[Shape], bool]
    needs: str
    run: Callable[[Swaps, Request], Probability | Sampled]


def none(swaps: Swaps, request: Request) -> Probability:
    """Identical systems: no swap changes anything."""
    return Ratio.of_counts(1, 1)


def lattice(swaps: Swaps, request: Request) -> Probability:
    """One live column of whole numbers: the law of a signed sum."""
    gains, law = swaps.gains, swaps.law
    if gains is None or law is None:
        raise UsageError("the lattice engine needs whole-number differences")
    return law.pvalue(int(gains.sum()), request.alternative)


def rational_counts(swaps: Swaps, request: Request) -> Probability:
    """The same, counted in whole numbers."""
    differences = _gains(swaps).tolist()
    p = rational.signed_sum_pvalue(differences, alternative=request.alternative)
    return Ratio.of_fraction(p)


def meet_in_the_middle(swaps: Swaps, request: Request) -> Probability:
    """Few real-valued differences: all signs, half by half."""
    return meet.pvalue(_gains(swaps).astype(np.float64), alternative=request.alternative)


def certified(swaps: Swaps, request: Request) -> Probability:
    """Many real-valued differences: a rigorous bracket."""
    p = real.pvalue(
        _gains(swaps).astype(np.float64),
        alternative=request.alternative,
        tolerance=request.tolerance,
        alpha=request.alpha,
    )
    if real.Goal(request.tolerance, request.alpha).met_by(p):
        return p
    # Not as narrow as asked: the upper end is a valid p-value, the middle may be too small.
    return Probability(p.log_high, p.log_low, p.log_high)


def joint_law(swaps: Swaps, request: Request) -> Probability:
    """Several live columns of whole numbers: the joint law of their sums."""
    if swaps.metric.form == "ratio":
        (num_a, den_a), (num_b, den_b) = swaps.stay.T, swaps.swap.T
        lower = swaps.metric.lower_is_better
        side = FLIP[request.alternative] if lower else request.alternative
        return grid.ratio_pvalue(num_a, den_a, num_b, den_b, alternative=side)
    return grid.test(*_local_effects(swaps), _statistic(swaps, request.alternative))


def enumerated(swaps: Swaps, request: Request) -> Probability:
    """Few units: every swap is tried."""
    if swaps.metric.form == "blackbox":
        live = swaps.live_units
        swapped = np.zeros(swaps.pair.n_clusters, dtype=np.bool_)

        def statistic(pattern: NDArray[np.bool_]) -> float:
            swapped[live] = pattern
            return swaps.of_pattern(swapped)

        p = enumeration.blackbox_pvalue(statistic, live.size, alternative=request.alternative)
        return Ratio.of_fraction(p)
    differ = (swaps.swap != swaps.stay).any(axis=1)
    fixed = swaps.swap[~differ].sum(axis=0)
    orient = ORIENT[request.alternative]
    # Ties are decided within rounding noise of the scores' size.
    least = orient(swaps.observed) - TIE * max(map(abs, swaps.scores))
    p = enumeration.enumeration_pvalue(
        swaps.swap[differ],
        swaps.stay[differ],
        lambda sums: ~(orient(swaps.of_sums(sums + fixed)) < least),  # NaN is extreme
    )
    return Ratio.of_fraction(p)


def dynamic_programme(swaps: Swaps, request: Request) -> Probability:
    """Zmigrod et al. (2022), Algorithms 2, 3 and 5.

    Masses are only halved (exactly) and added, one rounding an item: the error is relative.
    """
    p = _published(swaps, request, published.convolve_dp)
    return Probability.of(p, UNIT * (len(swaps.stay) + 64))


def recursive_fft(swaps: Swaps, request: Request) -> Probability:
    """Zmigrod et al. (2022), Algorithms 2, 4 and 5.

    A transform of m numbers is wrong by about ``u log2(m)`` in the 2-norm, absolutely; so small
    p-values have no digits. Over at most n convolutions, and summed over m values:
    """
    p = _published(swaps, request, published.convolve_fft)
    m = float(np.prod(2.0 + np.abs(swaps.swap - swaps.stay).sum(axis=0)))
    error = 8.0 * UNIT * len(swaps.stay) * np.log2(m) * np.sqrt(m)
    low, high = max(p - error, 0.0), min(p + error, 1.0)
    log, log_low, log_high = (float(np.log(x)) if x else -np.inf for x in (p, low, high))
    return Probability(log, log_low, log_high)


def monte_carlo(swaps: Swaps, request: Request) -> Sampled:
    """Zmigrod et al. (2022), Algorithm 1, with ties, the +1 rule and an interval."""
    return sample_swaps(
        swaps.of_signs,
        swaps.pair.n_clusters,
        swaps.observed,
        scale=max(map(abs, swaps.scores)),
        alternative=request.alternative,
        resamples=request.resamples,
        alpha=request.alpha,
        rng=request.rng,
    )


def _gains(swaps: Swaps) -> Numbers:
    if swaps.gains is None:
        raise UsageError("this engine needs a mean, or a ratio with a fixed denominator")
    return swaps.gains


def _local_effects(swaps: Swaps) -> tuple[Numbers, Numbers]:
    """What a unit adds to both systems' sums as it stays and as it is swapped (Alg. 5)."""
    return np.hstack([swaps.stay, swaps.swap]), np.hstack([swaps.swap, swaps.stay])


def _statistic(swaps: Swaps, alternative: Alternative) -> Callable[..., Floats]:
    """The function h of all sums whose large values speak against the null (eq. 12)."""
    k, orient = swaps.stay.shape[1], ORIENT[alternative]

    def h(*sums: Numbers) -> Floats:
        candidate = np.stack(np.broadcast_arrays(*sums[k:]), axis=-1)
        return np.asarray(orient(swaps.of_sums(candidate)))

    return h


def _published(swaps: Swaps, request: Request, convolve: Callable[[Any], Any]) -> float:
    if swaps.gains is None:
        h = _statistic(swaps, request.alternative)
        scale = max(map(abs, swaps.scores)) or 1.0
        # Ties must not be lost to rounding: the statistic keeps twelve digits.
        # Sums at which the metric is undefined count as extreme.
        p = published.exact_test(
            *_local_effects(swaps),
            lambda *sums: np.nan_to_num(np.round(h(*sums) / scale, 12), nan=np.inf, posinf=np.inf),
            convolve=convolve,
        )
    else:
        orient = ORIENT[request.alternative]
        p = published.exact_test(swaps.gains, -swaps.gains, orient, convolve=convolve)
    return min(max(p, 0.0), 1.0)


def _additive(shape: Shape) -> bool:
    return shape.additive


def _whole(shape: Shape) -> bool:
    return shape.whole


def _one_whole(shape: Shape) -> bool:
    return shape.additive and shape.whole


def _any(shape: Shape) -> bool:
    return True


_ONE = "whole-number differences in one live column"
_MEAN = "a mean, or a ratio with a fixed denominator"
_COLUMNS = "whole-number columns"
ENGINES: dict[str, Engine] = {
    "none": Engine("nothing to compute", _any, "", none),
    "lattice": Engine("lattice transform", _one_whole, _ONE, lattice),
    "grid": Engine("lattice transform of the joint law", _whole, _COLUMNS, joint_law),
    "meet": Engine("meet in the middle", _additive, _MEAN, meet_in_the_middle),
    "certified": Engine("Graham-Vaaler bracket", _additive, _MEAN, certified),
    "enumeration": Engine("enumeration of all swaps", _any, "", enumerated),
    "rational": Engine("whole-number counts", _one_whole, _ONE, rational_counts),
    "dp": Engine("dynamic programme (Zmigrod et al. 2022)", _whole, _COLUMNS, dynamic_programme),
    "fft": Engine("recursive FFT (Zmigrod et al. 2022)", _whole, _COLUMNS, recursive_fft),
    "monte-carlo": Engine("Monte Carlo", _any, "", monte_carlo),
}
