"""The study of all promises: its bookkeeping here, the quick grid among the slow tests."""

import csv
import json
import math
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import UsageError
from calibrate.cells import Pairs, Trial, named
from calibrate.grid import grid
from calibrate.ideal import Ideal, IdealIntervals, in_all_digits
from calibrate.judging import Measured, judge
from calibrate.page import BEGIN, END, Row, row_of, summary, write_page, write_rows
from calibrate.store import BATCH, Store, run_batch, version
from calibrate.worlds import WORLDS, designed, drawn

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Coin:
    """A test that rejects one time in four, and answers half of the time."""

    world: str = "coin"
    items: int = 7

    packages = ("metrics",)

    def trial(self, rng: np.random.Generator) -> Trial:
        rejects, answers = rng.random() < 0.25, rng.random() < 0.5
        return {"type I/coin": rejects, "coverage/coin": rejects if answers else None}


def test_the_quick_grid_is_a_part_of_the_whole() -> None:
    whole, quick = list(map(named, grid())), list(map(named, grid(quick=True)))
    assert set(quick) < set(whole)
    assert len(set(whole)) == len(whole) > 150


def test_batches_are_kept_and_depend_on_nothing_else(tmp_path: Path) -> None:
    first = run_batch(Coin(), 0)
    assert first == run_batch(Coin(), 0)
    assert first != run_batch(Coin(), 1)
    assert first["type I/coin"][1] == BATCH > first["coverage/coin"][1] > 0
    store = Store(tmp_path / "kept")
    store.add(Coin(), 0, first)
    store.add(Coin(), 1, run_batch(Coin(), 1))
    again = Store(tmp_path / "kept")
    assert set(again.batches(Coin())) == {0, 1}
    assert again.total(Coin()) == store.total(Coin())
    assert again.total(Coin())["type I/coin"][1] == 2 * BATCH


def test_batches_of_other_code_do_not_count(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(Coin(), 0, {"type I/coin": (5, 100)})
    (path,) = tmp_path.glob("*.jsonl")
    row = json.loads(path.read_text())
    assert row["version"] == version(Coin())
    others = [row | {"version": v, "batch": b} for v, b in (("b", 0), ("a", 0), ("b", 1))]
    path.write_text("".join(json.dumps(other) + "\n" for other in others))
    store = Store(tmp_path)
    assert store.batches(Coin()) == {}
    assert set(store.earlier(Coin())) == {0, 1}  # of "b", which was written last
    assert store.total(Coin()) == {}
    assert store.total(Coin(), earlier=True) == {"type I/coin": (10, 200)}
    store.add(Coin(), 3, {"type I/coin": (1, 100)})
    assert store.total(Coin()) == Store(tmp_path).total(Coin()) == {"type I/coin": (1, 100)}
    assert set(store.earlier(Coin())) == {0, 1}


def binomial_tail(k: int, n: int, p: float) -> float:
    return sum(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))


def test_a_promise_is_broken_when_the_limits_say_so() -> None:
    (held,) = judge([(Coin(), {"type I/coin": (9, 100)})])
    (broken,) = judge([(Coin(), {"type I/coin": (12, 100)})])
    assert not held.broken
    assert binomial_tail(9, 100, 0.05) > 0.025
    assert broken.broken
    assert binomial_tail(12, 100, 0.05) < 0.025
    (narrow,) = judge([(Coin(), {"coverage/coin": (80, 100)})])
    assert narrow.broken
    several = judge([(Coin(items=k), {"type I/coin": (12, 100)}) for k in range(20)])
    assert not any(one.broken for one in several)  # limits are simultaneous
    assert not Measured(Coin(), "type I", "coin", 20, 40).judged  # too few answers


def test_the_page_is_written_between_its_marks(tmp_path: Path) -> None:
    found = judge([(Coin(), {"type I/coin": (12, 100), "coverage/coin": (60, 60)})])
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nstale text\n{END}\nafter\n")
    write_page(found, page)
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}")
    assert text.endswith(f"{END}\nafter\n")
    assert "stale text" not in text
    assert "| 5 | 12.0 | 12.0 | 12.0 | 1 |" in text
    assert "Broken: type I of coin" in text
    assert (tmp_path / "figures" / "calibration-tests.svg").exists()
    assert page.with_suffix(".csv").read_text().splitlines()[1:] == [
        "type I,coin,7 items,coin,12.0,3.2,100,yes,no",
        "coverage,coin,7 items,coin,100.0,0.0,60,yes,no",
    ]
    page.write_text("no marks")
    with pytest.raises(UsageError, match="no place"):
        write_page(found, page)


def test_a_summary_tells_promises_from_the_rest() -> None:
    cells = [(Coin(items=k), {"type I/coin": (k, 100)}) for k in (1, 2, 6)]
    refused = (Coin(items=9), {"type I/coin": (0, 0), "type I/other": (40, 40)})
    rows = [row_of(one) for one in judge([*cells, refused], earlier={Coin(items=2)})]
    text = summary(rows, [])
    assert "5 measurements, of which 3 are promises" in text
    assert "| 5 | 1.0 | 2.0 | 6.0 | 3 |" in text
    assert "1 were measured before" in text
    assert "No promise is broken." in text
    assert [row.percent for row in rows if not row.promised] == ["", "100.0"]


def test_the_page_is_short_and_has_the_rows_of_its_csv(tmp_path: Path) -> None:
    page = ROOT / "docs" / "calibration.md"
    assert len(page.read_text().split()) <= 800
    with page.with_suffix(".csv").open() as stream:
        rows = [
            Row(**row | {k: row[k] == "yes" for k in ("promised", "earlier")})
            for row in csv.DictReader(stream)
        ]
    rows = [row._replace(answers=int(row.answers)) for row in rows]
    assert summary(rows, []) in page.read_text()
    write_rows(rows, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == page.with_suffix(".csv").read_text()


def test_worlds_without_a_shift_have_one_law() -> None:
    """Exchanging the systems of a world changes the sign of delta, and nothing else."""
    for name, world in WORLDS.items():
        if world.spoiled:
            continue
        rng = np.random.default_rng(1)
        deltas = [drawn(rng, name, 40, 8, unequal=True).pair(0, 1).delta for _ in range(300)]
        error = np.std(deltas) / math.sqrt(len(deltas))
        assert abs(np.mean(deltas)) < 4 * error


def test_designs() -> None:
    rng = np.random.default_rng(0)
    assert designed(rng, 5, 0, unequal=False).tolist() == [0, 1, 2, 3, 4]
    assert np.bincount(designed(rng, 80, 8, unequal=False)).tolist() == [10] * 8
    sizes = np.bincount(designed(rng, 200, 20, unequal=True))
    assert len(sizes) == 20
    assert sizes.min() >= 1
    assert sizes.max() > 3 * sizes.min()


def test_trials_answer_all_questions() -> None:
    said = Pairs("0/1", 20).trial(np.random.default_rng(0))
    tests = ("permutation", "bootstrap", "wilcoxon", "sign", "mcnemar", "t", "mood")
    assert {f"type I/{test}" for test in tests} < set(said)
    assert {"coverage/compare", "score/as it is"} < set(said)
    ahead = Pairs("ratings 1-5", 20, shift=0.3).trial(np.random.default_rng(0))
    assert {"power/permutation", "score/with bounds"} < set(ahead)
    ideal = Ideal("real", 20).trial(np.random.default_rng(0))
    assert set(ideal) == {"ideal/two-sided bootstrap", "ideal/one-sided bootstrap"}


def test_the_basic_interval_is_the_mirror_image_that_it_is_taken_for() -> None:
    for seed in range(3):
        said = IdealIntervals("bounded 0-1", 100).trial(np.random.default_rng(seed))
        a, b = in_all_digits(np.random.default_rng(seed), "bounded 0-1", 100)
        kinds: tuple[Literal["percentile", "basic"], ...] = ("percentile", "basic")
        plain, turned = (bt.bootstrap_interval(a, b, kind=k, method="ideal") for k in kinds)
        twice = 2.0 * float(b.mean() - a.mean())
        assert (turned.low, turned.high) == pytest.approx((twice - plain.high, twice - plain.low))
        for kind, made in zip(kinds, (plain, turned), strict=True):
            assert said[f"ideal interval/{kind}"] == (made.low <= 0.0 <= made.high)


@pytest.mark.slow
def test_no_promise_of_the_quick_grid_is_broken(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN}\n{END}\n")
    command = [sys.executable, "-m", "calibrate", "--quick", "--workers", "2"]
    run = subprocess.run(
        [*command, "--folder", str(tmp_path / "kept"), "--page", str(page)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-2000:]


def test_other_processes_do_the_work(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "calibrate", "--workers", "2", "--batches", "1"]
    run = subprocess.run(
        [*command, "--only", "Sampled", "--folder", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-2000:]
    for cell in grid():
        if named(cell).startswith("Sampled"):
            assert Store(tmp_path).total(cell) == run_batch(cell, 0)
