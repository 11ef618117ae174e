"""Tallies in files: what is read is what was written, and what is damaged is an error."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.errors import FormatError, UsageError
from betterthan.readers.tally_files import encode_tally
from made_up_scores import facts, scores_of

SUFFIXES = (".parquet", ".csv", ".json")
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6).filter(str.strip)


def written(folder: Path, made: bt.Scores, suffix: str) -> Path:
    path = folder / f"t{suffix}"
    path.write_bytes(encode_tally(made, suffix))
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", ["binary", "quarters", "real", "counts"])
def test_a_tally_says_what_its_items_say(tmp_path: Path, suffix: str, kind: str) -> None:
    scores = scores_of(kind, clustered=True)
    for metric in ["f1", "mean(fp, lower_is_better)"] if kind == "counts" else ["mean"]:
        read = bt.read(written(tmp_path, bt.tally(scores, [metric], by="domain"), suffix))
        said = facts(bt.compare_many(read, "base", by="domain"))
        assert said == facts(bt.compare_many(scores, "base", by="domain", metric=metric))
    with pytest.raises(UsageError):
        bt.read(tmp_path / f"t{suffix}", items=True)


@given(NAMES, NAMES, st.sampled_from(SUFFIXES))
@settings(deadline=None)
def test_names_are_read_as_they_were_written(name: str, label: str, suffix: str) -> None:
    scores = bt.Scores.from_arrays(
        {name: [1, 0, 1, 0], f"{name}x": [1, 1, 1, 0]}, groups={"part": [label, "b", "b", "b"]}
    )
    with tempfile.TemporaryDirectory() as folder:
        read: Any = bt.read(written(Path(folder), bt.tally(scores, by="part"), suffix))
    assert (read.systems, {*read.labels("part")}) == (scores.systems, {label, "b"})


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_that_are_damaged_anywhere(tmp_path: Path, suffix: str) -> None:
    made = bt.tally(scores_of("binary", systems=2, clustered=True))
    path = written(tmp_path, made, suffix)
    data = path.read_bytes()
    for at in range(30, len(data) - 2, 53):
        for damaged in (data[:at], data[:at] + b"7" + data[at:], data[:at] + data[at + 1 :]):
            path.write_bytes(damaged)
            try:  # blanks and names of columns may change
                read: Any = bt.read(path)
            except FormatError:
                continue
            assert read.counts.tolist() == made.times.tolist()


def test_a_metric_that_runs_code_is_not_run_because_a_file_says_so(tmp_path: Path) -> None:
    made = replace(bt.tally(scores_of("binary")), metric="os:getcwd")
    with pytest.raises(UsageError):
        bt.compare(bt.read(written(tmp_path, made, ".json")), "base", "new")
