"""Pairwise judgments: from files, frames and engines, the same judgments or the same error."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading_ways import advised, counted

import betterthan as bt
from betterthan import errors
from betterthan.results.atomic_write import encode
from conftest import Run
from engines import ENGINES, spark_frame

Columns = dict[str, list[Any]]
LYING = Path(__file__).parents[1] / "fuzz/found/battles_parquet/statistics-that-lie/b.parquet"


def ways(columns: Columns, folder: Path) -> dict[str, Callable[..., Any]]:
    """Every way to read a table."""
    frame = pl.DataFrame(columns, strict=False)
    sources: dict[str, Any] = {"pandas": frame.to_pandas(), "pyarrow": frame.to_arrow()}
    for suffix in ("csv", "tsv", "json", "jsonl", "parquet"):
        data = frame.write_json().encode() if suffix == "json" else encode(frame, f".{suffix}")
        sources[suffix] = folder / f"t.{suffix}"
        sources[suffix].write_bytes(data)
    read = {name: lambda x=x, **more: bt.read(x, **more) for name, x in sources.items()}
    for name, source in {"lazy": frame.lazy(), "scan": folder / "t.csv"}.items():
        read[name] = lambda x=source, **more: counted(x, **more)
    return read


def rows_of(judgments: Any, *labels: str) -> Counter[tuple[Any, ...]]:
    """How often who met whom, with which outcome, on what."""
    sides = ([judgments.systems[k] for k in side] for side in (judgments.left, judgments.right))
    rows = zip(*sides, judgments.outcome, *(getattr(judgments, x) for x in labels), strict=True)
    times = np.ones(len(judgments.outcome), int) if judgments.counts is None else judgments.counts
    return Counter(row for row, k in zip(rows, times, strict=True) for _ in range(k))


AB: Columns = {"model_a": ["p", "q", "p", "q"], "model_b": ["q", "p", "q", "p"]}
WON = [("p", "q", 1.0), ("q", "p", 0.0), ("p", "q", 0.5), ("q", "p", 1.0)]
"""What is read in every case below."""
WORDS: Columns = {"winner": ["model_a", "model_b", "tie (bothbad)", "A"]}
LR: Columns = dict(zip(["left", "right"], AB.values(), strict=True))
ALPACA: Columns = dict(zip(["generator_1", "generator_2"], AB.values(), strict=True))
THREE: Columns = dict(zip("abw", [*AB.values(), *WORDS.values()], strict=True))
Case = tuple[Columns, dict[str, str]]
CASES: list[Case] = [
    (AB | WORDS, {}),
    (AB | WORDS, {"systems": "p,q"}),
    (LR | {"winner": ["left", "RIGHT", "draw", "left"]}, {}),
    (LR | {"winner": ["p", "p", "both_bad", "q"]}, {}),
    (LR | {"winner": [1, 2, 0.5, 1]}, {}),
    (ALPACA | {"preference": [1.0, 2.0, 1.5, 1.0]}, {}),
    (ALPACA | {"preference": [1, 2, 0, 1]}, {}),
    (THREE, {"columns": "left=a,right=b,winner=W"}),
    ({"Model A": LR["left"], "Model B": LR["right"]} | WORDS, {}),
]


@pytest.mark.parametrize("case", CASES)
def test_every_way_reads_the_same_winners(case: Case, tmp_path: Path) -> None:
    for name, read in ways(case[0], tmp_path).items():
        judged = read(**case[1])
        assert rows_of(judged) == Counter(WON), name
        assert (judged.systems, judged.notes) == (("p", "q"), ())


ITEMS: list[tuple[Columns, dict[str, str], str, str]] = [
    ({"sentence_id": [7, 7, 8, 9], "worker_id": [1, 2, 1, 2]}, {}, "7 7 8 9", "1 2 1 2"),
    ({"id": [1, 2, 3, 4], "prompt": ["p", "p", "q", "q"]}, {}, "p p q q", ""),
    ({"id": [1, 2, 3, 4]}, {"item": "id", "judge": "id"}, "1 2 3 4", "1 2 3 4"),
    ({"q": list("abab"), "k": [1, 1, 2, 2]}, {"item": "q+k"}, "a/1 b/1 a/2 b/2", ""),
    ({"question_id": ["007", "7", "7.0", "x"]}, {}, "007 7 7.0 x", ""),
]


@pytest.mark.parametrize("case", ITEMS)
def test_items_and_judges(case: tuple[Columns, dict[str, str], str, str], tmp_path: Path) -> None:
    columns, declared, items, judges = case
    for name, read in ways(AB | WORDS | columns, tmp_path).items():
        judged = read(columns=declared)
        if name not in ("lazy", "scan"):  # which need no judges, nor items that differ
            assert " ".join(judged.items) == items
            assert not judges or " ".join(judged.judges) == judges
        assert rows_of(judged) == Counter(WON)
    source = bt.read(tmp_path / "t.csv", columns=declared).source
    assert all(f"{role}={column}" in source for role, column in declared.items())


def test_tallies_and_shades(tmp_path: Path) -> None:
    """Rows of a tally stand for many; a preference may be between win and loss."""
    for read in ways(ALPACA | {"preference": [1.25, 1.9, 1.5, 1.0]}, tmp_path).values():
        assert (rows_of(read()), len(read().notes)) == (Counter(WON), 1)
    for read in ways(AB | WORDS | {"count": [5, 2, 3, 1]}, tmp_path).values():
        assert rows_of(read()) == Counter(dict(zip(WON, [5, 2, 3, 1], strict=True)))
    many: Any = bt.read(tmp_path / "t.csv")
    again: Any = counted(pl.DataFrame(many.counted()))
    assert (again.n, bt.rank(again).signature) == (11, bt.rank(many).signature)


Bad = tuple[Columns, dict[str, Any], type[errors.BetterthanError], tuple[Any, ...] | None]
DROP = ("missing", "drop")
DOUBTFUL: Columns = {"model_a": list("abab"), "model_b": list("baba"), "winner": list("abab")}
TOPICS: Columns = {"topic": list("abcd")}
BAD: list[Bad] = [
    ({"winner": ["p", "", "q", "p"]}, {}, errors.BadValueError, DROP),
    ({"winner": ["p", "?", "q", "p"]}, {}, errors.BadValueError, DROP),
    ({"winner": ["p", "?", "q", "p"]}, {"missing": "worst"}, errors.BadValueError, DROP),
    ({"winner": ["", "error", "", ""]}, {"missing": "drop"}, errors.FormatError, None),
    (DOUBTFUL, {}, errors.BadValueError, None),  # names of systems, or codes?
    ({"model_b": ["q", " ", "q", "p"]}, {}, errors.AlignmentError, None),
    ({"model_b": AB["model_a"]}, {}, errors.DataError, None),
    ({"item": ["q", None, "q", "r"]}, {}, errors.AlignmentError, None),
    ({"item": ["q", "  ", "q", "r"]}, {}, errors.AlignmentError, None),
    ({"user": ["u", "", "u", "v"]}, {"columns": "cluster=user"}, errors.AlignmentError, None),
    (TOPICS, {"columns": "item=topc"}, errors.UsageError, ("columns", {"item": "topic"})),
    ({}, {"columns": "winner=winer"}, errors.UsageError, ("columns", {"winner": "winner"})),
    (TOPICS, {"where": "topic=e"}, errors.UsageError, None),
    ({}, {"systems": "p,nobody"}, errors.UsageError, None),
    ({}, {"columns": "score=winner"}, errors.UsageError, None),
    ({}, {"lower_is_better": True}, errors.UsageError, None),
    *(
        ({"count": [1, 2, 3, x]}, {}, errors.BadValueError, None)
        for x in ("0", "1.5", "x", "", "1e30")
    ),
]


@pytest.mark.parametrize("case", BAD)
def test_every_way_makes_the_same_error(case: Bad, tmp_path: Path) -> None:
    columns, options, kind, remedy = case
    for name, read in ways(AB | WORDS | columns, tmp_path).items():
        with pytest.raises(kind) as caught:
            read(**options)
        assert remedy is None or remedy in advised(caught), name


def test_only_judgments_that_were_asked_for(tmp_path: Path) -> None:
    columns = AB | {"winner": ["p", "tie", "she", "q"], "Topic": ["law", "art", "code", "law"]}
    for read in ways(columns, tmp_path).values():
        judged = read(missing="drop")
        assert (judged.n, len(judged.notes)) == (3, 1)
        assert read(where={"topic": "l*"}).n == 2


NAMES = st.sampled_from(["a", "b", "left", "gpt 4", "Ü,1", "3.10", "01"])
WINNERS = st.sampled_from(["left", "right", "tie", "model_a", "a", "gpt 4", "01"])
LABELS = st.sampled_from(["q1", "q2", "a/b", "Ü", "007"])


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(NAMES, NAMES, WINNERS, LABELS, LABELS), min_size=1, max_size=12))
def test_files_say_what_arrays_say(rows: list[tuple[str, ...]], tmp_path: Path) -> None:
    path, columns = tmp_path / "t.csv", [*zip(*rows, strict=True)]
    names = ("left", "right", "winner", "item", "judge")
    pl.DataFrame(dict(zip(names, columns, strict=True))).write_csv(path)
    try:
        judged = bt.Judgments.from_arrays(*columns[:3], items=columns[3], judges=columns[4])
    except errors.BetterthanError:
        for read in (bt.read, counted):
            with pytest.raises(errors.DataError):
                read(path)
        return
    found: Any = bt.read(path)
    assert rows_of(found, "items", "judges") == rows_of(judged, "items", "judges")
    assert found.systems == judged.systems
    assert rows_of(counted(path)) == rows_of(judged)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of DuckDB 2, by Ibis
@pytest.mark.parametrize("engine", [*ENGINES, pytest.param("spark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("columns", ["", "cluster=topic", "item=question_id+topic", "item=battle"])
def test_every_engine_ranks_what_is_read(engine: str, columns: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    question, left, beyond, topic = rng.integers(0, [60, 4, 3, 30], (300, 4)).T
    words = rng.choice(["model_a", "model_b", "tie", ""], 300).tolist()
    sides = {"model_a": left, "model_b": (left + 1 + beyond) % 4}
    frame = pl.DataFrame({"question_id": question, **sides, "winner": words, "topic": topic})
    frame = frame.with_row_index("battle").cast(dict.fromkeys(sides, pl.String))
    for k in range(3):
        frame[100 * k : 100 * k + 100].write_csv(tmp_path / f"{k}.csv")
    native = spark_frame(frame) if engine == "spark" else ENGINES[engine](frame)
    told: dict[str, Any] = {"columns": columns, "missing": "drop"}
    files = tmp_path / "*.csv"
    data = [bt.read(files, **told), counted(files, **told), counted(native, **told)]
    boards = [bt.rank(judged, resamples=50) for judged in data]
    assert len({board.signature for board in boards}) == 1
    assert boards[0].rows == boards[1].rows == boards[2].rows


@pytest.mark.parametrize("read", [bt.read, counted])
def test_files_that_differ_or_lie(read: Callable[..., Any], tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    pl.DataFrame(AB | WORDS | {"item": list("abcd")}).write_csv(one)
    pl.DataFrame(AB | WORDS).write_csv(other)
    with pytest.raises(errors.DataError):
        read(one, other)
    other.write_text("item,a,b\nq1,1,0\nq2,1,1\n")
    with pytest.raises(errors.FormatError):
        read(one, other)
    with pytest.raises(errors.AlignmentError):
        read(LYING)  # whose statistics say that no item is blank


@pytest.mark.parametrize("way", ["path", "frame", "lazy"])
def test_wins_against_a_baseline_are_scores(way: str, tmp_path: Path) -> None:
    """Judgments against the baseline: its half a point is what the others must beat."""
    names = ("id", "model_a", "model_b", "winner")
    share = {"good": 90, "bad": 20}
    rows = [(i, "ref", s, "b" if i < share[s] else "a") for s in share for i in range(100)]
    extra, blank = (0, "good", "bad", "a"), (0, "ref", "good", "")

    def win(*more: tuple[object, ...], **options: Any) -> Any:
        frame = pl.DataFrame([*rows, *more], schema=names, orient="row")
        frame.write_csv(tmp_path / "b.csv")
        source: Any = {"path": tmp_path / "b.csv", "frame": frame, "lazy": frame.lazy()}[way]
        return bt.read(source, metric="win", **options)

    scores = win()
    assert scores.systems == ("ref", "good", "bad")
    found = {c.candidate: c for c in bt.compare_many(scores)}
    assert [found[name].verdict for name in share] == ["better", "worse"]
    assert found["good"].pvalue == bt.sign_test([0] * 100, [1] * 90 + [-1] * 10).pvalue
    with pytest.raises(errors.FormatError) as caught:
        win(extra)
    assert ("systems", ["ref"]) in advised(caught)
    again = win(extra, systems=["ref"])
    assert np.array_equal(again.values, scores.values)
    assert [note for note in again.notes if "1 judgment" in note]
    assert win(extra, systems=["good", "bad"]).n == 1
    assert np.array_equal(win(blank, missing="drop").values, scores.values)
    for unknown in ("nobody", "ref,x"):
        with pytest.raises(errors.UsageError):
            win(extra, systems=unknown)


def test_models_are_compared_through_their_common_opponent(tmp_path: Path) -> None:
    shares = {"base": [1.0, 1.25, 2.0, 1.5], "new": [2.0, 2.0, 1.75, 0]}
    paths = [tmp_path / f"{name}.json" for name in shares]
    for path, preferences in zip(paths, shares.values(), strict=True):
        columns = {"instruction": [f"Say {k}. " * 30 for k in range(4)], "preference": preferences}
        frame = pl.DataFrame(columns, strict=False)
        frame = frame.with_columns(generator_1=pl.lit("ref"), generator_2=pl.lit(path.stem))
        frame.with_columns(raw=pl.lit(["nested"])).write_json(path)
    scores = bt.read(*paths, metric="win")
    assert scores.systems == ("base", "new")
    assert scores.values[:, :, 0].T.tolist() == [[0.0, 0.25, 1.0, 0.5], [1.0, 1.0, 0.75, 0.5]]
    assert any("against ref" in note for note in scores.notes)
    assert bt.read(*paths, metric="win", systems="ref").systems == ("ref", "base", "new")
    ranked: Any = bt.read(*paths)
    assert (ranked.n, len(set(ranked.items))) == (8, 4)


def test_judges_are_responses_or_clusters(betterthan: Callable[..., Run], tmp_path: Path) -> None:
    rows = [(p, f"w{w}", "A", "B", "AB"[w > p]) for p in range(3) for w in range(4)]
    frame = pl.DataFrame(rows, schema=["prompt", "worker", "left", "right", "winner"], orient="row")
    scores = bt.read(frame, metric="win")
    assert scores.values[:, 1, 0].tolist() == [0.75, 0.5, 0.25]
    assert scores.responses is not None
    by_prompt = bt.read(frame, metric="win", columns="cluster=prompt,item=prompt+worker")
    assert by_prompt.clusters is not None
    assert by_prompt.clusters.tolist() == by_prompt.groups["cluster"].tolist()
    assert by_prompt.clusters.tolist() == list("000011112222")
    path, topics = tmp_path / "crowd.csv", tmp_path / "topics.txt"
    frame.write_csv(path)
    topics.write_text("a\nb\nc\n" * 4)
    by_topic: Any = bt.read(path, columns=f"cluster=@{topics}")
    assert by_topic.clusters.tolist() == list("abc" * 4)
    with pytest.raises(errors.AlignmentError):
        bt.read(path, columns=f"cluster=@{topics}", systems="A,B", where="prompt=1")
    run = betterthan("rank", str(path), "--cluster", "worker")
    assert run.code == 0, run.err
    assert "4 clusters resampled" in run.out
    assert "item=prompt,judge=worker,cluster=worker" in run.err
    assert betterthan("inspect", str(path)).code == 0
