"""From raw outputs to verdicts: detection, the command line, caching, and errors."""

import json
from collections.abc import Callable
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import pytest
from reading_ways import advised

import betterthan as bt
from betterthan.errors import AlignmentError, FormatError, UsageError
from betterthan.readers.outputs.scoring import kind_of
from betterthan.tasks.sources import Source
from conftest import Run

Command = Callable[..., Run]
BUNDLED = Path(str(resources("betterthan") / "bundled" / "outputs"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Outputs of two systems for every task, and what they should have been; documents."""
    monkeypatch.chdir(tmp_path)
    for path in BUNDLED.iterdir():
        Path(path.name).write_bytes(path.read_bytes())
    return tmp_path


def lines(name: str) -> list[str]:
    return Path(name).read_text("utf-8").splitlines()


@pytest.mark.parametrize(
    ("metric", "gold", "kind"),
    [
        ("f1", "(S (N a))\n", "trees"),
        ("f1", "a B-X\nb O\n", "tags"),
        ("f1", "spam\nham\n", "labels"),
        ("mcc", "spam\nham\n", "labels"),
        ("exact-match", "yes\nno\n", "text"),
        ("exact-match", "(S (N a))\n", "trees"),
        ("token-accuracy", "a O\nb B-X", "tags"),
    ],
)
def test_the_kind_is_told_by_metric_and_gold(metric: str, gold: str, kind: str) -> None:
    assert kind_of(Source("gold", gold), [metric], None) == kind


@pytest.mark.parametrize(
    ("metric", "suffix", "kind"),
    [
        ("bleu", "txt", "sampled"),
        ("rouge1", "txt", "certified"),
        ("wer", "txt", "exact"),
        ("las", "conllu", "exact"),
        ("f1", "mrg", "exact"),
        ("aer", "align", "exact"),
        ("f1(good)", "labels", "exact"),
        ("macro-f1", "labels", "sampled"),
        ("token-f1", "json", "exact"),
        ("em", "json", "exact"),
    ],
)
def test_one_command_a_task(
    metric: str, suffix: str, kind: str, folder: Path, betterthan: Command
) -> None:
    """What is a mean or a ratio of counts is tested exactly, all else by sampling."""
    files = [f"{name}.{suffix}" for name in ("base", "new")]
    run = betterthan("compare", "-m", metric, "--ref", f"gold.{suffix}", *files, "-f", "json")
    assert run.code == 0, run.err
    (row,) = json.loads(run.out)["rows"]
    assert (row["metric"], row["kind"]) == ({"em": "exact-match"}.get(metric, metric), kind)
    assert row["clusters"] == (30 if suffix == "json" else None)  # SQuAD's paragraphs


TEXTS = ["--ref", "gold.txt", "base.txt", "new.txt"]


def test_every_command_takes_raw_outputs(folder: Path, betterthan: Command) -> None:
    run = betterthan("compare", "-m", "bleu", *TEXTS)
    assert "bleu = sacrebleu nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in run.err
    options = ["--metric", "wer", *TEXTS, "-f", "json"]
    board = json.loads(betterthan("rank", *options).out)["rows"]
    assert [row["system"] for row in board] == ["new", "base"]
    assert betterthan("gate", "--margin", "2", *options).code in (0, 3)
    assert len(json.loads(betterthan("score", *options).out)["rows"]) == 2


@pytest.mark.parametrize("suffix", ["parquet", "csv", "tsv", "jsonl"])
def test_columns_are_kept_and_read_again(suffix: str, folder: Path, betterthan: Command) -> None:
    metrics = ["-m", "bleu(lc)", "-m", "chrf++", "-m", "ter", "-m", "rougeL(stem)", "-m", "wer"]
    options = [*metrics, *TEXTS, "--cluster", "@documents.txt"]
    direct = betterthan("compare", *options, "-f", "json")
    assert direct.code == 0, direct.err
    betterthan("score", *options, "--per-item", f"kept.{suffix}")
    again = betterthan("compare", *metrics, f"kept.{suffix}", "-f", "json")
    assert json.loads(again.out)["rows"] == json.loads(direct.out)["rows"]
    for words in ([], ["-m", "bleu"]):  # several metrics, and one of other settings
        assert betterthan("compare", f"kept.{suffix}", *words).code == 2


@pytest.mark.parametrize("metric", ["bleu", "wer", "token-f1"])
def test_marks_of_windows_change_nothing(folder: Path, metric: str) -> None:
    end = "json" if metric == "token-f1" else "txt"
    files: dict[str, Any] = {"ref": f"gold.{end}", "metric": metric}
    plain = bt.read(f"new.{end}", **files).values.tolist()
    for name in ("new", "gold"):
        data = Path(f"{name}.{end}").read_bytes().replace(b"\n", b"\r\n")
        Path(f"{name}.{end}").write_bytes(b"\xef\xbb\xbf" + data)
    assert bt.read(f"new.{end}", **files).values.tolist() == plain


def test_documents_are_clusters_only_when_said(folder: Path) -> None:
    sentence = "x B-PER B-PER\n\n"
    Path("a.conll").write_text(f"-DOCSTART- O O\n\n{sentence * 3}-DOCSTART- O O\n\n{sentence * 3}")
    scores = bt.read("a.conll")
    assert (scores.clusters, len(scores.notes)) == (None, 1)
    clustered: Any = bt.read("a.conll", columns={"cluster": "document"})
    assert len(set(clustered.clusters)) == 2
    with pytest.raises(UsageError):
        bt.read("a.conll", columns={"cluster": "planet"})


def test_unanswered_questions(folder: Path) -> None:
    qas = [[{"id": "q", "answers": [{"text": "x y"}]}], [{"id": "r", "answers": [{"text": "y"}]}]]
    gold = {"data": [{"paragraphs": [{"qas": each} for each in qas]}]}
    Path("asked.json").write_text(json.dumps(gold))
    Path("s.json").write_text(json.dumps({"q": "x"}))
    options: dict[str, Any] = {"ref": ["asked.json"], "metric": ["token-f1"]}
    with pytest.raises(AlignmentError, match="'r'"):
        bt.read("s.json", **options)
    worst = bt.read("s.json", missing="worst", **options)
    assert worst.values[:, 0, 0].tolist() == [2 / 3, 0]
    assert len(worst.notes) == 1
    assert bt.read("s.json", missing="drop", **options).n == 1


@pytest.mark.parametrize(
    ("words", "code", "word"),
    [
        ("-m bleu --ref short.txt base.txt new.txt", 4, "50"),
        ("-m bleu --ref hole.txt base.txt new.txt", 4, "line 7"),
        ("-m bleu --ref latin.txt base.txt new.txt", 4, "line 3"),
        ("-m bleu --ref nowhere.txt base.txt new.txt", 4, "nowhere.txt"),
        ("-m bleu --ref gold.txt --cluster @short.txt base.txt", 4, "50 lines"),
        ("-m bleu --ref gold.txt --cluster @hole.txt base.txt", 4, "line 7"),
        ("--ref gold.txt base.txt new.txt", 2, "--metric METRIC"),
        ("-m wer --ref gold.txt --cluster x base.txt", 2, "--cluster @FILE"),
        ("-m wer --ref empty.txt base.txt", 4, "empty.txt"),
        ("-m bleu(x=1) --ref gold.txt base.txt", 2, "lc, tok="),
        ("-m rouge1(p,r) --ref gold.txt base.txt", 2, "rouge1"),
        ("-m f1 --input-format tags --ref bad.tags bad.tags", 4, "bad.tags, line 2"),
        ("-m bleu --ref gold.txt --columns item=x base.txt", 2, "item"),
        ("-m bleu --ref gold.txt --where task=x base.txt", 2, "where"),
    ],
)
def test_errors(folder: Path, betterthan: Command, words: str, code: int, word: str) -> None:
    gold = Path("gold.txt").read_bytes().splitlines(keepends=True)
    Path("short.txt").write_bytes(b"".join(gold[:50]))
    Path("hole.txt").write_bytes(b"".join([*gold[:6], b"\n", *gold[7:]]))
    Path("latin.txt").write_bytes(b"".join([*gold[:2], b"caf\xe9\n", *gold[3:]]))
    Path("empty.txt").write_bytes(b"\n\n")
    Path("bad.tags").write_text("a B-PER\nb PER\n")
    run = betterthan("compare", *words.split())
    assert (run.code, word in run.err, "Traceback" in run.err) == (code, True, False), run.err


def test_a_file_of_no_known_kind_may_be_declared(folder: Path) -> None:
    Path("gold.pos").write_text("the DT ?\ncat NN .\n")
    Path("sys.pos").write_text("the DT ?\ncat VB .\n")
    options: dict[str, Any] = {"ref": "gold.pos", "metric": "token-accuracy"}
    with pytest.raises(FormatError) as caught:
        bt.read("sys.pos", **options)
    assert ("input_format", "tags") in advised(caught)
    assert bt.read("sys.pos", input_format="tags", **options).columns == ("correct", "total")
