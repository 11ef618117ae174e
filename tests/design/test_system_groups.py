"""Labels of systems: from tables, columns and names."""

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.design import groups_by_column, groups_by_name, read_groups
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


def test_a_column_of_a_long_table(tmp_path: Path) -> None:
    rows = [f"{i},{name},1,{lab}" for i in range(3) for name, lab in LABS.items()]
    path = written(tmp_path / "long.csv", "item,model,score,lab\n" + "\n".join(rows))
    assert groups_by_column([path], "lab") == LABS
    assert groups_by_column([path], "lab", "model") == LABS
    with pytest.raises(UsageError, match="no column 'planet'"):
        groups_by_column([path], "planet")
    with pytest.raises(UsageError, match="no column 'run'"):
        groups_by_column([path], "lab", "run")
    with pytest.raises(UsageError, match="'model' names the systems"):
        groups_by_column([path], "model")
    with pytest.raises(FormatError, match="'x1' has two groups"):
        groups_by_column([path], "item")


def test_groups_are_read_from_one_file(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        written(tmp_path / name, "system,lab\nx,y\n")
    with pytest.raises(FormatError, match="2 files: name one"):
        read_groups(tmp_path / "*.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no file"),
        ("", "empty"),
        ("system\nx\n", "1 column: give two"),
        ("system,lab,class,more\nx,y,z,w\n", "4 columns: give two"),
        ("system,lab\nx,north\nx,south\n", "'x' has two groups, 'north' and 'south'"),
        ("system,lab\nx,north\ny,\n", "no lab"),
        ("system,lab\n,north\n", "no system"),
        ("system,lab\n", "no rows"),
        ("system,lab\nx,north,2\n", "line 2 has 3 fields"),
        ("1,2\n3,4\n", "no line of names"),
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
    study = bt.thresholds(scores, groups=groups)
    assert {g.group for g in study.gains} == {"combined", DIFFERENT, SAME}
    assert len(study.gains) == 4
    assert "6 pairs of systems of unlike classes are left out" in study.notes
    with pytest.raises(UsageError, match="'new' has no group"):
        groups("a", "new")
    with pytest.raises(UsageError, match="leave out every pair"):
        bt.thresholds(scores, groups=lambda first, second: None)


def test_labels_in_names() -> None:
    assert groups_by_name(["ab-1", "cd-2"], "^[a-z]+") == {"ab-1": "ab", "cd-2": "cd"}
    assert groups_by_name(["ab-1", "cd-1"], "-(.)$") == {"ab-1": "1", "cd-1": "1"}
    with pytest.raises(UsageError, match="regular expression"):
        groups_by_name(["a"], "(")
    with pytest.raises(UsageError, match="no group in 'b'"):
        groups_by_name(["a", "b"], "a")


def test_groups_of_pairs() -> None:
    assert pair_group(None, [])("x1", "y1") == ALL_PAIRS
    named = pair_group(LABS, list(LABS))
    assert (named("x1", "x2"), named("x1", "y1")) == (SAME, DIFFERENT)
    assert pair_group(lambda a, b: a + b, ["p", "q"])("p", "q") == "pq"
    with pytest.raises(UsageError, match="'z' has no group"):
        pair_group(LABS, ["x1", "z"])
