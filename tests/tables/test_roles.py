"""Which column is what: one table of cases for the whole contract."""

from typing import Any

import polars as pl
import pytest

from betterthan.errors import FormatError, UsageError
from betterthan.tables.columns import seen
from betterthan.tables.declared import Declared, Roles
from betterthan.tables.names import KNOWN, role_of
from betterthan.tables.roles import roles
from betterthan.tables.unclear import UnclearTable

ROWS = range(24)
KINDS: dict[str, list[Any]] = {
    "id": [f"x{k}" for k in ROWS],
    "eighth": [f"d{k // 8}" for k in ROWS],
    "aspect": ["st"[k // 4 % 2] for k in ROWS],
    "quarter": [f"d{k // 4}" for k in ROWS],
    "half": [f"q{k // 2}" for k in ROWS],
    "two": [f"m{k % 2}" for k in ROWS],
    "text": ["abc"[k % 3] for k in ROWS],
    "01": [k % 2 for k in ROWS],
    "zero": [0 for _ in ROWS],
    "stars": [1 + k % 5 for k in ROWS],
    "seeds": [k // 2 % 2 for k in ROWS],
    "years": [2019 for _ in ROWS],
    "counts": [1 + k for k in ROWS],
    "real": [0.1 + k / 32 for k in ROWS],
    "warm": [0.7 for _ in ROWS],
    "ten": [10 + k / 4 for k in ROWS],
    "tens": [10 + k % 5 for k in ROWS],
    "percent": [f"{30 + k}%" for k in ROWS],
    "nested": [[k] for k in ROWS],
    "empty": ["" for _ in ROWS],
}


def read(table: str, **declared: Any) -> Roles:
    """Roles of ``name:kind name:kind ...``."""
    words = (word.partition(":") for word in table.split())
    frame = pl.DataFrame({name: KINDS[kind] for name, _, kind in words})
    options = {x: declared.pop(x) for x in [*declared] if x in Declared.__dataclass_fields__}
    as_written = Declared(columns=declared, **options).as_written(frame.columns, "t.csv")
    return roles(seen(frame), as_written, "t.csv")


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
    ("doc_id:half model:two score:01 seed:stars", {}, {"system": "model", "item": ("doc_id",)}),
    ("item:id worker_id:text a:01 b:01", {}, {"response": None, "labels": ("worker_id",)}),
    ("item:id level:stars a:stars b:stars", {}, {"scores": ("a", "b"), "labels": ("level",)}),
    ("item:id question:id a:01 b:01", {}, {"labels": ("question",)}),
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
    ("item:half system:two score:01 tokens:stars", {}, {"scores": ("score",)}),
    ("item:half system:two points:stars", {}, {"scores": ("points",)}),
    ("item:half system:two tp:stars fp:stars", {}, {"scores": ("tp", "fp")}),
    ("item:half system:two metric:text score:real", {}, {"metric": "metric"}),
    # Rule 5: tables without a system column.
    ("item:id base:01 new:01", {}, {"layout": "wide", "scores": ("base", "new")}),
    ("item:id base:zero new:stars", {}, {"layout": "wide"}),
    ("item:id base:real new:percent", {"layout": "wide"}, {"layout": "wide"}),
    ("item:id base:ten new:tens", {}, {"layout": "wide"}),
    ("item:id bleu:real chrf:real", {}, {"layout": "single", "scores": ("bleu", "chrf")}),
    ("item:id acc:stars", {"many": True}, {"layout": "single", "scores": ("acc",)}),
    ("id:id a_tp:stars a_fp:stars b_tp:stars b_fp:stars", {}, {"layout": "counts"}),
]


@pytest.mark.parametrize(("table", "declared", "expected"), CASES, ids=lambda x: str(x)[:60])
def test_roles(table: str, declared: dict[str, Any], expected: dict[str, Any]) -> None:
    result = read(table, **declared)
    assert {name: getattr(result, name) for name in expected} == expected


def test_an_item_of_a_long_table_comes_once_with_every_system() -> None:
    assert read("no:half system:two score:01").item == ("no",)
    assert read("no:text system:two score:01").item == ()


def test_ratings_are_not_paired_by_position() -> None:
    """Rows of several raters are not as many items."""
    rated = read("doc:quarter aspect:text system:two rater:seeds points:stars")
    assert (rated.item, rated.response) == (("doc",), "rater")
    table = "doc:eighth aspect:aspect system:two rater:seeds points:stars"
    with pytest.raises(UnclearTable) as caught:
        read(table)
    assert caught.value.remedy is not None
    assert caught.value.remedy.value == {"item": "doc+aspect"}
    assert read(table, item=("doc", "aspect")).response == "rater"


def test_a_known_response_counts_only_where_rows_repeat_without_it() -> None:
    assert read("item:text system:two seed:seeds score:01").response == "seed"
    assert read("item:half system:two seed:seeds score:01").response is None


UNCLEAR = {
    "item:id base:01 new:01 zzz:stars": {"systems": ["base", "new"]},
    "item:id base:01 new:01 temperature:warm": {"systems": ["base", "new"]},
    "item:id base:stars new:stars zzz:years": {"systems": ["base", "new", "zzz"]},
    "item:id base:01 new:percent": {"columns": {"score": "base"}},
    "item:id base:01 f1:real": {"columns": {"score": "base"}},
    "item:half system:two a:01 b:01": {"columns": {"score": "a"}},
    "doc_id:id sample_id:id a:01 b:01": {"columns": {"item": "doc_id"}},
    "item:id domain:text": {"columns": {"ref": "COLUMN"}},
}


@pytest.mark.parametrize("table", UNCLEAR)
def test_what_is_unclear_shows_the_columns_and_a_way_out(table: str) -> None:
    with pytest.raises(UnclearTable) as caught:
        read(table)
    error = caught.value
    assert [column.name for column in error.columns] == [w.split(":")[0] for w in table.split()]
    assert len(error.details) == 1 + len(error.columns)
    assert error.remedy is not None
    assert {error.remedy.parameter: error.remedy.value} == UNCLEAR[table]


def test_columns_that_are_not_there() -> None:
    with pytest.raises(UsageError) as caught:
        read("item:id base:01 new:01", label=("leevl",))
    assert caught.value.remedy is not None
    assert caught.value.remedy.parameter == "columns"


def test_a_row_per_system_has_no_items() -> None:
    with pytest.raises(FormatError) as caught:
        read("model:id q1:real q2:real")
    assert caught.value.remedy is not None
    assert caught.value.remedy.value == "csv(transposed=yes)"


def test_one_list_of_names() -> None:
    names = [name for names in KNOWN.values() for name in names]
    assert len(names) == len({*names})
    assert len(names) <= 68
    assert all(role_of(name.upper().replace("_", "-")) == role_of(name) for name in names)
