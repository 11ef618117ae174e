"""Checks of arguments: each names the argument, the bound and the value, and ends in a remedy."""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any, cast

import numpy as np

from betterthan.errors import (
    NoKeywordError,
    UsageError,
    not_one_of,
    quote,
    settings,
)
from betterthan.numeric import NUMBER


def is_number(value: Any) -> bool:
    """Whether this is one finite number; a boolean is not one."""
    if not isinstance(value, NUMBER) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer of hundreds of digits
        return False


def check_number(number: object, name: str, above: float = -math.inf) -> None:
    """Check that an argument is a finite number ``above`` a bound.

    >>> check_number("2", "k", above=0)
    Traceback (most recent call last):
    betterthan.errors.UsageError: k must be a finite number above 0, got '2'
    """
    if not (is_number(number) and cast(float, number) > above):
        bound = f" above {above:g}" if above > -math.inf else ""
        raise UsageError(f"{name} must be a finite number{bound}, got {quote(number)}")


def check_level(level: object, name: str = "alpha", most: float = 1.0) -> None:
    """Check that a level (alpha, power) is between 0 and ``most``.

    >>> check_level(2)
    Traceback (most recent call last):
    betterthan.errors.UsageError: alpha must be between 0 and 1, got 2
    try: alpha=0.02
    """
    value: Any = level if is_number(level) else math.nan
    if 0.0 < value < most:
        return
    largest = 50.0 if name == "alpha" else 100.0 * most
    share = value / 100.0 if most < value < largest else None  # it was in per cent
    bounds = f"between 0 and {most:g}"
    raise UsageError(f"{name} must be {bounds}, got {quote(level)}", *settings(name, share))


def check_whole(number: object, name: str, least: int = 1, most: int = 10**9) -> None:
    """Check that an argument is an integer between ``least`` and ``most``.

    >>> check_whole(0, "repeats")
    Traceback (most recent call last):
    betterthan.errors.UsageError: repeats must be an integer of at least 1, got 0
    try: repeats=1
    """
    value: Any = number if is_number(number) else math.nan
    if least <= value <= most and value == int(value):
        return
    nearest = most if value > most else least
    bound = f"at most {most:,}" if value > most else f"at least {least}"
    remedies = settings(name, nearest)
    raise UsageError(f"{name} must be an integer of {bound}, got {quote(number)}", *remedies)


def check_flag(flag: object, name: str) -> None:
    """Check that an argument is a boolean: any text would count as true.

    >>> check_flag("no", "continuity")
    Traceback (most recent call last):
    betterthan.errors.UsageError: continuity must be True or False, got 'no'
    """
    if not isinstance(flag, bool | np.bool_):
        raise UsageError(f"{name} must be True or False, got {quote(flag)}")


def check_choice(choice: object, name: str, known: Collection[str]) -> None:
    """Check that an argument is one of the known words.

    >>> check_choice("hom", "correction", ["holm", "none"])
    Traceback (most recent call last):
    betterthan.errors.UsageError: correction must be one of holm, none, got 'hom'
    try: correction="holm"
    """
    if choice not in known:
        raise not_one_of(name, choice, known)


def check_bounds(bounds: object) -> None:
    """Check that the bounds of single scores are two numbers in ascending order."""
    if bounds is None:
        return
    pair = tuple(bounds) if isinstance(bounds, tuple | list) else ()
    if not (len(pair) == 2 and all(map(is_number, pair)) and pair[0] < pair[1]):
        known = "the minimum and maximum score of an item, such as (1, 5)"
        raise UsageError(f"bounds must be {known}, got {quote(bounds)}")


def check_keywords(given: Mapping[str, object], options: type) -> None:
    """Check that a call has all these keywords: ``options`` is a TypedDict or a dataclass."""
    for name in given.keys() - options.__annotations__.keys():
        raise NoKeywordError(f"there is no keyword {name!r}")


def several(name: str, value: Any) -> tuple[Any, ...]:
    """Return one or several values as a tuple, which must not be empty.

    >>> several("systems", "base"), several("systems", ["base", "new"])
    (('base',), ('base', 'new'))
    """
    single = isinstance(value, str) or getattr(value, "ndim", 1) == 0
    values = tuple(value) if isinstance(value, Iterable) and not single else (value,)
    if not values:
        raise UsageError(f"{name} must name at least one; leave it out for all")
    return values
