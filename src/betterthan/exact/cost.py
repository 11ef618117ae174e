"""What an engine will cost, before it starts: estimates from the shape of the data alone.

All are in nanoseconds of one core, measured with NumPy 2 on a server of 2023 that others used as
well; they are right to a factor of three or so, which is what a choice among engines asks for. The
lattice engine estimates itself (`SignedSum.cost`: the cheapest of counting and the Fourier sum),
and so does the rational one (`betterthan.exact.counting.work`).
"""

from betterthan.exact.counting import work
from betterthan.exact.lattice import SignedSum
from betterthan.exact.meet import cost as meet_cost

__all__ = ["enumeration_cost", "lattice_cost", "meet_cost", "rational_cost"]


def lattice_cost(law: SignedSum, observed: int) -> int:
    """P-value of a signed sum of whole numbers, by the cheapest way to it."""
    return law.cost(abs(observed))


def rational_cost(law: SignedSum, observed: int) -> int:
    """The same as a fraction."""
    total = law.total // law.unit
    least = -(-abs(observed) // law.unit)
    return work(law.steps.tolist(), law.counts.tolist(), -((-total - least) // 2))


def enumeration_cost(units: int, columns: int = 1) -> int:
    """P-value of a statistic of so many sums of which NumPy computes arrays, over all swaps.

    Measured: 3 to 7 ns for each sum, and 40 for the statistic, a ratio.
    """
    return 100_000 + (40 + 7 * columns) * (1 << units)
