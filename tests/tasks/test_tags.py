"""Spans against seqeval, which counts as conlleval does."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scored_texts import column, scored, value
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.metrics.sequence_labeling import get_entities

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
    adjacent = tags.score([Source("x", written([list(s) for s in rows]))], (), ())
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
    result = tags.score([Source("output.txt", text)], (), ())
    # IOB1 and IOB2 mark the same five phrases, though two of nine tags differ.
    assert [result.columns[c].sum() for c in ("tp", "pred", "gold")] == [5, 5, 5]
    assert [result.columns[c].sum() for c in ("correct", "total")] == [7, 9]
    assert column(result, "tp(VP)") == [0, 1]


@pytest.mark.parametrize(
    "sequence", ["I-A I-A B-A O I-B", "B-A I-A B-A O B-B", "B-A E-A S-A O S-B", "B-A L-A U-A O U-B"]
)
def test_iob1_iob2_iobes_and_bilou_mark_the_same_spans(sequence: str) -> None:
    spans = [(0, 2, "A"), (2, 3, "A"), (4, 5, "B")]
    assert tags.spans_of(sequence.split()) == spans


def test_documents_are_labels_of_sentences() -> None:
    text = "-DOCSTART- -X- O\n\na B-X B-X\n\nb O O\n\n-DOCSTART- -X- O\n\nc O O\n"
    result = tags.score([Source("x", text)], (), ())
    assert tags.recognise(text, tags=2)
    assert result.groups == {"document": ["1", "1", "2"]}
    assert column(result, "total") == [1, 1, 1]
