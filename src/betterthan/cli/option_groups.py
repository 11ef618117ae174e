"""Options that go together stand in a dataclass, and a command takes the dataclass.

The decorator puts the fields of every dataclass among a command's parameters into the signature
that typer sees, and hands the command the dataclasses, filled in and checked by themselves:

    @dataclass(frozen=True)
    class Output:
        format: Annotated[str | None, typer.Option("--format")] = None

    @app.command()
    @grouped
    def compare(output: Output) -> None: ...
"""

import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import ParameterInfo

from betterthan.cli.config import FILE, Defaults, defaults_of, tables_in
from betterthan.cli.output import say
from betterthan.cli.overwriting import WRITTEN, at_home, refuse_overwriting
from betterthan.cli.panels import reading, writing
from betterthan.cli.screen import VOLUME
from betterthan.errors import UsageError
from betterthan.results.version import __version__

_NOTHING = Defaults()
_TAKEN: ContextVar[Defaults] = ContextVar("taken", default=_NOTHING)
DEFAULTS = "betterthan.defaults"
"""Where the context of a command keeps what a file sets."""


def _defaults(context: typer.Context, path: Path | None) -> Path | None:
    """Take the defaults of a file before any other option is looked at."""
    if context.resilient_parsing or sys.argv[1:2] == ["demo"]:  # the tour is the same everywhere
        return path
    words = context.command_path.split()[-_depth(context) :]
    known = [p for p in context.command.params if p.param_type_name == "option"]
    known = [p for p in known if p.name not in ("help", "config")]
    spelled = {name[2:]: p.name or "" for p in known for name in p.opts if name.startswith("--")}
    commands = getattr(context.find_root().command, "commands", {})
    taken = defaults_of(words, spelled, commands, path)
    for option in known:
        if option.name in taken.values:
            _check_kind(option, taken)
    if taken.values:
        several = {option.name for option in known if getattr(option, "multiple", False)}
        lists = {
            k: [v] if k in several and not isinstance(v, list) else v
            for k, v in taken.values.items()
        }
        context.default_map = {**(context.default_map or {}), **lists}
        context.meta[DEFAULTS] = taken
        _TAKEN.set(taken)
    return path


def whole_plan(context: typer.Context, path: Path | None) -> Path | None:
    """Refuse a file with a plan, be it named or found, that also holds what nobody heeds."""
    found = path or Path(FILE)
    skipped = context.resilient_parsing or sys.argv[1:2] == ["demo"]
    if not skipped and found.is_file():  # a pipe can be read but once
        commands = getattr(context.find_root().command, "commands", {})
        tables_in(found, commands, "gate")
    return path


def _check_kind(option: Any, taken: Defaults) -> None:
    """Refuse what a file sets an option to, if it is of another kind: "no" is a text, not false."""
    words = "a text"
    kinds: tuple[type, ...] = (str, int, float)
    if option.is_flag:
        words, kinds = "true or false", (bool,)
    elif not option.multiple and option.metavar == _OF_TYPES[int]:
        words, kinds = "a whole number", (int,)
    elif not option.multiple and option.metavar == _OF_TYPES[float]:
        words, kinds = "a number", (int, float)
    value = taken.values[option.name]
    for one in value if isinstance(value, list) else [value]:
        if not isinstance(one, kinds) or (isinstance(one, bool) and not option.is_flag):
            bare = ", without quotation marks" if isinstance(one, str) else ""
            raise UsageError(f"{taken.set_here(option.name)}: it takes {words}{bare}")


def _depth(context: typer.Context) -> int:
    """How many words name the command: study gains has two."""
    depth, above = 0, context.parent
    while above is not None:
        depth, above = depth + 1, above.parent
    return depth


@dataclass(frozen=True, kw_only=True)
class Everywhere:
    """Options of every command."""

    quiet: Annotated[
        bool, writing("The verdict alone; nothing but errors on stderr.", "--quiet", "-q")
    ] = False
    verbose: Annotated[
        bool, writing("Also what was understood, and how long it took.", "--verbose", "-v")
    ] = False
    config: Annotated[
        Path | None,
        reading(
            "Defaults of options; betterthan.toml where there is one.",
            "--config",
            is_eager=True,
            callback=_defaults,
        ),
    ] = None

    def heed(self) -> None:
        """Set how much is said, for this command and those that it runs."""
        if self.quiet and self.verbose:
            raise UsageError("--quiet and --verbose are opposites: leave one of them out")
        if self.quiet or self.verbose:
            VOLUME.set(1 if self.verbose else -1)
        if _TAKEN.get().values:
            say(f"Defaults of {self.config or FILE}: {_TAKEN.get()}")


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Make the fields of the dataclasses among a command's parameters its options."""
    parameters: list[Parameter] = []
    groups: dict[str, Any] = {}
    for parameter in signature(command, eval_str=True).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            parameters += _options(parameter.annotation)
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))

    parameters += _options(Everywhere)
    for parameter in parameters:
        _say_what_it_takes(parameter)

    @wraps(command)
    def run(**given: Any) -> None:
        everywhere = Everywhere(
            **{field.name: given.pop(field.name) for field in fields(Everywhere)}
        )
        everywhere.heed()
        defaults = _TAKEN.get()
        _TAKEN.set(_NOTHING)  # commands that are run by this one take theirs
        start = time.monotonic()
        try:
            for name in WRITTEN:
                if str(given.get(name) or "").startswith("~"):
                    given[name] = at_home(given[name])
            for name in NAMES:
                if given.get(name):
                    given[name] = _spelled(given[name])
            made = {
                name: group(**{field.name: given.pop(field.name) for field in fields(group)})
                for name, group in groups.items()
            }
            refuse_overwriting(made, {**given, "config": everywhere.config or FILE})
            command(**made, **given)
        except UsageError as error:
            defaults.blame(error)
            raise
        except SystemExit as stop:  # commands themselves end otherwise
            raise UsageError(
                f"the code of a metric ended the program (exit {stop.code}) before there was a "
                "result: correct that code"
            ) from stop
        finally:
            say(f"Took {time.monotonic() - start:.1f} s · betterthan {__version__}", least=1)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {}  # the signature tells; what `wraps` copied names the dataclasses
    return run


TAKES = {
    **dict.fromkeys(("item", "system", "score", "response", "cluster", "label"), "COLUMN"),
    **dict.fromkeys(("by", "tasks"), "COLUMN"),
    **dict.fromkeys(("output", "plot", "docs", "ref", "text", "plan", "config"), "FILE"),
    **dict.fromkeys(("baseline", "candidate", "systems"), "SYSTEM"),
    **{
        "metric": "METRIC",
        "task": "TASK",
        "input_format": "FORMAT",
        "max_memory": "SIZE",
        "scheduler": "ADDRESS",
    },
}
"""What options take, where their type does not tell."""
NAMES = tuple(name for name, taken in TAKES.items() if taken in ("SYSTEM", "TASK"))

_OF_TYPES = {str: "NAME", int: "N", float: "X", Path: "FILE", bool: " "}


def _say_what_it_takes(parameter: Parameter) -> None:
    """Have ``--help`` say COLUMN, FILE or N, not the type that Python has for it.

    >>> from typer import Option
    >>> made = Annotated[str, Option()]
    >>> one = Parameter("cluster", Parameter.KEYWORD_ONLY, annotation=made)
    >>> _say_what_it_takes(one)
    >>> one.annotation.__metadata__[0].metavar
    'COLUMN'
    """
    if get_origin(parameter.annotation) is not Annotated:
        return
    kind, *about = get_args(parameter.annotation)
    if isinstance(kind, UnionType):
        kind = next(one for one in get_args(kind) if one is not type(None))
    kind = get_args(kind)[0] if get_origin(kind) is list else kind
    taken = TAKES.get(parameter.name) or _OF_TYPES.get(kind)
    for info in about:
        if isinstance(info, ParameterInfo) and info.metavar is None and kind in _OF_TYPES:
            info.metavar = taken


def _spelled(given: str | list[str]) -> str | list[str]:
    """Names of systems and tasks as readers spell them, where they are no text."""
    from betterthan.data.ids import whole_text  # slow to import

    return whole_text(given) if isinstance(given, str) else list(map(whole_text, given))


def _options(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
