"""Paired tests as values: name, options, and what each is in words. Public as ``bt.tests``.

A test prints as it is typed: ``Bootstrap(variant="sign")`` is ``"bootstrap(variant=sign)"``, and
whatever takes a test takes either.

>>> Bootstrap(variant="sign"), as_test("wilcoxon(zeros=pratt)")
(bootstrap(variant=sign), wilcoxon(zeros=pratt))
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from betterthan.grammar import Spelled, value_of

__all__ = ["Bootstrap", "McNemar", "Mood", "Permutation", "Sign", "T", "Wilcoxon"]

Exact = Literal["lattice", "grid", "meet", "certified", "enumeration", "rational"]
Method = Literal["auto", Exact, "dp", "fft", "monte-carlo"]
"""Ways to the p-value of the permutation test."""

Variant = Literal["shift", "sign"]
Resampling = Literal["auto", "ideal", "sample"]
"""Events that a bootstrap test counts, and ways to its p-value."""


@dataclass(frozen=True, slots=True, repr=False)
class PairedTest(Spelled):
    """A paired test and its options.

    Every test has a ``title``, a ``citation`` where it has an author, and its ``idea`` in plain
    words, which says ``{units}`` where clusters of items, if there are any, count instead of items.
    """

    parameter: ClassVar[str] = "test"
    title: ClassVar[str] = ""
    citation: ClassVar[str] = ""
    idea: ClassVar[str] = ""

    @property
    def options(self) -> dict[str, Any]:
        """Its options by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True, repr=False)
class Permutation(PairedTest):
    """The paired permutation test; ``method`` as in :func:`betterthan.permutation_test`."""

    name: ClassVar[str] = "permutation"
    title: ClassVar[str] = "paired permutation test"
    citation: ClassVar[str] = "Zmigrod et al., 2022"
    idea: ClassVar[str] = (
        "if the two systems were the same, it would not matter whose result is whose. So their "
        "results are swapped on some {units} and not on others, and p is the share of all such "
        "swaps that make a difference at least as large as the one you saw"
    )
    method: Method = "auto"


@dataclass(frozen=True, slots=True, repr=False)
class Bootstrap(PairedTest):
    """The paired bootstrap test; options as in :func:`betterthan.bootstrap_test`."""

    name: ClassVar[str] = "bootstrap"
    title: ClassVar[str] = "paired bootstrap test"
    citation: ClassVar[str] = "Berg-Kirkpatrick et al., 2012"
    idea: ClassVar[str] = (
        "new test sets are drawn from your {units}, some of them twice, some not at all. p is the "
        "share of such sets in which the difference moves by as much as the one you saw"
    )
    variant: Variant = "shift"
    method: Resampling = "auto"
    recentre: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Wilcoxon(PairedTest):
    """Wilcoxon's signed-rank test; ``zeros`` as in :func:`betterthan.wilcoxon`."""

    name: ClassVar[str] = "wilcoxon"
    title: ClassVar[str] = "Wilcoxon signed-rank test"
    citation: ClassVar[str] = "Wilcoxon, 1945"
    idea: ClassVar[str] = (
        "the differences on items are ranked by size, and p is the share of all ways to give "
        "them signs that favour one system as much as yours do. How large a difference is "
        "counts only through its rank"
    )
    zeros: Literal["wilcox", "pratt", "zsplit"] = "wilcox"


@dataclass(frozen=True, slots=True, repr=False)
class Sign(PairedTest):
    """The sign test, :func:`betterthan.sign_test`."""

    name: ClassVar[str] = "sign"
    title: ClassVar[str] = "sign test"
    idea: ClassVar[str] = (
        "only who wins an item counts, not by how much. p is how often a fair coin would favour "
        "one side as much"
    )


@dataclass(frozen=True, slots=True, repr=False)
class McNemar(PairedTest):
    """McNemar's test of 0/1 scores; ``variant`` as in :func:`betterthan.mcnemar`."""

    name: ClassVar[str] = "mcnemar"
    title: ClassVar[str] = "McNemar test"
    citation: ClassVar[str] = "McNemar, 1947"
    idea: ClassVar[str] = (
        "only the items that one system gets right and the other wrong count. p is how often a "
        "fair coin would split them as unevenly"
    )
    variant: Literal["exact", "mid-p", "chi2"] = "exact"


@dataclass(frozen=True, slots=True, repr=False)
class T(PairedTest):
    """Student's paired t-test, :func:`betterthan.t_test`."""

    name: ClassVar[str] = "t"
    title: ClassVar[str] = "paired t-test"
    idea: ClassVar[str] = (
        "the mean difference is divided by its standard error and compared with Student's t "
        "distribution. It is a formula that is right with many {units}"
    )


@dataclass(frozen=True, slots=True, repr=False)
class Mood(PairedTest):
    """Mood's test of medians; ``variant`` as in :func:`betterthan.mood_test`."""

    name: ClassVar[str] = "mood"
    title: ClassVar[str] = "median test"
    citation: ClassVar[str] = "Mood, 1950"
    idea: ClassVar[str] = (
        "scores above and below the common median are counted for both systems. It compares "
        "medians and does not pair the items"
    )
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
