"""Labels of systems."""

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.design import read_groups, thresholds
from betterthan.design.system_groups import ALL_PAIRS, DIFFERENT, SAME, pair_group
from betterthan.errors import BetterthanError, FormatError, UsageError

LABS = {"x1": "north", "x2": "north", "y1": "7"}


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_of_two_columns_in_any_format(tmp_path: Path) -> None:
    lines = "\n".join(f"{name},{lab}" for name, lab in LABS.items())
    frame = pl.DataFrame({"system": list(LABS), "lab": list(LABS.values())})
    frame.write_parquet(tmp_path / "labs.parquet")
    frame.write_ndjson(tmp_path / "labs.jsonl")
    (tmp_path / "labs.csv.gz").write_bytes(gzip.compress(f"system,lab\n{lines}\n".encode()))
    for path in (
        written(tmp_path / "labs.csv", f"system,lab\n{lines}\n"),
        written(tmp_path / "labs.tsv", f"system,lab\n{lines}\n".replace(",", "\t")),
        *(tmp_path / name for name in ("labs.parquet", "labs.jsonl", "labs.csv.gz")),
    ):
        assert read_groups(path) == LABS


def test_groups_are_read_from_one_file(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        written(tmp_path / name, "system,lab\nx,y\n")
    with pytest.raises(FormatError, match="one file"):
        read_groups(tmp_path / "*.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no file"),
        ("", "empty"),
        ("system\nx\n", "two columns"),
        ("system,lab,class,more\nx,y,z,w\n", "two columns"),
        ("system,lab\nx,north\nx,south\n", "'x' has two groups, 'north' and 'south'"),
        ("system,lab\nx,north\ny,\n", "no lab"),
        ("system,lab\n,north\n", "no system"),
        ("system,lab\n", "no rows"),
        ("system,lab\nx,north,2\n", "line 2 has 3 fields"),
        ("\0\1\2", "binary"),
    ],
)
def test_bad_tables_are_clear_errors(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "labs.csv"
    if text is not None:
        written(path, text)
    with pytest.raises(BetterthanError, match=message) as caught:
        read_groups(path)
    assert isinstance(caught.value, FormatError)


def test_a_third_column_holds_classes(tmp_path: Path) -> None:
    """Figure 4 of the 2012 paper: combinations among themselves, others by lab, no mixed pairs."""
    path = tmp_path / "labs.csv"
    rows = ["system,lab,class", "a,x,", "b,x,", "c,y,", "mix1,x,combined", "mix2,y,combined"]
    written(path, "\n".join(rows) + "\n")
    groups = read_groups(path)
    assert callable(groups)
    assert (groups("a", "b"), groups("c", "a")) == (SAME, DIFFERENT)
    assert groups("mix1", "mix2") == "combined"
    assert groups("mix1", "a") is None
    rng = np.random.default_rng(0)
    names = ("a", "b", "c", "mix1", "mix2")
    scores = bt.Scores.from_arrays({name: rng.integers(0, 2, 80) for name in names})
    study = thresholds(scores, groups=path)
    assert {g.group for g in study.gains} == {"combined", DIFFERENT, SAME}
    assert len(study.gains) == 4
    assert "6 pairs of systems of unlike classes are left out" in study.notes
    with pytest.raises(UsageError, match="'new' has no group"):
        groups("a", "new")
    with pytest.raises(UsageError, match="leave out every pair"):
        thresholds(scores, groups=lambda first, second: None)


def test_groups_of_pairs() -> None:
    assert pair_group(None, [])("x1", "y1") == ALL_PAIRS
    named = pair_group(LABS, list(LABS))
    assert (named("x1", "x2"), named("x1", "y1")) == (SAME, DIFFERENT)
    assert pair_group(lambda a, b: a + b, ["p", "q"])("p", "q") == "pq"
    with pytest.raises(UsageError, match="'z'") as caught:
        pair_group(LABS, ["x1", "z"])
    assert caught.value.remedy is not None
    assert caught.value.remedy.parameter == "groups"
