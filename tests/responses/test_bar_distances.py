"""Earth mover's distances between heights of bars, as numpy counts them and scipy measures them."""

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from betterthan.responses.distances import bin_counts
from betterthan.responses.response_metrics import as_response_metric


def test_bars_are_counted_as_numpy_counts_them() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate(
        [rng.normal(0.5, 0.4, (3, 40)), np.array([[0.0], [1.0], [0.2]])], axis=1
    )
    for bins in (5, 50):
        edges = [k / bins for k in range(bins + 1)]
        expected = [np.histogram(row, bins=edges)[0] for row in values]
        got = bin_counts(values, bins)
        # A number on an inner edge may fall on either side of it in floating point.
        assert np.abs(got - expected).sum() <= 2
        assert got.shape == (3, bins)


@pytest.mark.parametrize(
    ("name", "bins", "by_item"),
    [
        ("emd_aggregated_counts", 50, False),
        ("emd_vectorized_counts", 50, False),
        ("emd_mean_counts", 5, True),
    ],
)
def test_the_distance_of_bars_is_scipys_between_their_heights(
    name: str, bins: int, by_item: bool
) -> None:
    rng = np.random.default_rng(1)
    system, gold = rng.uniform(0, 1, (2, 30, 5))
    edges = np.linspace(0, 1, bins + 1)

    def heights(values: np.ndarray) -> np.ndarray:
        return np.histogram(values, bins=edges)[0]

    if by_item:
        expected = np.mean(
            [
                wasserstein_distance(heights(x), heights(y))
                for x, y in zip(system, gold, strict=True)
            ]
        )
    else:
        pooled = [x.mean(axis=1) if "aggregated" in name else x.ravel() for x in (system, gold)]
        expected = wasserstein_distance(*(heights(x) for x in pooled))
    got = as_response_metric(name).function(system, gold)
    assert float(np.mean(got)) == pytest.approx(float(expected), abs=1e-12)
