"""What other tools get wrong, each held here as a test of ours.

The numbers of the other tools were measured on their released code; ours are derived by hand.
"""

import math
import tracemalloc

import numpy as np
import pytest

import betterthan as bt
from betterthan.data.scores import Scores


def test_identical_systems_are_never_significant() -> None:
    # sacrebleu 2.x counts only strictly larger differences: two identical files give p = 0.0001.
    rng = np.random.default_rng(0)
    a = rng.random(300)
    for method in ("auto", "monte-carlo"):
        result = bt.permutation_test(a, a, method=method, rng=0)
        assert (result.pvalue, result.delta) == (1.0, 0.0)


def test_six_straight_wins() -> None:
    # The same code gives 0.0001; 2 / 2^6 is right.
    assert bt.permutation_test([0] * 6, [1] * 6).pvalue == 0.03125
    sampled = bt.permutation_test([0.0] * 6, [1.0] * 6, method="monte-carlo", rng=0)
    assert sampled.pvalue_low <= 0.03125 <= sampled.pvalue_high


def test_seed_zero_is_a_seed() -> None:
    a, b = np.random.default_rng(1).random((2, 60))
    first, second = (
        bt.permutation_test(a, b, method="monte-carlo", resamples=999, rng=0) for _ in range(2)
    )
    assert first.pvalue == second.pvalue
    assert "seed:0" in first.signature


def test_thirty_straight_wins() -> None:
    # The published exact code drops mass below 1e-8 and returns 0.0.
    assert bt.permutation_test([0] * 30, [1] * 30).pvalue == 2.0**-29


def test_far_below_the_smallest_double() -> None:
    result = bt.permutation_test([0] * 2000, [1] * 2000)
    assert result.pvalue == 0.0
    assert result.log10_pvalue == pytest.approx(-1999 * math.log10(2), rel=1e-12)
    assert "p = 0" not in str(result)


def test_exact_f1_beyond_two_hundred_items() -> None:
    # The published exact F1 runs out of 20 GB at 200 items.
    rng = np.random.default_rng(2)
    a, b = rng.poisson(1.5, size=(2, 1000, 3))
    tracemalloc.start()
    result = bt.permutation_test(a, b, "f1")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.kind == "exact"
    assert peak < 500e6


def test_ties_of_float_means_are_counted() -> None:
    # Comparing float means with >= misses ties: 0.1 + 0.2 - 0.3 is not zero in floats.
    a, b = [0.3, 0.1, 0.2, 0.6], [0.1, 0.2, 0.3, 0.9]
    tenths = bt.permutation_test([3, 1, 2, 6], [1, 2, 3, 9])
    assert bt.permutation_test(a, b).pvalue == tenths.pvalue
    sampled = bt.permutation_test(a, b, method="monte-carlo", rng=0, resamples=20_000)
    assert sampled.pvalue_low <= tenths.pvalue <= sampled.pvalue_high


def test_a_sampled_p_is_never_zero() -> None:
    # ranx, mt-metrics-eval and others print 0.0 when no resample reaches the observed value.
    result = bt.permutation_test(
        np.zeros(200), np.ones(200), method="monte-carlo", resamples=999, rng=0
    )
    assert result.pvalue == 1 / 1000


def test_monte_carlo_keeps_its_memory_bounded() -> None:
    # scipy.stats.permutation_test materialises resamples x items x 2: 3.2 GB here.
    rng = np.random.default_rng(3)
    a, b = rng.random((2, 10_000))
    tracemalloc.start()
    bt.permutation_test(a, b, method="monte-carlo", resamples=2_000, rng=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def test_paired_data_are_tested_as_pairs() -> None:
    # An unpaired z-test of 600 and 630 of 1000 gives p = .17; the pairs tell them apart.
    base = np.arange(1000) < 600
    new = np.arange(1000) < 630
    assert bt.permutation_test(base, new).pvalue == 2.0**-29


def test_repeats_of_an_item_are_not_items() -> None:
    # Eight repeats of five items are five pieces of evidence, not forty.
    scores = Scores.from_responses(
        {"a": [[0.1 * i] * 8 for i in range(5)], "b": [[0.1 * i + 0.05] * 8 for i in range(5)]}
    )
    found = bt.compare(scores)
    assert found.n == 5
    assert found.pvalue == 2 / 2**5


def test_sign_test_leaves_ties_out() -> None:
    # pairformance keeps the 90 ties in n and reports p = 1e-22.
    base = [0] * 5 + [1] * 5 + [1] * 90
    new = [1] * 5 + [0] * 5 + [1] * 90
    assert bt.sign_test(base, new).pvalue == 1.0


def test_lower_is_better_crowns_the_lower() -> None:
    # ranx and autorank have crowned the worst system.
    errors = Scores.from_arrays({"bad": [9.0] * 10, "good": [1.0] * 10}, lower_is_better=True)
    assert bt.compare(errors).verdict == "better"
    assert bt.compare(errors, "good", "bad").verdict == "worse"
