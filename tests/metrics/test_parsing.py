"""Task metrics as values: their names, settings, classes and columns."""

import pickle

import numpy as np
import pytest

from betterthan.errors import UsageError
from betterthan.metrics import candidates, expand_classes, macro_f1, mcc, parse, resolve
from betterthan.metrics.classes import classes_of
from betterthan.metrics.named import LAYOUTS

NAMES = [
    *("bleu", "bleu(lc)", "bleu(lc,tok=zh)", "chrf", "chrf(lc)", "chrf++", "chrf++(lc)", "ter"),
    *("ter(asian,cased)", "rouge1", "rouge2(stem)", "rougeL", "rougeL(p,stem)", "wer", "cer"),
    *("exact-match", "token-f1", "upos", "uas", "las", "f1(PER)", "precision(a b)", "recall((x))"),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_its_repr_and_finds_its_columns(name: str) -> None:
    metric = parse(name)
    assert repr(metric) == name
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert resolve(name, ("other", *metric.columns)) == metric
    if not name.startswith(("precision", "recall")):  # of a class, F1 is named for all three
        assert name in candidates(metric.columns)


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("BLEU", "bleu"),
        ("bleu(tok=13a)", "bleu"),
        (" bleu( tok=zh ,lc )", "bleu(lc,tok=zh)"),
        ("chrF++", "chrf++"),
        ("rougel", "rougeL"),
        ("ROUGE-1", "rouge1"),
        ("micro-f1", "f1"),
        ("em", "exact-match"),
        ("exact_match", "exact-match"),
        ("token_f1", "token-f1"),
    ],
)
def test_other_spellings(spelled: str, name: str) -> None:
    assert repr(parse(spelled)) == name


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("acuracy", "unknown metric 'acuracy'"),
        ("", "unknown metric ''"),
        ("2 (x", r"unknown metric '2 \(x'"),
        ("wer(lc)", r"unknown metric 'wer\(lc\)'"),
        ("macro-f1(x)", "unknown metric"),
        ("mcc", "of every class X"),
        ("bleu(zh)", "lc, tok="),
        ("bleu(tok=zh,tok=char)", "at most one of a kind"),
        ("rouge1(f)", "p, r, stem"),
        ("ratio(a)", "write a ratio"),
        ("ratio(a / b / c)", "write a ratio"),
        ("ratio(/ b)", "above"),
        ("ratio(a /)", "cannot read '/'"),
        ("ratio(a b / c)", "cannot read 'b / c'"),
        ("fbeta(x)", "'x'"),
        ("fbeta(-1)", "'-1'"),
        ("fbeta(1/0)", "'1/0'"),
        ("no_such_module:X", "cannot import the metric 'no_such_module:X'"),
        ("math:pi", "'math:pi' is a float"),
    ],
)
def test_what_is_not_a_metric(written: str, word: str) -> None:
    with pytest.raises(UsageError, match=word):
        parse(written)


def test_classes() -> None:
    columns = (*macro_f1("ab").columns, "x")
    assert classes_of(columns) == ("a", "b")
    assert classes_of(("tp(a)", "pred(a)")) == ()
    assert resolve("macro-f1", columns) == macro_f1("ab")
    assert resolve("mcc", columns) == mcc("ab")
    assert expand_classes(["f1(*)", "x", "recall(*)"], columns) == [
        *("f1(a)", "f1(b)", "x", "recall(a)", "recall(b)")
    ]
    assert candidates(columns) == ["f1(a)", "f1(b)", "macro-f1", "mcc", "x"]


def test_one_class_is_not_all_of_them() -> None:
    with pytest.raises(UsageError, match="of every class X"):
        resolve("macro-f1", parse("f1(PER)").columns)


def test_column_names_of_metrics_differ() -> None:
    """One table may hold the columns of all metrics of a task, so they must not collide."""
    text = [parse(n) for n in ("bleu", "bleu(lc)", "chrf", "chrf++", "ter", "wer", "cer", "rouge1")]
    columns = [c for metric in text for c in metric.columns]
    assert len(set(columns)) == len(columns)
    for layouts in LAYOUTS.values():
        for metric in layouts:
            assert np.isfinite(metric.score(np.ones((3, len(metric.columns)))))


@pytest.mark.parametrize(
    ("spelling", "columns", "lacking"),
    [
        ("mean(latncy, lower_is_better)", ("score", "latency"), "latncy"),
        ("mean(latncy)", ("score",), "latncy"),
        ("mean(score)", ("value",), "score"),
        ("f1(PER)", ("tp", "fp", "fn"), r"tp\(PER\)"),
        ("recall(PER)", ("tp", "gold"), r"tp\(PER\)"),
    ],
)
def test_what_is_named_is_not_replaced_by_what_there_is(
    spelling: str, columns: tuple[str, ...], lacking: str
) -> None:
    for metric in (spelling, parse(spelling)) if spelling != "mean(score)" else (spelling,):
        with pytest.raises(UsageError, match=f"needs the columns? {lacking}"):
            resolve(metric, columns)
    assert resolve("mean(lower_is_better)", ("value",)).columns == ("value",)
    assert resolve("micro-f1", ("tp", "pred", "gold")).columns == ("tp", "pred", "gold")
