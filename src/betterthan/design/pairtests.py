"""P-values of many pairs of systems, by name of the test: what studies of tests are made of."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from betterthan import classic
from betterthan.bootstrap import bootstrap_pairs
from betterthan.data import Scores
from betterthan.errors import UsageError
from betterthan.metrics import Metric, default, resolve
from betterthan.permutation import permutation_test
from betterthan.results import Alternative, TestResult
from betterthan.sampling import Rng

Floats = NDArray[np.float64]
Numbers = NDArray[Any]
RESAMPLES = 20_000
_CLASSIC: dict[str, Callable[..., TestResult]] = {
    "wilcoxon": classic.wilcoxon,
    "sign": classic.sign_test,
    "mcnemar": classic.mcnemar,
    "t": classic.t_test,
}
TESTS = ("bootstrap", "permutation", *_CLASSIC)


def chosen_metric(scores: Scores, metric: str | Metric | None) -> Metric:
    """Return the metric asked for, or the mean of the only column, in the direction of better."""
    made = resolve(metric, scores.columns) if metric else default(scores.columns)
    return made.lowered() if scores.lower_is_better else made


def pair_results(
    values: Sequence[Numbers],
    pairs: Sequence[tuple[int, int]],
    metric: Metric,
    test: str,
    *,
    alternative: Alternative,
    clusters: NDArray[Any] | None = None,
    resamples: int | None = None,
    rng: Rng = 0,
) -> list[TestResult]:
    """Test every pair (baseline, candidate), given as positions in ``values``."""
    if test == "bootstrap":  # the shift variant: all resamples at once where they have a law
        return bootstrap_pairs(
            values,
            pairs,
            metric,
            variant="shift",
            alternative=alternative,
            resamples=resamples or RESAMPLES,
            clusters=clusters,
            rng=rng,
        )
    if test == "permutation":
        return [
            permutation_test(
                values[i],
                values[j],
                metric,
                alternative,
                clusters=clusters,
                resamples=resamples,
                rng=rng,
            )
            for i, j in pairs
        ]
    if test not in _CLASSIC:
        raise UsageError(f"test is one of {', '.join(TESTS)}, not {test!r}")
    if metric.form != "mean":
        raise UsageError(f"the {test} test compares means, not {metric!r}")
    return [
        _CLASSIC[test](
            values[i][:, 0],
            values[j][:, 0],
            alternative=alternative,
            clusters=clusters,
            lower_is_better=metric.lower_is_better,
        )
        for i, j in pairs
    ]
