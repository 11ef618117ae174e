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

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer.models import ParameterInfo

from betterthan.cli.overwriting import refuse_overwriting
from betterthan.errors import UsageError


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

    for parameter in parameters:
        _say_what_it_takes(parameter)

    @wraps(command)
    def run(**given: Any) -> None:
        made = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        refuse_overwriting(made, given)
        try:
            command(**made, **given)
        except SystemExit as stop:  # commands themselves end otherwise
            raise UsageError(
                f"the code of a metric ended the program (exit {stop.code}) before there was a "
                "result: correct that code"
            ) from stop

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {}  # the signature tells; what `wraps` copied names the dataclasses
    return run


TAKES = {
    **dict.fromkeys(("item", "system", "score", "response", "cluster", "label"), "COLUMN"),
    **dict.fromkeys(("by", "tasks"), "COLUMN"),
    **dict.fromkeys(("output", "plot", "docs", "ref", "text", "plan"), "FILE"),
    **dict.fromkeys(("baseline", "candidate", "systems"), "SYSTEM"),
    **{"metric": "METRIC", "task": "TASK", "input_format": "FORMAT", "max_memory": "SIZE"},
}
"""What options take, where their type does not tell."""

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
