"""Response tests as values, with the options that each has.

A test prints as it is typed: ``Published(even=True)`` is ``"published(even=yes)"``, and
:func:`~betterthan.responses.p_value` takes either.
"""

from dataclasses import dataclass
from typing import ClassVar

from betterthan.grammar import Spelled, value_of
from betterthan.responses.strategies import as_strategy

__all__ = ["Calibrated", "Published", "Sharp"]


@dataclass(frozen=True, slots=True, repr=False)
class ResponseTest(Spelled):
    """A response test and its options."""

    parameter: ClassVar[str] = "test"


@dataclass(frozen=True, slots=True, repr=False)
class Calibrated(ResponseTest):
    """Are the systems equally good on the population of items? Whole items are swapped.

    ``even`` draws as many responses of either system, where they gave unequal numbers.
    """

    name: ClassVar[str] = "calibrated"
    even: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Published(ResponseTest):
    """The overlap of Wein et al. (2023), whose p is not uniform under the null.

    ``sampling`` is one of their strategies, ``even`` as in :class:`Calibrated`.
    """

    name: ClassVar[str] = "published"
    sampling: str = "bootstrap_items/all"
    even: bool = False

    def __post_init__(self) -> None:
        Spelled.__post_init__(self)
        as_strategy(self.sampling)


@dataclass(frozen=True, slots=True, repr=False)
class Sharp(ResponseTest):
    """Are the systems the same on every item? Single responses are exchanged."""

    name: ClassVar[str] = "sharp"


_KINDS: dict[str, type[ResponseTest]] = {kind.name: kind for kind in (Calibrated, Published, Sharp)}


def as_response_test(test: str | ResponseTest) -> ResponseTest:
    """Return a response test, given as a value or as it is typed.

    >>> as_response_test("published(sampling=all_items/sample(k))").sampling
    'all_items/sample(k)'
    """
    return value_of(test, _KINDS, "test")
