"""Follow the leader(board): the transcribed tables, and the earth mover's distance of bars."""

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from betterthan.papers.leaderboard_2023 import Found, _spread, printed
from betterthan.responses.distances import bin_counts
from betterthan.responses.response_metrics import as_response_metric


def test_every_row_of_the_ten_tables_is_there_or_known_to_be_damaged() -> None:
    rows = printed()
    assert len(rows) == 10 * 45
    assert len({(row.table, *row.key) for row in rows}) == len(rows)
    damaged = [row.table for row in rows if not row.estimated]
    assert set(damaged) == {6, 11}
    # Quoted from the paper: Table 7, MAE with one response of every item.
    (row,) = (
        r for r in rows if (r.table, r.metric, r.sampling) == (7, "mae", "all_items/sample(1)")
    )
    assert (row.estimated, row.true) == ("0.112564", "0.115949")


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


def test_few_repeats_lean_on_cells_alike() -> None:
    key = (0.1, "s", "m")
    alone = _spread({key: [0.4, 0.5]})[key]
    assert alone.mean == pytest.approx(0.45)
    assert alone.sd == pytest.approx(np.std([0.4, 0.5], ddof=1))
    other = (0.1, "s", "n")
    both = _spread({key: [0.45, 0.45], other: [0.4, 0.5]})
    # Its own variance is zero; that of the two averages .0025: (10 x .0025 + 0) / 11.
    assert both[key].sd == pytest.approx((10 * 0.0025 / 11) ** 0.5)


def test_one_study_has_the_deviation_of_one() -> None:
    cell = Found(0.3, 0.04, 16).cell("x", ".31")
    assert (cell.error, cell.published_error) == (0.01, 0.04)
