"""Arguments that a public function cannot use, told by name.

Functions check what only they know, in words of their own. What they stumble over all the same is
held against their annotations, after the fact: calls that succeed pay nothing for it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from inspect import Parameter, signature
from math import isfinite
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from betterthan.errors import BetterthanError, NoKeywordError, UsageError, no_truth_value, quote

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")
WIDEST = 2**63  # whole numbers beyond are nobody's number of anything
WORDS = {
    str: "text",
    int: "a whole number",
    float: "a finite number",
    bool: "True or False",
    NoneType: "None",
    tuple: "a tuple",
}


def blames_arguments(call: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """Make a function name the argument that it was given and that is not as annotated.

    Truth values are looked at beforehand, since any text would do for one; all else when the call
    fails by an error that is not ours.

    >>> @blames_arguments
    ... def halved(number: float, *, up: bool = False) -> float:
    ...     return -(-number // 2) if up else number / 2
    >>> halved("x")
    Traceback (most recent call last):
    betterthan.errors.UsageError: number is a finite number, not 'x'
    >>> halved(3, up="no")
    Traceback (most recent call last):
    betterthan.errors.UsageError: up must be True or False, got 'no'
    """
    parameters = signature(call).parameters.values()
    truths = {one.name for one in parameters if one.annotation is bool}

    @wraps(call)
    def blaming(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
        for name in truths & kwargs.keys():
            if not _is_truth(kwargs[name]):
                raise no_truth_value(name, kwargs[name])
        try:
            return call(*args, **kwargs)
        except (BetterthanError, NoKeywordError):
            raise
        except Exception as error:
            for name, value, hint in _given(call, args, kwargs):
                if not _fits(value, hint):
                    raise UsageError(f"{name} is {_said(hint)}, not {quote(value)}") from error
            raise

    return blaming


def _given(
    call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Names, values and annotations of what a call was given."""
    try:
        bound = signature(call).bind(*args, **kwargs)
    except TypeError:  # too many, too few, or unknown: Python says so itself
        return
    try:
        hints = get_type_hints(call)
    except NameError:  # of what only type checkers import
        hints = {key: hint for key, hint in call.__annotations__.items() if type(hint) is not str}
    for name, value in bound.arguments.items():
        hint, kind = hints.get(name, Any), bound.signature.parameters[name].kind
        if kind is Parameter.VAR_POSITIONAL:
            yield from ((name, one, hint) for one in value)
        elif kind is Parameter.VAR_KEYWORD:
            of = next(iter(get_args(hint)), None)
            each = get_type_hints(of) if is_typeddict(of) else {}
            yield from ((key, one, each.get(key, Any)) for key, one in value.items())
        else:
            yield name, value, hint


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is as annotated, and neither empty nor too large to be of use."""
    hint = _meant(hint)
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if _is_ndarray(origin):
        return isinstance(value, origin)
    if _is_array_like(hint):
        return _is_array(value) or (NoneType in parts and value is None)
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is Literal:
        return isinstance(value, str | int) and value in parts
    if origin is tuple and ... not in parts:
        pairs = isinstance(value, tuple | list) and len(value) == len(parts)
        return pairs and all(map(_fits, value, parts))
    if hint is bool:
        return _is_truth(value)
    if hint in (int, float):
        return _is_number(value, hint)
    if hint is str:
        return isinstance(value, str) and "\0" not in value
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and bool(value)
    if origin is tuple or (origin is not None and issubclass(origin, Iterable)):
        return _is_list_of(value, parts)
    return _is_one(value, origin or hint)


def _meant(hint: Any) -> Any:
    """What a name for another annotation stands for, as NumPy 2.5 writes its own."""
    alias, parts = get_origin(hint) or hint, get_args(hint)
    if not hasattr(alias, "__value__"):
        return hint
    return _meant(alias.__value__[parts] if parts else alias.__value__)


def _is_truth(value: Any) -> bool:
    return type(value).__name__ in ("bool", "bool_")  # of NumPy as well, which is not loaded yet


def _is_array_like(hint: Any) -> bool:
    return any(
        getattr(part, "__module__", "").startswith("numpy._typing") for part in get_args(hint)
    )


def _is_ndarray(origin: Any) -> bool:
    return getattr(origin, "__module__", "") == "numpy"


def _is_array(value: Any) -> bool:
    import numpy as np  # noqa: PLC0415 (the package itself is light)

    try:
        made = np.asarray(value)
    except Exception:
        return False
    return made.ndim > 0 and made.size > 0 and made.dtype.kind in "biuf"


def _is_number(value: Any, kind: type) -> bool:
    if _is_truth(value):
        return False
    if kind is int:
        return isinstance(value, Integral) and -WIDEST < int(value) < WIDEST
    try:
        return isinstance(value, Real) and isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def has_parts(value: Any) -> bool:
    """Whether a value can be gone through; an array of no dimensions only looks like it."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def _is_list_of(value: Any, parts: tuple[Any, ...]) -> bool:
    if isinstance(value, str | bytes | Mapping) or not has_parts(value):
        return False
    cells = list(value) if hasattr(value, "__len__") else []
    return bool(cells) and all(_fits(cell, parts[0]) for cell in cells if parts)


def _is_one(value: Any, kind: Any) -> bool:
    """Whether a value is of a class, or has what a protocol asks for; the rest is as it may be."""
    if kind is Callable or getattr(kind, "__name__", "") == "Callable":
        return callable(value)
    if getattr(kind, "_is_protocol", False):
        return all(hasattr(value, name) for name in vars(kind) if not name.startswith("_"))
    return not isinstance(kind, type) or isinstance(value, kind)


def _said(hint: Any) -> str:
    """What an annotation asks for, in words."""
    hint = _meant(hint)
    origin, parts = get_origin(hint), get_args(hint)
    if _is_ndarray(origin):
        return "an array of NumPy"
    if _is_array_like(hint):
        return "an array of numbers"
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_said(part) for part in parts if part is not NoneType))
    if origin is Literal:
        return " or ".join(map(repr, parts))
    if origin is tuple and ... not in parts:
        return f"{len(parts)} values ({', '.join(map(_said, parts))})"
    kind = origin or hint
    name = getattr(kind, "__name__", "of another type")
    if kind in WORDS:
        return WORDS[kind]
    if name == "Callable":
        return "a function"
    if origin is not None and issubclass(origin, Mapping):
        return "a mapping that is not empty"
    if origin is not None and issubclass(origin, Iterable):
        return f"a list ({_said(parts[0])} each)" if parts else "a list"
    return f"a {name}"
