"""What the values of options mean: numbers, pairs of numbers, names."""

from collections.abc import Sequence
from typing import Any, Literal, get_args, get_origin

from betterthan.grammar import names_of

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
        return tuple(name for text in texts for name in names_of(text))
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
