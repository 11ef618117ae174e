"""Tallies in files: what is read is what was written, and what is damaged is refused."""

import csv
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.data.tallied import Tallied
from betterthan.errors import FormatError, UsageError
from betterthan.readers.tally_files import SUFFIXES, encode_tally
from made_up_scores import facts, scores_of


def written(folder: Path, made: Tallied, suffix: str) -> Path:
    path = folder / f"t{suffix}"
    path.write_bytes(encode_tally(made, suffix))
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    ("kind", "clustered"), [("binary", True), ("quarters", True), ("real", False)]
)
def test_a_file_says_what_its_items_say(
    tmp_path: Path, suffix: str, kind: str, clustered: bool
) -> None:
    scores = scores_of(kind, clustered=clustered)
    path = written(tmp_path, Tallied.of(scores, by="domain"), suffix)
    assert facts(bt.compare_many(bt.read(path, items=False), "base", by="domain")) == facts(
        bt.compare_many(scores, "base", by="domain")
    )


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6) | st.text(
    "'\"=+-@,\n\r\t ;#.a1", min_size=1, max_size=6
)


@given(NAMES, NAMES.filter(str.strip))
@settings(max_examples=150, deadline=None)
@example('=HYPERLINK("http://e")', "'=1")
@example("a\rb", "-1.5")
@example('"', '\n"')
@example("a\u2028b\x0bc", "\t=1")
def test_names_are_read_as_they_were_written(name: str, label: str) -> None:
    scores = bt.Scores.from_arrays(
        {name: [1, 0, 1, 0], f"{name}x": [1, 1, 1, 0]}, groups={"part": [label, "b", "b", "b"]}
    )
    made = Tallied.of(scores, by="part")
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".csv", ".json"):
            read: Any = bt.read(written(Path(folder), made, suffix), items=False)
            assert (read.systems, set(read.labelled)) == (made.systems, {*made.labelled})


def test_no_cell_of_a_csv_file_is_a_formula() -> None:
    names = ["=1+1", "\t=1+1", '@SUM("1")', "'=1", "\uff1d1"]
    scores = bt.Scores.from_arrays(
        {name: [1, 0, 1, 0, 1] for name in names}, groups={"part": names}
    )
    text = encode_tally(Tallied.of(scores, by="part"), ".csv").decode()
    cells = [cell for row in csv.reader(text.split("\n")[1:]) for cell in row]
    assert not [cell for cell in cells if cell.lstrip()[:1] in tuple("=+-@\uff1d")]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_metric_and_direction_are_kept(tmp_path: Path, suffix: str) -> None:
    scores = scores_of("counts")
    read = bt.read(
        written(tmp_path, Tallied.of(scores, ["mean(fp, lower_is_better)"]), suffix), items=False
    )
    assert repr(read.measured()) == "mean(fp, lower_is_better)"
    assert read.columns == ("fp",)
    assert bt.compare(read, "base", "new").signature == (
        bt.compare(scores, "base", "new", metric="mean(fp, lower_is_better)").signature
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (",1.0,0.0,1,", ",1.0,x,1,", "row 3 of the tally is damaged"),
        (",1.0,0.0,1,", ",1.0,nan,1,", "row 3 of the tally is damaged"),
        (",1.0,0.0,1,", ",1.0,0.0,0,", "row 3 of the tally is damaged"),
        (",1.0,0.0,1,", ",1.0,0.0,1,1", "not those that were written"),
        ('"n": 80', '"n": 81', "not those that were written"),
        ("items,count", "items,times", "the columns of the tally"),
        ('"systems"', '"system"', "damaged tally"),
        ('"betterthan-tally": 1', '"betterthan-tally": 2', "version 2"),
        ('"n": 80', '"n": 80,,', "damaged tally"),
        ('"n": 80', '"n": "80"', "damaged tally"),
        ('"notes": []', f'"notes": {"[" * 20_000}', "damaged tally"),
        ('"metric": null', '"metric": 7', "damaged tally"),
        (",1.0,0.0,1,", f",1.0,0.0,1,{10**16}", "more items than there can be"),
        ('\n"",item,', "\nx,item,", "not those that were written"),
    ],
)
def test_damaged_tallies_are_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = written(tmp_path, Tallied.of(scores_of("binary", systems=2)), ".csv")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(FormatError, match=said):
        bt.read(path, items=False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"": "1"', '"": "1/0"'),
        ('"": "1"', '"": "0"'),
        ('"": "1"', '"": "1e999999999"'),
        ('"": "1"', '"": "-1"'),
        (",cluster,", ",custer,"),
        ("cluster,0.0", "cluster,1e300"),
    ],
)
def test_damaged_clusters_are_refused(tmp_path: Path, old: str, new: str) -> None:
    path = written(tmp_path, Tallied.of(scores_of("binary", systems=2, clustered=True)), ".csv")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(FormatError, match="damaged tally"):
        bt.read(path, items=False)


@pytest.mark.parametrize("suffix", [".parquet", ".json"])
def test_files_cut_off_anywhere_are_refused(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path, Tallied.of(scores_of("binary", systems=2)), suffix)
    data = path.read_bytes()
    for length in range(8, len(data) - 2, 97):
        path.write_bytes(data[:length])
        with pytest.raises(FormatError):
            bt.read(path, items=False)


def test_what_reads_items_says_what_a_tally_is(tmp_path: Path) -> None:
    path = written(tmp_path, Tallied.of(scores_of("binary")), ".json")
    with pytest.raises(UsageError, match="is a tally"):
        bt.read(path, items=True)


def test_a_metric_that_runs_code_is_not_run_because_a_file_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, Tallied.of(scores_of("binary")), ".json")
    path.write_text(path.read_text().replace('"metric": null', '"metric": "os:getcwd"'))
    with pytest.raises(UsageError, match="runs code"):
        bt.compare(bt.read(path, items=False), "base", "new")
