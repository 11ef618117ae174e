"""Help without the types of Python: what an option takes is said in words, and files are files."""

import re
from collections.abc import Iterator
from typing import Any

from typer import BadParameter
from typer.core import TyperCommand, TyperGroup

from betterthan.cli.option_groups import DEFAULTS
from betterthan.errors import UsageError
from betterthan.results.wording import listed

_TAKEN = {"number": "a number", "integer": "a whole number", "boolean": "true or false"}


def _in_our_words(message: str) -> str:
    """What a value should be, without how a library found out.

    >>> _in_our_words("Input should be a valid number, unable to parse string as a number")
    'it takes a number'
    """
    found = re.match(r"Input should be a valid (\w+)", message)
    if found is not None and found[1] in _TAKEN:
        return f"it takes {_TAKEN[found[1]]}"
    return re.sub(r"^Input should", "it should", message.removeprefix("Value error, "))


def _options_of(group: Any, within: str = "") -> Iterator[tuple[str, set[str]]]:
    """Commands of a group and of the groups in it, with their options."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _options_of(command, f"{within}{name} ")
        else:
            yield f"{within}{name}", {opt for p in command.params for opt in p.opts}


class _Untyped:
    """What says no types in its help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, in which files and ``--help`` have no type."""
        for parameter in self.get_params(ctx):  # type: ignore[attr-defined]
            if parameter.param_type_name == "argument":
                parameter.display_type = lambda _: None
            elif set(parameter.opts) & {"--help"}:
                parameter.metavar = " "
        super().format_help(ctx, formatter)  # type: ignore[misc]


class Command(_Untyped, TyperCommand):
    """A command whose help says no types, and whose options are not overruled in silence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option that takes one value and was given two: neither is left out."""
        try:
            order: list[Any] = self.make_parser(ctx).parse_args(list(args))[2]
        except Exception as error:
            option = getattr(error, "option_name", "")
            every = [*_options_of(ctx.find_root().command)]
            there = {one for _, opts in every for one in opts}
            meant = next((o for o in (option, option.removesuffix("s")) if o in there), "")
            others = [name for name, opts in every if meant in opts]
            if not meant.startswith("--") or self.name in others:
                raise
            near = getattr(error, "possibilities", None) or ()
            own = f"; it has {', '.join(near)}" if near else ""
            raise UsageError(
                f"{self.name} has no {meant}, which is an option of {listed(others)}{own}"
            ) from error
        for option in {id(p): p for p in order}.values():
            single = option.param_type_name == "option" and not (option.multiple or option.count)
            if single and not option.is_flag and sum(p is option for p in order) > 1:
                raise UsageError(f"{option.opts[0]} was given more than once: it takes one value")
        try:
            return super().parse_args(ctx, args)
        except BadParameter as error:
            error.message = _in_our_words(error.message)
            name = error.param.name if error.param is not None else None
            defaults = ctx.meta.get(DEFAULTS)
            if defaults is None or name not in defaults.values or error.param in order:
                raise
            raise UsageError(f"{defaults.set_here(name)}: {error.message}") from error


class Group(_Untyped, TyperGroup):
    """A group of commands whose help says no types."""
