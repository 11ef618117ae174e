"""Resampled test sets in blocks: Algorithm 1 of Wein et al. (2023), many draws at a time.

Where a metric reads nothing but item means, the sums of a few responses are laid out once, for
every way to draw them: a random number and a look-up then stand for several responses.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from betterthan.numeric import Floats, Ints
from betterthan.resampling.generator import BLOCK_CELLS, Rng
from betterthan.resampling.work import HERE, Work
from betterthan.responses.distances import item_means
from betterthan.responses.strategies import Strategy
from betterthan.responses.trio import Responses, Trio

ItemNumbers = NDArray[np.intp]
Taker = Callable[[ItemNumbers, np.random.Generator], Floats]
Deal = Callable[[ItemNumbers, np.random.Generator], tuple[Floats, Floats]]
Block = tuple[int, np.random.Generator]  # how many test sets, and who draws them
Made = TypeVar("Made")

MOST_WAYS = 1 << 12
"""Most ways to draw or deal an item's responses that are laid out."""

MOST_SUMS = 1 << 18
"""Most sums of responses that are laid out, over all items: what stays in the cache."""

RESPONSE_CELLS = 1 << 17
"""Responses drawn at a time for one system."""

SIXTEEN_BITS = 1 << 16
"""Most items whose numbers fit into sixteen bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """A block of resampled test sets, each array ``(rows, items, responses)``.

    ``a`` and ``b`` come from the systems' own responses, ``null_a`` and ``null_b`` from their pool.
    Item means stand in for the responses when nothing else was asked for.
    """

    gold: Floats
    a: Floats
    b: Floats
    null_a: Floats
    null_b: Floats


class TestSets:
    """Draws the test sets of Algorithm 1, a block at a time; whoever is sent it lays it out anew.

    What a block holds depends on its generator alone.
    """

    __test__ = False

    def __init__(self, trio: Trio, strategy: Strategy, means_only: bool) -> None:
        self._asked = trio, strategy, means_only
        if strategy.kind == "split":
            own = [_all_of(x, means_only=means_only) for x in trio]
            deal = dealer(trio, means_only=means_only)
        elif strategy.redrawn:
            own = [_taker(x, strategy, means_only=means_only) for x in trio]
            deal = _both(*(_redrawn(trio, x, strategy, means_only=means_only) for x in trio[1:]))
        else:
            pool = trio.pool()
            sizes = [strategy.count or _size(x) for x in trio]
            own = [_sampler(x, k, means_only=means_only) for x, k in zip(trio, sizes, strict=True)]
            deal = _both(*(_sampler(pool, k, means_only=means_only) for k in sizes[1:]))
        self._own, self._deal = own, deal
        self.width = 1 if means_only else max(x.most for x in trio)

    def __reduce__(self) -> tuple[Any, ...]:
        return TestSets, self._asked

    def __call__(self, block: Block) -> Draws:
        """Draw a block of test sets."""
        trio, strategy, _ = self._asked
        items, generator = items_of(trio.n, block, bootstrap=strategy.bootstrap), block[1]
        gold, a, b = (draw(items, generator) for draw in self._own)
        return Draws(gold, a, b, *self._deal(items, generator))


def drawn_by(
    measure: Callable[[Block], Made],
    n: int,
    resamples: int,
    rng: Rng,
    *,
    width: int = 1,
    work: Work = HERE,
) -> Iterator[Made]:
    """What is measured of each block of test sets of ``n`` items, in their order."""
    # Blocks are made for n items of one number each; n * width makes a block RESPONSE_CELLS large.
    cells = n * width * max(1, BLOCK_CELLS // RESPONSE_CELLS)
    return work.draw(measure, cells, resamples, rng)


def items_of(n: int, block: Block, *, bootstrap: bool) -> ItemNumbers:
    """Item numbers of a block, ``(rows, n)``, bootstrapped or in order."""
    rows, generator = block
    if bootstrap:
        return bootstrap_items(n, rows, generator)
    return np.broadcast_to(np.arange(n), (rows, n))


def bootstrap_items(n: int, rows: int, generator: np.random.Generator) -> ItemNumbers:
    """Draw ``(rows, n)`` item numbers uniformly.

    Sixteen random bits per item are enough for up to 65,536 items: the leading ones that ``n``
    needs are kept, and the few numbers from ``n`` on are drawn again.
    """
    if n > SIXTEEN_BITS:
        return generator.integers(n, size=(rows, n), dtype=np.intp)
    bits = max(1, (n - 1).bit_length())
    words = generator.integers(1 << 64, size=-(-rows * n // 4), dtype=np.uint64)
    drawn = words.astype("<u8", copy=False).view(np.uint16)[: rows * n] >> (16 - bits)
    items = drawn.astype(np.intp)
    again = np.flatnonzero(drawn >= n)
    items[again] = generator.integers(n, size=again.size)
    return items.reshape(rows, n)


def dealer(trio: Trio, *, means_only: bool) -> Deal:
    """Deal the pooled responses of each item out at random, to either system as many as it had."""
    a, b = trio.a, trio.b
    if a.even and b.even and comb(a.most + b.most, a.most) <= MOST_WAYS:
        return _deal_from_menu(trio, means_only=means_only)
    pooled = trio.pool().values
    last = pooled.shape[1] - 1

    def shuffle(items: ItemNumbers, generator: np.random.Generator) -> tuple[Floats, Floats]:
        cards = pooled[items]
        keys = generator.random(cards.shape)
        keys[np.isnan(cards)] = 2.0  # responses that are not there are dealt last
        cards = np.take_along_axis(cards, np.argsort(keys, axis=-1), axis=-1)
        n_a, n_b = (x.counts[items][..., None] for x in (a, b))
        first, second = np.arange(a.most), np.arange(b.most)
        at = np.minimum(n_a + second, last)
        hand_a = np.where(first < n_a, cards[..., : a.most], np.nan)
        hand_b = np.where(second < n_b, np.take_along_axis(cards, at, axis=-1), np.nan)
        return _summed_up(hand_a, means_only), _summed_up(hand_b, means_only)

    return shuffle


def _deal_from_menu(trio: Trio, *, means_only: bool) -> Deal:
    """Choose among all ways to deal the pool out, where they are few."""
    pooled = np.hstack([trio.a.values, trio.b.values])
    k_a, k_b = trio.a.most, trio.b.most
    to_a, to_b = _deals(k_a, k_b)
    ways, k = len(to_a), k_a + k_b
    sums = pooled[:, to_a].sum(axis=-1) if means_only else None
    totals = pooled.sum(axis=-1)

    def deal(items: ItemNumbers, generator: np.random.Generator) -> tuple[Floats, Floats]:
        way = generator.integers(ways, size=items.shape, dtype=np.uint16)
        if sums is None:
            start = starts(items, k)[..., None]
            return pooled.take(start + to_a[way]), pooled.take(start + to_b[way])
        sum_a = sums.take(starts(items, ways) + way)[..., None]
        return sum_a / k_a, (totals[items][..., None] - sum_a) / k_b

    return deal


def _taker(source: Responses, strategy: Strategy, *, means_only: bool) -> Taker:
    """Take a system's own responses as the strategy says."""
    if strategy.kind == "sample":
        return _sampler(source, strategy.count or _size(source), means_only=means_only)
    block = source.first() if strategy.single else source.values
    kept = _summed_up(block, means_only)
    return lambda items, generator: kept[items]


def _redrawn(trio: Trio, had: Responses, strategy: Strategy, *, means_only: bool) -> Taker:
    """Draw a null system's responses from the pool, and take of these as the strategy says."""
    pool = trio.pool()
    if strategy.single:  # one of the pool, whichever way it is taken
        return _sampler(pool, 1, means_only=means_only)
    if strategy.kind == "all":
        return _sampler(pool, _size(had), means_only=means_only)
    drawn_first = _sampler(pool, _size(had), means_only=False)
    width = strategy.count or had.most

    def draw(items: ItemNumbers, generator: np.random.Generator) -> Floats:
        there = had.counts[items][..., None]
        first = drawn_first(items, generator)
        picks = (generator.random((*items.shape, width)) * there).astype(np.intp)
        taken = np.take_along_axis(first, picks, axis=-1)
        if strategy.count is None and not had.even:
            taken[np.arange(width) >= there] = np.nan
        return _summed_up(taken, means_only)

    return draw


def _sampler(source: Responses, size: int | Ints, *, means_only: bool) -> Taker:
    """Draw responses with replacement: ``size`` of them, or the item's own number."""
    if means_only and source.even and isinstance(size, int):
        return _mean_sampler(source, size)
    width = size if isinstance(size, int) else int(size.max())

    def draw(items: ItemNumbers, generator: np.random.Generator) -> Floats:
        shape = (*items.shape, width)
        if source.even:
            picks = generator.integers(source.most, size=shape, dtype=np.uint16)
        else:
            picks = (generator.random(shape) * source.counts[items][..., None]).astype(np.uint16)
        drawn = source.values.take(starts(items, source.most)[..., None] + picks)
        if not isinstance(size, int):
            drawn[np.arange(width) >= size[items][..., None]] = np.nan
        return _summed_up(drawn, means_only)

    return draw


def _mean_sampler(source: Responses, size: int) -> Taker:
    """Means of ``size`` responses drawn with replacement, several responses to a look-up."""
    n, k = source.values.shape
    most = 1
    while (
        most < size and k ** (most + 1) <= MOST_WAYS and n * comb(k + most, most + 1) <= MOST_SUMS
    ):
        most += 1
    menus = {}
    for part in {min(most, size), size % most} - {0}:
        ways, chosen = _multisets(k, part)
        menus[part] = ways, source.values[:, chosen].sum(axis=-1)
    parts = [most] * (size // most) + [size % most] * (size % most > 0)

    def some(part: int, items: ItemNumbers, generator: np.random.Generator) -> Floats:
        ways, sums = menus[part]
        way = generator.integers(ways.size, size=items.shape, dtype=np.uint16)
        at = starts(items, sums.shape[1]) + (way if part == 1 else ways[way])
        return np.asarray(sums.take(at), dtype=np.float64)

    def draw(items: ItemNumbers, generator: np.random.Generator) -> Floats:
        total = some(parts[0], items, generator)
        for part in parts[1:]:
            total += some(part, items, generator)
        if size > 1:
            total /= size
        return total[..., None]

    return draw


def starts(items: ItemNumbers, width: int) -> ItemNumbers:
    """Where the items' rows start in a table; items in order are the same in every test set."""
    return (items[:1] if items.strides[0] == 0 else items) * width


def _both(first: Taker, second: Taker) -> Deal:
    return lambda items, generator: (first(items, generator), second(items, generator))


def _all_of(source: Responses, *, means_only: bool) -> Taker:
    block = _summed_up(source.values, means_only)
    return lambda items, generator: block[items]


def _size(source: Responses) -> int | Ints:
    """As many responses as the items have: one number where that is one number."""
    return source.most if source.even else source.counts


def _summed_up(block: Floats, means_only: bool) -> Floats:
    return item_means(block)[..., None] if means_only else block


@lru_cache(maxsize=16)
def _multisets(n: int, size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All multisets of ``size`` out of ``n``, and which of them each ordered draw is.

    >>> ways, chosen = _multisets(2, 2)
    >>> chosen[ways].tolist()
    [[0, 0], [0, 1], [0, 1], [1, 1]]
    """
    draws = np.stack(np.unravel_index(np.arange(n**size), (n,) * size), axis=-1)
    base = n ** np.arange(size)[::-1]
    codes, ways = np.unique(np.sort(draws, axis=-1) @ base, return_inverse=True)
    return ways.astype(np.intp), (codes[:, None] // base) % n


@lru_cache(maxsize=16)
def _deals(to_a: int, to_b: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All ways to deal ``to_a + to_b`` cards out to two players.

    >>> _deals(1, 2)[1].tolist()
    [[1, 2], [0, 2], [0, 1]]
    """
    every = range(to_a + to_b)
    hands = list(combinations(every, to_a))
    rest = [sorted(set(every).difference(hand)) for hand in hands]
    return np.array(hands, dtype=np.intp), np.array(rest, dtype=np.intp)
