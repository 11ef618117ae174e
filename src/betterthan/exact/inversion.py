"""Confidence intervals for a shift, by inverting exact tests.

Both intervals are *exact under a shift model*: the differences are symmetric about an unknown
shift. The test of ``differences - m`` is run for every m, and the interval is the set of all m that
it does not reject; so interval and p-value cannot contradict each other.

For the mean the set has a closed description. Under the shift m, sign patterns with a sum at least
as large as the observed one flip a subset F of the items with ``sum_F (d - m) <= 0``. So the
one-sided p-value is the share of the ``2**n`` subsets that are empty or have a mean of at most m
(the typical values of Hartigan 1969); it rises with m, and the end of the interval is one of the
subset means. Of few items all means are listed. Of lattice data the joint law of sum and size of a
random subset gives the end as a ratio of integers. Otherwise the certified p-value of
`betterthan.exact.real` is searched, and the end is rounded outwards.

For the pseudo-median it is the classic interval between two Walsh averages, with the exact law of
the signed-rank sum (Hodges & Lehmann 1963).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from betterthan.blame import blames_arguments
from betterthan.checks import check_level
from betterthan.data.arrays import as_floats
from betterthan.data.resolution import Real
from betterthan.data.resolution import resolution as exact_numbers
from betterthan.errors import BadValueError, UsageError, first_few
from betterthan.exact import real
from betterthan.exact.bandlimited import dot
from betterthan.exact.copies import add_up, counts_of
from betterthan.exact.lattice import SignedSum
from betterthan.numeric import TIE, Alternative, Floats, Ints

MAX_LISTED = 18  # items whose subset means are listed
MAX_COSINES = 1 << 22  # of the joint law of sum and size; beyond, a search is quicker
LOST = 1e-15  # mass the joint law may leave outside its window
ROUNDING = 1e-12  # what transform and summation may add to that, for each item
MAX_PAIRS = 1 << 21  # Walsh averages that are listed; more are counted
MAX_STEPS = 60
RESOLUTION = 5e-3  # of an end that is searched, as a share of the standard error
FAINT = 2.0**-300  # squares of numbers below, or above its inverse, are lost
PATIENCE = 12  # steps of a search by secants, before it halves

EndFinder = Callable[[Floats], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class ShiftInterval:
    """A confidence interval for a shift, exact under a shift model.

    Parameters
    ----------
    low, high : float
        Ends, infinite where the data cannot bound the shift at this level.
    confidence : float
        Confidence level.
    estimate : float
        Mean of the differences, or their Hodges-Lehmann pseudo-median.
    slack : float
        How far outside the exact ends the printed ones may lie; they are never inside.
    engine : str
        How the ends were found.
    """

    low: float
    high: float
    confidence: float
    estimate: float
    slack: float
    engine: str

    @property
    def assumption(self) -> str:
        """What the level rests on."""
        return "exact under a shift model"

    def __contains__(self, shift: float) -> bool:
        return self.low <= shift <= self.high


@blames_arguments
def shift_interval(
    differences: ArrayLike,
    *,
    counts: ArrayLike | None = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    resolution: float = RESOLUTION,
) -> ShiftInterval:
    """Confidence interval for the mean difference: the shifts the exact test does not reject.

    Parameters
    ----------
    differences : array_like
        Finite differences; zeros belong to the data and are kept.
    counts : array_like of int, optional
        How many items have each difference; one by default. Differences may repeat.
    confidence : float
        Confidence level, above one half.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` bounds the mean from below, ``"less"`` from above.
    resolution : float
        Precision of an end that has to be searched, as a share of the standard error.

    Examples
    --------
    >>> interval = shift_interval([3, 5, 1, 4, 4, 2, 6], confidence=0.9)
    >>> interval.low, interval.high, interval.estimate
    (2.333..., 5.0, 3.571...)
    """
    d = _finite(differences)
    times = counts_of(counts, d.size)
    share = _tail_share(confidence, alternative)
    engine, lower_end = _end_finder(d, times, share, resolution)
    low, below = lower_end(d) if alternative != "less" else (-math.inf, 0.0)
    high, above = lower_end(-d) if alternative != "greater" else (-math.inf, 0.0)
    mean = dot(times, d) / int(times.sum())
    return ShiftInterval(low, 0.0 - high, confidence, mean, max(below, above), engine)


def _finite(differences: ArrayLike) -> Floats:
    """One finite number for each difference, and at least one."""
    d = as_floats(differences, "differences").ravel()
    if d.size == 0:
        raise BadValueError("an interval needs at least one difference")
    bad = np.flatnonzero(~np.isfinite(d))
    if bad.size:
        raise BadValueError(
            f"differences are NaN or infinite at positions {first_few(bad)}: score these items or "
            "leave them out"
        )
    return d


def _tail_share(confidence: float, alternative: Alternative) -> Fraction:
    """Share of the null law to be left out at one end."""
    check_level(confidence, "confidence")
    if confidence <= 0.5:
        raise UsageError(f"confidence must be above one half, not {confidence!r}")
    alpha = 1 - Fraction(confidence).limit_denominator(10**9)
    return alpha / 2 if alternative == "two-sided" else alpha


def _end_finder(
    d: Floats, times: Ints, share: Fraction, resolution: float
) -> tuple[str, EndFinder]:
    """Choose how to find the lower end: a function of the data to (end, how far out it may be)."""
    n = int(times.sum())
    listed = n <= MAX_LISTED
    if share.numerator << min(n, 64) < share.denominator:
        return "too few items for the level", lambda _: (-math.inf, 0.0)
    exact = exact_numbers([d])
    lattice = None if isinstance(exact, Real) else (exact.columns, exact.unit)

    def searched(x: Floats) -> tuple[float, float]:
        power = _power(x)
        end, slack = _searched_end(np.ldexp(x, -power), times, share, resolution)
        scaled = math.ldexp(end, power)
        return scaled if scaled or end <= 0.0 else math.ulp(0.0), math.ldexp(slack, power)

    if lattice is None:
        if listed:
            name = "subset means listed"
            return name, lambda x: _outwards(_listed_end(x, times, share), x, times)
        return "certified search", searched
    _, unit = lattice

    def integers(x: Floats) -> Ints:
        return np.rint(x * unit.denominator).astype(np.int64)

    def whole(end: Callable[[Ints, Ints, Fraction], float | Fraction]) -> EndFinder:
        return lambda x: (float(end(integers(x), times, share) * unit), 0.0)

    if listed:
        return "subset means listed", whole(_listed_end)
    if _joint_cosines(integers(d), times) <= MAX_COSINES and ROUNDING * n < 1e-3 * share:
        return "law of sum and size", whole(_joint_end)
    return "certified search", searched


def _power(d: Floats) -> int:
    """Power of two by which numbers are divided whose squares would be lost; 0 for all others."""
    largest = float(np.abs(d).max())
    return 0 if FAINT < largest < 1.0 / FAINT else math.frexp(largest)[1]


def _listed_end(d: Floats | Ints, times: Ints, share: Fraction) -> float:
    """Least m at which more than ``share`` of the subsets are empty or have a mean up to m."""
    sums, sizes = np.zeros(1, dtype=d.dtype), np.zeros(1, dtype=np.int64)
    for x in np.repeat(d, times):
        sums, sizes = np.concatenate((sums, sums + x)), np.concatenate((sizes, sizes + 1))
    rank = math.floor(share * sums.size)
    return float(np.partition(sums[1:] / sizes[1:], rank - 1)[rank - 1])


def _outwards(end: float, d: Floats, times: Ints) -> tuple[float, float]:
    """Move an end out by the rounding noise within which sums count as tied."""
    noise = TIE * dot(times, np.abs(d))
    return end - noise, noise


def _joint_windows(d: Ints, times: Ints) -> tuple[Ints, int, int, int]:
    """Centred differences, their centre, and the periods of sum and size of a random subset."""
    n = int(times.sum())
    centre = round(int(times @ d) / n)
    x = d - centre
    # Hoeffding (1963): outside these windows lies less than LOST of either marginal law.
    reach = math.sqrt(2.0 * math.log(2.0 / LOST))
    squares = dot(times, np.square(x, dtype=np.float64))  # of whole numbers they may overflow
    span = min(int(times @ np.abs(x)), math.ceil(reach * math.sqrt(squares))) + 2
    return x, centre, span, min(n, math.ceil(reach * math.sqrt(n))) + 2


def _joint_cosines(d: Ints, times: Ints) -> int:
    """Count what the joint law of sum and size takes: a cosine per cell and distinct value."""
    _, _, span, sizes = _joint_windows(d, times)
    return span * sizes * int(np.unique(d).size)


def _joint_end(d: Ints, times: Ints, share: Fraction) -> Fraction:
    """Lower end of lattice data, from the joint law of sum and size of a random subset.

    Its characteristic function at (v, w) is ``prod cos((v d + w) / 2)`` times a phase.
    """
    x, centre, M1, M2 = _joint_windows(d, times)
    n, total = int(times.sum()), int(times @ x)
    values, group = np.unique(x, return_inverse=True)
    counts = add_up(group, times, values.size)
    mass = np.fft.irfft2(_subset_transform(values, counts, total, M1, M2), s=(M1, M2)).ravel()
    first_sum, first_size = total // 2 - M1 // 2, max(n // 2 - M2 // 2, 0)
    sums = first_sum + (np.arange(M1) - first_sum) % M1
    sizes = first_size + (np.arange(M2) - first_size) % M2
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (sums[:, None] / sizes).ravel()
    means[np.tile(sizes == 0, M1)] = np.inf  # the empty subset is counted apart
    goal = float(share) - ROUNDING * n
    # Only the means near the end need sorting: look in a window around the normal approximation.
    error = math.sqrt(_squares(x.astype(np.float64), times)) / n
    guess = total / n + float(ndtri(float(share))) * error
    width = 0.5 * error + 1.0 / n
    for low, high in ((guess - width, guess + width), (-math.inf, math.inf)):
        reached = 2.0**-n + float(mass[means < low].sum())
        inside = np.flatnonzero((means >= low) & (means <= high))
        inside = inside[np.argsort(means[inside], kind="stable")]
        over = reached + np.cumsum(mass[inside]) > goal
        if reached <= goal and over.any():
            break
    end = int(inside[int(np.argmax(over))])
    return centre + Fraction(int(sums[end // M2]), int(sizes[end % M2]))


def _subset_transform(
    values: Ints, counts: Ints, total: int, M1: int, M2: int
) -> NDArray[np.complex128]:
    """Half of the transform of the joint law; cells that have died are left at zero."""
    row, column = (x.ravel() for x in np.indices((M1, M2 // 2 + 1)))
    live = np.ones(row.size)
    for i in np.argsort(-counts):
        # Angles are reduced in integers, so that large values lose no digits.
        angle = (row * int(values[i]) % (2 * M1)) * (np.pi / M1) + column * (np.pi / M2)
        live *= np.cos(angle) ** int(counts[i])
        keep = np.abs(live) > 1e-22
        row, column, live = row[keep], column[keep], live[keep]
    phase = (row * total % (2 * M1)) * (np.pi / M1)
    phase += (column * int(counts.sum()) % (2 * M2)) * (np.pi / M2)
    transform = np.zeros((M1, M2 // 2 + 1), dtype=np.complex128)
    transform[row, column] = live * np.exp(-1j * phase)
    return transform


def _searched_end(
    d: Floats, times: Ints, share: Fraction, resolution: float
) -> tuple[float, float]:
    """Lower end by a search on certified p-values: the last m that is surely rejected.

    The probit of the p-value is nearly linear in m, so that a few secant steps are at the root;
    then one m is tried on either side of it, further away while the certificate is undecided. On
    a plateau of a p-value that moves in steps the secant crawls: what remains is then halved.
    """
    alpha, n = float(share), int(times.sum())
    mean = dot(times, d) / n
    if float(d.max()) == float(d.min()):
        return _outwards(mean, d, times)
    error = math.sqrt(_squares(d, times) / (n - 1) / n)
    target, slope, last = float(ndtri(alpha)), 1.0 / error, None
    # Below the least difference only the empty subset counts; at the mean at least half do.
    rejected, accepted = float(d.min()) - resolution * error, mean
    offset, tolerance = 0.45 * resolution * error, resolution
    m = mean + float(stdtrit(n - 1, alpha)) * error
    for step in range(MAX_STEPS):
        m = m if rejected < m < accepted and step < PATIENCE else 0.5 * (rejected + accepted)
        p = real.pvalue(d - m, counts=times, alternative="greater", tolerance=tolerance)
        if p.log_high <= math.log(alpha):
            rejected = m
        elif p.log_low > math.log(alpha):
            accepted = m
        elif tolerance < resolution:
            offset *= 2.0
        if accepted - rejected <= 2.2 * offset:
            break
        z = float(np.clip(ndtri(p.value), -30.0, 8.0))
        if last is not None and abs(m - last[0]) > offset and (z - last[1]) * (m - last[0]) > 0.0:
            slope = (z - last[1]) / (m - last[0])
        last = (m, z)
        root = m + (target - z) / slope
        if abs(root - m) < 0.02 * error:
            tolerance = resolution / 2.0
        m = root - offset if root - rejected > 1.1 * offset else root + offset
    if rejected <= 0.0 < accepted and _rejects(d, times, alpha):
        rejected = math.ulp(0.0)  # the test rejects zero, so the interval must not hold it
    return rejected, accepted - rejected


def _rejects(d: Floats, times: Ints, alpha: float) -> bool:
    """Whether the one-sided test surely rejects."""
    p = real.pvalue(d, counts=times, alternative="greater", alpha=alpha)
    return p.log_high <= math.log(alpha)


def _squares(d: Floats, times: Ints) -> float:
    """Sum of squared deviations from the mean."""
    away = d - dot(times, d) / int(times.sum())
    return dot(times, away * away)


@blames_arguments
def walsh_interval(
    differences: ArrayLike,
    *,
    counts: ArrayLike | None = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> ShiftInterval:
    """Confidence interval for the pseudo-median, by inverting the exact signed-rank test.

    The ends are order statistics of the Walsh averages ``(d_i + d_j) / 2``, ``i <= j``; their ranks
    come from the exact law of the signed-rank sum. The interval is closed, and with tied or zero
    differences its level is at least the stated one: order statistics depend continuously on the
    data, so a vanishing symmetric jitter, which makes the test exact, cannot lose coverage.

    Examples
    --------
    >>> interval = walsh_interval([3, 5, 1, 4, 4, 2, 6], confidence=0.9)
    >>> interval.estimate, 2.0 in interval, 5.1 in interval
    (3.5, True, False)
    """
    rows = _finite(differences)
    d = np.sort(np.repeat(rows, counts_of(counts, rows.size)))
    n, share = d.size, _tail_share(confidence, alternative)
    pairs = n * (n + 1) // 2
    rank = _critical_sum(n, share) + 1
    mirrored = -d[::-1]
    low = _walsh(d, rank) if rank > 0 and alternative != "less" else -math.inf
    high = 0.0 - _walsh(mirrored, rank) if rank > 0 and alternative != "greater" else math.inf
    median = (_walsh(d, (pairs + 1) // 2) - _walsh(mirrored, (pairs + 1) // 2)) / 2.0
    slack = 2.0**-50 * float(np.abs(d).max()) if pairs > MAX_PAIRS else 0.0
    return ShiftInterval(low, high, confidence, median, slack, "Walsh averages")


def _critical_sum(n: int, share: Fraction) -> int:
    """Largest k with ``P(W <= k) <= share``, W the signed-rank sum of n items; -1 if none has."""
    law, pairs = SignedSum.of(np.arange(1, n + 1)), n * (n + 1) // 2

    def small(k: int) -> bool:  # P(W <= k) = P(S >= pairs - 2 k), S = 2 W - pairs the signed sum
        return k < 0 or law.tail(pairs - 2 * k).log_high <= math.log(share)

    # Gallop from the normal approximation, then halve.
    sd = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    k = max(math.floor(pairs / 2 + float(ndtri(float(share))) * sd), -1)
    up, step = small(k), 1
    while small(k + step if up else k - step) == up:
        step *= 2
    low, high = (k + step // 2, k + step) if up else (k - step, k - step // 2)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if small(middle) else (low, middle)
    return max(low, -1)


def _walsh(d: Floats, rank: int) -> float:
    """Walsh average of this rank, from below, of sorted data."""
    n = d.size
    if n * (n + 1) // 2 <= MAX_PAIRS:
        i, j = np.triu_indices(n)
        return float(np.partition(d[i] + d[j], rank - 1)[rank - 1]) / 2.0
    low, high = 2.0 * float(d[0]), 2.0 * float(d[-1])
    if _pairs_up_to(d, low) < rank:
        fine = 2.0**-51 * max(abs(low), abs(high))
        while high - low > fine:  # the sum of this rank is above low and not above high
            middle = low + (high - low) / 2.0
            low, high = (low, middle) if _pairs_up_to(d, middle) >= rank else (middle, high)
    partner = np.searchsorted(d, low - d).clip(max=n - 1)
    sums = d + d[partner]
    return float(sums[sums >= low].min()) / 2.0


def _pairs_up_to(d: Floats, most: float) -> int:
    """Number of pairs ``i <= j`` of sorted data with ``d_i + d_j <= most``."""
    up_to = np.searchsorted(d, most - d, side="right")
    return int(np.maximum(up_to - np.arange(d.size), 0).sum())
