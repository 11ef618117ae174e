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

import json
import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan.errors import AlignmentError, FormatError, first_few
from betterthan.tasks.sources import Scored, Source, check_not_empty, the_gold

METRICS = ("exact-match", "token-f1")
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def recognise(text: str) -> bool:
    """Tell SQuAD's JSON from its first key or two."""
    return re.match(r'\s*\{\s*("version"\s*:\s*"[^"]*"\s*,\s*)?"data"\s*:', text) is not None


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each question; NaN where a system has no answer at all."""
    del metrics  # both are cheap
    gold = the_gold(golds, "question answering")
    questions = _questions(gold)
    exact = np.full((len(questions), len(systems)), np.nan)
    f1 = exact.copy()
    for k, system in enumerate(systems):
        said = _answers(system)
        unknown = said.keys() - questions.keys()
        if unknown:
            raise AlignmentError(
                f"{system.name} answers {len(unknown):,} questions that {gold.name} does not have "
                f"({first_few(sorted(unknown))}): give the gold that belongs to them"
            )
        for q, (question, (answers, _)) in enumerate(questions.items()):
            if question in said:
                exact[q, k] = max(exact_match(said[question], answer) for answer in answers)
                f1[q, k] = max(token_f1(said[question], answer) for answer in answers)
    return Scored(
        columns={"exact_match": exact, "token_f1": f1},
        items=list(questions),
        groups={"paragraph": [paragraph for _, paragraph in questions.values()]},
        cluster="paragraph",
    )


def normalise(answer: str) -> str:
    """Write an answer as the official script compares it.

    >>> normalise("The  Eiffel-Tower, (Paris)")
    'eiffeltower paris'
    """
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, truth: str) -> int:
    """Whether two answers are the same once normalised."""
    return int(normalise(answer) == normalise(truth))


def token_f1(answer: str, truth: str) -> float:
    """Harmonic mean of the tokens' precision and recall; of nothing and nothing it is 1.

    >>> token_f1("the big apple", "big red apple")
    0.8
    """
    mine, theirs = normalise(answer).split(), normalise(truth).split()
    if not mine or not theirs:
        return float(mine == theirs)
    return 2 * (Counter(mine) & Counter(theirs)).total() / (len(mine) + len(theirs))


def _questions(gold: Source) -> dict[str, tuple[list[str], str]]:
    """Answers and paragraph of each question."""
    document = _json(gold)
    found: dict[str, tuple[list[str], str]] = {}
    try:
        for a, article in enumerate(document["data"]):
            for p, paragraph in enumerate(article["paragraphs"]):
                for question in paragraph["qas"]:
                    name = str(question["id"])
                    if name in found:
                        raise AlignmentError(f"{gold.name}: question {name!r} occurs twice")
                    texts = [str(answer["text"]) for answer in question["answers"]]
                    # The script of 2.0 leaves out answers that normalise to nothing.
                    answers = [text for text in texts if normalise(text)] or [""]
                    found[name] = (answers, f"{a + 1}.{p + 1}")
    except (KeyError, TypeError) as error:
        raise FormatError(
            f"{gold.name} is no SQuAD file: {type(error).__name__} {error} where data, paragraphs, "
            "qas, id and answers with their text are expected"
        ) from error
    if not found:
        raise FormatError(f"{gold.name} has no questions")
    return found


def _answers(system: Source) -> dict[str, str]:
    document = _json(system)
    if not isinstance(document, dict) or not all(isinstance(v, str) for v in document.values()):
        raise FormatError(
            f"{system.name} is no file of answers: write an object of question ids and texts"
        )
    return document


def _json(source: Source) -> Any:
    check_not_empty(source)
    try:
        return json.loads(source.text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise FormatError(f"{source.at(error.lineno)} is not JSON: {error.msg}") from error
    except ValueError as error:  # a number of thousands of digits
        raise FormatError(f"{source.name} cannot be read: {error}") from error
    except RecursionError as error:
        raise FormatError(f"{source.name} is nested too deep for a file of answers") from error
