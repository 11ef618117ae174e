"""Text metrics against sacrebleu, rouge-score and jiwer: whole corpora, to 1e-9."""

from collections.abc import Callable, Sequence
from pathlib import Path

import jiwer
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from betterthan.errors import (
    AlignmentError,
    FormatError,
    Remedy,
    TooLargeError,
    UsageError,
    remedy_of,
)
from betterthan.metrics import parse, resolve
from betterthan.tasks import edits, text
from betterthan.tasks.sources import Source

WORDS = "The the cat cats sat on mats , . can't running naïve 1,000 50% 猫 house-boat".split()
lines = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
full_lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)


@st.composite
def corpora(draw: st.DrawFn, references: int = 1) -> tuple[list[str], list[list[str]]]:
    """Hypotheses, some of them empty or right, and one or more references of each."""
    refs = draw(
        st.lists(
            st.lists(full_lines, min_size=references, max_size=references), min_size=1, max_size=5
        )
    )
    hyps = [draw(st.one_of(lines, st.sampled_from(r))) for r in refs]
    return hyps, [list(column) for column in zip(*refs, strict=True)]


def corpus_score(metric: str, hyps: Sequence[str], refs: Sequence[Sequence[str]]) -> float:
    """The score by our columns and the algebra's ``finish(sum T)``."""
    system = Source("sys", "\n".join(hyps) + "\n")
    golds = [Source(f"ref{k}", "\n".join(ref) + "\n") for k, ref in enumerate(refs)]
    if not system.text.strip():
        return 0.0
    columns = text.score([system], golds, [metric]).columns
    found = resolve(metric, tuple(columns))
    return found.score(np.stack([columns[c][:, 0] for c in found.columns], axis=1).astype(float))


SACRE: list[tuple[str, Callable[[], BLEU | CHRF | TER]]] = [
    ("bleu", BLEU),
    ("bleu(lc)", lambda: BLEU(lowercase=True)),
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
    def agrees(corpus: tuple[list[str], list[list[str]]]) -> None:
        hyps, refs = corpus
        if not any(hyps):
            return
        if "nopunct" in metric and not set("".join(map("".join, refs))) - set(",. "):
            return  # nothing to divide by: refused, see below
        expected = oracle().corpus_score(hyps, refs).score / 100
        assert corpus_score(metric, hyps, refs) == pytest.approx(expected, abs=1e-9)

    agrees()


@pytest.mark.parametrize("metric", ["bleu", "chrf++"])
@settings(max_examples=60, deadline=None)
@given(counts=st.lists(st.integers(0, 9), min_size=24, max_size=24))
@example(counts=[0] * 5 + [1] * 5 + [0] * 14)  # no words on either side, and yet a match
def test_finish_is_sacrebleus_for_any_counts(metric: str, counts: list[int]) -> None:
    """Swaps and resamples reach sums that no text would, so every branch must agree."""
    oracle = BLEU() if metric == "bleu" else CHRF(word_order=2)
    size = len(parse(metric).columns)
    stats = counts[:size]
    expected = oracle._compute_score_from_stats(list(stats)).score / 100
    found = parse(metric).finish(np.array([stats, stats], dtype=float), 1)
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_signature_is_sacrebleus() -> None:
    scored = text.score([Source("s", "a b\n")], [Source("r", "a b\n")], ["bleu", "ter"])
    bleu, ter = BLEU(), TER()
    bleu.corpus_score(["a b"], [["a b"]])
    ter.corpus_score(["a b"], [["a b"]])
    assert scored.signatures == (
        f"bleu = sacrebleu {bleu.get_signature()}",
        f"ter = sacrebleu {ter.get_signature()}",
    )


def test_an_empty_line_among_several_references_is_a_missing_one() -> None:
    golds = [Source("a", "the cat sat\nthe dog ran\n"), Source("b", "\na dog ran off\n")]
    scored = text.score([Source("s", "the cat sat\na dog ran\n")], golds, ["bleu"])
    oracle = BLEU()
    refs = [["the cat sat", "the dog ran"], [None, "a dog ran off"]]
    expected = oracle._extract_corpus_statistics(["the cat sat", "a dog ran"], refs)  # type: ignore[arg-type]
    assert np.stack([c[:, 0] for c in scored.columns.values()], axis=1).tolist() == expected
    assert "nrefs:var" in scored.signatures[0]


@pytest.mark.parametrize("kind", ["rouge1", "rouge2", "rougeL"])
@pytest.mark.parametrize("setting", ["", "stem", "p", "r", "p,stem"])
def test_rouge(kind: str, setting: str) -> None:
    oracle = RougeScorer([kind], use_stemmer="stem" in setting)
    part = {"p": "precision", "r": "recall"}.get(setting[:1], "fmeasure")
    metric = f"{kind}({setting})" if setting else kind

    @settings(max_examples=40, deadline=None)
    @given(corpora(2))
    def agrees(corpus: tuple[list[str], list[list[str]]]) -> None:
        hyps, refs = corpus
        if not any(hyps):
            return
        each = [
            getattr(oracle.score_multi(targets, hyp)[kind], part)
            for hyp, *targets in zip(hyps, *refs, strict=True)
        ]
        assert corpus_score(metric, hyps, refs) == pytest.approx(np.mean(each), abs=1e-9)

    agrees()


def test_references_of_the_same_f1_are_chosen_between_as_rouge_score_does() -> None:
    """Found by Hypothesis: 6/18 and 4/12 are equal, and rounding decides whose recall counts."""
    system, references = (
        "The The The The The The naïve naïve",
        ["The The The a a a can't", "The The"],
    )
    for part in ("precision", "recall"):
        best = RougeScorer(["rouge1"]).score_multi(references, system)["rouge1"]
        found = corpus_score(f"rouge1({part[0]})", [system], [[r] for r in references])
        assert found == pytest.approx(getattr(best, part), abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(corpora())
def test_error_rates(corpus: tuple[list[str], list[list[str]]]) -> None:
    hyps, (refs,) = corpus
    if not any(hyps):
        return
    assert corpus_score("wer", hyps, [refs]) == pytest.approx(jiwer.wer(refs, hyps), abs=1e-12)
    assert corpus_score("cer", hyps, [refs]) == pytest.approx(jiwer.cer(refs, hyps), abs=1e-12)


def test_exact_match_takes_any_reference() -> None:
    assert corpus_score("em", ["a b ", "c", "d"], [["x", "c", "y"], ["a b", "z", "w"]]) == 2 / 3


@pytest.mark.parametrize(
    ("metric", "test"), [("ter", "additive"), ("wer", "additive"), ("bleu", "sums")]
)
def test_live_dimensions(metric: str, test: str, sentences: tuple[Source, Source, Source]) -> None:
    from betterthan.data.pairing import pair_of
    from betterthan.testing.swaps import Swaps

    gold, base, new = sentences
    columns = text.score([base, new], [gold], [metric]).columns
    found = parse(metric)
    a, b = (np.stack([columns[c][:, k] for c in found.columns], axis=1) for k in (0, 1))
    shape = Swaps.of(pair_of(a, b, found)).shape
    assert shape.whole
    assert shape.additive == (test == "additive")


@pytest.fixture
def sentences() -> tuple[Source, Source, Source]:
    """A reference and two systems of 40 lines."""
    rng = np.random.default_rng(7)
    gold = [rng.choice(WORDS, 8).tolist() for _ in range(40)]
    said = [
        [
            [w if rng.random() < keep else "noise" for w in line][: rng.integers(6, 9)]
            for line in gold
        ]
        for keep in (0.7, 0.8)
    ]
    texts = ["".join(" ".join(line) + "\n" for line in block) for block in (gold, *said)]
    return Source("ref", texts[0]), Source("base", texts[1]), Source("new", texts[2])


class TestComplaints:
    def test_line_counts(self) -> None:
        with pytest.raises(
            AlignmentError, match=r"s has 3 lines \(its first empty line is line 2\)"
        ):
            text.score([Source("s", "a\n\nb\n")], [Source("r", "a\nb\n")], ["wer"])
        with pytest.raises(AlignmentError, match="r2 has 1 line, r1 has 2"):
            text.score([Source("s", "a\nb")], [Source("r1", "a\nb"), Source("r2", "a")], ["bleu"])

    def test_empty_references(self) -> None:
        with pytest.raises(FormatError, match="r, line 2 is empty: there is nothing to score"):
            text.score([Source("s", "a\nb\n")], [Source("r", "a\n  \n")], ["bleu"])
        with pytest.raises(FormatError, match="r1, line 1 is empty in all references"):
            text.score(
                [Source("s", "a\n")], [Source("r1", "\n\n"[:1] + "x"), Source("r2", "\ny")], ["em"]
            )

    def test_empty_outputs_are_scored_and_said(self) -> None:
        scored = text.score([Source("s", "a\n\n\n")], [Source("r", "a\nb\nc")], ["wer"])
        assert scored.columns["errors"][:, 0].tolist() == [0, 1, 1]
        assert scored.notes == (
            "s has 2 empty lines (the first is line 2), scored as empty output",
        )

    def test_lines_without_one_of_several_references_are_said(self) -> None:
        golds = [Source("r", "a\nb\nc"), Source("q", "a\n \nc")]
        scored = text.score([Source("s", "a\nb\nc")], golds, ["em"])
        assert scored.notes == (
            "q has 1 empty line (line 2), scored against the other references alone",
        )

    def test_empty_files(self) -> None:
        with pytest.raises(FormatError, match="s is empty"):
            text.score([Source("s", "\n")], [Source("r", "a\n")], ["wer"])

    def test_several_references_for_wer(self) -> None:
        with pytest.raises(UsageError, match="one reference") as caught:
            text.score([Source("s", "a")], [Source("r", "a"), Source("q", "a")], ["wer"])
        assert caught.value.remedy == Remedy("", "ref", "r")

    def test_references_of_punctuation_alone(self) -> None:
        with pytest.raises(FormatError, match=r"no words that ter\(nopunct\) counts"):
            text.score([Source("s", "a\n")], [Source("r", ", .\n")], ["ter(nopunct)"])

    def test_unknown_tokenizer(self) -> None:
        with pytest.raises(UsageError, match="no tokenizer 'klingon'; it has 13a"):
            text.score([Source("s", "a")], [Source("r", "a")], ["bleu(tok=klingon)"])

    def test_without_sacrebleu(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(__import__("sys").modules, "sacrebleu.metrics.bleu", None)
        with pytest.raises(UsageError, match=r"pip install sacrebleu"):
            text.score([Source("s", "a")], [Source("r", "a")], ["bleu"])

    def test_separators_of_unicode_do_not_end_lines(self) -> None:
        scored = text.score(
            [Source("s", "a\u2028b\r\nc\x85d\n")], [Source("r", "a b\nc d")], ["wer"]
        )
        assert len(scored.columns["errors"]) == 2

    def test_wrong_reference(
        self, sentences: tuple[Source, Source, Source], tmp_path: Path
    ) -> None:
        gold, base, new = sentences
        assert text.doubts([base, new], [gold]) == ()
        moved = Source("moved", "\n".join(gold.lines[3:] + gold.lines[:3]) + "\n")
        (note,) = text.doubts([base], [moved])
        assert "base have no more in common" in note

    def test_labels_and_constant_outputs_are_not_judged(self) -> None:
        yes = Source("yes", "yes\n" * 30)
        assert not text.doubts([yes], [Source("gold", "yes\nno\n" * 15)])
        gold = Source("gold", "".join(f"a long line number {k} of many\n" for k in range(30)))
        assert not text.doubts([yes], [gold])
        assert not text.doubts([gold], [Source("same", "the same long line again\n" * 30)])

    def test_tokenized_text_is_said(self) -> None:
        tokenized = "hello there .\n" * 120
        scored = text.score([Source("s", tokenized)], [Source("r", tokenized)], ["bleu"])
        assert (remedy := remedy_of(scored.notes[0])) is not None
        assert (remedy.parameter, remedy.value) == ("metric", "bleu(tok=none)")
        again = text.score([Source("s", tokenized)], [Source("r", tokenized)], ["bleu(tok=none)"])
        assert again.notes == ()


@pytest.mark.parametrize("metric", ["wer", "cer", "rougel"])
def test_a_line_too_long_to_be_aligned_is_named(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edits, "FEW_CELLS", 100)
    monkeypatch.setattr(edits, "MOST_CELLS", 100)
    gold, out = Source("gold", "a b\n" + "a " * 20), Source("out", "a b\n" + "b c " * 20)
    with pytest.raises(TooLargeError, match=r"^out, line 2: sequences of .* tokens .* split them"):
        text.score([out], [gold], [metric])
