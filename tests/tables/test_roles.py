"""Which column is what: one table of cases for the whole contract."""

from collections.abc import Sequence
from typing import Any

import pytest

from betterthan.errors import FormatError, UsageError
from betterthan.tables.columns import Column
from betterthan.tables.declared import Declared, Roles
from betterthan.tables.names import KNOWN, role_of
from betterthan.tables.roles import roles
from betterthan.tables.unclear import UnclearTable

N = 12
KINDS: dict[str, dict[str, Any]] = {
    "id": {"kind": "text", "distinct": N},
    "text": {"kind": "text", "distinct": 3},
    "01": {"kind": "0/1", "distinct": 2, "low": 0, "high": 1},
    "zero": {"kind": "0/1", "distinct": 1, "low": 0, "high": 0},
    "stars": {"kind": "whole", "distinct": 5, "low": 1, "high": 5},
    "years": {"kind": "whole", "distinct": 1, "low": 2019, "high": 2019},
    "counts": {"kind": "whole", "distinct": N, "low": 1, "high": N, "counts": True},
    "real": {"kind": "fraction", "distinct": N, "low": 0.1, "high": 0.9},
    "warm": {"kind": "fraction", "distinct": 1, "low": 0.7, "high": 0.7},
    "percent": {"kind": "percent", "distinct": N, "low": 30, "high": 90},
    "nested": {"kind": "nested"},
    "empty": {"kind": "empty"},
}


def read(table: str, *, crossed: Sequence[str] = (), **declared: Any) -> Roles:
    """Roles of ``name:kind name:kind ...``; rows are distinct in the columns that are crossed."""
    columns = []
    for word in table.split():
        name, _, kind = word.partition(":")
        columns.append(Column(name.replace("~", ""), rows=N, **KINDS[kind]))

    def repeats(keys: Sequence[str]) -> bool:
        return not {*crossed} <= {*keys}

    return roles(columns, Declared(**declared), "t.csv", repeats)


# What is seen, what is declared, and what must follow.
CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    # Rule 1: what is declared is never questioned.
    ("a:stars b:01", {"systems": ("b", "a")}, {"layout": "wide", "scores": ("b", "a")}),
    ("x_f1:01 y_f1:01", {"systems": ("x_f1", "y_f1")}, {"layout": "wide"}),
    ("item:id a:01 level:01", {"systems": ("a", "level")}, {"scores": ("a", "level")}),
    ("q:text s:stars", {"item": ("q",), "score": ("s",)}, {"item": ("q",), "layout": "single"}),
    ("a:01 b:01 c:stars", {"label": ("c",)}, {"scores": ("a", "b"), "labels": ("c",)}),
    ("id:id a:01 b:01 t:stars", {"cluster": ("t",)}, {"cluster": ("t",), "scores": ("a", "b")}),
    ("id:id a:01 b:stars", {"layout": "wide"}, {"layout": "wide", "scores": ("a", "b")}),
    ("id:id tp:stars fp:stars fn:stars x:01", {"metrics": (("tp", "fp"),)}, {"layout": "single"}),
    ("Doc-ID:id a:01 b:01", {"item": ("doc id",)}, {"item": ("Doc-ID",)}),
    # Rule 2: known names.
    ("doc_id:text model:text score:01 seed:stars", {}, {"system": "model", "item": ("doc_id",)}),
    ("item:id worker_id:text a:01 b:01", {}, {"response": None, "unused": ()}),
    ("item:id level:stars a:stars b:stars", {}, {"scores": ("a", "b"), "labels": ("level",)}),
    ("item:id question:id a:01 b:01", {}, {"texts": ("question",)}),
    ("item:id cluster:text a:01 b:01", {}, {"cluster": ("cluster",)}),
    ("item:id document:text a:01 b:01", {}, {"cluster": (), "labels": ("document",)}),
    # Rule 3: columns without a name, or that count up, are ids.
    (":counts a:01 b:01", {}, {"item": ("",)}),
    ("n:counts a:01 b:01", {}, {"item": ("n",)}),
    ("item:id n:counts a:01 b:01", {}, {"item": ("item",), "unused": ("n",)}),
    (":counts n:counts a:01 b:01", {}, {"item": ("n",)}),
    ("sentence:id a:01 b:01", {}, {"item": ("sentence",)}),
    ("a:01 b:01 domain:text", {}, {"item": (), "labels": ("domain",)}),
    ("a:01 b:01 meta:nested c:empty", {}, {"unused": ("meta", "c"), "scores": ("a", "b")}),
    # Rule 4: long tables.
    ("item:text system:text score:01 tokens:stars", {}, {"scores": ("score",)}),
    ("item:text system:text points:stars", {}, {"scores": ("points",)}),
    ("item:text system:text tp:stars fp:stars", {}, {"scores": ("tp", "fp")}),
    ("item:text system:text metric:text score:real", {}, {"metric": "metric"}),
    # Rule 5: tables without a system column.
    ("item:id base:01 new:01", {}, {"layout": "wide", "scores": ("base", "new")}),
    ("item:id base:zero new:stars", {}, {"layout": "wide"}),
    ("item:id base:real new:percent", {"layout": "wide"}, {"layout": "wide"}),
    ("item:id bleu:real chrf:real", {}, {"layout": "single", "scores": ("bleu", "chrf")}),
    ("item:id acc:stars", {"many": True}, {"layout": "single", "scores": ("acc",)}),
    ("id:id a_tp:stars a_fp:stars b_tp:stars b_fp:stars", {}, {"layout": "counts"}),
]


@pytest.mark.parametrize(("table", "declared", "expected"), CASES, ids=lambda x: str(x)[:60])
def test_roles(table: str, declared: dict[str, Any], expected: dict[str, Any]) -> None:
    result = read(table, **declared)
    assert {name: getattr(result, name) for name in expected} == expected


def test_an_item_of_a_long_table_comes_once_with_every_system() -> None:
    assert read("no:text system:text score:01", crossed=("no", "system")).item == ("no",)
    assert read("no:text system:text score:01", crossed=("other",)).item == ()


def test_ratings_are_not_paired_by_position() -> None:
    """Rows of several raters are not as many items."""
    table = "doc:text aspect:text system:text rater:text points:stars"
    one = read(table, crossed=("doc", "system", "rater"))
    assert (one.item, one.response) == (("doc",), "rater")
    with pytest.raises(UnclearTable) as caught:
        read(table, crossed=("doc", "aspect", "system", "rater"))
    assert caught.value.remedy is not None
    assert caught.value.remedy.value == {"item": "doc+aspect"}
    both = read(table, crossed=("doc", "aspect", "system", "rater"), item=("doc", "aspect"))
    assert both.response == "rater"


def test_a_known_response_counts_only_where_rows_repeat_without_it() -> None:
    table = "item:text system:text seed:stars score:01"
    assert read(table, crossed=("item", "system", "seed")).response == "seed"
    assert read(table, crossed=("item", "system")).response is None


UNCLEAR = {
    "item:id base:01 new:01 zzz:stars": {"systems": ["base", "new"]},
    "item:id base:01 new:01 temperature:warm": {"systems": ["base", "new"]},
    "item:id base:stars new:stars zzz:years": {"systems": ["base", "new", "zzz"]},
    "item:id base:01 new:percent": {"columns": {"score": "base"}},
    "item:id base:01 f1:real": {"columns": {"score": "base"}},
    "item:text system:text a:01 b:01": {"columns": {"score": "a"}},
    "id:id doc_id:id a:01 b:01": {"columns": {"item": "id"}},
    "item:id domain:text": {"columns": {"ref": "COLUMN"}},
}


@pytest.mark.parametrize("table", UNCLEAR)
def test_what_is_unclear_shows_the_columns_and_a_way_out(table: str) -> None:
    exact = {"id:id doc_id:id a:01 b:01"}
    if table in exact:  # an exact name is enough of a reason for a role, so use two equal ones
        table = "doc_id:id sample_id:id a:01 b:01"
    with pytest.raises(UnclearTable) as caught:
        read(table)
    error = caught.value
    assert [column.name for column in error.columns] == [w.split(":")[0] for w in table.split()]
    assert len(error.details) == 1 + len(error.columns)
    assert error.remedy is not None
    if table in UNCLEAR:
        assert {error.remedy.parameter: error.remedy.value} == UNCLEAR[table]


def test_columns_that_are_not_there() -> None:
    with pytest.raises(UsageError) as caught:
        read("item:id base:01 new:01", label=("leevl",))
    assert caught.value.remedy is not None
    assert caught.value.remedy.parameter == "columns"


def test_a_row_per_system_has_no_items() -> None:
    with pytest.raises(FormatError) as caught:
        read("model:id q1:real q2:real", crossed=("model",))
    assert caught.value.remedy is not None
    assert caught.value.remedy.value == "csv(transposed=yes)"


def test_one_list_of_names() -> None:
    names = [name for names in KNOWN.values() for name in names]
    assert len(names) == len({*names})
    assert len(names) <= 68
    assert all(role_of(name.upper().replace("_", "-")) == role_of(name) for name in names)
