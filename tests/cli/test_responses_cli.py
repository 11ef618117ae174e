"""The commands, the renderings and the plots of response tests."""

import csv
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from betterthan.cli import responses as commands
from betterthan.errors import AlignmentError, UsageError
from betterthan.plots import responses as plots
from betterthan.responses import (
    Population,
    Simulation,
    fit_population,
    p_value,
    read_trio,
    simulate,
    split_budget,
    study,
)

mpl.use("Agg")
MADE = simulate(30, 3, eps_a=0.5, rng=0)
cli = typer.Typer()
cli.add_typer(commands.app, name="responses")
cli.command("simulate")(commands.simulate)


def run(*words: str) -> Any:
    return CliRunner().invoke(cli, words, catch_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same responses with raters in rows, in columns, and in one long table."""
    monkeypatch.chdir(tmp_path)
    every: list[list[object]] = [["item", "system", "rater", "score"]]
    for name, block in (("gold", MADE.gold), ("old", MADE.a), ("new", MADE.b)):
        rows = [[f"q{i}", j, v] for i, r in enumerate(block.tolist()) for j, v in enumerate(r)]
        write(tmp_path / f"{name}.csv", [["item", "rater", "score"], *rows])
        wide = [[f"q{i}", *r] for i, r in enumerate(block.tolist())]
        wide = wide[::-1] if name == "new" else wide  # matched by id, not by position
        write(tmp_path / f"{name}_wide.csv", [["item", "r1", "r2", "r3"], *wide])
        every += [[item, name, rater, score] for item, rater, score in rows]
    write(tmp_path / "all.csv", every)
    return tmp_path


def write(path: Path, rows: list[list[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)


@pytest.mark.parametrize(
    "files", [("gold.csv", "old.csv", "new.csv"), ("gold_wide.csv", "old_wide.csv", "new_wide.csv")]
)
@pytest.mark.usefixtures("folder")
def test_three_files_with_raters_in_rows_or_columns(files: tuple[str, ...]) -> None:
    data, names = read_trio(*files)
    assert names == (files[1][:-4], files[2][:-4])
    expected = p_value(MADE.gold, MADE.a, MADE.b)
    assert p_value(*data).pvalue == pytest.approx(expected.pvalue, rel=1e-6)


@pytest.mark.usefixtures("folder")
def test_one_long_table() -> None:
    data, names = read_trio("all.csv")
    assert names == ("old", "new")
    assert read_trio("all.csv", baseline="new")[1] == ("new", "old")
    assert p_value(*data).delta == pytest.approx(p_value(MADE.gold, MADE.a, MADE.b).delta)
    with pytest.raises(UsageError, match="gold="):
        read_trio("all.csv", gold="human")
    with pytest.raises(UsageError, match="three files"):
        read_trio("gold.csv", "old.csv")


def test_files_with_other_items_are_refused(folder: Path) -> None:
    write(folder / "short.csv", [["item", "rater", "score"], ["q0", 1, 0.5], ["z", 1, 0.5]])
    with pytest.raises(AlignmentError, match=r"lacks items 'q1'.*lacks \('z'\)"):
        read_trio("gold.csv", "old.csv", "short.csv")


@pytest.mark.usefixtures("folder")
def test_compare_command() -> None:
    shown = run("responses", "compare", "gold.csv", "old.csv", "new.csv")
    assert shown.exit_code == 0
    assert "new is BETTER than old" in shown.output
    assert "calibrated response test" in shown.output
    found = json.loads(
        run("responses", "compare", "all.csv", "--sampling", "bootstrap_items/all", "-o", "o.json")
        and Path("o.json").read_text(encoding="utf-8")
    )
    assert found["schema"] == "betterthan/responses/1"
    assert found["test"] == "published response"
    for style in ("md", "csv", "latex"):
        out = run("responses", "compare", "all.csv", "-m", "wins", "--format", style)
        assert out.exit_code == 0
        assert "wins" in out.output
    same = run("responses", "compare", "gold.csv", "old.csv", "old.csv")
    assert "CAN'T TELL" in same.output
    with pytest.raises(UsageError, match="--test published"):
        run("responses", "compare", "no-such-file.csv", "--plot", "laws.png")  # before any work
    run("responses", "compare", "all.csv", "--test", "published", "--plot", "laws.png")
    assert Path("laws.png").stat().st_size > 0


@pytest.mark.usefixtures("folder")
def test_simulate_command_writes_what_compare_reads() -> None:
    run("simulate", "--items", "30", "--responses", "3", "--eps-a", "0.5", "-o", "made.csv")
    data, _ = read_trio("made.csv")
    assert np.array_equal(data.a.values, MADE.a)
    for style in ("json", "md", "table", "latex"):
        out = run("simulate", "--items", "2", "--law", "likert", "--format", style)
        assert out.exit_code == 0
    assert run("simulate", "--items", "2").output.startswith("item,system,response,score")


@pytest.mark.usefixtures("folder")
def test_study_command(folder: Path) -> None:
    few = ("--resamples", "40", "-m", "mae", "--eps", "0", "--eps", "0.5", "--workers", "1")
    shown = run("responses", "study", *few, "--items", "30", "--responses", "2")
    assert "least error by metric" in shown.output
    assert "best use of 60 responses" in shown.output
    block = np.clip(MADE.gold, 0, 1).tolist()
    write(folder / "own.csv", [["item", "r1", "r2", "r3"], *([i, *r] for i, r in enumerate(block))])
    for style in ("md", "csv", "json", "latex"):
        out = run("responses", "study", "own.csv", *few, "--format", style, "--plot", "study.png")
        assert out.exit_code == 0
        assert "mae" in out.output
    assert Path("study.png").stat().st_size > 0


def test_plots() -> None:
    few = study(eps=(0.0, 0.5), items=30, responses=2, metrics=["mae"], resamples=30, rng=0)
    for by in ("metric", "sampling"):
        lines = plots.p_errors(few, by=by).get_legend().get_texts()
        assert [line.get_text() for line in lines] == list(few.least_error(by))
    law = fit_population(np.clip(MADE.gold, 0, 1))
    for of in ("means", "sds"):
        assert "bars off by" in plots.fitted_law(law, of=of).get_title(loc="left")
    with pytest.raises(UsageError):
        plots.fitted_law(law, of="ranges")  # type: ignore[arg-type]
    for sampling in ("bootstrap_items/all", "all_items/sample(1)"):
        found = p_value(*_trio(MADE), sampling=sampling, resamples=50, rng=0)
        assert "overlap" in plots.null_and_alternative(found).get_title(loc="left")
    # A candidate that is worse in every draw: the axis ends at the null, zero.
    worse = p_value(MADE.gold, MADE.gold, MADE.a, sampling="bootstrap_items/all", rng=0)
    assert plots.null_and_alternative(worse).get_xlim()[1] < abs(worse.delta)
    same = p_value(MADE.gold, MADE.a, MADE.a, sampling="bootstrap_items/all", rng=0)
    assert plots.null_and_alternative(same).get_xlim()[0] < 0.0
    with pytest.raises(UsageError, match="published"):
        plots.null_and_alternative(p_value(*_trio(MADE)))
    splits = split_budget(Population(), 100, simulated=1000, rng=0)
    assert len(plots.budget(splits).patches) == len(splits)
    with pytest.raises(UsageError):
        plots.budget(())
    mpl.pyplot.close("all")


def _trio(made: Simulation) -> tuple[Any, Any, Any]:
    return made.gold, made.a, made.b
