"""Text metrics against sacrebleu, rouge-score and jiwer: whole corpora, to 1e-9."""

from collections.abc import Callable, Sequence
from typing import Any

import jiwer
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from scored_texts import column, scored, value, warnings

from betterthan.errors import Note, Remedy, UsageError
from betterthan.metrics import parse
from betterthan.tasks import text

WORDS = "The the cat cats sat on mats , . can't running naïve 1,000 50% 猫 house-boat".split()
lines = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
full_lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
Corpus = tuple[list[str], list[list[str]]]


@st.composite
def corpora(draw: st.DrawFn, references: int = 1) -> Corpus:
    """Hypotheses, some of them empty or right, and one or more references of each."""
    several = st.lists(full_lines, min_size=references, max_size=references)
    refs = draw(st.lists(several, min_size=1, max_size=5))
    hyps = [draw(st.one_of(lines, st.sampled_from(r))) for r in refs]
    return hyps, [list(column) for column in zip(*refs, strict=True)]


def corpus_score(metric: str, hyps: Sequence[str], refs: Sequence[Sequence[str]]) -> float:
    golds = ["\n".join(ref) + "\n" for ref in refs]
    return value(scored(text, "\n".join(hyps) + "\n", golds, metric), metric)


SACRE: list[tuple[str, Callable[[], BLEU | CHRF | TER]]] = [
    ("bleu", BLEU),
    ("bleu(tok=zh)", lambda: BLEU(tokenize="zh")),
    ("bleu(tok=char, lc)", lambda: BLEU(tokenize="char", lowercase=True)),
    ("chrf", CHRF),
    ("chrf++", lambda: CHRF(word_order=2)),
    ("chrf++(lc)", lambda: CHRF(word_order=2, lowercase=True)),
    ("ter", TER),
    ("ter(cased,norm,nopunct,asian)", lambda: TER(True, True, True, True)),
]


@pytest.mark.parametrize(("metric", "oracle"), SACRE, ids=[name for name, _ in SACRE])
@pytest.mark.parametrize("references", [1, 2])
def test_sacrebleu(metric: str, oracle: Callable[[], BLEU], references: int) -> None:
    @settings(max_examples=40, deadline=None)
    @given(corpora(references))
    def agrees(corpus: Corpus) -> None:
        hyps, refs = corpus
        if "nopunct" in metric and not set("".join(map("".join, refs))) - set(",. "):
            return  # nothing to divide by
        expected = oracle().corpus_score(hyps, refs).score / 100
        assert corpus_score(metric, hyps, refs) == pytest.approx(expected, abs=1e-9)

    agrees()


def test_the_signature_is_sacrebleus() -> None:
    signatures = scored(text, "a b\n", "a b\n", "bleu", "ter").signatures
    bleu, ter = BLEU(), TER()
    for oracle, signature in zip((bleu, ter), signatures, strict=True):
        oracle.corpus_score(["a b"], [["a b"]])
        assert str(oracle.get_signature()) in signature


def test_an_empty_line_among_several_references_is_a_missing_one() -> None:
    golds = ["the cat sat\nthe dog ran\n", "\na dog ran off\n"]
    result = scored(text, "the cat sat\na dog ran\n", golds, "bleu", "em", "rougel")
    refs: Any = [["the cat sat", "the dog ran"], [None, "a dog ran off"]]
    expected = BLEU()._extract_corpus_statistics(["the cat sat", "a dog ran"], refs)
    stats = [result.columns[c][:, 0] for c in parse("bleu").columns]
    assert np.stack(stats, axis=1).tolist() == expected
    assert "nrefs:var" in result.signatures[0]


@pytest.mark.parametrize("kind", ["rouge1", "rouge2", "rougeL"])
@pytest.mark.parametrize("setting", ["", "stem", "p", "r", "p,stem"])
def test_rouge(kind: str, setting: str) -> None:
    oracle = RougeScorer([kind], use_stemmer="stem" in setting)
    part = {"p": "precision", "r": "recall"}.get(setting[:1], "fmeasure")
    metric = f"{kind}({setting})" if setting else kind

    @settings(max_examples=40, deadline=None)
    @given(corpora(2))
    @example((["The " * 6 + "naïve naïve"], [["The The The a a a can't"], ["The The"]]))
    def agrees(corpus: Corpus) -> None:  # in the example rounding decides between references
        hyps, refs = corpus
        each = [
            getattr(oracle.score_multi(targets, hyp)[kind], part)
            for hyp, *targets in zip(hyps, *refs, strict=True)
        ]
        assert corpus_score(metric, hyps, refs) == pytest.approx(np.mean(each), abs=1e-9)

    agrees()


@settings(max_examples=80, deadline=None)
@given(corpora())
def test_error_rates(corpus: Corpus) -> None:
    hyps, (refs,) = corpus
    assert corpus_score("wer", hyps, [refs]) == pytest.approx(jiwer.wer(refs, hyps), abs=1e-12)
    assert corpus_score("cer", hyps, [refs]) == pytest.approx(jiwer.cer(refs, hyps), abs=1e-12)


def test_exact_match_takes_any_reference() -> None:
    assert corpus_score("em", ["a b ", "c", "d"], [["x", "c", "y"], ["a b", "z", "w"]]) == 2 / 3
    assert corpus_score("em", ["", "c"], [["x", "c"], ["", "z"]]) == 1 / 2


@pytest.mark.parametrize(
    ("metric", "remedy"),
    [("bleu", "bleu(tok=none)"), ("bleu(lc)", "bleu(lc,tok=none)"), ("bleu(tok=none)", None)],
)
def test_tokenized_texts_are_not_tokenized_again(metric: str, remedy: str | None) -> None:
    lines = "".join(f"the cat sat {k} times .\n" for k in range(100))
    notes = [x for x in scored(text, lines, lines, metric).notes if isinstance(x, Note)]
    assert [x.remedy.value for x in notes if x.remedy] == ([remedy] if remedy else [])
    assert not scored(text, lines.replace(" .", "."), lines, metric).notes


def test_only_a_line_feed_ends_a_line() -> None:
    result = scored(text, "a\u2028b\nc\x85d\n", "a b\nc d", "wer")
    assert column(result, "errors") == [0, 0]


@pytest.mark.parametrize(
    ("metric", "module"),
    [("bleu", "sacrebleu.metrics.bleu"), ("rouge1(stem)", "nltk.stem.porter")],
)
def test_without_the_extra(metric: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from betterthan.tasks import rouge

    rouge._stemmer.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(UsageError) as caught:
        scored(text, "a stem", "a stem", metric)
    assert isinstance(caught.value.remedy, Remedy)


RNG = np.random.default_rng(1)
GOLD = [RNG.choice(WORDS, RNG.integers(5, 12)).tolist() for _ in range(150)]
SAID = [[w if RNG.random() < 0.6 else str(RNG.choice(WORDS)) for w in line] for line in GOLD]
BAD = [[w if RNG.random() < 0.3 else str(RNG.choice(WORDS)) for w in line] for line in GOLD]


@pytest.mark.parametrize(
    ("outputs", "unrelated"),
    [
        (SAID, False),
        (BAD, False),
        ([[word.upper() for word in line] for line in SAID], False),
        (SAID[:90] + [["I", "can", "not", "answer"]] * 60, False),
        (SAID[1:] + SAID[:1], True),
        (SAID[:40] + SAID[41:] + SAID[:1], True),  # a line is lost
        ([SAID[k] for k in RNG.permutation(150)], True),
        ([["x", "y", "z"]] * 150, True),
    ],
)
def test_outputs_that_look_unrelated_to_the_reference(
    outputs: list[list[str]], unrelated: bool
) -> None:
    system, gold = ("".join(" ".join(line) + "\n" for line in each) for each in (outputs, GOLD))
    notes = warnings(scored(text, system, gold, "wer"))
    assert len(notes) == unrelated
    assert not warnings(scored(text, "b\na\n", "a\nb\n", "wer"))  # too few to tell
