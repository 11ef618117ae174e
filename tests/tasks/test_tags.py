"""Spans against seqeval, which counts as conlleval does."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scored_texts import column, scored, value
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.metrics.sequence_labeling import get_entities

from betterthan.errors import AlignmentError, FormatError, UsageError
from betterthan.tasks import tags
from betterthan.tasks.sources import Source

any_tag = st.one_of(
    st.just("O"),
    st.builds("{}-{}".format, st.sampled_from("BIES"), st.sampled_from(["PER", "LOC", "B-X"])),
)
sentences = st.lists(
    st.lists(st.tuples(any_tag, any_tag), min_size=1, max_size=8), min_size=1, max_size=5
)


def written(rows: list[list[tuple[str, ...]]]) -> str:
    """Sentences in columns: a word, then the tags."""
    blocks = ("".join(" ".join((f"w{k}", *row)) + "\n" for k, row in enumerate(s)) for s in rows)
    return "\n".join(blocks)


@settings(max_examples=150, deadline=None)
@pytest.mark.filterwarnings("ignore")  # seqeval warns of types that no one predicted
@given(sentences)
def test_scores_are_seqevals(rows: list[list[tuple[str, str]]]) -> None:
    gold = [[g for g, _ in s] for s in rows]
    predicted = [[p for _, p in s] for s in rows]
    adjacent = tags.score_pairs([Source("x", written([list(s) for s in rows]))])
    files = (written([[(tag,) for tag in s] for s in each]) for each in (predicted, gold))
    apart = scored(tags, *files, "f1")
    kinds = sorted({kind for s in (*gold, *predicted) for kind, _, _ in get_entities(s)})
    each = f1_score(gold, predicted, average=None) if kinds else []
    pairs = [pair for s in rows for pair in s]
    for result in (adjacent, apart):
        precision, recall = precision_score(gold, predicted), recall_score(gold, predicted)
        assert value(result, "precision") == pytest.approx(precision, abs=1e-12)
        assert value(result, "recall") == pytest.approx(recall, abs=1e-12)
        assert value(result, "f1") == pytest.approx(f1_score(gold, predicted), abs=1e-12)
        assert [value(result, f"f1({k})") for k in kinds] == pytest.approx(list(each), abs=1e-12)
        right = sum(g == p for g, p in pairs) / len(pairs)
        assert value(result, "token-accuracy") == pytest.approx(right)


def test_the_example_of_conlleval() -> None:
    """The first lines of https://www.clips.uantwerpen.be/conll2000/chunking/output.html."""
    text = (
        "Boeing NNP B-NP I-NP\n's POS B-NP B-NP\n747 CD I-NP I-NP\njetliners NNS I-NP I-NP\n"
        ". . O O\n\nRockwell NNP B-NP I-NP\nsaid VBD B-VP B-VP\nthe DT B-NP B-NP\n"
        "agreement NN I-NP I-NP\n"
    )
    result = tags.score_pairs([Source("output.txt", text)])
    # IOB1 and IOB2 mark the same five phrases, though two of nine tags differ.
    assert [result.columns[c].sum() for c in ("tp", "pred", "gold")] == [5, 5, 5]
    assert [result.columns[c].sum() for c in ("correct", "total")] == [7, 9]
    assert column(result, "tp(VP)") == [0, 1]


@pytest.mark.parametrize(
    "sequence", ["I-A I-A B-A O I-B", "B-A I-A B-A O B-B", "B-A E-A S-A O S-B", "B-A L-A U-A O U-B"]
)
def test_iob1_iob2_iobes_and_bilou_mark_the_same_spans(sequence: str) -> None:
    spans = [(0, 2, "A"), (2, 3, "A"), (4, 5, "B")]
    assert [tuple(span) for span in tags.spans_of(sequence.split())] == spans


def test_other_columns_are_ignored() -> None:
    systems = ["a O B-X\nb O B-X\n\nc O O\n", "a B-X\nb B-X\n\nc O\n"]
    result = scored(tags, systems, "a B-X\nb O\n\nc B-X\n", "f1")
    assert result.columns["tp"].tolist() == [[1, 1], [0, 0]]
    assert result.columns["pred"].tolist() == [[2, 2], [0, 0]]
    assert result.columns["gold"].tolist() == [[1, 1], [1, 1]]


def test_documents_are_labels_of_sentences() -> None:
    text = "-DOCSTART- -X- O\n\na B-X B-X\n\nb O O\n\n-DOCSTART- -X- O\n\nc O O\n"
    result = tags.score_pairs([Source("x", text)])
    assert tags.recognise(text, tags=2)
    assert result.groups == {"document": ["1", "1", "2"]}
    assert column(result, "total") == [1, 1, 1]


@pytest.mark.parametrize(
    ("system", "gold", "error", "word"),
    [
        ("a O\n\nb O\n", "a B-X\nb O\n", AlignmentError, "2 sentences"),
        ("a O\n", "a B-X\nb O\n", AlignmentError, "s0, line 1"),
        ("x O\n\nb O\n", "x O\n\na O\n", AlignmentError, "s0, line 3"),
        ("a O\nb\n", "a O\nb O\n", FormatError, "s0, line 2"),
        ("a O\n\nb\n", "-DOCSTART- -X- O\n\na NN O\n\nb B-X\n", FormatError, "s0, line 3"),
        ("a O\nb B-X\nc I-X\nd O\n", "a O\nb B-X\nc I-X\nd Q-X\n", FormatError, "g0, line 4"),
    ],
)
def test_errors(system: str, gold: str, error: type[Exception], word: str) -> None:
    with pytest.raises(error, match=word):
        scored(tags, system, gold, "f1")


def test_errors_of_tags_next_to_the_gold() -> None:
    with pytest.raises(FormatError):
        tags.score_pairs([Source("x", "a O\n")])
    with pytest.raises(AlignmentError, match="y, line 1"):
        tags.score_pairs([Source("x", "a B-X O\n"), Source("y", "a O O\n")])
    with pytest.raises(UsageError):
        scored(tags, "a O\n", ["a O", "a O"], "f1")


def test_a_token_stands_before_its_tags() -> None:
    assert tags.recognise("a O\nb B-X\n")
    assert tags.recognise("a O O\nb B-X O\nc O B-X\n", tags=2)
    assert not tags.recognise("B-X\nO\n")
    assert not tags.recognise("a O O\nb B-X Q-X\nc O B-X\n", tags=2)
