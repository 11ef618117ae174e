"""Long runs: the same numbers with any number of workers, and after an interruption."""

from pathlib import Path

import numpy as np
import pytest

from betterthan.papers.runner import Runner


def drawn(seed: np.random.SeedSequence, scale: float) -> float:
    return float(np.random.default_rng(seed).normal() * scale)


def refused(seed: np.random.SeedSequence, scale: float) -> float:
    raise AssertionError("done before, and not done again")


JOBS = [{"scale": float(k)} for k in range(1, 6)]


def test_neither_workers_nor_a_folder_change_a_digit(tmp_path: Path) -> None:
    alone = Runner(seed=3).map("study", drawn, JOBS)
    assert Runner(seed=3, workers=2).map("study", drawn, JOBS) == alone
    assert Runner(seed=3, folder=tmp_path).map("study", drawn, JOBS) == alone
    assert Runner(seed=4).map("study", drawn, JOBS) != alone
    assert Runner(seed=3).map("another", drawn, JOBS) != alone


def test_what_was_done_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = Runner(folder=tmp_path)
    alone = runner.map("study", drawn, JOBS)
    kept = tmp_path / "study.jsonl"
    lines = kept.read_text().splitlines()
    kept.write_text("\n".join([*lines[:4], lines[4][:20]]))  # stopped while it wrote the fourth
    calls = []

    def counted(seed: np.random.SeedSequence, scale: float) -> float:
        calls.append(scale)
        return drawn(seed, scale)

    counted.__qualname__ = drawn.__qualname__
    assert runner.map("study", counted, JOBS) == alone
    assert calls == [4.0, 5.0]
    monkeypatch.setattr(refused, "__qualname__", drawn.__qualname__)
    assert runner.map("study", refused, JOBS) == alone


def test_other_code_does_not_use_what_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Runner(folder=tmp_path).map("study", drawn, JOBS)
    monkeypatch.setattr("betterthan.papers.runner._code", lambda: "changed")
    monkeypatch.setattr(refused, "__qualname__", drawn.__qualname__)
    with pytest.raises(AssertionError, match="not done again"):
        Runner(folder=tmp_path).map("study", refused, JOBS)


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[str, int, int]] = []
    Runner(progress=lambda *said: told.append(said)).map("study", drawn, JOBS)
    assert told[0] == ("study", 0, 5)
    assert told[-1] == ("study", 5, 5)
