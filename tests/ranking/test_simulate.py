"""The simulators: what they promise of marginals, types and outliers."""

import numpy as np
import pytest

from betterthan.errors import UsageError
from betterthan.ranking import paired_marginals, rating, score_matrix
from betterthan.ranking.order_agreement import kendall_tau
from betterthan.ranking.simulate import TABLE_2


def test_marginals_stay_while_the_pairing_changes() -> None:
    base = paired_marginals(items=100, rng=3)
    for order in ([1, 0, 2, 3, 4], [4, 3, 2, 1, 0]):
        other = paired_marginals(order, items=100, rng=3)
        for name in ("S", "B"):
            np.testing.assert_array_equal(np.sort(base.of(name), 0), np.sort(other.of(name), 0))
        assert not np.array_equal(base.of("S"), other.of("S"))
    types = base.groups["type"]
    for k, level in enumerate(TABLE_2[0]):
        assert base.of("S")[types == str(k + 1)].mean() == pytest.approx(level, abs=1)


def test_types_shift_all_systems_alike() -> None:
    made = score_matrix(systems=4, items=4000, types=3, sd=0.1, rng=0)
    types = made.scores.groups["type"]
    levels = np.array([made.scores.values[types == t, :, 0].mean(axis=0) for t in "123"])
    offsets = levels - made.strengths
    assert np.ptp(offsets, axis=1).max() < 0.02  # one offset a type
    assert offsets[0] == pytest.approx(np.zeros(4), abs=0.02)
    assert ((made.strengths >= 0) & (made.strengths <= 1)).all()


def test_independent_types_average_to_the_strength() -> None:
    made = score_matrix(systems=3, items=3000, types=2, sd=0.05, independent=True, rng=1)
    means = made.scores.values[:, :, 0].mean(axis=0)
    assert means == pytest.approx(made.strengths, abs=0.01)


def test_outliers_deal_scores_to_other_systems() -> None:
    made = score_matrix(systems=30, items=200, outliers=0.5, sd=1e-6, rng=2)
    values = made.scores.values[:, :, 0]
    moved = np.abs(values - made.strengths).max(axis=1) > 1e-3
    assert moved.sum() == 100
    np.testing.assert_allclose(
        np.sort(values, axis=1), np.tile(np.sort(made.strengths), (200, 1)), atol=1e-4
    )


def test_types_hurt_the_median_and_not_bradley_terry() -> None:
    """Figure 3(d) of the paper: with types of items, the median loses track of the strengths."""
    taus: dict[str, list[float]] = {"median": [], "bradley-terry": []}
    for seed in range(40):
        made = score_matrix(systems=8, items=100, types=5, sd=0.3, rng=seed)
        for method, found in taus.items():
            ranking = rating(made.scores, method, resamples=2, rng=0)
            truth = made.strengths[[made.scores.position(n) for n in ranking.names]]
            found.append(kendall_tau(ranking.scores, truth))
    assert np.mean(taus["bradley-terry"]) > np.mean(taus["median"]) + 0.02


def test_the_seed_is_all_that_matters() -> None:
    one, two = (score_matrix(rng=5).scores.values for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_options_are_checked() -> None:
    with pytest.raises(UsageError, match=r"permutation of 0 \.\. 4"):
        paired_marginals([0, 0, 1, 2, 3])
    with pytest.raises(UsageError, match="multiple of the 5 types"):
        paired_marginals(items=12)
    with pytest.raises(UsageError, match="systems must be at least 1"):
        score_matrix(systems=0)
    with pytest.raises(UsageError, match="fraction between 0 and 1"):
        score_matrix(outliers=2)
    with pytest.raises(UsageError, match="offset must be at least 0"):
        score_matrix(offset=-1)
