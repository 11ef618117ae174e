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
"""

import re
from dataclasses import dataclass
from typing import Literal

from betterthan.errors import UsageError

Taken = Literal["all", "first_element", "sample", "split"]

SAMPLINGS = (
    "all_items/sample(1)",
    "all_items/sample(k)",
    "bootstrap_items/all",
    "bootstrap_items/first_element",
    "bootstrap_items/sample(1)",
    "bootstrap_items/sample(k)",
)
_SPELLING = re.compile(
    r"(?P<items>all_items|bootstrap_items)\s*[/,]\s*"
    r"(?P<kind>all|first_element|split|sample)(?:\((?P<count>k|[1-9]\d*)\))?"
)


@dataclass(frozen=True, slots=True)
class Strategy:
    """A sampling strategy; ``str`` gives its spelling.

    ``count`` is the number of responses sampled per item, None for as many as the item has.
    """

    bootstrap: bool
    kind: Taken
    count: int | None = None

    def __str__(self) -> str:
        items = "bootstrap_items" if self.bootstrap else "all_items"
        if self.kind != "sample":
            return f"{items}/{self.kind}"
        return f"{items}/sample({self.count or 'k'})"

    @property
    def fixed(self) -> bool:
        """Whether an item always gives the same responses, so that only items vary."""
        return self.kind in ("all", "first_element")

    @property
    def single(self) -> bool:
        """Whether every item is left with one response."""
        return self.kind == "first_element" or self.count == 1


def as_strategy(spelling: str | Strategy) -> Strategy:
    """Read a strategy as it is spelled.

    >>> as_strategy("all_items/sample(5)")
    Strategy(bootstrap=False, kind='sample', count=5)
    >>> str(as_strategy("bootstrap_items, sample(k)"))
    'bootstrap_items/sample(k)'
    """
    if isinstance(spelling, Strategy):
        return spelling
    match = _SPELLING.fullmatch(spelling.strip())
    if match is None or (match["kind"] == "sample") != bool(match["count"]):
        known = ", ".join((*SAMPLINGS, "bootstrap_items/split"))
        raise UsageError(f"unknown sampling {spelling!r}: one of {known}")
    bootstrap, kind, count = match["items"] == "bootstrap_items", match["kind"], match["count"]
    if not bootstrap and kind != "sample":
        raise UsageError(f"{spelling} leaves nothing to chance: bootstrap the items too")
    return Strategy(bootstrap, kind, None if count in (None, "k") else int(count))  # type: ignore[arg-type]
