"""Labels against scikit-learn, in files and in a table with a column of right answers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scored_texts import scored, value, warnings
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

import betterthan as bt
from betterthan.errors import AlignmentError, FormatError, MissingScoresError, UsageError
from betterthan.tasks import labels
from conftest import Run

Command = Callable[..., Run]
ALL = ("accuracy", "f1", "macro-f1", "mcc", "f1(a)")
TABLE = {
    "id": ["q1", "q2", "q3", "q4", "q5", "q6"],
    "gold": ["pos", "neg", "pos", "neg", "neut", "neg"],
    "a": ["pos", "neg", "pos", "pos", "neut", "neg"],
    "b": ["neg", "neg", "neg", "neg", "neg", "pos"],
}


@settings(max_examples=150, deadline=None)
@pytest.mark.filterwarnings("ignore")  # scikit-learn warns of a single label
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1))
def test_scores_are_scikit_learns(rows: list[tuple[str, str]]) -> None:
    gold, said = [g for g, _ in rows], [p for _, p in rows]
    ours = scored(labels, "\n".join(said), "\n".join(gold), *ALL)
    assert value(ours, "accuracy") == pytest.approx(accuracy_score(gold, said), abs=1e-12)
    micro = f1_score(gold, said, average="micro")
    assert value(ours, "f1") == value(ours, "micro-f1") == pytest.approx(micro, abs=1e-12)
    if len({*gold, *said}) > 1:
        macro = f1_score(gold, said, average="macro")
        assert value(ours, "macro-f1") == pytest.approx(macro, abs=1e-12)
        assert value(ours, "mcc") == pytest.approx(matthews_corrcoef(gold, said), abs=1e-12)
    if "a" in {*gold, *said}:
        of_a = f1_score(gold, said, labels=["a"], average=None, zero_division=0)[0]
        assert value(ours, "f1(a)") == pytest.approx(of_a, abs=1e-12)


def test_labels_of_which_the_reference_has_none_are_noted() -> None:
    (note,) = warnings(scored(labels, "1\n0\n1\n", "spam\nham\nham\n", "accuracy"))
    assert "'0', '1'" in note
    assert scored(labels, "b\nfoo\n", "a\nb\n", "accuracy").notes == ()


def written(tmp_path: Path, table: dict[str, Any]) -> Path:
    path = tmp_path / "labels.csv"
    pl.DataFrame(table).write_csv(path)
    return path


@pytest.mark.parametrize("metric", ["accuracy", "macro-f1", "mcc", "f1(neg)"])
def test_a_table_is_scored_as_its_columns_in_files_are(tmp_path: Path, metric: str) -> None:
    for name in ("gold", "a", "b"):
        (tmp_path / f"{name}.txt").write_text("".join(f"{x}\n" for x in TABLE[name]))
    files = [tmp_path / f"{name}.txt" for name in ("a", "b")]
    expected = bt.compare(bt.read(*files, ref=tmp_path / "gold.txt", metric=metric), metric=metric)
    sources = [written(tmp_path, TABLE), pl.DataFrame(TABLE), pd.DataFrame(TABLE)]
    for source in sources:
        scores = bt.read(source, columns={"ref": "gold"}, metric=metric)
        result = bt.compare(scores, metric=metric)
        assert (result.delta, result.pvalue) == (expected.delta, expected.pvalue)
        assert scores.to_polars()["item"].unique(maintain_order=True).to_list() == TABLE["id"]


def test_every_command_takes_a_table_of_labels(tmp_path: Path, betterthan: Command) -> None:
    told = str(written(tmp_path, TABLE)), "--columns", "ref=gold"
    every = betterthan("compare", *told, "-m", "f1(*)", "-f", "json")
    metrics = [row["metric"] for row in json.loads(every.out)["rows"]]
    assert metrics == ["f1(neg)", "f1(neut)", "f1(pos)"]
    assert betterthan("rank", *told).code == 0
    assert betterthan("gate", *told, "--margin", "5").code == 3


def test_the_columns_of_a_table_of_labels() -> None:
    table = {**TABLE, "domain": ["x", "x", "y", "y", "z", "z"]}
    with pytest.raises(FormatError) as caught:
        bt.read(pl.DataFrame(table), columns={"ref": "gold"})
    remedy = caught.value.remedy
    assert (remedy.parameter, remedy.value) == ("systems", ["a", "b"])  # type: ignore[union-attr]
    chosen = bt.read(pl.DataFrame(table), columns={"ref": "gold"}, systems=["b", "a"])
    assert chosen.systems == ("b", "a")
    assert set(chosen.labels("domain")) == {"x", "y", "z"}
    clustered = bt.read(pl.DataFrame(table), columns={"ref": "gold", "cluster": "domain"})
    assert bt.compare(clustered).clusters == 3
    some = bt.read(pl.DataFrame(table), columns="ref=gold,label=domain", where="domain=x")
    assert some.n == 2
    numbers = pd.DataFrame({"gold": [1, 0, 1], "a": [1, 0, None], "b": [1, 1, 1]})
    scores = bt.read(numbers, columns={"ref": "gold"}, missing="drop")
    assert scores.values[:, :, 0].tolist() == [[1, 1], [1, 0]]


def test_missing_labels(tmp_path: Path) -> None:
    path = written(tmp_path, {**TABLE, "a": ["pos", None, *TABLE["a"][2:]]})
    with pytest.raises(MissingScoresError):
        bt.read(path, columns={"ref": "gold"})
    assert bt.read(path, columns={"ref": "gold"}, missing="drop").n == 5
    worst = bt.read(path, columns={"ref": "gold"}, missing="worst", metric="accuracy")
    assert worst.values[1, 0, 0] == 0
    recall = bt.read(path, columns={"ref": "gold"}, missing="worst", metric="recall(neg)")
    assert recall.measured("recall(neg)").score(recall.values[:, 0]) == 1 / 3
    with pytest.raises(AlignmentError):
        bt.read(path, columns={"ref": "a"})
    with pytest.raises(UsageError):
        bt.read(path, columns={"ref": "gold"}, metric="bleu")
    with pytest.raises(UsageError):
        bt.read(path, path, columns={"ref": "gold"})
