"""Follow the leader(board): the transcribed tables, errors of p-values, ratings from a folder."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from betterthan.papers import Cell, reproduce
from betterthan.papers.leaderboard_2023.printed import (
    printed,
    printed_behind,
    printed_least,
    printed_number,
)
from betterthan.papers.leaderboard_2023.studies import (
    Study,
    as_programmed,
    estimated_cells,
    overlap_variance,
    reference,
    true_cell,
)
from betterthan.papers.leaderboard_2023.studies import studied_combinations as pairs_of_the_paper
from betterthan.papers.leaderboard_2023.tables import least_gaps
from betterthan.responses import Population, true_ps
from betterthan.responses.response_metrics import as_response_metric, contrast


def test_every_row_of_the_ten_tables_is_there_or_known_to_be_damaged() -> None:
    rows = printed()
    assert len(rows) == 10 * 45
    assert len({(row.table, *row.key) for row in rows}) == len(rows)
    assert {row.key[1:] for row in rows} == set(pairs_of_the_paper())
    damaged = [row.table for row in rows if not row.estimated]
    assert (damaged.count(6), damaged.count(11), len(damaged)) == (3, 15, 18)
    # Quoted from the paper: Table 7, MAE with one response of every item.
    (row,) = (
        r for r in rows if (r.table, r.metric, r.sampling) == (7, "mae", "all_items/sample(1)")
    )
    assert (row.estimated, row.true) == ("0.112564", "0.115949")


def test_no_printed_number_agrees_with_everything() -> None:
    """A bare 0 would be rounded by a half; the captions say that it is less than 1e-5."""
    texts = {text for row in printed() for text in (row.estimated, row.true) if text}
    assert "0" not in texts
    assert "<0.00001" in texts
    assert max(Cell("x", text, 0.0).rounding for text in texts) <= 5e-7


def test_the_tables_of_minima_are_the_minima_of_the_full_tables() -> None:
    """All but those that hang on damaged rows, and one in which the paper contradicts itself."""
    checked, others = 0, []
    for row in printed_least():
        for eps, value in row.least.items():
            lines = printed_behind(row, eps)
            assert len(lines) == row.n
            gaps = [line.gap for line in lines]
            known = [gap for gap in gaps if gap is not None]
            if Cell("x", value, min(known, default=1.0)).ruling(0.0) == "agrees":
                checked += 1
            elif len(known) == len(gaps):
                others.append((row.table, row.row, eps))
    assert others == [(4, "emd_aggregated", 0.7)]
    assert checked == 136


def test_a_printed_zero_is_a_bound() -> None:
    assert (printed_number("<0.00001"), printed_number("8.40E-05")) == (0.0, 8.4e-5)


def test_the_variance_of_an_overlap_is_that_of_repeated_overlaps() -> None:
    rng = np.random.default_rng(0)
    draws, shift = 200, 1.2
    null, alternative = rng.standard_normal((2, 3000, draws))
    shares = [
        float((x[:, None] >= y + shift).mean()) for x, y in zip(null, alternative, strict=True)
    ]
    p = float(np.mean(shares))
    assert overlap_variance(p, draws) == pytest.approx(np.var(shares), rel=0.1)


def test_wins_as_programmed_are_comparisons_of_rounded_means() -> None:
    """The loop of the authors' program: means in floating point, and no ties but exact ones."""
    rng = np.random.default_rng(1)
    gold, a, b = rng.integers(0, 5, (3, 60, 5)) / 5
    means = [np.array([np.mean(row) for row in block]) for block in (gold, a, b)]
    of_a, of_b = (np.abs(means[0] - x) for x in means[1:])
    expected = np.mean(of_b < of_a) - np.mean(of_b > of_a)
    assert float(contrast(as_programmed("wins"), gold, a, b)) == pytest.approx(expected, abs=1e-12)
    assert float(contrast(as_response_metric("wins"), gold, a, b)) != pytest.approx(expected)
    single = [np.abs(gold - x) for x in (a, b)]
    expected = np.mean(single[1] < single[0]) - np.mean(single[1] > single[0])
    found = contrast(as_programmed("wins_vectorized"), gold, a, b)
    assert float(found) == pytest.approx(expected, abs=1e-12)


def test_where_nothing_is_tied_the_programmed_wins_are_wins() -> None:
    found = true_ps(
        Population(), ["wins", as_programmed("wins")], items=50, responses=3, resamples=60, rng=0
    )
    assert found[0].pvalue == found[1].pvalue


def test_estimates_are_held_on_the_normal_scale() -> None:
    """Spread by one unit of the normal scale, an estimate agrees within so many units."""
    drawn = stats.norm.cdf([-2.5, -1.5]).tolist()
    key = (0.1, "all_items/sample(k)", "mae")
    study = Study({key: drawn}, {})
    sd = 0.5**0.5
    allowed = 3 * (sd**2 + sd**2 / 2) ** 0.5
    for away, ruling in ((0.99, "agrees"), (1.01, "unexplained")):
        published = f"{stats.norm.cdf(-2.0 - away * allowed):.25f}"
        (cell,) = estimated_cells(study, [("x", key, published)])
        assert cell.ours == pytest.approx(stats.norm.cdf(-2.0))
        assert cell.ruling(3.0) == ruling
    (cell,) = estimated_cells(study, [("x", key, "<0.00001")])
    assert cell.ruling(3.0) == "agrees"


def test_a_truth_without_spread_has_that_of_an_overlap() -> None:
    cell = true_cell("x", "0.5", [0.5] * 4)
    expected = 10 * (2 / 1000) * (1 / 3 - 1 / 4) / 13
    assert cell.published_error == pytest.approx(expected**0.5, rel=1e-6)
    assert cell.error == pytest.approx(cell.published_error / 2)


def test_the_least_gap_is_taken_study_by_study() -> None:
    estimated = {(0.1, "s", "wins"): [0.1, 0.5], (0.1, "s", "wins_vectorized"): [0.4, 0.2]}
    true = {key: [0.0, 0.0] for key in estimated}
    assert least_gaps(Study(estimated, true), "metric") == {("wins", 0.1): [0.1, 0.2]}
    assert least_gaps(Study(estimated, true), "sampling") == {("s", 0.1): [0.1, 0.2]}


def test_ratings_of_a_folder_are_the_gold(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    values = rng.integers(0, 5, (60, 5)) / 5
    frame = pl.DataFrame({"item": range(60)} | {f"r{k}": values[:, k] for k in range(5)})
    frame.write_csv(tmp_path / "ratings.csv")
    data = reference("toxicity", 0.1, rng, str(tmp_path / "ratings.csv"))
    assert sorted(data.gold.values.tolist()) == sorted(values.tolist())
    found = reproduce("leaderboard-2023", ["Figures 3 and 4"], quick=True, data=tmp_path)
    ours = {cell.name: cell.ours for _, cell in found.cells}
    expected = values.std(axis=1, ddof=1)
    assert ours["Figure 4, ratings: mean"] == pytest.approx(expected.mean())
    assert ours["Figure 4, ratings: deviation"] == pytest.approx(expected.std())
