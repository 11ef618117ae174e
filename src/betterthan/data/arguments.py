"""Options of a call, as one value, and the numbers among them."""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast, get_args

from betterthan.blame import has_parts
from betterthan.errors import NoKeywordError, Parameter, Remedy, UsageError, quote
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
        raise UsageError(f"{what} must name at least one; leave it out for all")
    return made


def check_keywords(given: Mapping[str, object], options: type) -> None:
    """Raise an error for a keyword that a call does not have: its options have all there are.

    >>> from betterthan.data.frames.reader_options import Options
    >>> check_keywords({"itm": "id"}, Options)
    Traceback (most recent call last):
    betterthan.errors.NoKeywordError: there is no keyword 'itm'
    """
    for name in given.keys() - options.__annotations__.keys():
        raise NoKeywordError(f"there is no keyword {name!r}")


def check_level(level: float, name: str = "alpha", most: float = 1.0) -> None:
    """Raise an error for a level (alpha, power) that is not between 0 and ``most``.

    >>> check_level("0.05")
    Traceback (most recent call last):
    betterthan.errors.UsageError: alpha must be a number between 0 and 1, got '0.05'
    """
    if not (isinstance(level, NUMBER) and 0.0 < level < most):
        end = "one half" if most == HALF else "1"
        raise UsageError(f"{name} must be a number between 0 and {end}, got {quote(level)}")


def check_number(number: float, name: str, above: float = -math.inf) -> None:
    """Raise an error for an option that is not a finite number ``above`` another.

    >>> check_number("2", "k", above=0)
    Traceback (most recent call last):
    betterthan.errors.UsageError: k must be a finite number above 0, got '2'
    """
    if not (is_number(number) and number > above):
        beyond = f" above {above:g}" if above > -math.inf else ""
        raise UsageError(f"{name} must be a finite number{beyond}, got {quote(number)}")


def check_whole(number: object, name: str, least: int = 1, most: int = 10**9) -> None:
    """Check that an option is an integer between ``least`` and ``most``.

    >>> check_whole(0, "repeats")
    Traceback (most recent call last):
    betterthan.errors.UsageError: repeats must be an integer of at least 1, got 0
    try: repeats=1
    """
    if is_number(number) and number == int(number) and least <= number <= most:  # type: ignore[operator,call-overload]
        return
    large = is_number(number) and number > most  # type: ignore[operator]
    bound = f"at most {most:,}" if large else f"at least {least}"
    nearest = [Remedy("", cast("Parameter", name), most if large else least)]
    raise UsageError(
        f"{name} must be an integer of {bound}, got {quote(number)}",
        *(nearest if name in get_args(Parameter) else []),
    )


def is_number(value: Any) -> bool:
    """Whether this is one finite number; a truth value is none."""
    if not isinstance(value, NUMBER) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def check_bounds(bounds: tuple[float, float] | None) -> None:
    """Raise an error unless bounds of single scores are two numbers, the least first."""
    if bounds is not None and not (
        isinstance(bounds, tuple | list)
        and len(bounds) == 2
        and all(map(is_number, bounds))
        and bounds[0] < bounds[1]
    ):
        raise UsageError(
            "bounds must be the least and the largest score of an item, such as (1, 5), got "
            f"{quote(bounds)}"
        )
