"""Files of pairwise judgments: into rankings, and into comparisons with a common baseline."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import log_writers as write
import numpy as np
import polars as pl
import pytest
from reading_ways import advised

import betterthan as bt
from betterthan.errors import BadValueError, FormatError, UsageError
from conftest import Run


def judgments(*sources: Any, **options: Any) -> Any:
    """What files of judgments are read as."""
    return bt.read(*sources, **options)


ROWS = [
    ("q1", "x", "y", "model_a"),
    ("q2", "y", "x", "model_b"),
    ("q3", "x", "y", "tie (bothbad)"),
    ("q4", "y", "x", "model_a"),
]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_arena_files(suffix: str, tmp_path: Path) -> None:
    frame = pl.DataFrame(ROWS, schema=["question_id", "model_a", "model_b", "winner"], orient="row")
    path = tmp_path / f"battles.{suffix}"
    writers: dict[str, Callable[[], object]] = {
        "csv": lambda: frame.write_csv(path),
        "tsv": lambda: frame.write_csv(path, separator="\t"),
        "jsonl": lambda: frame.write_ndjson(path),
        "json": lambda: frame.write_json(path),
        "parquet": lambda: frame.write_parquet(path),
    }
    writers[suffix]()
    judged: Any = bt.read(path)
    assert judged.systems == ("x", "y")
    assert judged.left.tolist() == [0, 1, 0, 1]
    assert judged.outcome.tolist() == [1.0, 0.0, 0.5, 1.0]
    assert judged.items is not None
    assert judged.items.tolist() == ["q1", "q2", "q3", "q4"]
    scores = bt.read(path, metric="win")
    assert scores.systems == ("x", "y")
    assert scores.values[:, :, 0].tolist() == [[0.5, 0.0], [0.5, 0.0], [0.5, 0.5], [0.5, 1.0]]


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        ("model_a", 1.0),
        ("model_b", 0.0),
        ("A", 1.0),
        ("b", 0.0),
        ("left", 1.0),
        ("right", 0.0),
        ("tie", 0.5),
        ("Tie (bothbad)", 0.5),
        ("tie (both bad)", 0.5),
        ("both_bad", 0.5),
        ("bothbad", 0.5),
        ("draw", 0.5),
        ("gpt", 1.0),
        ("llama", 0.0),
    ],
)
def test_spellings_of_the_winner(word: str, outcome: float, tmp_path: Path) -> None:
    rows = [{"id": 1, "model_a": "gpt", "model_b": "llama", "winner": word}]
    path = write.write_lines(tmp_path / "b.jsonl", rows)
    assert judgments(path).outcome.tolist() == [outcome]


def test_alpaca_eval_annotations(tmp_path: Path) -> None:
    preferences = [1, 2, 2.0, 1.5, 0, 1.25, None]
    path = write.write_json(
        tmp_path / "annotations.json",
        [
            {
                "instruction": f"Write about {k}. " + write.ANSWER,
                "generator_1": "text_davinci_003",
                "output_1": write.ANSWER,
                "generator_2": "new",
                "output_2": write.ANSWER,
                "annotator": "alpaca_eval_gpt4",
                "preference": preference,
            }
            for k, preference in enumerate(preferences)
        ],
    )
    scores = bt.read(path, metric="win")
    assert scores.systems == ("text_davinci_003", "new")
    assert scores.values[:, 1, 0].tolist() == [0.0, 1.0, 1.0, 0.5, 0.5, 0.25]
    assert "1 row without a judgment left out" in scores.notes
    judged: Any = bt.read(path)
    assert judged.outcome.tolist() == [1.0, 0.0, 0.0, 0.5, 0.5, 1.0]
    assert any("1 preferences between win and loss" in note for note in judged.notes)
    assert judged.judges is not None
    assert set(judged.judges) == {"alpaca_eval_gpt4"}


def test_mt_bench_pairs_are_judged_in_both_orders(tmp_path: Path) -> None:
    path = write.write_lines(
        tmp_path / "gpt-4_pair.jsonl",
        [
            {
                "question_id": 81,
                "model_1": "x",
                "model_2": "y",
                "g1_winner": "model_1",
                "g2_winner": second,
                "judge": ["gpt-4", "pair-v2"],
                "g1_judgment": write.ANSWER,
                "turn": turn,
            }
            for turn, second in ((1, "model_1"), (2, "model_2"), (3, "error"))
        ],
    )
    judged: Any = bt.read(path)
    assert judged.outcome.tolist() == [1.0, 0.0, 1.0, 1.0, 1.0]
    assert judged.left.tolist() == [0, 1, 0, 1, 0]
    assert judged.notes == ("1 row without a judgment left out",)
    scores = bt.read(path, metric="win")
    assert scores.values[:, 1, 0].tolist() == [0.0, 0.5, 0.0]
    assert scores.responses is not None


def test_several_judges_a_pair_are_responses(tmp_path: Path) -> None:
    path = tmp_path / "crowd.csv"
    rows = ["id,prompt,worker,left,right,winner"]
    for p in range(3):
        rows += [f"{p},{p},w{w},A,B,{'left' if w <= p else 'right'}" for w in range(3)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    judged: Any = bt.read(path)
    assert judged.source == (
        "1 x judgments · item=prompt · judge=worker · systems A, B · not compared: id · 9 judgments"
    )
    scores = bt.read(path, metric="win")
    assert scores.n == 3
    assert np.allclose(scores.values[:, 1, 0], [2 / 3, 1 / 3, 0.0])
    assert bt.read(path, columns={"item": "id", "judge": "worker"}).n == 9
    for item in ("prompt+worker", ["prompt", "worker"]):
        items = bt.read(path, columns={"item": item}).items
        assert items is not None
        assert items[:2].tolist() == ["0/w0", "0/w1"]
    with pytest.raises(UsageError, match="no column 'topic'"):
        bt.read(path, columns={"item": "topic"})


def test_one_baseline_of_many(tmp_path: Path) -> None:
    """Judgments against the baseline: its half a point is what the others must beat."""
    systems = {"good": 0.9, "bad": 0.2}
    rows = [
        {"id": i, "model_a": "ref", "model_b": s, "winner": "b" if i < 100 * p else "a"}
        for s, p in systems.items()
        for i in range(100)
    ]
    path = write.write_lines(tmp_path / "b.jsonl", rows)
    scores = bt.read(path, metric="win")
    assert scores.systems == ("ref", "good", "bad")
    found = {c.candidate: c for c in bt.compare_many(scores)}
    assert found["good"].verdict == "better"
    assert found["bad"].verdict == "worse"
    assert found["good"].delta == pytest.approx(0.4)
    assert found["good"].pvalue == bt.sign_test([0] * 100, [1] * 90 + [-1] * 10).pvalue
    extra = [{"id": 0, "model_a": "good", "model_b": "bad", "winner": "a"}]
    mixed = write.write_lines(tmp_path / "m.jsonl", [*rows, *extra])
    with pytest.raises(FormatError) as caught:
        bt.read(mixed, metric="win")
    assert ("systems", ["ref"]) in advised(caught)
    again = bt.read(mixed, metric="win", systems=["ref"])
    assert np.array_equal(again.values, scores.values)
    assert any("1 judgments of others not used" in note for note in again.notes)
    pair = bt.read(mixed, metric="win", systems=["good", "bad"])
    assert (pair.systems, pair.n) == (("good", "bad"), 1)
    with pytest.raises(UsageError, match="none of 'x' was judged against 'ref'"):
        bt.read(mixed, metric="win", systems=["ref", "x"])
    with pytest.raises(UsageError, match="no system 'nobody'"):
        bt.read(mixed, metric="win", systems=["nobody"])
    with pytest.raises(UsageError, match="no system 'nobody'"):
        bt.read(mixed, systems=["nobody"])


def test_names_that_are_numbers_stay_as_written(tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text("id,left,right,winner\n007,01,2,01\n008,2,01,2\n", encoding="utf-8")
    judged: Any = bt.read(path)
    assert judged.systems == ("01", "2")
    assert judged.outcome.tolist() == [1.0, 1.0]
    assert judged.items is not None
    assert judged.items.tolist() == ["007", "008"]


def test_one_hot_winners(tmp_path: Path) -> None:
    path = tmp_path / "train.csv"
    path.write_text(
        "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
        "1,x,y,1,0,0\n2,x,y,0,1,0\n3,x,y,0,0,1\n",
        encoding="utf-8",
    )
    assert judgments(path).outcome.tolist() == [1.0, 0.0, 0.5]


def test_rank_takes_judgments(tmp_path: Path, betterthan: Callable[..., Run]) -> None:
    names = ["a", "b", "c"]
    rows = [
        {"id": k, "model_a": a, "model_b": b, "winner": "tie" if k % 5 == 0 else a if k % 3 else b}
        for k in range(30)
        for a, b in (("a", "b"), ("b", "c"), ("a", "c"))
    ]
    path = write.write_lines(tmp_path / "battles.jsonl", rows)
    run = betterthan("rank", str(path), "--format", "json", "--resamples", "20")
    assert run.code == 0, run.err
    assert all(name in json.dumps(json.loads(run.out)) for name in names)
    assert "systems a, b, c · 90 judgments" in run.err
    shown = betterthan("inspect", str(path)).out
    assert "90, 18 of them ties" in shown


def test_judgments_are_clustered_as_asked(betterthan: Callable[..., Run], tmp_path: Path) -> None:
    """An option that judgments have is heeded, one that they have not is refused."""
    path = tmp_path / "crowd.csv"
    rows = ["prompt,worker,left,right,winner"]
    rows += [f"{p},w{w},A,B,{'left' if w <= p else 'right'}" for p in range(3) for w in range(4)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    judged: Any = bt.read(path, columns={"cluster": "worker"})
    assert judged.clusters is not None
    assert judged.clusters.tolist() == ["w0", "w1", "w2", "w3"] * 3
    found = betterthan("rank", str(path), "--cluster", "worker")
    assert found.code == 0, found.err
    assert "4 clusters resampled" in found.out
    for role in ("cluster", "judge"):
        with pytest.raises(UsageError, match="no column 'nobody'"):
            bt.read(path, columns={role: "nobody"})
    with pytest.raises(UsageError, match="is for scores"):
        bt.read(path, lower_is_better=True)


@pytest.mark.parametrize("count", ["0", "1.5", "1e999", "many", "", "1e30", "9999999999999999999"])
def test_counts_are_whole_numbers(tmp_path: Path, count: str) -> None:
    file = tmp_path / "battles.csv"
    file.write_text(f"model_a,model_b,winner,count\na,b,model_a,{count}\na,c,model_b,2\n")
    with pytest.raises(FormatError, match="row 1: a count of judgments is a whole number"):
        bt.read(file)


def test_a_blank_name_is_no_system(tmp_path: Path) -> None:
    file = tmp_path / "battles.csv"
    file.write_text("model_a,model_b,winner\na,b,model_a\na,,model_b\n")
    with pytest.raises(FormatError, match="row 2 names no system in 'model_b'"):
        bt.read(file)
    with pytest.raises(FormatError, match="names no system in 'model_b'"):
        bt.read(file, items=False)


def test_more_judgments_than_can_be_counted_are_refused() -> None:
    with pytest.raises(BadValueError, match="below 2\\^53 together"):
        bt.Judgments.from_arrays(["a", "b"], ["b", "a"], [1.0, 0.5], counts=[2**52, 2**52])


@pytest.mark.parametrize("given", [None, 3, ["a.csv"], b"a.csv"])
def test_what_is_no_file_is_refused(given: Any) -> None:
    with pytest.raises(UsageError, match="sources must be files"):
        bt.read(given)
