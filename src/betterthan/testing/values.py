"""Paired tests as values, with the options that each has: public as ``bt.tests``.

A test prints as it is typed: ``Bootstrap(variant="sign")`` is ``"bootstrap(variant=sign)"``, and
whatever takes a test takes either.

>>> Bootstrap(variant="sign"), as_test("wilcoxon(zeros=pratt)")
(bootstrap(variant=sign), wilcoxon(zeros=pratt))
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from betterthan.grammar import Spelled, check_choices, value_of

__all__ = ["Bootstrap", "McNemar", "Mood", "Permutation", "Sign", "T", "Wilcoxon"]


@dataclass(frozen=True, slots=True, repr=False)
class PairedTest(Spelled):
    """A paired test and its options."""

    def __post_init__(self) -> None:
        check_choices(self, "test")

    @property
    def options(self) -> dict[str, Any]:
        """Its options by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True, repr=False)
class Permutation(PairedTest):
    """The paired permutation test; ``method`` as in :func:`betterthan.permutation_test`."""

    name: ClassVar[str] = "permutation"
    method: Literal[
        "auto",
        "lattice",
        "grid",
        "meet",
        "certified",
        "enumeration",
        "rational",
        "dp",
        "fft",
        "monte-carlo",
    ] = "auto"


@dataclass(frozen=True, slots=True, repr=False)
class Bootstrap(PairedTest):
    """The paired bootstrap test; options as in :func:`betterthan.bootstrap_test`."""

    name: ClassVar[str] = "bootstrap"
    variant: Literal["shift", "sign"] = "shift"
    method: Literal["auto", "ideal", "sample"] = "auto"
    recentre: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Wilcoxon(PairedTest):
    """Wilcoxon's signed-rank test; ``zeros`` as in :func:`betterthan.wilcoxon`."""

    name: ClassVar[str] = "wilcoxon"
    zeros: Literal["wilcox", "pratt", "zsplit"] = "wilcox"


@dataclass(frozen=True, slots=True, repr=False)
class Sign(PairedTest):
    """The sign test, :func:`betterthan.sign_test`."""

    name: ClassVar[str] = "sign"


@dataclass(frozen=True, slots=True, repr=False)
class McNemar(PairedTest):
    """McNemar's test of 0/1 scores; ``variant`` as in :func:`betterthan.mcnemar`."""

    name: ClassVar[str] = "mcnemar"
    variant: Literal["exact", "mid-p", "chi2"] = "exact"


@dataclass(frozen=True, slots=True, repr=False)
class T(PairedTest):
    """Student's paired t-test, :func:`betterthan.t_test`."""

    name: ClassVar[str] = "t"


@dataclass(frozen=True, slots=True, repr=False)
class Mood(PairedTest):
    """Mood's test of medians; ``variant`` as in :func:`betterthan.mood_test`."""

    name: ClassVar[str] = "mood"
    variant: Literal["exact", "chi2"] = "exact"


KINDS: dict[str, type[PairedTest]] = {
    kind.name: kind for kind in (Permutation, Bootstrap, Wilcoxon, Sign, McNemar, T, Mood)
}
"""The tests by their names."""


def as_test(given: str | PairedTest) -> PairedTest:
    """Return the test that a value, a name, or a name with options means.

    >>> as_test("mcnemar").options
    {'variant': 'exact'}
    """
    return value_of(given, KINDS, "test")
