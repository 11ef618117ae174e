"""The quick ways through a table give what the careful ones give."""

import pickle
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.data.frames import cells, numbering
from betterthan.data.frames.numbering import _first_rows
from betterthan.data.labels import Ids
from betterthan.readers.sources import read
from betterthan.readers.tables.delimited import read_delimited

NUMBER = st.sampled_from(["0", "1", "-2.5", "1e3", "+4", ".5", "7.", "inf", "nan", "007"])
ODD = st.sampled_from(["", " 1", "1 ", "None", "x", "true", '"3"', "1_000", "0x10", "1,5", "NA"])
LEAST = {"FEW": 0, "BLOCK": 1, "CHECKED": 1}
FEW = settings(max_examples=150, deadline=None)


def codes_slowly(values: list[str | None]) -> tuple[list[int], list[str]]:
    known: dict[str, int] = {}
    coded = [-1 if v is None else known.setdefault(v, len(known)) for v in values]
    return coded, list(known)


@st.composite
def columns(draw: st.DrawFn) -> list[str | None]:
    """Runs, the same values over and over, or no order at all, with blanks."""
    few = draw(st.lists(st.one_of(st.none(), st.sampled_from("abcdef")), min_size=1, max_size=8))
    times = draw(st.integers(1, 5))
    kind = draw(st.sampled_from(["runs", "tiles", "shuffled", "distinct"]))
    if kind == "runs":
        return [v for v in few for _ in range(times)]
    if kind == "tiles":
        return few * times
    if kind == "distinct":
        return [f"q{k + 7}" for k in range(len(few) * times)]
    return list(draw(st.permutations(few * times)))


SIZES = st.fixed_dictionaries(
    {name: st.sampled_from([least, 7, getattr(numbering, name)]) for name, least in LEAST.items()}
)


@FEW
@given(values=columns(), sizes=SIZES, pieces=st.integers(1, 3))
def test_codes_are_in_order_of_appearance(
    values: list[str | None], sizes: dict[str, Any], pieces: int
) -> None:
    """Whether values are few or many, in one block of rows or several, of a column in pieces."""
    column = pl.concat(
        [pl.Series("x", values[k::pieces], dtype=pl.String) for k in range(pieces)], rechunk=False
    )
    with patch.multiple(numbering, **sizes):
        coded, distinct = numbering.codes(column)
    assert (coded.tolist(), distinct.to_list()) == codes_slowly(column.to_list())


def test_values_that_share_a_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pl.Series, "hash", lambda self: pl.Series([7] * len(self), dtype=pl.UInt64))
    values = ["b", "a", None, "b", "c"]
    coded, distinct = numbering.codes(pl.Series("x", values, dtype=pl.String))
    assert (coded.tolist(), distinct.to_list()) == codes_slowly(values)


@FEW
@given(rows=st.lists(st.tuples(st.one_of(NUMBER, ODD), NUMBER), min_size=1, max_size=60))
def test_numbers_parsed_at_once_are_those_parsed_from_text(rows: list[tuple[str, str]]) -> None:
    text = "id,a,b\n" + "".join(f"00{k},{a},{b}\n" for k, (a, b) in enumerate(rows))
    text = text.replace("1,5", "1;5")
    quick, *_ = read_delimited(text.encode(), "csv", "t.csv", lambda names: {"a", "b"})
    slow, *_ = read_delimited(text.encode(), "csv", "t.csv", lambda names: set())
    assert quick["id"].to_list() == slow["id"].to_list() == [f"00{k}" for k in range(len(rows))]
    assert set(slow.dtypes) == {pl.String}
    for name in ("a", "b"):
        one, odd = cells._parsed(quick[name])
        other, odd_too = cells._parsed(slow[name])
        assert one is not None
        assert other is not None
        assert one.fill_nan(None).equals(other.fill_nan(None), null_equal=True)
        assert odd == odd_too


def test_a_blank_last_column_is_no_short_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,a,b\nq1,1,\nq2,0,1\n", encoding="utf-8")
    assert np.isnan(read(path, missing="pairwise").values[0, 1, 0])
    path.write_text('id,a,b\n"q1",1,\n\nq2,0,1\n', encoding="utf-8")
    assert read(path, missing="pairwise").n == 2


def test_ids_are_an_array_when_looked_at() -> None:
    plain = np.array(["q1", "q2", "q3"], dtype=object)
    for ids in (Ids(plain), Ids(pl.Series(["q1", "q2", "q3"]))):
        assert len(ids) == 3
        assert ids[1] == ids[np.int64(1)] == "q2"
        assert ids[np.array([2, 0])].tolist() == ["q3", "q1"]
        assert ids[np.array([True, False, True])].tolist() == ["q1", "q3"]
        assert ids[:2].tolist() == ["q1", "q2"]
        assert list(ids) == ids.tolist() == ["q1", "q2", "q3"]
        assert np.asarray(ids).tolist() == ["q1", "q2", "q3"]
        assert pickle.loads(pickle.dumps(ids)).tolist() == ids.tolist()
        assert "q3" in repr(ids)


@pytest.mark.parametrize("block", [999, numbering.BLOCK])
@pytest.mark.parametrize("apart", [1, 1 << 20, 1 << 45, (1 << 45) + 1])
def test_first_rows_whatever_bits_keys_share(
    apart: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys that agree in all bits of a table, or of all tables, are still told apart."""
    monkeypatch.setattr(numbering, "BLOCK", block)
    keys = np.random.default_rng(apart % 97).integers(0, 300, 2000).astype(np.uint64)
    keys *= np.uint64(apart)
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(_first_rows(keys), first[group])
    assert _first_rows(keys[:0]).size == 0


def test_first_rows_of_few_and_of_many_keys() -> None:
    for count in (2, 300, 40_000):
        keys = np.random.default_rng(count).integers(0, 1 << 62, count).astype(np.uint64)
        keys = keys[np.random.default_rng(0).integers(0, count, 50_000)]
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        np.testing.assert_array_equal(_first_rows(keys), first[group])


@settings(max_examples=40, deadline=None)
@given(
    items=st.integers(3, 40),
    systems=st.integers(2, 4),
    lost=st.integers(0, 3),
    seed=st.integers(0, 10**6),
)
def test_a_shuffled_long_table_is_the_one_that_a_dictionary_makes(
    items: int, systems: int, lost: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    cells_of = {
        (f"q{k}", f"s{j}"): round(float(rng.normal()), 3)
        for k in range(items)
        for j in range(systems)
    }
    for k in rng.choice(items, min(lost, items - 1), replace=False):
        del cells_of[f"q{k}", "s0"]
    keys = [list(cells_of)[k] for k in rng.permutation(len(cells_of))]
    frame = pl.DataFrame(
        {
            "item": [item for item, _ in keys],
            "system": [system for _, system in keys],
            "score": [cells_of[key] for key in keys],
            "document": [f"d{int(item[1:]) // 3}" for item, _ in keys],
        }
    )
    made = read(frame, columns={"cluster": "document"}, missing="drop")
    named = list(dict.fromkeys(item for item, _ in keys))
    kept = [item for item in named if all((item, s) in cells_of for s in made.systems)]
    assert made.items is not None
    assert made.clusters is not None
    assert list(made.items) == kept
    assert sorted(made.systems) == [f"s{j}" for j in range(systems)]
    for j, system in enumerate(made.systems):
        assert made.values[:, j, 0].tolist() == [cells_of[item, system] for item in kept]
    assert list(made.clusters) == [f"d{int(item[1:]) // 3}" for item in kept]
    assert f"cluster=document ({len(set(made.clusters)):,})" in made.source


@pytest.mark.parametrize("turned", [None, 0, 1500])
def test_items_whose_systems_come_in_another_order_are_found_wherever_they_are(
    tmp_path: Path, turned: int | None
) -> None:
    both = [("base", "new") if k != turned else ("new", "base") for k in range(2000)]
    rows = [f"q{k},{name},{k % 2}" for k, names in enumerate(both) for name in names]
    (tmp_path / "t.csv").write_text("\n".join(["item,system,score", *rows]), encoding="utf-8")
    assert read(tmp_path / "t.csv").shuffled == (turned is not None)
