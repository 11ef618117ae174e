"""Which items and responses a resampled test set takes: the strategies of Wein et al. (2023).

A strategy is spelled ``items/responses``. Section 4.1 of the paper has six:

=================================  =================================================
``all_items/sample(1)``            every item, one response at random
``all_items/sample(k)``            every item, its responses bootstrapped
``bootstrap_items/all``            items bootstrapped, all responses
``bootstrap_items/first_element``  items bootstrapped, the first response
``bootstrap_items/sample(1)``      items bootstrapped, one response at random
``bootstrap_items/sample(k)``      items bootstrapped, then their responses
=================================  =================================================

``sample(k)`` draws as many responses as an item has, ``sample(5)`` five.

For the null hypothesis both systems draw from the pool of their responses to an item (Algorithm 1).
Read literally, ``all`` then hands the whole pool to both systems, and ``first_element`` the same
response: their null difference is zero. ``bootstrap_items/split`` deals the pool out at random
instead, to each system as many responses as it had.

With ``/redrawn`` behind it, as in ``bootstrap_items/all/redrawn``, a strategy makes the null as the
authors' program does: either system first draws from the pool, with replacement, as many responses
as it had, anew in every test set, and only then takes its responses as the strategy says. The
published estimates are of this kind.
"""

import re
from dataclasses import dataclass
from typing import Literal

from betterthan.errors import Remedy, UsageError, closest

Taken = Literal["all", "first_element", "sample", "split"]

SAMPLINGS = (
    "all_items/sample(1)",
    "all_items/sample(k)",
    "bootstrap_items/all",
    "bootstrap_items/first_element",
    "bootstrap_items/sample(1)",
    "bootstrap_items/sample(k)",
)
"""The six sampling strategies of the paper."""
_SPELLING = re.compile(
    r"(?P<items>all_items|bootstrap_items)\s*[/,]\s*"
    r"(?P<kind>all|first_element|split|sample)(?:\((?P<count>k|[1-9]\d*)\))?"
    r"(?P<redrawn>\s*/\s*redrawn)?"
)


@dataclass(frozen=True, slots=True)
class Strategy:
    """A sampling strategy; ``str`` gives its spelling.

    ``count`` is the number of responses sampled per item, None for as many as the item has.
    ``redrawn``: null systems have responses of their own, drawn from the pool.
    """

    bootstrap: bool
    kind: Taken
    count: int | None = None
    redrawn: bool = False

    def __str__(self) -> str:
        items = "bootstrap_items" if self.bootstrap else "all_items"
        taken = f"sample({self.count or 'k'})" if self.kind == "sample" else self.kind
        return f"{items}/{taken}{'/redrawn' * self.redrawn}"

    @property
    def fixed(self) -> bool:
        """Whether an item always gives the same responses, so that only items vary."""
        return self.kind in ("all", "first_element") and not self.redrawn

    @property
    def single(self) -> bool:
        """Whether every item is left with one response."""
        return self.kind == "first_element" or self.count == 1

    @property
    def fair(self) -> bool:
        """Whether a system gains nothing by more responses to an item than the other has.

        One of either is taken, or the null systems draw in the same unequal numbers from the pool.
        """
        own_numbers = self.kind == "sample" and self.count is None and not self.redrawn
        return self.single or self.kind == "split" or own_numbers


def as_strategy(spelling: str | Strategy) -> Strategy:
    """Read a strategy as it is spelled.

    >>> as_strategy("all_items/sample(5)")
    Strategy(bootstrap=False, kind='sample', count=5, redrawn=False)
    >>> str(as_strategy("bootstrap_items, sample(k)"))
    'bootstrap_items/sample(k)'
    >>> as_strategy("bootstrap_items/all/redrawn").fixed
    False
    """
    if isinstance(spelling, Strategy):
        return spelling
    match = _SPELLING.fullmatch(spelling.strip())
    if match is None or (match["kind"] == "sample") != bool(match["count"]):
        known = [*SAMPLINGS, "bootstrap_items/split"]
        close = closest(spelling, known)
        raise UsageError(
            f"there is no sampling {spelling!r}; there are {', '.join(known)}, each with /redrawn "
            "behind it for the null of the authors' program",
            *([Remedy("", "sampling", close)] if close else []),
        )
    bootstrap, kind, count = match["items"] == "bootstrap_items", match["kind"], match["count"]
    redrawn = match["redrawn"] is not None
    if not bootstrap and kind != "sample":
        raise UsageError(
            f"{spelling} leaves nothing to chance",
            Remedy("bootstrap the items", "sampling", f"bootstrap_items/{kind}"),
        )
    if redrawn and kind == "split":
        raise UsageError("split deals the pool out: it cannot be redrawn as well")
    return Strategy(bootstrap, kind, None if count in (None, "k") else int(count), redrawn)  # type: ignore[arg-type]
