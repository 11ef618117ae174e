"""Who won a judgment: winners are named, or told by codes such as ``model_a``, ``2``, ``tie``."""

from collections.abc import Callable, Iterable
from math import isnan
from typing import Literal, TypeVar

from betterthan.data.ids import as_label
from betterthan.errors import BadValueError

SIDES = (
    ("left", "right"),
    ("a", "b"),
    ("model_a", "model_b"),
    ("model_1", "model_2"),
    ("1", "2"),
    ("generator_1", "generator_2"),
    ("x", "y"),
    ("model_x", "model_y"),
    ("true", "false"),
)
LEFT, RIGHT = map(frozenset, zip(*SIDES, strict=True))
DRAW = frozenset(
    {"tie", "draw", "equal", "same", "both", "neither", "bothbad", "tiebothbad", "bothgood", "0.5"}
)
UNJUDGED = frozenset({"", "none", "null", "nan", "error", "n/a", "invalid"})

Telling = Literal["names", "codes"] | None
"""How all winners of a column are told; None where each is understood by itself."""

Code = Callable[[str], float | None]
Understood = TypeVar("Understood")


class DoubtfulWinnerError(BadValueError):
    """A word that names one of the systems, and as a code means the other."""


def outcome_of(
    word: object, left: str, right: str, by: Telling = None, code: Code | None = None
) -> float | None:
    """Who won, by name or by any of the words in use: 1 left, 0.5 a draw, 0 right.

    None where the judge did not judge; a ValueError where nobody can tell.

    >>> [outcome_of(word, "gpt", "llama") for word in ("llama", "model_a", "tie (bothbad)", "")]
    [0.0, 1.0, 0.5, None]
    """
    text = "" if word is None else as_label(word).strip()
    named = {right: 0.0, left: 1.0}.get(text)
    coded = None if by == "names" and named is not None else (code or coded_outcome)(text)
    if by is None and coded is not None:
        alike = named
        if alike is None and left.lower() != right.lower():
            alike = {right.lower(): 0.0, left.lower(): 1.0}.get(text.lower())
        if alike is not None and alike != coded:
            one, other = (left, right) if alike else (right, left)
            means = {1.0: f"{left!r} won", 0.0: f"{right!r} won", 0.5: "a draw"}
            raise DoubtfulWinnerError(
                f"{text!r} may be the winner's name ({one!r} beat {other!r}) or a code "
                f"({means.get(coded, 'no judgment')}): write model_a, model_b or tie, or give the "
                "systems other names"
            )
    found = coded if named is None or by == "codes" else named
    if found is None:
        raise ValueError(f"cannot tell from {text!r} whether {left!r} or {right!r} won")
    return None if isnan(found) else found


def coded_outcome(text: str) -> float | None:
    """Outcome that a word stands for, NaN where there is no judgment; None of any other word."""
    plain = _plain(text)
    if plain in LEFT or plain in RIGHT:
        return 1.0 if plain in LEFT else 0.0
    if plain.translate(str.maketrans("", "", " ()_-")) in DRAW:
        return 0.5
    return float("nan") if plain in UNJUDGED else None


def _plain(text: str) -> str:
    return text.lower().removesuffix(".0")


def settled(
    understood: Callable[[Telling], Understood],
    said: Callable[[], Iterable[tuple[str, str, str]]],
    code: Code = coded_outcome,
) -> Understood:
    """Understand every winner by itself, or where that leaves a doubt, by what all are told by.

    ``said`` are the word, the left and the right system of each judgment. Winners are named where
    all words are names and some no codes, and coded where all are codes of one kind and some no
    names, however they are written; where all could be both, the doubt stays.
    """
    try:
        return understood(None)
    except DoubtfulWinnerError:
        names = codes = alike = True
        kinds = set[tuple[str, str]]()
        for text, left, right in set(said()):
            known = code(text)
            if text not in (left, right) and known is not None and known not in (0.0, 1.0):
                continue  # a draw, or no judgment: so it is written beside names and codes
            names &= text in (left, right)
            codes &= known is not None
            kinds.update(pair for pair in SIDES if _plain(text) in pair)
            alike &= text.lower() in (left.lower(), right.lower())
        if names and not codes:
            return understood("names")
        if codes and len(kinds) <= 1 and not alike:
            return understood("codes")
        raise
