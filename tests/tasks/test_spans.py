"""Spans against seqeval, which counts as conlleval does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.metrics.sequence_labeling import get_entities

from betterthan.errors import AlignmentError, FormatError, UsageError
from betterthan.metrics import resolve
from betterthan.tasks import spans
from betterthan.tasks.sources import Scored, Source

TYPES = ("PER", "LOC", "B-X")
tags = st.one_of(
    st.just("O"), st.builds("{}-{}".format, st.sampled_from("BIES"), st.sampled_from(TYPES))
)
sentences = st.lists(
    st.lists(st.tuples(tags, tags), min_size=1, max_size=8), min_size=1, max_size=5
)


def written(rows: list[list[tuple[str, str]]]) -> str:
    """Sentences in columns: a word, then the tags."""
    blocks = ("".join(" ".join((f"w{k}", *row)) + "\n" for k, row in enumerate(s)) for s in rows)
    return "\n".join(blocks)


def score_of(scored: Scored, metric: str) -> float:
    found = resolve(metric, tuple(scored.columns))
    values = np.stack([scored.columns[c][:, 0] for c in found.columns], axis=1)
    return found.score(values.astype(float))


@given(st.lists(tags, max_size=12))
def test_spans_are_seqevals(sequence: list[str]) -> None:
    expected = [(start, end + 1, kind) for kind, start, end in get_entities(sequence)]
    assert [tuple(span) for span in spans.spans_of(sequence)] == expected


@settings(max_examples=100, deadline=None)
@pytest.mark.filterwarnings("ignore")  # seqeval warns of types nobody predicted
@given(sentences)
def test_scores_are_seqevals(rows: list[list[tuple[str, str]]]) -> None:
    gold = [[g for g, _ in s] for s in rows]
    said = [[p for _, p in s] for s in rows]
    scored = spans.score_pairs([Source("x", written(rows))])
    assert score_of(scored, "precision") == pytest.approx(precision_score(gold, said), abs=1e-12)
    assert score_of(scored, "recall") == pytest.approx(recall_score(gold, said), abs=1e-12)
    assert score_of(scored, "f1") == pytest.approx(f1_score(gold, said), abs=1e-12)
    kinds = sorted({kind for s in (*gold, *said) for kind, _, _ in get_entities(s)})
    each = f1_score(gold, said, average=None) if kinds else []
    assert [score_of(scored, f"f1({k})") for k in kinds] == pytest.approx(list(each), abs=1e-12)
    right = sum(g == p for s in rows for g, p in s)
    total = sum(len(s) for s in rows)
    assert score_of(scored, "token-accuracy") == pytest.approx(right / total)


def test_the_example_of_conlleval() -> None:
    """The first lines of https://www.clips.uantwerpen.be/conll2000/chunking/output.html."""
    text = (
        "Boeing NNP B-NP I-NP\n's POS B-NP B-NP\n747 CD I-NP I-NP\njetliners NNS I-NP I-NP\n"
        ". . O O\n\nRockwell NNP B-NP I-NP\nsaid VBD B-VP B-VP\nthe DT B-NP B-NP\n"
        "agreement NN I-NP I-NP\n"
    )
    scored = spans.score_pairs([Source("output.txt", text)])
    # IOB1 and IOB2 mark the same five phrases, though two of nine tags differ.
    assert [scored.columns[c].sum() for c in ("tp", "pred", "gold")] == [5, 5, 5]
    assert [scored.columns[c].sum() for c in ("correct", "total")] == [7, 9]
    assert scored.columns["tp(VP)"][:, 0].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("scheme", "sequence"),
    [
        ("IOB1", "I-A I-A B-A O I-B"),
        ("IOB2", "B-A I-A B-A O B-B"),
        ("IOBES", "B-A E-A S-A O S-B"),
        ("BILOU", "B-A L-A U-A O U-B"),
    ],
)
def test_schemes_say_the_same(scheme: str, sequence: str) -> None:
    assert [tuple(s) for s in spans.spans_of(sequence.split())] == [
        (0, 2, "A"),
        (2, 3, "A"),
        (4, 5, "B"),
    ]


def test_gold_and_system_files() -> None:
    gold = Source("gold", "a B-X\nb O\n\nc B-X\n")
    tagged = Source("tagged", "a O B-X\nb O B-X\n\nc O O\n")
    bare = Source("bare", "B-X\nB-X\n\nO\n")
    scored = spans.score([tagged, bare], [gold], ["f1"])
    assert scored.columns["tp"].tolist() == [[1, 1], [0, 0]]
    assert scored.columns["pred"].tolist() == [[2, 2], [0, 0]]
    assert scored.columns["gold"].tolist() == [[1, 1], [1, 1]]


def test_documents_are_labels() -> None:
    text = "-DOCSTART- -X- O\n\na B-X B-X\n\nb O O\n\n-DOCSTART- -X- O\n\nc O O\n"
    scored = spans.score_pairs([Source("x", text)])
    assert spans.recognise_pairs(text)
    assert scored.groups == {"document": ["1", "1", "2"]}
    assert scored.columns["total"][:, 0].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("gold", "system", "error", "says"),
    [
        ("a B-X\n", "a NP\n", FormatError, "s, line 1: 'NP' is no tag"),
        ("a B-X\nb O\n", "a O\n\nb O\n", AlignmentError, "s has 2 sentences, g has 1"),
        ("a B-X\nb O\n", "a O\n", AlignmentError, "s, line 1: the sentence has 1 tokens, and 2 at"),
        (
            "x O\n\na O\n",
            "x O\n\nb O\n",
            AlignmentError,
            "s, line 3 has the token 'b' where g, line 3",
        ),
        ("a O\n", "a O\nb\n", FormatError, "s, line 2 has 1 fields where line 1 has 2"),
        ("a O\n", "\n", FormatError, "s is empty"),
    ],
)
def test_complaints(gold: str, system: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        spans.score([Source("s", system)], [Source("g", gold)], ["f1"])


def test_complaints_about_pairs() -> None:
    with pytest.raises(FormatError, match="x, line 1 has 2 fields where 3 are needed"):
        spans.score_pairs([Source("x", "a O\n")])
    with pytest.raises(AlignmentError, match="y, line 1 has the gold tag 'O' where x, line 1 has"):
        spans.score_pairs([Source("x", "a B-X O\n"), Source("y", "a O O\n")])
    with pytest.raises(UsageError, match="one gold file"):
        spans.score([Source("x", "a O\n")], [Source("g", "a O"), Source("h", "a O")], ["f1"])


def test_a_misspelt_tag_of_the_gold_is_named_with_its_line() -> None:
    text = "a O\nb B-X\nc I-X\nd Q-X\n"
    assert spans.recognise(text)
    assert not spans.recognise("spam\nB-X\nO\n")  # labels, none of them beside a token
    assert not spans.recognise_pairs("a O O\nb B-X Q-X\nc O B-X\n")
    with pytest.raises(FormatError, match="gold, line 4: 'Q-X' is no tag"):
        spans.score([Source("s", "a O\nb B-X\nc I-X\nd O\n")], [Source("gold", text)], ["f1"])


def test_fields_are_counted_from_the_first_token() -> None:
    text = "-DOCSTART- -X- O\n\na NN O\nb B-X\n"
    with pytest.raises(FormatError, match="gold, line 4 has 2 fields where line 3 has 3"):
        spans.score([Source("s", text)], [Source("gold", text)], ["f1"])
