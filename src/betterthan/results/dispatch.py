"""Dispatch on the type of a result, to modules that are loaded when a result needs them."""

from collections.abc import Callable, Mapping
from functools import singledispatch
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from functools import _SingleDispatchCallable


Made = TypeVar("Made")


def by_type(
    made: type[Made],
    package: str,
    homes: Mapping[str, str],
    otherwise: Callable[[Any], Made] | None = None,
) -> "_SingleDispatchCallable[Made]":
    """Return a generic function that makes ``made``; modules of ``package`` register its cases.

    ``homes`` says which of its modules serves the results of which package, or of one module of
    it: a comparison must not wait for the import of rankings. ``otherwise`` serves what no module
    registers.
    """

    @singledispatch
    def generic(result: Any) -> Made:
        for cls in type(result).__mro__:
            module = cls.__module__.removeprefix("betterthan.")
            home = homes.get(module, homes.get(module.partition(".")[0]))
            if home is not None:
                import_module(f"{package}.{home}")
        case = generic.dispatch(type(result))
        if case is not generic.dispatch(object):
            return case(result)
        if otherwise is None:
            raise TypeError(f"{package} knows no {type(result).__name__}")
        return otherwise(result)

    return generic
