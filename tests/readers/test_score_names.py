"""Scores are paired if they are called alike, or each by its system; never a loss with an F1."""

import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading_ways import advised, counted

import betterthan as bt
from betterthan.data.frames.score_names import is_measure, shared_name
from betterthan.errors import AlignmentError, FormatError, UsageError
from betterthan.metrics.costs import is_cost
from betterthan.metrics.measures import measure_in
from betterthan.responses import read_trio
from conftest import Run
from engines import duckdb_relation

KINDS = ("csv", "tsv", "jsonl", "parquet")
UNLIKE = [
    *(("loss", "nll"), ("score", "loss"), ("loss", "score"), ("acc", "f1"), ("ppl", "bleu")),
    *(("alpha", "beta"), ("base", "score"), ("base", "loss"), ("new", "base")),
]
BETTER, WORSE = [k / 40 for k in range(40)], [k / 40 + 1 for k in range(40)]
HIGHER = [k / 80 + 0.5 for k in range(40)]  # from 0 to 1 as well


def written(path: Path, column: str, scores: Sequence[float] = BETTER) -> Path:
    """One system's scores in a file of the kind that its name says."""
    frame = pl.DataFrame({"id": [f"q{k}" for k in range(len(scores))], column: scores})
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    return path


@pytest.mark.parametrize("reader", [bt.read, counted])
@pytest.mark.parametrize("columns", UNLIKE)
@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_other_names_are_refused(
    tmp_path: Path, kind: str, columns: tuple[str, str], reader: Callable[..., object]
) -> None:
    files = [
        written(tmp_path / f"{s}.{kind}", c) for s, c in zip(("base", "new"), columns, strict=True)
    ]
    with pytest.raises(FormatError) as refused:
        reader(*files)
    said = str(refused.value)
    assert all(
        f"{file} has the score {name!r}" in said for file, name in zip(files, columns, strict=True)
    )
    assert "rename the columns alike" in said


@pytest.mark.parametrize("reader", [bt.read, counted])
@pytest.mark.parametrize(("first", "second"), [("acc", "f1"), ("loss", "nll"), ("wer", "ter")])
def test_a_file_called_by_its_metric_is_no_system(
    tmp_path: Path, first: str, second: str, reader: Callable[..., object]
) -> None:
    files = [written(tmp_path / f"{name}.csv", name) for name in (first, second)]
    with pytest.raises(
        FormatError, match=f"{first}.csv has the score '{first}' and .*{second}.csv"
    ):
        reader(*files)
    with pytest.raises(FormatError, match="rename the columns alike"):
        reader(*(f"{file.stem}={file}" for file in files))


@pytest.mark.parametrize("odd", range(3))
def test_one_of_three_files_is_enough(tmp_path: Path, odd: int) -> None:
    columns = ["accuracy"] * 3
    columns[odd] = "loss"
    files = [written(tmp_path / f"s{k}.csv", column) for k, column in enumerate(columns)]
    for reader in (bt.read, counted):
        with pytest.raises(FormatError, match=r"'accuracy'.*'loss'|'loss'.*'accuracy'"):
            reader(*files)


def test_the_file_that_is_not_called_by_its_system_is_named(tmp_path: Path) -> None:
    columns = {"base": "base", "new": "new", "third": "score"}
    files = [written(tmp_path / f"{system}.csv", name) for system, name in columns.items()]
    with pytest.raises(
        FormatError, match=r"base\.csv has the score 'base' and .*third\.csv has the"
    ):
        bt.read(*files)


COMMANDS = [
    *(["compare"], ["gate", "--margin", "10"], ["rank"], ["power", "--mde", "5"], ["score"]),
    ["gate", "--margin", "10", "--lower-is-better"],
    ["compare", "--metric", "mean(loss, lower_is_better)"],
    *(["inspect"], ["responses", "compare", "gold.csv"]),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_refuses_them(
    betterthan: Callable[..., Run],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "gold.csv", "score")
    written(tmp_path / "old.csv", "loss", BETTER)
    written(tmp_path / "new.csv", "nll", WORSE)
    run = betterthan(*words, "old.csv", "new.csv")
    assert run.code == 4
    assert run.out == ""
    assert "old.csv has the score 'loss' and new.csv has the score 'nll'" in run.err
    assert "score=COLUMN" in run.err


@pytest.mark.parametrize("reader", [bt.read, counted])
@pytest.mark.parametrize("kind", KINDS)
def test_scores_may_be_called_by_their_system(
    tmp_path: Path, kind: str, reader: Callable[..., bt.Scores]
) -> None:
    files = [
        written(tmp_path / f"{name}.{kind}", name, scores)
        for name, scores in (("gpt-4", BETTER), ("base", WORSE))
    ]
    found = reader(*files)
    assert found.systems == ("gpt-4", "base")
    assert found.columns == ("score",)
    assert "one per system, in a column of its name" in found.source.replace("table per", "per")
    assert "not compared" not in found.source
    assert bt.compare(found).verdict == "better"
    named = [
        f"x={written(tmp_path / f'1.{kind}', 'x')}",
        f"y={written(tmp_path / f'2.{kind}', 'y')}",
    ]
    assert reader(*named).systems == ("x", "y")


def test_the_message_says_how_to_name_systems(tmp_path: Path) -> None:
    files = [written(tmp_path / name, name[0]) for name in ("x1.csv", "y1.csv")]
    with pytest.raises(FormatError) as refused:
        bt.read(*files)
    assert f"x={files[0]} y={files[1]}" in refused.value.message
    assert bt.read(f"x={files[0]}", f"y={files[1]}").systems == ("x", "y")


def test_one_name_in_several_spellings(tmp_path: Path) -> None:
    spelled = ("Val Loss", "val_loss", "val-loss")
    files = [written(tmp_path / f"s{k}.csv", name) for k, name in enumerate(spelled)]
    for reader in (bt.read, counted):
        found = reader(*files)
        assert found.columns == ("Val Loss",)
        assert "not compared" not in found.source
        with pytest.raises(UsageError, match="less of 'Val Loss' is usually better"):
            bt.compare_many(found)


@pytest.mark.parametrize(
    "column", ["loss", "nll", "ppl", "wer", "ter", "dev_nll", "logloss", "bpb"]
)
def test_costs_of_one_name_are_asked_about(tmp_path: Path, column: str) -> None:
    assert is_cost(column)
    files = [written(tmp_path / "old.csv", column), written(tmp_path / "new.csv", column, WORSE)]
    for reader in (bt.read, counted):
        with pytest.raises(UsageError, match="is usually better"):
            bt.compare(reader(*files))
        assert bt.compare(reader(*files, lower_is_better=True)).verdict == "worse"


def test_long_tables_in_parts_have_one_name_of_scores(tmp_path: Path) -> None:
    for system, column in (("s", "loss"), ("t", "nll")):
        rows = "".join(f"q{k},{system},{k}\n" for k in range(3))
        (tmp_path / f"{system}.csv").write_text(f"item,system,{column}\n{rows}")
    files = [tmp_path / "s.csv", tmp_path / "t.csv"]
    with pytest.raises(FormatError, match=r"'loss' and .*'nll'"):
        bt.read(*files)
    with pytest.raises(FormatError, match=r"t\.csv has no column 'loss'"):
        bt.read(*files, items=False)


@given(
    st.lists(st.sampled_from(["old", "new", "Old", "loss", "score", "f1"]), min_size=2, max_size=4)
)
def test_alike_or_by_their_systems_or_refused(columns: list[str]) -> None:
    for systems in itertools.permutations(["old", "new", "third", "fourth"], len(columns)):
        files = [f"{k}.csv" for k in range(len(columns))]
        alike = len({name.lower() for name in columns}) == 1
        own = all(c.lower() == s for c, s in zip(columns, systems, strict=True))
        if alike or own:
            assert shared_name(columns, systems, files) == (columns[0] if alike else "score")
            continue
        with pytest.raises(FormatError, match=r"^0.csv has the score "):
            shared_name(columns, systems, files)


def test_only_the_systems_of_responses_are_called_alike(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold.csv", "rating")
    old, new = (written(tmp_path / f"{name}.csv", "score") for name in ("old", "new"))
    assert read_trio(gold, old, new)[1] == ("old", "new")
    raters = tmp_path / "raters.csv"
    raters.write_text("id,r1,r2\n" + "".join(f"q{k},1,{k % 2}\n" for k in range(40)))
    assert read_trio(gold, raters, new)[1] == ("raters", "new")
    with pytest.raises(FormatError, match=r"'score' and .*'loss'"):
        read_trio(gold, old, written(tmp_path / "other.csv", "loss"))


PART = {"id": ["q1", "q2", "q3"], "base": [0, 0, 0], "new": [1, 1, 1]}
OTHER = {"new": [1, 1, 1], "id": ["q4", "q5", "q6"], "base": [0, 0, 0]}


@pytest.mark.parametrize("made", [pl.DataFrame.lazy, duckdb_relation])
def test_parts_in_an_engine_are_put_together_by_names(
    made: Callable[[pl.DataFrame], object],
) -> None:
    found = counted(made(pl.DataFrame(PART)), made(pl.DataFrame(OTHER).select("id", "new", "base")))
    (row,), (count,) = found.rows.items.rows.tolist(), found.rows.items.counts.tolist()
    assert (row, count) == ([0, 1], 6)
    battles = pl.DataFrame({"model_a": ["x"] * 2, "model_b": ["y"] * 2, "winner": ["model_a"] * 2})
    turned = battles.select("model_b", "model_a", "winner")
    wins = bt.read(made(battles), made(turned), items=False)
    assert (wins.systems, wins.n) == (("x", "y"), 4)
    with pytest.raises(FormatError, match=r"differ in their columns \('item'\)"):
        bt.read(made(battles), made(turned.with_columns(item=pl.lit("q"))), items=False)


MEASURED = [
    *(("loss", "nll"), ("bleu", "chrf"), ("wer", "cer"), ("f1", "loss"), ("acc", "ppl")),
    *(("rouge-1", "rouge-2"), ("hits@1", "hits@10"), ("comet", "bleurt"), ("train_acc", "testAcc")),
]


@pytest.mark.parametrize("columns", MEASURED)
def test_metrics_in_one_table_are_no_systems(tmp_path: Path, columns: tuple[str, str]) -> None:
    first, second = columns
    path = tmp_path / "run.csv"
    rows = "".join(f"q{k},{x},{y}\n" for k, (x, y) in enumerate(zip(BETTER, WORSE, strict=True)))
    path.write_text(f"id,{first},{second}\n{rows}")
    found = bt.read(path)
    assert (found.systems, found.columns) == (("run",), columns)
    with pytest.raises(AlignmentError, match="only one system, 'run'"):
        bt.compare(found)
    with pytest.raises(UsageError, match="holds a single system"):
        bt.read(path, items=False)
    with pytest.raises(FormatError, match=f"{first!r} and {second!r} are named by different"):
        bt.read(path, systems=columns)
    path.write_text(f"id,base,{second}\n{rows}")
    for reader in (bt.read, counted):
        with pytest.raises(FormatError, match="systems, or scores of one system"):
            reader(path)


MEASURES = """
rouge1 rouge2 rouge-1 ROUGE-1 ROUGE-L rouge_1 rougeL rougeLsum RougeLSum bleu1 bleu4 bleu_1
sacrebleu hits@1 hits@10 hits@k ndcg@10 nDCG@10 map mAP mrr recall@1 P@1 pass@1 pass_at_1
macro_f1 micro_f1 macroF1 precision_macro bertscore_precision bert_score BERTScore bleu_score
em_score f1_score top1_acc top5_acc top_k_acc train_acc test_acc testAcc acc_norm auc auroc
roc_auc iou mIoU dice spice cider meteor toxicity bias fluency adequacy coherence comet COMET-22
bleurt chrF chrF++ chrF2 exact_match Exact.Match F1(macro) Recall(%) val_loss log_loss
error_rate word_perplexity acc f1 loss nll wer
""".split()
SYSTEMS = """
base new A B gpt-4 bert BERT bart clip bert-large llama-3-8b t5 o1 o1-mini r1 f1-mini f16
time-llm map-net em-dash bert_loss acc-tuned base_acc newF1 1_acc test train dev top top-k top_p
macro word2vec valter mapper passage laser errorless dicebert bias-free comet-lm las-vegas
model1 system_1 score1
""".split()


@pytest.mark.parametrize("name", MEASURES)
def test_measures(name: str) -> None:
    assert is_measure(name)
    other = "bleu" if name == "acc" else "acc"
    found = bt.read(pl.DataFrame({"id": [f"q{k}" for k in range(40)], name: BETTER, other: HIGHER}))
    assert found.columns == (name, other)


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_are_no_measures(name: str) -> None:
    assert not is_measure(name)


def test_long_names_take_no_time() -> None:
    for name in (
        "test_" * 4000,
        "acc_1_test_" * 2000 + "x",
        "_" * 20_000 + "x",
        "em1_" * 5000 + "x",
    ):
        assert measure_in(name) in ("", name.replace("_", "").removesuffix("x"))


MIXED = [
    *("base_acc new_loss", "base_f1 new_bleu", "accuracy_bert f1_gpt", "baseAcc newF1"),
    *("base_rouge1 new_rouge2", "macro_f1_base micro_f1_base macro_f1_new", "base_time new_wer"),
    *("acc_base f1_base acc_new f1_new", "base.acc base.f1 new.acc new.f1"),
]


@pytest.mark.parametrize("reader", [bt.read, counted])
@pytest.mark.parametrize("columns", [*map(str.split, MIXED)], ids=" ".join)
def test_systems_are_not_compared_by_different_measures(
    columns: list[str], reader: Callable[..., bt.Scores]
) -> None:
    values = {name: (BETTER, HIGHER)[k % 2] for k, name in enumerate(columns)}
    table = pl.DataFrame({"id": [f"q{k}" for k in range(40)], **values})
    said = f"{columns[0]!r} and {columns[1]!r} are named by different measures"
    with pytest.raises(FormatError, match=re.escape(said)) as refused:
        reader(table)
    with pytest.raises(FormatError, match=re.escape(said)):
        reader(table, systems=columns[:2])
    chosen = [value for name, value in advised(refused) if name == "systems"]
    assert len(chosen) == (len(columns) > 2)
    for systems in chosen:
        assert reader(table, systems=systems).systems == tuple(columns[::2])
    renamed = table.rename({name: f"s{k}" for k, name in enumerate(columns)})
    assert len(reader(renamed).systems) == len(columns)


def test_one_measure_of_several_systems(tmp_path: Path) -> None:
    path = str(tmp_path / "scores.csv")
    columns = {"acc_base": BETTER, "loss_base": BETTER, "acc_new": HIGHER, "loss_new": HIGHER}
    pl.DataFrame({"id": [f"q{k}" for k in range(40)], **columns}).write_csv(path)
    with pytest.raises(FormatError):
        bt.read(path)
    assert bt.compare(bt.read(path, systems="acc_base,acc_new")).verdict == "better"
    with pytest.raises(UsageError, match="less of 'loss_base' is usually better"):
        bt.compare(bt.read(path, systems="loss_base,loss_new"))


@pytest.mark.parametrize("reader", [bt.read, counted])
@pytest.mark.parametrize("names", ["rouge-1 rouge-2", "hits@1 hits@10", "base_acc new_loss"])
def test_files_of_different_measures(
    tmp_path: Path, names: str, reader: Callable[..., bt.Scores]
) -> None:
    files = [written(tmp_path / f"{name}.csv", name) for name in names.split()]
    with pytest.raises(FormatError, match="which need not measure the same") as refused:
        reader(*files)
    assert "names of the systems" not in str(refused.value)


@pytest.mark.parametrize("reader", [bt.read, counted])
@pytest.mark.parametrize("names", ["time-llm patchtst", "f1-mini o1-mini", "base_acc new_acc"])
def test_files_of_systems_with_a_measure_in_their_names(
    tmp_path: Path, names: str, reader: Callable[..., bt.Scores]
) -> None:
    files = [written(tmp_path / f"{name}.csv", name) for name in names.split()]
    assert reader(*files).systems == tuple(names.split())


def test_two_systems_are_named_where_one_may_be_a_measure(tmp_path: Path) -> None:
    path = str(tmp_path / "scores.csv")
    ids = [f"q{k}" for k in range(40)]
    for names in (["comet", "other"], ["comet", "old", "new"]):
        values = dict(zip(names[-2:], (BETTER, HIGHER), strict=True))
        pl.DataFrame({"id": ids, "comet": BETTER} | values).write_csv(path)
        with pytest.raises(FormatError) as caught:
            bt.read(path)
        assert ("systems", names[-2:]) in advised(caught)
        assert bt.compare(bt.read(path, systems=names[-2:])).verdict == "better"
