"""What Python users hand in: nothing is aliased, unmasked, transposed or mislabelled."""

import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import betterthan as bt
from betterthan.data.arrays import cluster_codes
from betterthan.data.given import as_array, given_labels
from betterthan.errors import AlignmentError, BadValueError, DataError, FormatError, UsageError
from betterthan.responses import p_value, trio

FROM = bt.Scores.from_arrays
GOLD = np.array([[3, 4], [1, 1], [5, 4], [2, 3], [4, 4], [1, 2]])
OLD = np.array([[1, 2], [4, 3], [2, 2], [5, 5], [1, 2], [4, 5]])
NEW = np.add(GOLD, [0, 1])


def _relation(query: str, **tables: Any) -> Any:
    engine = duckdb.connect()
    for name, table in tables.items():
        engine.register(name, table)
    return engine.sql(query)


@pytest.mark.parametrize("ids", [{}, {"id": list("abcdefgh")}])
def test_scores_do_not_follow_the_frame(ids: dict[str, Any]) -> None:
    frame = pd.DataFrame({**ids, "a": [0.0] * 6 + [1.0] * 2, "b": [1.0] * 8})
    scores = bt.read(frame)
    result = bt.compare(scores)
    before = result.item_by_item().to_csv()
    frame.loc[:, "b"] = 0.0
    assert bt.compare(scores).pvalue == result.pvalue == 2 / 2**6
    assert result.item_by_item().to_csv() == before


def test_scores_do_not_follow_arrays_under_polars() -> None:
    block = np.asfortranarray(np.eye(4)[:, :2])
    scores = bt.read(pl.DataFrame({"a": block[:, 0], "b": block[:, 1]}))
    block[:] = 7
    assert scores.values.max() == 1


@pytest.mark.parametrize(
    "made",
    [
        pd.DataFrame,
        lambda x: pd.DataFrame(x, columns=["r1", "r2"]),
        lambda x: pd.Series(x.tolist()),
        lambda x: pl.DataFrame(x.copy()),
        lambda x: pl.Series(x.tolist()),
        lambda x: pa.table({"r1": x[:, 0], "r2": x[:, 1]}),
        lambda x: (row for row in x.tolist()),
        np.asmatrix,
        np.ma.masked_array,
    ],
)
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_rows_are_items_whatever_holds_them(made: Any) -> None:
    expected = p_value(GOLD, OLD, NEW)
    assert p_value(made(GOLD), made(OLD), made(NEW)).signature == expected.signature
    read = bt.Scores.from_responses({"a": made(OLD), "b": made(NEW)})
    np.testing.assert_array_equal(read.values[:, :, 0], np.c_[OLD.mean(1), NEW.mean(1)])


def test_dicts_and_sets_have_no_rows() -> None:
    named = dict(enumerate(GOLD.tolist()))
    with pytest.raises(BadValueError, match="gold is a dict"):
        p_value(named, OLD, NEW)  # type: ignore[arg-type]
    with pytest.raises(BadValueError, match="system 'a' is a dict"):
        bt.Scores.from_responses({"a": named})  # type: ignore[dict-item]
    with pytest.raises(BadValueError, match="a is a set"):
        bt.permutation_test({0, 1}, {1, 2})  # type: ignore[arg-type]


def test_masked_cells_are_missing() -> None:
    masked = np.ma.masked_equal([0, 1, -999, 0], -999)
    with pytest.raises(bt.errors.MissingScoresError, match="no score for 1 of 4"):
        FROM({"a": masked})
    assert FROM({"a": masked, "b": [1, 1, 1, 1]}, missing="drop").values.tolist() == [
        [[0], [1]],
        [[1], [1]],
        [[0], [1]],
    ]
    ratings = np.ma.masked_equal([[1, 2], [3, -9]], -9)
    assert trio(ratings, [1, 2], [1, 2]).gold.counts.tolist() == [2, 1]
    rows = [np.ma.masked_equal([1, 2], -9), np.ma.masked_equal([3, -9], -9)]
    assert bt.Scores.from_responses({"a": rows}).values.ravel().tolist() == [1.5, 3]
    with pytest.raises(BadValueError, match="clusters has no label at positions '2'"):
        bt.sign_test([0] * 4, [1] * 4, clusters=masked)


def test_missing_numbers_of_pandas_are_missing() -> None:
    with pytest.raises(bt.errors.MissingScoresError, match="no score for 1 of 2"):
        FROM({"a": pd.Series([1, None], dtype="Int64")})
    with pytest.raises(BadValueError, match="NaN or infinite at positions '1'"):
        bt.permutation_test([1, pd.NA], [1, 2])


def _table() -> pa.Table:
    tenths = pa.array([Decimal(k) / 10 for k in (1, 2, 3, 4)], pa.decimal128(5, 2))
    return pa.table({"item": range(4), "base": tenths, "new": [1, 0, 1, 1], "other": [1] * 4})


@pytest.mark.parametrize(
    "made",
    [
        lambda x: x,
        pl.from_arrow,
        lambda x: x.to_pandas(),
        lambda x: x.to_pandas(types_mapper=pd.ArrowDtype),
        lambda rows: _relation("select * from rows", rows=rows),
    ],
)
def test_decimals_are_numbers(made: Any) -> None:
    scores = bt.read(made(_table()), items=True)
    assert scores.systems == ("base", "new", "other")
    assert scores.of("base").ravel().tolist() == [0.1, 0.2, 0.3, 0.4]


def test_literals_of_duckdb_are_numbers() -> None:
    rows = _relation("select i item, 1.0 base, i % 2 new, 1::hugeint other from range(8) t(i)")
    assert bt.read(rows).systems == ("base", "new", "other")


@pytest.mark.parametrize("cell", [[1], {"x": 1}, (1, 2), np.ones(2), {1}])
def test_columns_of_neither_numbers_nor_labels_are_named(cell: object) -> None:
    frame = pd.DataFrame({"item": range(3), "base": [0, 1, 0], "new": [cell] * 3, "other": 1})
    assert "systems base, other · not compared: new" in bt.read(frame).source
    with pytest.raises(bt.errors.FormatError, match="neither an id nor a label"):
        bt.read(frame, columns={"item": "new"})


@pytest.mark.parametrize("gone", [None, float("nan"), pd.NA, pd.NaT])
def test_missing_labels(gone: Any) -> None:
    two = {"a": [0] * 8, "b": [1] * 8}
    labels = [gone] * 4 + list("abcd")
    for door in (
        lambda: FROM(two, clusters=labels),
        lambda: FROM(two, clusters=pd.Series(labels)),
        lambda: bt.permutation_test(two["a"], two["b"], clusters=labels),
        lambda: bt.permutation_test(two["a"], two["b"], clusters=np.array(labels, dtype=object)),
    ):
        with pytest.raises(BadValueError, match="clusters has no label at positions '0', '1'"):
            door()
    with pytest.raises(BadValueError, match="items has no label at positions '0', '1'"):
        FROM(two, items=labels)
    assert FROM(two, groups={"g": labels}).groups["g"].tolist() == [""] * 4 + list("abcd")


def test_large_clusters_beside_fractions_stay_apart() -> None:
    labels = [2**53 + i for i in range(7)] + [0.5]
    assert cluster_codes(labels, 8)[1] == 8
    assert bt.permutation_test([0] * 8, [1] * 8, clusters=labels).pvalue == 2 / 2**8


def test_whole_labels_are_the_same_in_any_type() -> None:
    same = ([3, 1, 3], [3.0, 1.0, 3.0], ["3", "1", "3"], pd.Series([3, 1, 3]), pa.array([3, 1, 3]))
    for labels in same:
        assert given_labels(labels, "clusters").tolist() == ["3", "1", "3"]
        assert cluster_codes(labels, 3)[0].tolist() in ([0, 1, 0], [1, 0, 1])


def test_what_goes_along_is_paired_by_index() -> None:
    a = pd.Series([1, 2, 3], list("abc"))
    two = {"a": a, "b": a[::-1]}
    back = pd.Series(["C", "B", "A"], list("cba"))
    made = FROM(two, items=back, clusters=back, groups={"clusters": back[::-1]})
    assert made.items is not None
    assert made.clusters is not None
    assert made.items.tolist() == made.clusters.tolist() == ["A", "B", "C"]
    assert made.groups["clusters"].tolist() == ["A", "B", "C"]
    with pytest.raises(AlignmentError, match="the indexes of a and items differ"):
        FROM(two, items=pd.Series(list("ABC")))


def test_responses_are_paired_by_index() -> None:
    def turned(rows: np.ndarray[Any, Any]) -> pd.Series:
        return pd.Series(rows.tolist())[::-1]

    expected = p_value(GOLD, OLD, NEW, clusters=[0, 0, 1, 1, 2, 3])
    clusters = pd.Series([0, 0, 1, 1, 2, 3])[::-1]
    found = p_value(pd.Series(GOLD.tolist()), turned(OLD), pd.DataFrame(NEW), clusters=clusters)
    assert found.pvalue == expected.pvalue
    assert found.delta == expected.delta
    scores = bt.Scores.from_responses({"a": pd.Series(OLD.tolist()), "b": turned(NEW)})
    np.testing.assert_array_equal(scores.values[:, 1, 0], NEW.mean(1))
    with pytest.raises(AlignmentError, match="the indexes of gold and b differ"):
        p_value(pd.Series(GOLD.tolist()), OLD, pd.Series(NEW.tolist(), index=range(50, 56)))


@pytest.mark.parametrize("said", ["false", "true", 0, 1, None])
def test_directions_are_true_or_false(said: Any) -> None:
    read: Any = bt.read
    two = {"a": [0] * 8, "b": [1] * 8}
    doors: list[Any] = [
        lambda: FROM(two, lower_is_better=said),
        lambda: bt.responses.item_metric(np.subtract, lower_is_better=said),
    ]
    if isinstance(said, str):
        doors += [
            lambda: read(pd.DataFrame(two), lower_is_better=said),
            lambda: read(pl.LazyFrame(two), lower_is_better=said, items=False),
        ]
    if said is not None:  # nothing said, of a metric
        doors += [
            lambda: bt.sign_test(two["a"], two["b"], lower_is_better=said),
            lambda: bt.metrics.mean(lower_is_better=said),
        ]
    for door in doors:
        with pytest.raises(UsageError, match="lower_is_better"):
            door()


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_arrays_of_other_types() -> None:
    expected = bt.permutation_test([0, 1, 0], [1, 1, 1]).pvalue
    for made in (lambda x: np.asmatrix(x).T, lambda x: pl.Series(x, dtype=pl.Int128), pa.array):
        assert bt.permutation_test(made([0, 1, 0]), made([1, 1, 1])).pvalue == expected
    assert as_array(pl.Series([2**70], dtype=pl.Int128), "a").tolist() == [2**70]


@pytest.mark.parametrize(
    ("door", "error", "said"),
    [
        (lambda: FROM(pd.DataFrame({"a": [0]})), UsageError, "bt.read"),
        (lambda: FROM([[0, 1], [1, 1]]), UsageError, "a list was given"),  # type: ignore[arg-type]
        (lambda: FROM({"a": [0]}, groups=[1]), UsageError, "groups are given by"),  # type: ignore[arg-type]
        (lambda: FROM({"a": [0]}, clusters=3), UsageError, "single value"),  # type: ignore[arg-type]
        (lambda: FROM({"a": [0]}, clusters={0: 1}), UsageError, "clusters is a dict"),  # type: ignore[arg-type]
        (lambda: bt.sign_test([0, 1], [1, 1], clusters=[[1], [1, 2]]), DataError, "for a label"),
        (lambda: bt.sign_test([0, 1], [1, 1], clusters=[1]), AlignmentError, "shape"),
    ],
)
def test_what_is_refused(door: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        door()


def test_half_characters_are_spelled() -> None:
    half = "x\ud800"
    made = FROM({half: [0, 1], "b": [1, 1]}, items=[half, "q"], groups={half: ["u", half]})
    assert made.systems == (r"x\ud800", "b")
    assert made.to_polars()["item"].to_list() == [r"x\ud800", "q"] * 2
    assert made.groups[r"x\ud800"].tolist() == ["u", r"x\ud800"]
    assert r"x\ud800" in made._repr_html_()
    assert bt.compare(made).to_polars()["baseline"].to_list() == [r"x\ud800"]


@pytest.mark.parametrize("none", [[], (), np.array([])])
def test_an_empty_choice_is_not_all(none: Any) -> None:
    frame = pd.DataFrame({"a": [0] * 8, "b": [1] * 8, "c": [1] * 8})
    lazy = pl.LazyFrame({"a": [0], "b": [1]})
    doors: list[Any] = [bt.read, bt.Scores.from_frame]
    for door in (*doors, lambda _, systems: bt.read(lazy, systems=systems)):
        with pytest.raises(UsageError, match="systems must name at least one"):
            door(frame, systems=none)
    doors = [bt.compare_many, bt.compare_all, bt.score]
    for door in doors:
        with pytest.raises(UsageError, match="metric must name at least one"):
            door(frame, metric=none)


def test_one_may_be_given_for_several() -> None:
    scores = FROM({"base": [0] * 8, "new": [1] * 8, "other": [1] * 8})
    assert bt.score(scores, metric="mean")["new"].score == 1
    assert bt.read(scores.to_polars(), systems="new,base").systems == ("new", "base")


def test_scores_in_place_of_names() -> None:
    a, b = pd.Series([0, 1, 1]), pd.Series([1, 1, 1])
    for one, other in ((a, b), (a.to_numpy(), b.to_numpy()), (a.tolist(), b.tolist())):
        with pytest.raises(UsageError, match="must be strings") as caught:
            bt.compare(one, other)
        assert "bt.permutation_test(a, b)" in caught.value.remedies[0].does


def test_ids_that_look_the_same() -> None:
    composed, apart = [f"\xe9{k}" for k in range(3)], [f"e\u0301{k}" for k in range(3)]
    long = pd.DataFrame(
        {"item": composed + apart, "system": ["a"] * 3 + ["b"] * 3, "score": [0, 1, 1] * 2}
    )
    with pytest.raises(AlignmentError, match=r"'\\xe90' and 'e\\u03010', .*Unicode normalisation"):
        bt.read(long)
    with pytest.raises(AlignmentError, match="Unicode normalisation"):
        FROM({"a": pd.Series([0, 1, 1], composed), "b": pd.Series([0, 1, 1], apart)})


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_systems_called_by_floats(engine: str) -> None:
    rows = pl.DataFrame(
        {"item": [1, 2, 3] * 2, "system": [1.0] * 3 + [2.5] * 3, "score": [0, 0, 1, 1, 1, 1]}
    )
    lazy = rows.lazy() if engine == "polars" else _relation("select * from t", t=rows)
    scanned = bt.read(lazy, systems=["1", "2.5"], items=False)
    assert scanned.systems == bt.read(rows).systems == ("1", "2.5")
    assert bt.compare(scanned).delta == bt.compare(rows).delta


def test_scans_count_what_they_do_not_name() -> None:
    rows = pl.DataFrame(
        {"item": [*range(30), *range(10)], "system": ["a"] * 30 + ["b"] * 10, "score": [1] * 40}
    )
    with pytest.raises(bt.errors.MissingScoresError, match=r"for 20 items \(.* and 15 more\)"):
        bt.read(rows.lazy(), items=False)
    twice = pl.LazyFrame({"item": [*range(30)] * 2, "a": [1] * 60, "b": [1] * 60})
    with pytest.raises(AlignmentError, match=r"occur more than once \(.*'4' and more\)"):
        bt.read(twice, items=False)


@pytest.mark.parametrize(
    "made",
    [
        lambda rows: (row for row in rows),
        lambda rows: map(list, rows),
        lambda rows: dict(enumerate(rows)).values(),
        lambda rows: pa.table({"tp": [x[0] for x in rows], "fp": [x[1] for x in rows]}),
        lambda rows: pa.table({"fp": [x[1] for x in rows], "tp": [x[0] for x in rows]}),
        lambda rows: pa.RecordBatch.from_pydict(
            {"fp": [x[1] for x in rows], "tp": [x[0] for x in rows]}
        ),
        lambda rows: pl.DataFrame({"fp": [x[1] for x in rows], "tp": [x[0] for x in rows]}),
        lambda rows: pd.DataFrame({"fp": [x[1] for x in rows], "tp": [x[0] for x in rows]}),
    ],
)
def test_rows_of_any_kind_for_every_constructor(made: Any) -> None:
    a, b = [[1, 0], [0, 2], [3, 1], [0, 1]], [[1, 1], [1, 0], [3, 0], [2, 1]]
    columns, metric = ("tp", "fp"), "ratio(tp / tp + fp)"
    expected = bt.permutation_test(np.array(a), np.array(b), metric=metric)
    assert expected.delta == 7 / 9 - 4 / 8
    assert bt.permutation_test(made(a), made(b), metric=metric).pvalue == expected.pvalue
    scores = FROM({"a": made(a), "b": made(b)}, columns=columns)
    np.testing.assert_array_equal(scores.values, np.stack([a, b], axis=1))


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, pd.NaT])
def test_columns_without_a_name(nothing: Any) -> None:
    frame = pd.DataFrame([[1, 0], [1, 1], [0, 1]], columns=[nothing, "b"])
    with pytest.raises(FormatError, match=r"a column without a name \(1 of 2\): name it"):
        bt.read(frame)
    with pytest.raises(FormatError, match=r"a column without a name \(1 of 2\): name it"):
        bt.read(frame, items=False)
    with pytest.raises(UsageError, match=f"by their names, and {nothing} is none: name it"):
        FROM({nothing: [1, 0], "b": [1, 1]})


def _objects(**columns: list[Any]) -> pl.DataFrame:
    return pl.DataFrame([pl.Series(k, x, dtype=pl.Object) for k, x in columns.items()])


@pytest.mark.parametrize("library", [_objects, lambda **x: pd.DataFrame(x, dtype=object)])
def test_columns_of_objects(library: Any) -> None:
    b = [1, 0, 1, 1]
    for cells in ([Decimal("0.5"), 1, 0, 1], [np.float64(0.5), True, 0, 1.0], ["0.5", 1, 0, 1]):
        assert bt.read(library(a=cells, b=b)).values[:, 0, 0].tolist() == [0.5, 1.0, 0.0, 1.0]
    for read in (bt.read, lambda frame: bt.read(frame, items=False), bt.compare):
        with pytest.raises(BadValueError, match=r"'a' of the data frame holds fractions.*as float"):
            read(library(a=[Fraction(1, 2), 1, 0, 1], b=b, c=b))
        with pytest.raises(BadValueError, match="'wrong' in row 3"):
            read(library(a=[1, 0, "wrong", 1], b=b, c=b))
    with pytest.raises(AlignmentError, match="only one system, 'b'"):
        bt.compare(library(a=[[1], [0], [1], [1]], b=b))


@pytest.mark.parametrize("test", [bt.permutation_test, bt.sign_test, bt.t_test, bt.wilcoxon])
def test_streams_of_single_scores(test: Any) -> None:
    a, b = [0.1, 0.4, 0.2, 0.9, 0.3], [0.2, 0.7, 0.1, 1.0, 0.8]
    streamed = test(iter(a), dict(enumerate(b)).values())
    assert streamed.pvalue == test(a, pa.table({"score": b})).pvalue == test(a, b).pvalue


@pytest.mark.parametrize("blank", ["", "  "])
def test_blank_labels_are_none(blank: str) -> None:
    arrays = {"a": [0, 1, 1], "b": [1, 1, 0]}
    for along in ("clusters", "items"):
        labels: dict[str, Any] = {along: ["x", blank, "y"]}
        with pytest.raises(bt.BetterthanError, match=f"{along} has no label at positions '1'"):
            FROM(arrays, **labels)
        with pytest.raises(bt.BetterthanError, match=f"{along} has no label at positions '1'"):
            bt.Judgments.from_arrays("aba", "bab", ["left"] * 3, **labels)
    numbered: Any = {1: ["x", blank, "y"]}
    assert FROM(arrays, groups=numbered).labels("1")[1] == blank


def test_numbers_of_numpy_are_numbers() -> None:
    scores = FROM({"a": [0, 1, 1, 0], "b": [1, 1, 0, 1]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        level: Any = np.float32(0.05)
        loss: Any = np.float32(0.02)
        yes: Any = np.bool_(True)
        assert bt.compare(scores, alpha=level).verdict == bt.compare(scores).verdict
        assert bt.gate(scores, margin=loss, alpha=level).ruling
        made = bt.bootstrap_test([0, 1, 1, 0], [1, 1, 0, 1], strict=yes)
    assert made == bt.bootstrap_test([0, 1, 1, 0], [1, 1, 0, 1], strict=True)


def test_what_is_no_column_of_scores_is_said() -> None:
    with pytest.raises(bt.BetterthanError, match="'a' has a single value"):
        FROM({"a": np.float64(3), "b": [1, 2]})
    with pytest.raises(bt.BetterthanError, match="metric must be"):
        FROM({"a": [1, 2], "b": [1, 3]}, metric="f1")  # type: ignore[arg-type]
