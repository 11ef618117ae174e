"""Designing an evaluation: power, thresholds, calibration, gates.

Names are looked up on first use: a gate need not load what studies load.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from betterthan.design.public import *  # noqa: F403


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name != "__all__":
        raise AttributeError(name)
    return getattr(import_module("betterthan.design.public"), name)


def __dir__() -> list[str]:
    return __getattr__("__all__")  # type: ignore[no-any-return]
