"""Options that take several values: repeated, separated by commas, or both."""

from collections.abc import Sequence
from typing import Any

from betterthan.errors import UsageError


def by_commas(given: Sequence[str] | None) -> list[str] | None:
    """Split values at commas, but for those in parentheses or quotation marks.

    >>> by_commas(["f1,recall", "mean(cost, lower_is_better)"])
    ['f1', 'recall', 'mean(cost, lower_is_better)']
    """
    if not given:
        return None
    found = [part.strip() for text in given for part in _split(text)]
    return [part for part in found if part]


def numbers_by_commas(kind: type[int] | type[float]) -> dict[str, Any]:
    """Return what makes an option of typer take numbers, repeated, by commas, or both.

    >>> taken = numbers_by_commas(int)
    >>> taken["callback"]([taken["parser"]("50,100"), taken["parser"]("200")])
    [50, 100, 200]
    """
    name = "INTEGER" if kind is int else "FLOAT"

    def parsed(text: str) -> list[int | float]:
        return [kind(part) for part in text.split(",")]

    def joined(given: Sequence[Sequence[float]] | None) -> list[float] | None:
        return [number for part in given for number in part] if given else None

    return {"parser": parsed, "callback": joined, "metavar": name}


def the_only(given: str | None) -> str | None:
    """Refuse several values where one is asked for."""
    several = by_commas([given] if given else None) or []
    if len(several) > 1:
        raise UsageError(
            f"give one metric at a time: {several[0]} or {several[1]}, not both; systems by "
            f"metrics are compared by: betterthan compare FILES --all --metric {','.join(several)}"
        )
    return given


def low_and_high(said: str) -> tuple[float, float]:
    """Two bounds as they are written.

    >>> low_and_high("1,5")
    (1.0, 5.0)
    """
    try:
        low, high = map(float, said.split(","))
    except ValueError:
        message = f"--bound is the least and the largest score, as in 1,5, not {said!r}"
        raise UsageError(message) from None
    return low, high


def _split(text: str) -> list[str]:
    parts, depth, quoted = [""], 0, False
    for letter in text:
        quoted ^= letter == '"'
        depth += 0 if quoted else (letter == "(") - (letter == ")")
        if letter == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts
