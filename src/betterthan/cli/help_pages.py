"""Help without the types of Python: what an option takes is said in words, and files are files."""

from typing import Any

from typer.core import TyperCommand, TyperGroup

from betterthan.errors import UsageError


def _untyped(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            parameter.display_type = lambda _: None
        elif set(parameter.opts) & {"--help"}:
            parameter.metavar = " "
    return parameters


class Command(TyperCommand):
    """A command whose help says no types, and whose options are not overruled in silence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option that takes one value and was given two: neither is left out."""
        order: list[Any] = self.make_parser(ctx).parse_args(list(args))[2]
        for option in {id(p): p for p in order}.values():
            single = option.param_type_name == "option" and not (option.multiple or option.count)
            if single and not option.is_flag and sum(p is option for p in order) > 1:
                raise UsageError(f"{option.opts[0]} was given more than once: it takes one value")
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, as they are shown."""
        return _untyped(super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands whose help says no types."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, as they are shown."""
        return _untyped(super().get_params(ctx))
