"""The simulated taggers and the published programme for F1."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import truncnorm

import betterthan as bt
from betterthan.papers import Cell, Claim, Exhibit
from betterthan.papers.permutation_2022 import EXHIBITS
from betterthan.papers.permutation_times import published_f1
from betterthan.papers.runner import Runner
from conftest import Run


def test_taggers_follow_the_laws_of_table_1() -> None:
    """Means of normals truncated to what is possible, by scipy's own law."""
    n = 40_000
    scores = bt.papers.simulate_taggers(n, factor=0.95, rng=0)
    length = scores.values[:, 0, 1]
    assert (scores.values[:, 1, 1] == length).all()
    law = truncnorm((1 - 12.08) / 10.60, np.inf, 12.08, 10.60)
    assert abs(length.mean() - law.mean()) < 4 * law.std() / np.sqrt(n)
    for k, factor in enumerate((1.0, 0.95)):
        mean, sd = 0.9543 * factor, 0.1116
        law = truncnorm(-mean / sd, (1 - mean) / sd, mean, sd)
        long = length >= 20  # where rounding to whole tags is small
        share = scores.values[long, k, 0] / length[long]
        assert abs(share.mean() - law.mean()) < 4 * law.std() / np.sqrt(long.sum()) + 0.001


def brute(a: np.ndarray, b: np.ndarray) -> float:
    def effect(x: np.ndarray, y: np.ndarray) -> float:
        f1 = [2 * s[0] / (2 * s[0] + s[1] + s[2]) for s in (x.sum(axis=0), y.sum(axis=0))]
        return float(abs(f1[0] - f1[1]))

    observed = effect(a, b)
    hits = 0
    for swaps in product([False, True], repeat=len(a)):
        keep = np.array(swaps)[:, None]
        hits += effect(np.where(keep, b, a), np.where(keep, a, b)) >= observed - 1e-12
    return float(hits / 2 ** len(a))


@pytest.mark.parametrize("seed", range(4))
def test_the_published_f1_is_the_share_of_all_swaps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 3, (2, 7, 3)) + np.array([1, 0, 0])
    assert published_f1(a, b) == pytest.approx(brute(a, b), abs=1e-14)


def test_reproduce_writes_a_page_with_its_figures(
    tmp_path: Path, betterthan: Callable[..., Run]
) -> None:
    run = betterthan("reproduce", "permutation-2022", "Figure 2", "-o", str(tmp_path))
    assert run.code == 0, run.err
    assert "1 of 1 claims hold" in run.out
    page = (tmp_path / "permutation-2022.md").read_text()
    assert "figures/permutation-2022-figure-2.png" in page
    assert "| Figure 2 | two simulated taggers |  | 1/1 |" in page
    notes = (tmp_path / "permutation-2022-notes.csv").read_text()
    assert notes.splitlines()[1].startswith("Figure 2,holds,The p-value is the mass")
    assert '`betterthan reproduce permutation-2022 "Figure 2" --seed 0`: a full run.' in page
    assert (tmp_path / "figures" / "permutation-2022-figure-2.png").read_bytes()[:4] == b"\x89PNG"


def test_reproduce_says_what_there_is(betterthan: Callable[..., Run]) -> None:
    assert "permutation-draft" in betterthan("reproduce").out
    for words, said in (
        (["nothing"], "there is no paper 'nothing'"),
        (["permutation-2022", "Table 9"], "has no exhibit 'Table 9'"),
    ):
        run = betterthan("reproduce", *words)
        assert run.code == 2
        assert said in run.err


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (Exhibit("Figure 2", "x", claims=(Claim("It rains.", True, "It does."),)), 0),
        (Exhibit("Figure 2", "x", claims=(Claim("It rains.", False, "It does not."),)), 5),
        (Exhibit("Figure 2", "x", (Cell("number", "0.5", 0.7),)), 5),
        (Exhibit("Figure 2", "x", (Cell("number", "0.5", 0.7, reason="another machine"),)), 0),
        (Exhibit("Figure 2", "x", (Cell("number", "<0.5", 0.7),)), 5),
    ],
)
def test_what_is_not_reproduced_ends_with_a_code_of_its_own(
    made: Exhibit, code: int, monkeypatch: pytest.MonkeyPatch, betterthan: Callable[..., Run]
) -> None:
    monkeypatch.setitem(EXHIBITS, "Figure 2", lambda _: made)
    run = betterthan("reproduce", "permutation-2022", "Figure 2")
    assert run.code == code
    assert ("Not reproduced: permutation-2022" in run.err) == (code == 5)


def test_a_folder_that_cannot_be_written_is_found_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, betterthan: Callable[..., Run]
) -> None:
    def worked(_: Runner) -> Exhibit:
        raise AssertionError("hours of work")

    monkeypatch.setitem(EXHIBITS, "Figure 2", worked)
    (tmp_path / "file").touch()
    run = betterthan(
        "reproduce", "permutation-2022", "Figure 2", "-o", str(tmp_path / "file" / "x")
    )
    assert run.code == 4
    assert "hours" not in run.err


def test_a_run_that_is_stopped_has_a_code_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, betterthan: Callable[..., Run]
) -> None:
    def stopped(_: Runner) -> Exhibit:
        raise KeyboardInterrupt

    monkeypatch.setitem(EXHIBITS, "Figure 2", stopped)
    run = betterthan("reproduce", "permutation-2022", "Figure 2", "-o", str(tmp_path))
    assert run.code == 130
