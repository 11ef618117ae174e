"""Answers against the official script's rules, written out plainly."""

import collections
import json
import re
import string

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.errors import AlignmentError, FormatError
from betterthan.tasks import squad
from betterthan.tasks.sources import Source

answers = st.lists(
    st.sampled_from(["the", "The", "a", "an", "cat", "Cat,", "U.S.", "-", "1,000", "theory"]),
    max_size=5,
).map(" ".join)


def plain_normalise(text: str) -> str:
    """Lower case; no punctuation; no articles as whole words; single blanks."""
    kept = "".join(c for c in text.lower() if c not in string.punctuation)
    return " ".join(word for word in re.split(r"\s+", kept) if word not in ("", "a", "an", "the"))


def plain_f1(answer: str, truth: str) -> float:
    mine, theirs = plain_normalise(answer).split(), plain_normalise(truth).split()
    if not mine or not theirs:
        return float(mine == theirs)
    same = sum((collections.Counter(mine) & collections.Counter(theirs)).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(mine), same / len(theirs)
    return 2 * precision * recall / (precision + recall)


@settings(max_examples=150, deadline=None)
@given(answers, answers)
def test_the_rules(answer: str, truth: str) -> None:
    assert squad.normalise(answer) == plain_normalise(answer)
    assert squad.exact_match(answer, truth) == (plain_normalise(answer) == plain_normalise(truth))
    assert squad.token_f1(answer, truth) == pytest.approx(plain_f1(answer, truth), abs=1e-12)


def gold(*paragraphs: dict[str, list[str]]) -> Source:
    document = {
        "version": "1.1",
        "data": [
            {
                "title": "t",
                "paragraphs": [
                    {
                        "context": "c",
                        "qas": [
                            {"id": q, "question": "?", "answers": [{"text": a} for a in texts]}
                            for q, texts in paragraph.items()
                        ],
                    }
                    for paragraph in paragraphs
                ],
            }
        ],
    }
    return Source("gold.json", json.dumps(document))


def test_best_answer_clusters_and_missing_ones() -> None:
    truth = gold({"q1": ["Paris", "the city of Paris"], "q2": []}, {"q3": ["1889"]})
    said = Source("s.json", json.dumps({"q1": "in city of Paris", "q2": ""}))
    scored = squad.score([said], [truth], ["token-f1"])
    assert squad.recognise(truth.text)
    assert scored.items == ["q1", "q2", "q3"]
    assert scored.groups["paragraph"] == ["1.1", "1.1", "1.2"]
    assert scored.cluster == "paragraph"
    np.testing.assert_array_equal(scored.columns["exact_match"][:, 0], [0, 1, np.nan])
    np.testing.assert_allclose(scored.columns["token_f1"][:, 0], [2 * 3 / 7, 1, np.nan])


@pytest.mark.parametrize(
    ("truth", "said", "error", "says"),
    [
        (None, '{"q9": "x"}', AlignmentError, "answers 1 questions that gold.json does not have"),
        (None, '{"q1": 3}', FormatError, "s is no file of answers"),
        (None, '{"q1":\n "x",}', FormatError, "s, line 2 is not JSON"),
        ('{"data": [{}]}', "{}", FormatError, "gold is no SQuAD file: KeyError 'paragraphs'"),
        ('{"data": []}', "{}", FormatError, "gold has no questions"),
    ],
)
def test_complaints(truth: str | None, said: str, error: type[Exception], says: str) -> None:
    source = gold({"q1": ["x"]}) if truth is None else Source("gold", truth)
    with pytest.raises(error, match=says):
        squad.score([Source("s", said)], [source], ["token-f1"])


def test_a_question_twice() -> None:
    with pytest.raises(AlignmentError, match="question 'q1' occurs twice"):
        squad.score([Source("s", "{}")], [gold({"q1": ["x"]}, {"q1": ["y"]})], ["token-f1"])


def test_a_byte_order_mark_is_no_part_of_the_answers() -> None:
    truth = gold({"q1": ["x"]})
    marked = Source("gold.json", "\ufeff" + truth.text)
    scored = squad.score([Source("s", '\ufeff{"q1": "x"}')], [marked], ["token-f1"])
    assert scored.columns["token_f1"].tolist() == [[1.0]]


def test_nesting_without_end_is_an_error_of_the_file() -> None:
    deep = Source("s", "[" * 100_000 + "]" * 100_000)
    with pytest.raises(FormatError, match="s is nested too deep"):
        squad.score([deep], [gold({"q1": ["x"]})], ["token-f1"])
