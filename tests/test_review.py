"""What a sceptical reader tried: odd units, odd dtypes, metrics that are undefined somewhere."""

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

import betterthan as bt
from betterthan.engines import Request, certified
from betterthan.metrics import mean, sums
from betterthan.pairs import cluster_codes, pair
from betterthan.results import Alternative, TestResult
from betterthan.swaps import Swaps


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_cluster_labels_of_small_integer_types_do_not_overflow(dtype: type) -> None:
    labels: NDArray[np.integer] = np.array([-128, 127, *range(98)], dtype=dtype)
    codes, units = cluster_codes(labels, labels.size)
    assert units == len(set(labels.tolist()))
    assert len(set(zip(labels.tolist(), codes.tolist(), strict=True))) == units


@pytest.mark.parametrize("unit", [np.pi, 1e-7, 1e-30, 1 / 1024, 1e12, 1 / 3001])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_unit_of_the_scores_is_irrelevant(unit: float, alternative: Alternative) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 3, (2, 200))
    plain = bt.permutation_test(a, b, alternative=alternative)
    scaled = bt.permutation_test(a * unit, b * unit, alternative=alternative)
    assert scaled.kind == "exact"
    assert scaled.pvalue == pytest.approx(plain.pvalue, rel=1e-12)
    assert scaled.law.sd == pytest.approx(plain.law.sd * unit, rel=1e-9)


def test_real_scores_that_differ_by_equal_steps_are_exact() -> None:
    rng = np.random.default_rng(4)
    a, d = rng.random(100), rng.integers(-1, 2, 100)
    result = bt.permutation_test(a, a + 0.1 * d)
    assert result.kind == "exact"
    assert result.pvalue == pytest.approx(
        bt.permutation_test(np.zeros_like(d), d).pvalue, rel=1e-12
    )


def test_a_bracket_that_cannot_be_narrowed_reports_its_upper_end() -> None:
    """The middle of a bracket around alpha would claim a difference that the exact test denies."""
    rng = np.random.default_rng(0)
    tried = 0
    while tried < 3:
        n = int(rng.integers(45, 80))
        d = rng.choice([1, 2], n) * rng.choice([-1, 1], n, p=[0.36, 0.64])
        exact = bt.permutation_test(np.zeros_like(d), d).pvalue
        if not 0.05 < exact < 0.056:
            continue
        tried += 1
        swaps = Swaps.of(pair(np.zeros(n), d * np.pi, mean()), mean())
        p = certified(swaps, Request("two-sided", None, 1e-3, 0.05, None))
        assert p.low <= exact <= p.high * (1 + 1e-12)
        assert p.value >= exact * (1 - 1e-12)


def _quotient(total: NDArray[np.float64]) -> NDArray[np.float64]:
    quotient: NDArray[np.float64] = total[..., 0] / total[..., 1]
    return np.where(total[..., 1] == 0, np.nan, quotient)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("method", ["auto", "enumeration", "dp", "fft", "monte-carlo"])
def test_swaps_at_which_a_metric_is_undefined_count_as_extreme(
    method: str, alternative: Alternative
) -> None:
    a = np.array([[1, 0], [2, 1], [0, 0], [1, 0], [2, 0]])
    b = np.array([[2, 1], [2, 0], [1, 0], [1, 0], [0, 0]])

    def orient(x: Fraction) -> Fraction:
        return {"two-sided": abs(x), "greater": x, "less": -x}[alternative]

    def delta(swapped: tuple[bool, ...]) -> Fraction | None:
        rows = np.array(swapped)[:, None]
        x, y = (np.where(rows, u, v).sum(axis=0).tolist() for u, v in ((b, a), (a, b)))
        if x[1] == 0 or y[1] == 0:
            return None
        return Fraction(y[0], y[1]) - Fraction(x[0], x[1])

    observed = delta((False,) * 5)
    assert observed is not None
    law = [delta(s) for s in itertools.product((False, True), repeat=5)]
    truth = sum(d is None or orient(d) >= orient(observed) for d in law) / len(law)
    metric = sums(("x", "y"), _quotient)
    result = bt.permutation_test(a, b, metric, alternative=alternative, method=method, rng=0)
    assert result.pvalue_low * (1 - 1e-12) <= truth <= result.pvalue_high * (1 + 1e-12)


def test_a_metric_that_is_undefined_on_the_data_is_an_error() -> None:
    metric = sums(("x", "y"), lambda total: np.full(total.shape[:-1], np.nan), spelling="hole")
    with pytest.raises(bt.errors.BadValueError, match="hole of these data is NaN"):
        bt.permutation_test([[1, 0], [2, 0]], [[1, 1], [2, 2]], metric)


def test_the_signature_names_a_numpy_seed() -> None:
    result = bt.permutation_test([1, 2], [2, 5], method="monte-carlo", rng=np.int64(3))  # type: ignore[arg-type]
    assert "|seed:3|" in result.signature


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan")])
def test_a_tolerance_is_positive(tolerance: float) -> None:
    with pytest.raises(bt.errors.UsageError, match="tolerance"):
        bt.permutation_test([0.1], [0.2], tolerance=tolerance)


@pytest.mark.parametrize("test", [bt.permutation_test, bt.sign_test, bt.wilcoxon])
@pytest.mark.parametrize(("alternative", "least"), [("two-sided", 0.5), ("greater", 0.25)])
def test_the_least_possible_p_of_few_clusters_is_that_of_the_alternative(
    test: Callable[..., TestResult], alternative: Alternative, least: float
) -> None:
    result = test([0, 1], [1, 2], alternative=alternative, clusters=["x", "y"])
    assert result.pvalue == least
    assert any(f"below {least:g} is possible" in note for note in result.notes)
