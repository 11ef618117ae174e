"""Commands as functions of what was typed, by the names of their options."""

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter as Argument
from inspect import Signature
from typing import Annotated, Any

from cyclopts import CoercionError, Group, Parameter, Token

from betterthan.cli.options import OPTIONS, Option
from betterthan.cli.values import read_as

Options = Mapping[str, Any]
"""What was typed, by keyword; an option that was not typed is not there."""
Command = Callable[..., int | None]
_TITLES = ("Positional", "Data", "Question", "Test", "Output", "Unlisted")
GROUPS = {title: Group(title, sort_key=place) for place, title in enumerate(_TITLES)}
_SETS = {
    "roles": "columns item system score response label",
    "tables": "roles where systems",
    "reading": "tables cluster ref missing input-format",
    "pairs": "baseline@unlisted candidate",
    "printed": "output format",
    "explained": "printed show explain methods items@show",
}
"""Options that several commands share."""


def command(names: str) -> Callable[[Command], Command]:
    """Make a command of a function: ``names`` are its arguments and options, or sets of them."""

    def made(function: Command) -> Command:
        parameters = [_parameter(OPTIONS[name]) for name in _names(names)]

        def call(*arguments: Any, **options: Any) -> int | None:
            typed = dict(zip((p.name for p in parameters), arguments, strict=False)) | options
            return function({name: value for name, value in typed.items() if value is not None})

        call.__name__, call.__doc__ = function.__name__, function.__doc__
        call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {p.name: p.annotation for p in parameters}
        return call

    return made


def _names(text: str) -> list[str]:
    """Return the keys of options, with those of sets in their places."""
    names: list[str] = []
    for name in text.split():
        known = name if name in OPTIONS else f"--{name}"
        names += _names(_SETS[name]) if name in _SETS else [known]
    return names


def asked(options: Options, *without: str) -> dict[str, Any]:
    """Return what is asked of the data: neither how they are read nor how results are printed."""
    sets = _names("reading pairs explained lower-is-better")
    others = {"files", "baseline", *without, *(OPTIONS[name].keyword for name in sets)}
    return {name: value for name, value in options.items() if name not in others}


def _parameter(option: Option) -> Argument:
    """Return the parameter of a function, as cyclopts reads it."""
    positional, switch = not option.flag.startswith("-"), not option.takes
    flags = (option.flag,) if switch else (option.flag, *option.also)

    def read(_: Any, tokens: Sequence[Token]) -> Any:  # cyclopts would round numbers
        try:
            return read_as(option.type, [token.value for token in tokens])
        except ValueError:
            raise CoercionError(token=tokens[0], target_type=option.type) from None

    typed = Parameter(
        name=option.flag.strip("[].") if positional else flags,
        negative=option.also if switch else (),
        help=option.help,
        group=GROUPS[option.group],
        show=option.group != "Unlisted",
        show_default=False,
        show_choices=False,
        converter=None if switch else read,
        metavar=option.metavar,
        allow_leading_hyphen="X" in option.takes or "LOW" in option.takes,
        n_tokens=None if switch else 1,
    )
    return Argument(
        option.keyword,
        Argument.POSITIONAL_ONLY if positional else Argument.KEYWORD_ONLY,
        default=Argument.empty if positional and "[" not in option.flag else None,
        annotation=Annotated[option.type | None, typed],
    )
