"""What the values of options mean: numbers, pairs of numbers, names."""

from collections.abc import Sequence
from typing import Any, Literal, get_args, get_origin

Names = tuple[str, ...]
"""Names that are separated by commas, repeated, or both."""


def read_as(hint: Any, texts: Sequence[str]) -> Any:
    """Read what was typed as a type; a ValueError where that cannot be.

    A list of numbers is repeated, separated by commas, or both; a list of text is only repeated.

    >>> read_as(int, ["3"]), read_as(list[int], ["50,100", "200"])
    (3, [50, 100, 200])
    >>> read_as(tuple[float, float], ["1,5"]), read_as(list[str], ["a=1,b=2"])
    ((1.0, 5.0), ['a=1,b=2'])
    >>> read_as(Names, ["f1,recall", "mean(cost, lower_is_better)"])
    ('f1', 'recall', 'mean(cost, lower_is_better)')
    """
    origin, parts = get_origin(hint), get_args(hint)
    if hint == Names:
        return _names(texts)
    if hint == list[str]:
        return list(texts)
    if origin is list:
        return [parts[0](word) for text in texts for word in text.split(",")]
    if origin is tuple:
        low, high = texts[0].split(",")
        return float(low), float(high)
    if origin is not Literal:
        return hint(texts[0])
    if texts[0] not in parts:
        raise ValueError(texts[0])
    return texts[0]


def _names(texts: Sequence[str]) -> Names:
    """Split names at commas, except for those in parentheses or quotation marks."""
    parts: list[str] = []
    for text in texts:
        depth, quoted = 0, False
        parts.append("")
        for letter in text:
            quoted ^= letter == '"'
            depth += 0 if quoted else (letter == "(") - (letter == ")")
            if letter == "," and depth == 0 and not quoted:
                parts.append("")
            else:
                parts[-1] += letter
    return tuple(part.strip() for part in parts if part.strip())
