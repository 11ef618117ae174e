"""Options of a call, as one value, and the numbers among them."""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from betterthan.blame import has_parts
from betterthan.errors import NoKeywordError, UsageError, quote
from betterthan.metrics import Metric
from betterthan.numeric import NUMBER

Chosen = TypeVar("Chosen")
HALF = 0.5


def among(options: type[Chosen], arguments: Mapping[str, Any]) -> Chosen:
    """Make a dataclass of options from the ``locals()`` of a function that takes them by keyword.

    >>> from betterthan.data.frames.reader_options import Options
    >>> among(Options, {"path": "runs.csv", "item": "id"}).item
    'id'
    """
    names = (field.name for field in fields(options))  # type: ignore[arg-type]
    return options(**{name: arguments[name] for name in names if name in arguments})


def several(what: str, given: Any) -> tuple[Any, ...]:
    """One or several names or metrics; none at all is no way to ask for all.

    >>> several("systems", "base"), several("systems", ["base", "new"])
    (('base',), ('base', 'new'))
    """
    one = isinstance(given, str | Metric) or not has_parts(given)
    made = (given,) if one else tuple(given)
    if not made:
        raise UsageError(f"{what} names none: name some, or leave it out for all")
    return made


def refuse_unknown(given: Mapping[str, object], options: type) -> None:
    """Refuse keywords that a call does not have, before it begins: those of its options are known.

    >>> from betterthan.data.frames.reader_options import Options
    >>> refuse_unknown({"itm": "id"}, Options)
    Traceback (most recent call last):
    betterthan.errors.NoKeywordError: there is no keyword 'itm'
    """
    for name in given.keys() - options.__annotations__.keys():
        raise NoKeywordError(f"there is no keyword {name!r}")


def check_level(level: float, name: str = "alpha", most: float = 1.0) -> None:
    """Refuse a level (alpha, confidence, power) that is no number between 0 and ``most``.

    >>> check_level("0.05")
    Traceback (most recent call last):
    betterthan.errors.UsageError: alpha lies between 0 and 1, not '0.05'
    """
    if not (isinstance(level, NUMBER) and 0.0 < level < most):
        end = "one half" if most == HALF else "1"
        raise UsageError(f"{name} lies between 0 and {end}, not {quote(level)}")


def check_number(number: float, name: str, above: float = -math.inf) -> None:
    """Refuse an option that is no finite number ``above`` another.

    >>> check_number("2", "k", above=0)
    Traceback (most recent call last):
    betterthan.errors.UsageError: k is a finite number above 0, not '2'
    """
    if not (is_number(number) and number > above):
        beyond = f" above {above:g}" if above > -math.inf else ""
        raise UsageError(f"{name} is a finite number{beyond}, not {quote(number)}")


def is_number(value: Any) -> bool:
    """Whether this is one finite number; a truth value is none."""
    if not isinstance(value, NUMBER) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def check_bounds(bounds: tuple[float, float] | None) -> None:
    """Refuse bounds of single scores that are not two numbers, the least and the largest."""
    if bounds is not None and not (
        isinstance(bounds, tuple | list)
        and len(bounds) == 2
        and all(map(is_number, bounds))
        and bounds[0] < bounds[1]
    ):
        raise UsageError(
            f"bounds are the least and the largest score of an item, (1, 5), not {quote(bounds)}"
        )
