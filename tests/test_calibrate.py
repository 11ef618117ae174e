"""The study of all promises: its bookkeeping here, the quick grid among the slow tests."""

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.errors import UsageError
from calibrate import table
from calibrate.batches import BATCH, Store, added, run_batch
from calibrate.cell import Answers, Cell
from calibrate.intervals import in_all_digits
from calibrate.page import (
    BEGIN,
    END,
    Row,
    broken,
    merged,
    read_rows,
    rows_of,
    summary,
    write_page,
    write_rows,
)
from calibrate.populations import POPULATIONS
from calibrate.table import MEASURES, WHAT, cells, promise
from calibrate.worlds import EVALUATIONS, WORLDS, designed, drawn, true_delta

ROOT = Path(__file__).parents[1]
COIN = Cell("coin", "coin", 7)


def coin(cell: Cell, rng: np.random.Generator) -> Answers:
    """A test that rejects one time in four, and answers half of the time."""
    rejects, answers = bool(rng.random() < 0.25), rng.random() < 0.5
    return {"type I/coin": rejects, "coverage/coin": rejects if answers else None, "width/x": 1.5}


@pytest.fixture(autouse=True)
def _a_coin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WHAT, "coin", coin)


def rows(percent: float = 5.0, number: int = 100, cell: Cell = COIN) -> list[Row]:
    share = number * percent / 100
    return list(rows_of(cell, {"type I/coin": (share, share, number)}, "today"))


def test_the_quick_grid_is_a_part_of_the_whole() -> None:
    whole, quick = list(map(repr, cells())), list(map(repr, cells(quick=True)))
    assert set(quick) < set(whole)
    assert len(set(whole)) == len(whole) > 500
    assert {cell.what for cell in cells()} == set(WHAT) - {"coin"}
    assert {cell.world for cell in cells() if cell.what == "coverage"} >= set(POPULATIONS)
    boards = [cell for cell in cells(folder=ROOT) if cell.folder]
    assert {cell.items for cell in boards} == {10, 20, 50, 200, 1000}


def test_batches_are_kept_and_depend_on_nothing_else(tmp_path: Path) -> None:
    first = run_batch(COIN, 0)
    assert first == run_batch(COIN, 0)
    assert first != run_batch(COIN, 1)
    assert first["type I/coin"][2] == BATCH > first["coverage/coin"][2] > 0
    assert first["width/x"] == (1.5 * BATCH, 2.25 * BATCH, BATCH)
    store = Store(tmp_path / "kept")
    store.add(COIN, 0, first)
    store.add(COIN, 1, run_batch(COIN, 1))
    again = Store(tmp_path / "kept").batches[repr(COIN)]
    assert set(again) == {0, 1}
    assert added(again.values())["type I/coin"][2] == 2 * BATCH
    store.path.rename(store.path.with_stem("other-code"))
    assert not Store(tmp_path / "kept").batches


def binomial_tail(k: int, n: int, p: float) -> float:
    return sum(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))


def test_a_promise_is_broken_when_the_limits_say_so() -> None:
    assert not broken(rows(9.0))
    assert binomial_tail(9, 100, 0.05) > 0.025
    assert broken(rows(12.0))
    assert binomial_tail(12, 100, 0.05) < 0.025
    several = [row for k in range(20) for row in rows(12.0, cell=replace(COIN, items=k))]
    assert not broken(several)  # limits are simultaneous
    assert not broken(rows(50.0, 40))  # too few answers
    narrow = Row("coverage", "w", "5 items", "compare", "80", "4", 100, ">= 93", "today")
    wide = Row("width", "w", "5 items", "compare", "104", "0.2", 100, "<= 103", "today")
    assert broken([narrow, wide])[1].startswith("width of compare")
    assert len(broken([narrow, wide])) == 2
    assert not broken([wide._replace(error="2"), narrow._replace(percent="90")])


def test_what_is_promised() -> None:
    coverage = Cell("coverage", "lognormal", 10, least=82.5)
    assert promise(coverage, "coverage", "compare") == ">= 82.5"
    assert promise(coverage, "coverage", "BCa") == ""
    assert promise(replace(coverage, least=None), "coverage", "compare") == ">= 93"
    assert promise(COIN, "type I", "bootstrap") == ""
    assert promise(replace(COIN, items=50), "type I", "bootstrap") == "<= 5"
    skewed = Cell("score", "seconds (skewed)", 20)
    assert (promise(skewed, "score", "as it is"), promise(skewed, "score", "with bounds")) == (
        "",
        ">= 93",
    )


def test_the_page_is_written_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nstale text\n{END}\nafter\n")
    write_page(rows(12.0), page)
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}")
    assert text.endswith(f"{END}\nafter\n")
    assert "stale text" not in text
    assert "|5|12.0|12.0|12.0|1|" in text
    assert "Broken: type I of coin" in text
    assert (tmp_path / "figures" / "calibration-tests.svg").exists()
    line = "type I,coin,7 items,coin,12.00,3.2,100,<= 5,today"
    assert page.with_suffix(".csv").read_text().splitlines()[1:] == [line]
    page.write_text("no marks")
    with pytest.raises(UsageError, match="no place"):
        write_page(rows(), page)


def test_what_is_measured_again_replaces_what_was() -> None:
    earlier = [Row("family", "w", "7 items", "holm", "1", "1", 100, "<= 5", "then"), *rows(3.0)]
    latest = merged(earlier, rows(4.0))
    assert [(row.measure, row.percent, row.measured) for row in latest] == [
        ("type I", "4.00", "today"),
        ("family", "1", "then"),
    ]
    text = summary([*latest, *rows(0.0, 0, replace(COIN, items=9))])
    assert "3 measurements, of which 2 are promises" in text
    assert "No promise is broken." in text


def test_the_page_is_short_and_has_the_rows_of_its_csv(tmp_path: Path) -> None:
    page = ROOT / "docs" / "calibration.md"
    assert len(page.read_text().split()) <= 800
    kept = read_rows(page.with_suffix(".csv"))
    assert {row.measure for row in kept} == set(MEASURES)
    assert summary(kept) in page.read_text()
    write_rows(kept, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == page.with_suffix(".csv").read_text()


def test_worlds_without_a_shift_have_one_law() -> None:
    """Exchanging the systems of a world changes the sign of delta, and nothing else."""
    for name, world in EVALUATIONS.items():
        if world.same_law:
            rng = np.random.default_rng(1)
            deltas = [drawn(rng, name, 40, 8, unequal=True).pair(0, 1).delta for _ in range(300)]
            assert abs(np.mean(deltas)) < 4 * np.std(deltas) / math.sqrt(len(deltas))


def test_populations_are_what_they_are_called() -> None:
    rng, codes = np.random.default_rng(0), np.arange(100_000)
    for name in ("0/1, 20 % differ, effect 0.5", "ratings, half tied", "lognormal", "rare losses"):
        a, b = WORLDS[name].draw(rng, codes, (0.0,))
        d = b - a
        assert float(d.mean()) == pytest.approx(true_delta(name), abs=5 * d.std() / 300)
        if name.startswith("0/1"):
            assert (d != 0).mean() == pytest.approx(0.2, abs=0.01)
            assert d.mean() == pytest.approx(0.1, abs=0.01)
        if name == "lognormal":
            assert d.mean() == pytest.approx(math.exp(0.5), abs=0.05)
        if name == "rare losses":
            assert (d < -0.5).mean() == pytest.approx(0.04, abs=0.005)


def test_designs() -> None:
    rng = np.random.default_rng(0)
    assert designed(rng, 5, 0, unequal=False).tolist() == [0, 1, 2, 3, 4]
    assert np.bincount(designed(rng, 80, 8, unequal=False)).tolist() == [10] * 8
    sizes = np.bincount(designed(rng, 200, 20, unequal=True))
    assert len(sizes) == 20
    assert sizes.min() >= 1
    assert sizes.max() > 3 * sizes.min()


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        (Cell("tests", "0/1", 20), {f"type I/{x}" for x in ("permutation", "mcnemar", "mood")}),
        (Cell("tests", "ratings 1-5", 20, shift=0.3), {"power/permutation", "power/wilcoxon"}),
        (Cell("score", "ratings 1-5", 20), {"score/as it is", "score/with bounds"}),
        (Cell("coverage", "normal", 50), {"coverage/BCa", "coverage/Student's t", "width/compare"}),
        (Cell("coverage", "F1", 20, 8, shift=0.3), {"coverage/compare", "contradiction/compare"}),
        (Cell("coverage", table.TASKS[1], 50, tasks=5), {"coverage/compare"}),
        (Cell("own intervals", table.TASKS[1], 20), {"own interval/mcnemar", "own interval/sign"}),
        (Cell("ideal", "real", 20), {"ideal/two-sided bootstrap", "ideal/one-sided bootstrap"}),
        (Cell("gates", "0/1", 50, shift=-0.4), {"false PASS/superior", "true PASS/non-inferior"}),
        (Cell("ranks", "real", 8, systems=5, method="mean"), {"joint ranks/mean"}),
    ],
)
def test_cells_answer_their_questions(cell: Cell, names: set[str]) -> None:
    answers = WHAT[cell.what](cell, np.random.default_rng(0))
    assert names <= set(answers)
    assert {name.partition("/")[0] for name in answers} <= set(MEASURES)
    assert answers.get("contradiction/compare", False) is False


def test_boards_are_resampled(tmp_path: Path) -> None:
    scores = np.random.default_rng(0).normal(size=(30, 3))
    frame = pl.DataFrame({"item": range(30), **{f"s{k}": x for k, x in enumerate(scores.T)}})
    frame.write_csv(tmp_path / "set__metric.csv")
    cell = Cell("coverage", "real boards", 20, folder=tmp_path)
    answers = [WHAT["coverage"](cell, np.random.default_rng(k)) for k in range(5)]
    assert sum(bool(x["coverage/compare"]) for x in answers) >= 3


def test_the_basic_interval_is_the_mirror_image_that_it_is_taken_for() -> None:
    for seed in range(3):
        cell = Cell("ideal interval", "bounded 0-1", 100)
        answers = WHAT[cell.what](cell, np.random.default_rng(seed))
        a, b = in_all_digits(np.random.default_rng(seed), "bounded 0-1", 100)
        kinds: tuple[Literal["percentile", "basic"], ...] = ("percentile", "basic")
        plain, turned = (bt.bootstrap_interval(a, b, kind=k, method="ideal") for k in kinds)
        twice = 2.0 * float(b.mean() - a.mean())
        assert (turned.low, turned.high) == pytest.approx((twice - plain.high, twice - plain.low))
        for kind, made in zip(kinds, (plain, turned), strict=True):
            assert answers[f"ideal interval/{kind}"] == (made.low <= 0.0 <= made.high)


def run(*options: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "calibrate", "--workers", "2", *options],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr[-2000:]


def test_other_processes_do_the_work(tmp_path: Path) -> None:
    run("--batches", "1", "--only", "what='sampled'", "--folder", str(tmp_path))
    for cell in cells():
        if cell.what == "sampled":
            assert Store(tmp_path).batches[repr(cell)] == {0: run_batch(cell, 0)}


@pytest.mark.slow
def test_no_promise_of_the_quick_grid_is_broken(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN}\n{END}\n")
    run("--quick", "--folder", str(tmp_path / "kept"), "--page", str(page))
