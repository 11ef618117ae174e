"""Answers against the official script's rules, written out plainly."""

import collections
import json
import re
import string

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scored_texts import column, scored

from betterthan.tasks import squad

answers = st.lists(
    st.sampled_from(["the", "The", "a", "an", "cat", "Cat,", "U.S.", "-", "1,000", "theory"]),
    max_size=5,
).map(" ".join)


def plain_words(text: str) -> list[str]:
    """Lower case; no punctuation; no articles as whole words."""
    kept = "".join(c for c in text.lower() if c not in string.punctuation)
    return [word for word in re.split(r"\s+", kept) if word not in ("", "a", "an", "the")]


def plain_f1(answer: str, truth: str) -> float:
    left, right = plain_words(answer), plain_words(truth)
    if not left or not right:
        return float(left == right)
    same = sum((collections.Counter(left) & collections.Counter(right)).values())
    precision, recall = same / len(left), same / len(right)
    return 2 * precision * recall / (precision + recall) if same else 0.0


def gold(*paragraphs: dict[str, list[str]]) -> str:
    asked = [
        {"qas": [{"id": q, "answers": [{"text": a} for a in x]} for q, x in paragraph.items()]}
        for paragraph in paragraphs
    ]
    return json.dumps({"version": "1.1", "data": [{"title": "t", "paragraphs": asked}]})


@settings(max_examples=150, deadline=None)
@given(answers, st.lists(answers, max_size=3))
def test_the_rules(answer: str, truths: list[str]) -> None:
    result = scored(squad, json.dumps({"q": answer}), gold({"q": truths}), "em")
    # The script of 2.0 leaves out answers that normalise to nothing.
    known = [truth for truth in truths if plain_words(truth)] or [""]
    exact = max(plain_words(answer) == plain_words(truth) for truth in known)
    assert column(result, "exact_match") == [exact]
    best = max(plain_f1(answer, truth) for truth in known)
    assert column(result, "token_f1") == pytest.approx([best], abs=1e-12)


def test_paragraphs_are_clusters_and_missing_answers_are_nan() -> None:
    truth = gold({"q1": ["Paris", "the city of Paris"], "q2": []}, {"q3": ["1889"]})
    answers = json.dumps({"q1": "in city of Paris", "q2": ""})
    result = scored(squad, answers, truth, "token-f1")
    assert squad.recognise(truth)
    assert result.items == ["q1", "q2", "q3"]
    assert result.groups["paragraph"] == ["1.1", "1.1", "1.2"]
    assert result.cluster == "paragraph"
    np.testing.assert_array_equal(column(result, "exact_match"), [0, 1, np.nan])
    np.testing.assert_allclose(column(result, "token_f1"), [2 * 3 / 7, 1, np.nan])
