"""How options are written: ``NAME(...)`` for metrics, tests, methods and formats, and lists.

What is in the parentheses is the metric's own, or ``key=value,...``. Lists are ``key=value,...`` or
``name,name``. A value that has a comma, a parenthesis or blanks at its ends is written in double
quotation marks, and a quotation mark inside of it is doubled.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from types import UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from betterthan.errors import UsageError, closest, quote, settings

Value = TypeVar("Value", bound="Spelled")

_CALL = re.compile(r"(?P<name>[A-Za-z_][\w.:+-]*)\s*(?:\((?P<inside>.*)\))?", re.DOTALL)
_TRUTHS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


@dataclass(frozen=True, slots=True, repr=False)
class Spelled:
    """A value with a name and options, written as ``name(option=value)``.

    Options that have their default are not written, and those that their annotations do not allow
    are errors. ``parameter`` is the argument for which a value is given.
    """

    name: ClassVar[str] = ""
    parameter: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for key, hint in _hints(type(self)).items():
            if not _fits(getattr(self, key), hint):
                raise self._not_allowed(key, hint)

    def __repr__(self) -> str:
        values = {option.name: getattr(self, option.name) for option in fields(self)}
        changed = {x.name: values[x.name] for x in fields(self) if values[x.name] != x.default}
        inside = pairs_text({name.replace("_", "-"): value for name, value in changed.items()})
        return f"{self.name}({inside})" if inside else self.name

    def _not_allowed(self, key: str, hint: Any) -> UsageError:
        what, value = f"{key} of {self.name}", getattr(self, key)
        words = [word for word in get_args(hint) if isinstance(word, str)]
        if not words:
            kind = {bool: "yes or no", int: "a whole number", float: "a number"}.get(hint, "a word")
            return UsageError(f"{what} must be {kind}, got {quote(value)}")
        close = closest(value, words) if isinstance(value, str) else None
        better = repr(self).replace(f"={value}", f"={close}") if close else None
        return UsageError(
            f"{what} must be one of {', '.join(words)}, got {quote(value)}",
            *settings(self.parameter, better),
        )


def split_call(text: str) -> tuple[str, str]:
    """Split ``NAME(...)`` into its name and what is in the parentheses.

    Text that is not written so is a name as a whole.

    >>> split_call("mean( latency, lower_is_better )"), split_call("f1"), split_call("2 (x")
    (('mean', 'latency, lower_is_better'), ('f1', ''), ('2 (x', ''))
    """
    call = _CALL.fullmatch(text.strip())
    return (call["name"], (call["inside"] or "").strip()) if call else (text.strip(), "")


def call_of(text: str) -> tuple[str, dict[str, str]]:
    """Split ``NAME(option=value, ...)`` into its name and its options.

    >>> call_of("bootstrap(variant=sign, method=sample)"), call_of("csv")
    (('bootstrap', {'variant': 'sign', 'method': 'sample'}), ('csv', {}))
    """
    name, inside = split_call(text)
    return name, pairs_of(inside)


def pairs_of(text: str) -> dict[str, str]:
    """Split ``key=value,...`` into keys and values.

    >>> pairs_of('item=passage+question, where="a,b"')
    {'item': 'passage+question', 'where': 'a,b'}
    """
    if text.count('"') % 2:
        raise UsageError(f"a quotation mark is not closed in {quote(text)}")
    pairs: dict[str, str] = {}
    for part in _parts(text):
        key, _, value = map(str.strip, part.partition("="))
        if not (key and value):
            raise UsageError(f"write KEY=VALUE,... and not {quote(text)}")
        if key in pairs:
            raise UsageError(f"{key} is given twice in {quote(text)}")
        pairs[key] = unquoted(value)
    return pairs


def pairs_text(pairs: Mapping[str, object]) -> str:
    """Write ``key=value,...``, as :func:`pairs_of` reads it.

    >>> pairs_text({"item": "passage+question", "where": "a,b"})
    'item=passage+question,where="a,b"'
    """
    return ",".join(f"{key}={_written(value)}" for key, value in pairs.items())


def names_of(text: str) -> list[str]:
    """Split names at commas, except for those in parentheses or quotation marks.

    >>> names_of('base, "gpt, short"'), names_of("f1,mean(cost, lower_is_better)")
    (['base', 'gpt, short'], ['f1', 'mean(cost, lower_is_better)'])
    """
    return list(map(unquoted, _parts(text)))


def names_text(names: Iterable[str]) -> str:
    """Write names, as :func:`names_of` reads them.

    >>> names_text(["base", "gpt, short"])
    'base,"gpt, short"'
    """
    return ",".join(map(_written, names))


def quoted(text: str) -> str:
    """Write text in double quotation marks."""
    return '"{}"'.format(text.replace('"', '""'))


def unquoted(text: str) -> str:
    """Read text that may be in double quotation marks.

    >>> unquoted(quoted('5" disk')), unquoted("tp")
    ('5" disk', 'tp')
    """
    in_marks = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1].replace('""', '"') if in_marks else text


def value_of(value: object, kinds: Mapping[str, type[Value]], parameter: str) -> Value:
    """Make a value of its spelling; one that is made already is taken as it is.

    ``kinds`` are the classes by name, ``parameter`` is the option for which it is given.
    """
    if isinstance(value, tuple(kinds.values())):
        return cast("Value", value)
    if not isinstance(value, str):
        raise UsageError(
            f"{parameter} must be a name such as {quote(next(iter(kinds)))}, got {quote(value)}"
        )
    name, options = call_of(value)
    kind = kinds.get(name.lower().replace("_", "-"))
    if kind is None:
        close = closest(name, kinds)
        raise UsageError(
            f"there is no {parameter} {quote(name)}; there are {', '.join(kinds)}",
            *settings(parameter, value.replace(name, close, 1) if close else None),
        )
    hints = _hints(kind)
    values: dict[str, Any] = {}
    for key, text in options.items():
        own = key.replace("-", "_")
        if own not in hints:
            close = closest(own, hints)
            known = f"it has {', '.join(hints)}" if hints else "it has none"
            better = re.sub(rf"\b{re.escape(key)}=", f"{close}=", value) if close else None
            raise UsageError(
                f"the {parameter} {kind.name} has no option {quote(key)}; {known}",
                *settings(parameter, better),
            )
        values[own] = _parsed(text, hints[own])
    return kind(**values)


def _hints(kind: type[Spelled]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {option.name: hints[option.name] for option in fields(kind)}


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return quoted(text) if re.search(r'[",()]|^\s|\s$|^$', text) else text


def _parts(text: str) -> list[str]:
    """Split text at commas, except for those in parentheses or quotation marks."""
    parts, depth, inside = [""], 0, False
    for letter in text:
        inside ^= letter == '"'
        depth += 0 if inside else (letter == "(") - (letter == ")")
        if letter == "," and depth == 0 and not inside:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _parsed(text: str, hint: Any) -> Any:
    """Read an option's value as its annotation wants it; what does not fit stays text."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if bool in kinds and text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    for kind in (int, float):
        if kind in kinds:
            with suppress(ValueError):
                return kind(text)
    return text


def _fits(value: object, hint: Any) -> bool:
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, part) for part in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, hint) and not (hint is int and isinstance(value, bool))
