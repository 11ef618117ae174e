"""From raw outputs to verdicts: detection, the command line, caching, and complaints."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import AlignmentError, FormatError, UsageError
from betterthan.readers.outputs.scoring import kind_of
from betterthan.readers.sources import read
from betterthan.tasks.sources import Source
from conftest import Run

Command = Callable[..., Run]
WORDS = "the old cat sat on a red mat while two small dogs ran past our green house".split()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Line-aligned texts of 60 lines: a reference, two systems, documents."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    gold = [rng.choice(WORDS, rng.integers(6, 12)).tolist() for _ in range(60)]
    for name, keep in (("base", 0.6), ("new", 0.75)):
        said = [[w if rng.random() < keep else "um" for w in line] for line in gold]
        write(f"{name}.txt", "".join(" ".join(line) + "\n" for line in said))
    write("ref.txt", "".join(" ".join(line) + "\n" for line in gold))
    write("docs.txt", "".join(f"doc{k // 5}\n" for k in range(60)))
    return tmp_path


def write(name: str, text: str | bytes) -> None:
    Path(name).write_bytes(text.encode() if isinstance(text, str) else text)


CONLLU = "# sent_id = {0}\n1\tw\t_\tX\t_\t_\t0\troot\t_\t_\n2\tv\t_\tX\t_\t_\t{1}\tdep\t_\t_\n\n"


@pytest.mark.parametrize(
    ("metric", "gold", "kind"),
    [
        ("bleu", "(S (N a))\n", "text"),
        ("aer", "0-0 1-1\n", "alignments"),
        ("las", CONLLU.format("s", 1), "conllu"),
        ("f1", "(S (N a))\n", "trees"),
        ("f1", "a B-X\nb O\n", "tags"),
        ("f1", "spam\nham\n", "labels"),
        ("mcc", "spam\nham\n", "labels"),
        ("exact-match", "yes\nno\n", "text"),
        ("exact-match", "(S (N a))\n", "trees"),
        ("em", '{"version": "v2.0", "data": []}', "squad"),
        ("token-accuracy", "a O\nb B-X", "tags"),
        ("recall(PER)", "a O\nb B-PER\n", "tags"),
    ],
)
def test_the_kind_is_told_by_metric_and_gold(metric: str, gold: str, kind: str) -> None:
    assert kind_of(Source("gold", gold), [metric], None) == kind


@pytest.mark.parametrize(
    ("metric", "input_format"),
    [("bleu", "xml"), ("bleu", "trees"), ("blue", None), ("fbeta(2)", None)],
)
def test_kinds_that_do_not_fit(metric: str, input_format: str | None) -> None:
    with pytest.raises(UsageError):
        kind_of(Source("gold", "some words\n"), [metric], input_format)


def test_bleu_by_one_command(folder: Path, betterthan: Command) -> None:
    words = ["compare", "--metric", "bleu", "--ref", "ref.txt", "base.txt", "new.txt"]
    run = betterthan(*words)
    assert run.code == 0
    assert "new is BETTER than base" in run.out
    assert "sums, too many to count all swaps" in run.out
    assert "bleu = sacrebleu nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in run.err
    (found,) = json.loads(betterthan(*words, "-f", "json").out)["rows"]
    assert (found["metric"], found["kind"], found["n"]) == ("bleu", "sampled", 60)
    assert found["pvalue"] < 0.01


def test_every_command_takes_raw_outputs(folder: Path, betterthan: Command) -> None:
    options = ["--metric", "wer", "--ref", "ref.txt", "base.txt", "new.txt", "-f", "json"]
    board = json.loads(betterthan("rank", *options).out)["rows"]
    assert [row["system"] for row in board] == ["new", "base"]
    assert betterthan("gate", "--margin", "2", *options).code in (0, 3)
    assert len(json.loads(betterthan("score", *options).out)["rows"]) == 2


def test_columns_are_kept_and_read_again(folder: Path, betterthan: Command) -> None:
    metrics = ["-m", "bleu", "-m", "bleu(lc)", "-m", "chrf++", "-m", "ter", "-m", "rougeL(stem)"]
    options = [*metrics, "-m", "wer", "--ref", "ref.txt", "--cluster", "@docs.txt"]
    direct = betterthan("compare", *options, "base.txt", "new.txt", "-f", "json")
    assert direct.code == 0, direct.err
    expected = json.loads(direct.out)
    for suffix in ("parquet", "csv", "tsv", "jsonl"):
        run = betterthan("score", *options, "base.txt", "new.txt", "--per-item", f"kept.{suffix}")
        assert run.code == 0, run.err
        again = betterthan("compare", *metrics, "-m", "wer", f"kept.{suffix}", "-f", "json")
        assert again.code == 0, again.err
        found = json.loads(again.out)
        assert found["rows"] == expected["rows"]
        assert all(c["clusters"] == 12 for c in found["rows"])


def test_scores_are_those_of_the_tools(folder: Path) -> None:
    from sacrebleu.metrics.bleu import BLEU

    lines = {n: Path(f"{n}.txt").read_text("utf-8").splitlines() for n in ("ref", "base", "new")}
    scores = bt.read("base.txt", "new.txt", ref="ref.txt", metric="bleu")
    assert "sacrebleu" in scores.source
    for row in bt.score(scores, metric="bleu"):
        expected = BLEU().corpus_score(lines[row.system], [lines["ref"]]).score
        assert row.score == pytest.approx(expected / 100, abs=1e-12)


def test_one_command_a_task(folder: Path, betterthan: Command) -> None:
    """Every kind of gold goes to an exact or certified test, but for what is sampled by design."""
    rng = np.random.default_rng(11)

    def noisy(options: list[str], right: str, keep: float) -> str:
        return right if rng.random() < keep else str(rng.choice(options))

    types = ["O", "B-PER", "B-LOC"]
    tags = [str(rng.choice(types)) for _ in range(200)]
    heads = [str(rng.integers(0, 3)) for _ in range(200)]
    links = [f"{rng.integers(3)}-{rng.integers(3)}" for _ in range(200)]
    labels = [str(rng.choice(["spam", "ham", "eggs"])) for _ in range(200)]
    answers = {f"q{k}": str(rng.choice(WORDS)) for k in range(200)}
    write("gold.tags", "".join(f"w {t}\n\n" for t in tags))
    write("gold.conllu", "".join(CONLLU.format(k, h) for k, h in enumerate(heads)))
    write("gold.mrg", "".join(f"(S ({t[-1]} (N a) (N b)))\n" for t in tags))
    write("gold.align", "".join(f"{link} 4-4 5?5\n" for link in links))
    write("gold.labels", "\n".join(labels))
    qas = [{"id": q, "answers": [{"text": f"{a} x"}]} for q, a in answers.items()]
    paragraphs = [{"qas": qas[k : k + 2]} for k in range(0, 200, 2)]
    write("gold.json", json.dumps({"data": [{"paragraphs": paragraphs}]}))
    for name, keep in (("base", 0.6), ("new", 0.9)):
        write(f"{name}.tags", "".join(f"w {noisy(types, t, keep)}\n\n" for t in tags))
        write(
            f"{name}.conllu",
            "".join(CONLLU.format(k, noisy(["0", "1", "2"], h, keep)) for k, h in enumerate(heads)),
        )
        write(
            f"{name}.mrg",
            "".join(f"(S ({noisy(['O', 'R', 'C'], t[-1], keep)} (N a) (N b)))\n" for t in tags),
        )
        write(f"{name}.align", "".join(f"{noisy(['0-0', '2-2'], a, keep)} 5-5\n" for a in links))
        write(f"{name}.labels", "\n".join(noisy(["spam", "ham"], a, keep) for a in labels))
        said = {q: noisy(WORDS, a, keep) for q, a in answers.items()}
        write(f"{name}.json", json.dumps(said))
    for metric, suffix, kind in [
        ("f1", "tags", "exact"),
        ("f1(PER)", "tags", "exact"),
        ("token-accuracy", "tags", "exact"),
        ("uas", "conllu", "exact"),
        ("las", "conllu", "exact"),
        ("f1", "mrg", "exact"),
        ("aer", "align", "exact"),
        ("accuracy", "labels", "exact"),
        ("f1(spam)", "labels", "exact"),
        ("macro-f1", "labels", "sampled"),
        ("mcc", "labels", "sampled"),
        ("token-f1", "json", "exact"),  # every answer scores 0 or 2/3: a lattice in disguise
        ("em", "json", "exact"),
    ]:
        run = betterthan(
            *("compare", "--metric", metric, "--ref", f"gold.{suffix}"),
            *(f"base.{suffix}", f"new.{suffix}", "-f", "json"),
        )
        assert run.code == 0, run.err
        (found,) = json.loads(run.out)["rows"]
        assert found["kind"] == kind, (metric, found["reason"])
        assert found["verdict"] == "better" or metric == "em", metric
    assert found["clusters"] == 100  # SQuAD's paragraphs


def test_every_class_by_a_star(folder: Path, betterthan: Command) -> None:
    write("a.conll", "x B-PER B-PER\ny O B-LOC\n\nz B-LOC B-LOC\n" * 9)
    write("b.conll", "x B-PER B-PER\ny O O\n\nz B-LOC O\n" * 9)
    run = betterthan("compare", "-m", "f1", "-m", "f1(*)", "a.conll", "b.conll", "-f", "json")
    assert run.code == 0, run.err
    metrics = [c["metric"] for c in json.loads(run.out)["rows"]]
    assert metrics == ["f1", "f1(LOC)", "f1(PER)"]
    scores = read("a.conll", "b.conll", metric="f1")
    assert scores.systems == ("a", "b")
    assert "conll" in scores.source


def test_documents_are_clusters_only_when_said(folder: Path, betterthan: Command) -> None:
    sentence = "x B-PER B-PER\n\n"
    write("a.conll", f"-DOCSTART- O O\n\n{sentence * 3}-DOCSTART- O O\n\n{sentence * 3}")
    scores = read("a.conll")
    assert scores.clusters is None
    assert "2 values of 'document'" in scores.notes[0]
    assert len(set(bt.read("a.conll", columns={"cluster": "document"}).clusters)) == 2  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no 'planet' to cluster by"):
        bt.read("a.conll", columns={"cluster": "planet"})


def test_unanswered_questions(folder: Path) -> None:
    gold = {"data": [{"paragraphs": [{"qas": [{"id": "q", "answers": [{"text": "x y"}]}]}] * 1}]}
    gold["data"][0]["paragraphs"].append({"qas": [{"id": "r", "answers": [{"text": "y"}]}]})
    write("gold.json", json.dumps(gold))
    write("s.json", json.dumps({"q": "x"}))
    options = {"ref": ["gold.json"], "metric": ["token-f1"]}
    with pytest.raises(AlignmentError, match=r"no score for 1 of 2 items \('r'\)"):
        bt.read("s.json", **options)  # type: ignore[arg-type]
    worst = bt.read("s.json", missing="worst", **options)  # type: ignore[arg-type]
    assert worst.values[:, 0, 0].tolist() == [2 / 3, 0]
    assert "1 missing answers counted as wrong" in worst.notes
    assert bt.read("s.json", missing="drop", **options).n == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "code", "word"),
    [
        ("-m bleu --ref short.txt base.txt new.txt", 4, "60 lines"),
        ("-m bleu --ref hole.txt base.txt new.txt", 4, "line 7"),
        ("-m bleu --ref latin.txt base.txt new.txt", 4, "line 3"),
        ("-m bleu --ref nowhere.txt base.txt new.txt", 4, "nowhere.txt"),
        ("-m bleu --ref ref.txt --cluster @short.txt base.txt", 4, "50 lines"),
        ("-m bleu --ref ref.txt --cluster @hole.txt base.txt", 4, "line 7"),
        ("--ref ref.txt base.txt new.txt", 2, "--metric METRIC"),
        ("-m wer --ref ref.txt --cluster x base.txt", 2, "--cluster @FILE"),
        ("-m wer --ref empty.txt base.txt", 4, "empty.txt"),
        ("-m bleu(x=1) --ref ref.txt base.txt", 2, "lc, tok="),
        ("-m rouge1(p,r) --ref ref.txt base.txt", 2, "rouge1"),
        ("-m f1 --input-format tags --ref bad.tags bad.tags2", 4, "bad.tags, line 2"),
    ],
)
def test_errors(folder: Path, betterthan: Command, words: str, code: int, word: str) -> None:
    ref = Path("ref.txt").read_text("utf-8").splitlines(keepends=True)
    write("short.txt", "".join(ref[:50]))
    write("hole.txt", "".join([*ref[:6], "\n", *ref[7:]]))
    write("empty.txt", "\n\n")
    write("latin.txt", "".join(ref).encode().replace(ref[2].encode()[:3], b"caf\xe9"))
    write("bad.tags", "a B-PER\nb PER\n")
    write("bad.tags2", "a B-PER\nb O\n")
    run = betterthan("compare", *words.split())
    assert run.code == code, run.err
    assert word in run.err
    assert "Traceback" not in run.err


def test_compressed_files(folder: Path) -> None:
    for name in ("base", "new", "ref"):
        Path(f"{name}.txt.gz").write_bytes(gzip.compress(Path(f"{name}.txt").read_bytes()))
    plain = bt.read("base.txt", "new.txt", ref="ref.txt", metric="wer")
    packed = bt.read("base.txt.gz", "new.txt.gz", ref="ref.txt.gz", metric="wer")
    assert packed.systems == plain.systems == ("base", "new")
    np.testing.assert_array_equal(packed.values, plain.values)


def test_a_kept_table_names_its_metrics(folder: Path, betterthan: Command) -> None:
    options = ["-m", "bleu(lc)", "-m", "chrf", "--ref", "ref.txt", "base.txt", "new.txt"]
    betterthan("score", *options, "--per-item", "kept.csv")
    run = betterthan("compare", "kept.csv")
    assert run.code == 2
    assert "--metric chrf" in run.err
    run = betterthan("compare", "kept.csv", "-m", "bleu")
    assert run.code == 2
    assert "needs the columns bleu.sys_len" in run.err


def test_a_file_of_no_known_kind_may_be_declared(folder: Path) -> None:
    write("gold.pos", "the DT ?\ncat NN .\n")
    write("sys.pos", "the DT ?\ncat VB .\n")
    options = {"ref": "gold.pos", "metric": "token-accuracy"}
    with pytest.raises(FormatError) as caught:
        bt.read("sys.pos", **options)  # type: ignore[arg-type]
    remedies = [(remedy.parameter, remedy.value) for remedy in caught.value.remedies]
    assert ("input_format", "tags") in remedies
    scores = bt.read("sys.pos", input_format="tags", **options)  # type: ignore[arg-type]
    assert scores.columns == ("correct", "total")
