"""The exact engine: null distributions of paired tests and of resamples, without sampling.

`test` is the most general entrance: any function of sums of integer local effects. `SignedSum` is
the null distribution of a sum of differences as an object: mass, quantiles, moments and tails.
`exact_test` and `monte_carlo` are the algorithms of the literature as their authors wrote them.
"""

from betterthan.exact.grid import ratio_pvalue, test
from betterthan.exact.ideal import ResampledRatio
from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import BudgetExceededError, Probability
from betterthan.exact.published import exact_test, monte_carlo
from betterthan.exact.rational import signed_sum_pvalue
from betterthan.exact.subset_means import shift_interval
from betterthan.exact.walsh import walsh_interval

__all__ = [
    "BudgetExceededError",
    "Probability",
    "ResampledRatio",
    "SignedSum",
    "exact_test",
    "monte_carlo",
    "ratio_pvalue",
    "shift_interval",
    "signed_sum_pvalue",
    "test",
    "walsh_interval",
]
