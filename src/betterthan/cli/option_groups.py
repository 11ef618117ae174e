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
from typing import Any, get_type_hints

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
