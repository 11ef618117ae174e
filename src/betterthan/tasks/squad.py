"""Questions answered with a span of a paragraph, as SQuAD scores them (Rajpurkar et al., 2016).

The gold is SQuAD's JSON, versions 1.1 and 2.0; a system's file maps question ids to answers, as
the official script reads it. Questions about one paragraph are one cluster.

| metric        | columns of a question | live | test      |
|---------------|-----------------------|------|-----------|
| ``exact-match`` | ``exact_match``     | 1    | exact     |
| ``token-f1``  | ``token_f1``          | 1    | certified |

Both take the best of a question's answers, after lower-casing and without punctuation, articles and
surplus blanks. A question without an answer (2.0) is answered by the empty string.
"""

import re
import string
from collections.abc import Sequence
from typing import TypeVar

import msgspec
import numpy as np
from msgspec import Struct

from betterthan.errors import AlignmentError, first_few
from betterthan.tasks.rouge import parts
from betterthan.tasks.sources import Scored, Source, columns_of, fault, only

METRICS = ("exact-match", "token-f1")
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_START = re.compile(r'\s*\{\s*("version"\s*:\s*"[^"]*"\s*,\s*)?"data"\s*:')
Read = TypeVar("Read")


class _Answer(Struct):
    text: str


class _Question(Struct):
    id: str
    answers: list[_Answer]

    def words(self) -> list[list[str]]:
        """Words of each answer; as in the script of 2.0, not of those without any."""
        return [*filter(None, (normalise(answer.text) for answer in self.answers))] or [[]]


class _Paragraph(Struct):
    qas: list[_Question]


class _Article(Struct):
    paragraphs: list[_Paragraph]


class _Gold(Struct):
    data: list[_Article]


def recognise(text: str) -> bool:
    """Tell SQuAD's JSON from its first key or two."""
    return _START.match(text) is not None


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each question; NaN where a system has no answer at all."""
    gold = only(golds)
    questions = [
        (f"{a}.{p}", question)
        for a, article in enumerate(_read(gold, _Gold).data, start=1)
        for p, paragraph in enumerate(article.paragraphs, start=1)
        for question in paragraph.qas
    ]
    truth = {question.id: question.words() for _, question in questions}
    if len(truth) < len(questions):
        raise fault(gold.at(), "a question occurs twice", kind=AlignmentError)
    rows = []
    for system in systems:
        answers = _read(system, dict[str, str])
        if unknown := answers.keys() - truth.keys():
            text = f"{gold.name} does not ask {first_few(sorted(unknown))}"
            raise fault(system.at(), text, kind=AlignmentError)
        rows.append([_best(answers.get(name), true) for name, true in truth.items()])
    return Scored(
        columns=columns_of(("exact_match", "token_f1"), rows),
        items=list(truth),
        groups={"paragraph": [paragraph for paragraph, _ in questions]},
        cluster="paragraph",
    )


def normalise(answer: str) -> list[str]:
    """Words of an answer as the official script compares them.

    >>> normalise("The  Eiffel-Tower, (Paris)")
    ['eiffeltower', 'paris']
    """
    return _ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION)).split()


def _best(answer: str | None, truths: Sequence[list[str]]) -> tuple[float, float]:
    """Exact match and F1 with the best of the true answers."""
    if answer is None:
        return np.nan, np.nan
    words = normalise(answer)
    exact = float(words in truths)  # as nothing and nothing are
    f1 = max(parts("rouge1", words, truth)["f"] for truth in truths)
    return exact, max(exact, f1)


def _read(source: Source, kind: type[Read]) -> Read:
    try:
        return msgspec.json.decode(source.text, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise fault(source.at(), f"this is not a file of SQuAD ({error})") from error
