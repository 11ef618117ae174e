"""What the values of options mean: numbers, pairs of numbers, names."""

from collections.abc import Mapping, Sequence
from typing import Any

from betterthan.errors import UsageError, quote


def given(options: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Keep the named options that were given: all others have the defaults of Python.

    >>> given({"alpha": 0.1, "test": None, "seed": 3}, "alpha", "test", "seed")
    {'alpha': 0.1, 'rng': 3}
    """
    called = {"seed": "rng"}
    return {called.get(k, k): options[k] for k in names if options[k] is not None}


def numbers(texts: Sequence[str] | None, flag: str, kind: type = int) -> list[Any] | None:
    """Read numbers that are repeated, separated by commas, or both.

    >>> numbers(["50,100", "200"], "--sizes")
    [50, 100, 200]
    """
    if not texts:
        return None
    words = [word.strip() for text in texts for word in text.split(",")]
    try:
        return [kind(word) for word in words]
    except ValueError:
        what = "whole numbers" if kind is int else "numbers"
        raise UsageError(f"{flag} must be {what}, not {quote(','.join(words))}") from None


def two_numbers(text: str | None, flag: str) -> tuple[float, float] | None:
    """Read ``LOW,HIGH``.

    >>> two_numbers("1,5", "--bounds")
    (1.0, 5.0)
    """
    pair = None if text is None else numbers([text], flag, float)
    if pair is not None and len(pair) != 2:
        raise UsageError(f"{flag} must be two numbers, LOW,HIGH, not {quote(text)}")
    return None if pair is None else (pair[0], pair[1])


def names(texts: Sequence[str] | None) -> list[str] | None:
    """Split names at commas, except for those in parentheses or quotation marks.

    >>> names(["f1,recall", "mean(cost, lower_is_better)"])
    ['f1', 'recall', 'mean(cost, lower_is_better)']
    """
    parts: list[str] = []
    for text in texts or ():
        depth, quoted = 0, False
        parts.append("")
        for letter in text:
            quoted ^= letter == '"'
            depth += 0 if quoted else (letter == "(") - (letter == ")")
            if letter == "," and depth == 0 and not quoted:
                parts.append("")
            else:
                parts[-1] += letter
    return [part.strip() for part in parts if part.strip()] or None
