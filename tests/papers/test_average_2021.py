"""Better than Average: examples, the simulated grid, and boards from a folder of tables."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.errors import UsageError
from betterthan.papers import Cell, reproduce
from betterthan.papers.average_2021 import changed_triples
from betterthan.papers.average_simulated import Setup, grid, means_with_errors, simulated
from betterthan.papers.printed_cells import printed_rows
from betterthan.ranking import Pairwise, agreement, disagreement, pairwise
from conftest import Run

METHODS = ("mean", "median", "bradley-terry")
BOARDS = {
    "08__BLEU": (14, 5),
    "08__ROUGE_1": (14, 5),
    "08__BERTScore": (14, 5),
    "pc__BLEU": (12, 3),
}


def test_the_grid_is_the_papers() -> None:
    """Appendix A.2: 4 x 3 x 6 x 4 = 288 choices, ten data sets each."""
    choices = list(grid())
    assert len(choices) == len(set(choices)) == 288


def test_a_setup_is_drawn_as_it_says() -> None:
    made = simulated(Setup(3, 0.025, 30, 5, "released"), np.random.default_rng(0))
    assert made.scores.values.shape == (30, 5, 1)
    assert made.strengths.sum() == pytest.approx(10.0)


def test_error_bars_cover_the_mean_and_leave_out_what_is_not_there() -> None:
    mean, low, high = means_with_errors(np.array([0.0, 1.0, np.nan, 1.0]))
    assert mean == pytest.approx(2 / 3)
    assert low <= mean <= high


@pytest.mark.parametrize("exhibit", ["Figure 1", "Figure 2", "Appendix F"])
def test_what_is_told_of_the_examples_holds(exhibit: str) -> None:
    found = reproduce("average-2021", [exhibit], quick=True)
    assert found.holds, str(found)


def test_every_printed_number_of_table_3_has_its_place() -> None:
    """Ten data sets by five metrics and three pairs, of which MSCOCO has two metrics."""
    cells = [row["cell"] for row in printed_rows("average_2021") if row["exhibit"] == "Table 3"]
    assert len(cells) == len(set(cells)) == (10 * 5 - 3) * 3 * 3
    public = [name for name in cells if name.split()[0] in ("08", "09", "11", "pc", "tc")]
    assert len(public) == 225


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few small boards, one of them with sections."""
    place, rng = tmp_path_factory.mktemp("boards"), np.random.default_rng(4)
    for name, (items, systems) in BOARDS.items():
        values = rng.normal(size=(items, 1)) + rng.gumbel(size=(items, systems))
        columns = {f"M{k}": values[:, k] for k in range(systems)}
        sections = {"section": ["x", "y"] * (items // 2)} if name == "08__BLEU" else {}
        pl.DataFrame({"item": range(items), **sections, **columns}).write_csv(place / f"{name}.csv")
    return place


def scores(folder: Path, name: str) -> bt.Scores:
    frame = pl.read_csv(folder / f"{name}.csv")
    return bt.Scores.from_arrays({s: frame[s].to_numpy() for s in frame.columns if s[0] == "M"})


def cells(folder: Path, exhibit: str) -> dict[str, Cell]:
    (found,) = reproduce("average-2021", [exhibit], quick=True, data=folder).exhibits
    assert f"{len(BOARDS)} boards" in found.on or exhibit in ("Table 4", "Figure 6")
    return {cell.name: cell for cell in found.cells}


@pytest.mark.parametrize(
    ("exhibit", "methods", "names"),
    [
        ("Table 1", METHODS, list(BOARDS)),
        # a quick run takes the first two metrics of every setup
        (
            "Table 4",
            (*METHODS, "elo(order=file)", "trueskill(order=file)"),
            ["08__BERTScore", "08__BLEU", "pc__BLEU"],
        ),
    ],
)
def test_tables_average_the_disagreement_of_the_boards(
    folder: Path, exhibit: str, methods: tuple[str, ...], names: list[str]
) -> None:
    ours = cells(folder, exhibit)
    direct = [disagreement(scores(folder, name), methods) for name in names]
    for each in zip(*direct, strict=True):
        pair = f"{each[0].first} vs {each[0].second}"
        for measure, field in (
            ("pairs", "share"),
            ("winner", "other_winner"),
            ("top 3", "other_top3"),
        ):
            expected = 100 * float(np.mean([getattr(d, field) for d in each]))
            assert ours[f"{pair}: {measure}, %"].ours == pytest.approx(expected), (pair, measure)


def test_table_3_has_the_boards_that_are_there(folder: Path) -> None:
    ours = cells(folder, "Table 3")
    known = {name for name, cell in ours.items() if cell.ours is not None}
    assert {name.split(",")[0] for name in known} == {
        "08 BLEU",
        "08 ROUGE",
        "08 BERTScore",
        "pc BLEU",
    }
    assert len(known) == 4 * 9
    assert all(cell.reason for name, cell in ours.items() if name not in known)
    whole = {d.first + d.second: d.share for d in disagreement(scores(folder, "08__BLEU"))}
    drawn = ours["08 BLEU, mean vs median: pairs"]
    assert drawn.ours == pytest.approx(whole["meanmedian"], abs=0.25)
    assert drawn.error == drawn.published_error > 0


def test_figure_6_is_the_agreement_of_tests_pooled_over_pairs(folder: Path) -> None:
    ours = cells(folder, "Figure 6")
    direct = [agreement(scores(folder, n)) for n in ("08__BERTScore", "08__BLEU", "pc__BLEU")]
    pairs = sum(a.pairs for a in direct)
    for k, test in enumerate(direct[0].tests):
        share = sum(float(a.matrix[k, k]) * a.pairs for a in direct) / pairs
        assert ours[test].ours == pytest.approx(share)


def test_figures_of_boards_are_pictures(folder: Path) -> None:
    found = reproduce("average-2021", ["Figure 4", "Figure 5"], quick=True, data=folder)
    figure_4, figure_5 = found.exhibits
    assert [getattr(panel.result, "title", "") for panel in figure_4.pictures[0].panels] == [
        "a) by metric",
        "b) by task",
        "c) by size",
    ]
    (panel,) = figure_5.pictures[0].panels
    direct = pairwise(scores(folder, "08__ROUGE_1"), "bradley-terry")
    assert isinstance(panel.result, Pairwise)
    assert panel.result.names == direct.names
    np.testing.assert_allclose(panel.result.effect, direct.effect)
    assert len([cell for cell in figure_5.cells if cell.ours is None]) == 90


def test_triples_that_change_are_those_that_bradley_terry_changes(folder: Path) -> None:
    board = scores(folder, "08__ROUGE_1")
    changed, triples = 0, 0
    names = board.systems
    for i, first in enumerate(names):
        for j, second in enumerate(names[:i]):
            for third in names[:j]:
                three = (first, second, third)
                rated = bt.ranking.rating(board.select(*three), "bradley-terry", resamples=2)
                strength = dict(zip(rated.names, rated.scores.tolist(), strict=True))
                wins = {
                    (a, b): float(np.sign(board.of(a) - board.of(b)).sum())
                    for a in three
                    for b in three
                }
                triples += 1
                changed += any(
                    wins[a, b] > 0 and strength[a] <= strength[b] + 1e-9
                    for a in three
                    for b in three
                )
    assert changed_triples(board) == (changed, triples)


def test_data_come_from_the_command_line(folder: Path, betterthan: Callable[..., Run]) -> None:
    run = betterthan("reproduce", "average-2021", "Table 1", "--quick", "--data", str(folder))
    assert run.code in (0, 5), run.err
    assert "On 4 boards (08, pc)" in run.out


def test_a_folder_without_tables_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="SETUP__METRIC"):
        reproduce("average-2021", ["Figure 1"], data=tmp_path)
