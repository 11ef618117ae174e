"""Worlds: evaluations that look like real ones, of two systems whose true scores are known.

An item has an ease, shared by both systems and partly by the items of its cluster; a system adds
what is its own, on the item and on the cluster. On a share of the items the second system answers
as the first one does. Without a shift both systems follow one law, and labels may be exchanged.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.metrics import BLEU, F1, Metric, mean
from betterthan.numeric import Floats, Ints, Numbers
from calibrate.populations import POPULATIONS, Population

POPULATION, PARTS = 1_000_000, 4  # items that stand for all items, drawn in so many parts
Observe = Callable[[np.random.Generator, Floats, dict[str, Any]], Numbers]


@dataclass(frozen=True)
class World:
    """How scores come about.

    Attributes
    ----------
    metric : Metric
        What is compared.
    observe : callable
        From latent quality, and what the items of both systems share, to per-item values.
    alike : float
        Share of items that the second system answers as the first one does.
    bounds : (float, float) or None
        What single scores can be, where the user has to say it.
    spoiled : float
        Share of items on which the second system, and it alone, fails altogether.
    """

    metric: Metric
    observe: Observe
    alike: float = 0.0
    bounds: tuple[float, float] | None = None
    spoiled: float = 0.0

    @property
    def same_law(self) -> bool:
        """Whether both systems have one law where neither is ahead."""
        return self.spoiled == 0.0

    def draw(self, rng: np.random.Generator, codes: Ints, shifts: Sequence[float]) -> list[Numbers]:
        """Systems on items of these clusters, each better than a first one by its shift."""
        n, clusters = codes.size, int(codes.max()) + 1
        ease = 0.7 * rng.normal(size=n) + 0.5 * rng.normal(size=clusters)[codes]
        shared = _shared(rng, n)

        def system(more: float) -> Numbers:
            return self.observe(rng, ease + _own(rng, codes, clusters) + more, shared)

        first = system(0.0)
        systems, lost = [first], self.observe(rng, np.full(n, -99.0), shared)
        for shift in shifts:
            other = _mixed(rng, self.alike, first, system(shift))
            systems.append(_mixed(rng, self.spoiled, lost, other) if self.spoiled else other)
        return systems


def _mixed(rng: np.random.Generator, share: float, some: Numbers, rest: Numbers) -> Numbers:
    """On a share of the items the one, on all others the other."""
    chosen = rng.random(len(rest)) < share
    return np.where(chosen if rest.ndim == 1 else chosen[:, None], some, rest)


def _own(rng: np.random.Generator, codes: Ints, clusters: int) -> Floats:
    own: Floats = 0.6 * rng.normal(size=codes.size) + 0.3 * rng.normal(size=clusters)[codes]
    return own


def _shared(rng: np.random.Generator, n: int) -> dict[str, Any]:
    return {"gold": np.minimum(rng.poisson(1.5, n), 4), "length": rng.integers(5, 40, n)}


def _chance(latent: Floats) -> Floats:
    chance: Floats = 1.0 / (1.0 + np.exp(-latent))
    return chance


def _right(rng: np.random.Generator, latent: Floats, shared: dict[str, Any]) -> Numbers:
    return (latent > -0.7).astype(np.int64)


def _rated(rng: np.random.Generator, latent: Floats, shared: dict[str, Any]) -> Numbers:
    return 1 + np.searchsorted([-2.0, -1.3, -0.6, 0.4], latent).astype(np.int64)


def _scored(rng: np.random.Generator, latent: Floats, shared: dict[str, Any]) -> Numbers:
    return np.asarray(np.round(_chance(1.0 + 1.5 * latent), 2))


def _close(rng: np.random.Generator, latent: Floats, shared: dict[str, Any]) -> Numbers:
    return np.asarray(np.round(np.maximum(0.5 + shared["length"] / 100 + latent / 50, 0.0), 3))


def _timed(rng: np.random.Generator, latent: Floats, shared: dict[str, Any]) -> Numbers:
    return np.asarray(np.minimum(np.round(np.exp(-0.8 * np.maximum(latent, -9.0)), 1), 30.0))


def _measured(rng: np.random.Generator, latent: Floats, shared: dict[str, Any]) -> Numbers:
    return np.asarray(np.round(latent + 0.5 * rng.standard_t(3, latent.size), 1))


def _tagged(rng: np.random.Generator, latent: Floats, shared: dict[str, Any]) -> Numbers:
    gold = shared["gold"]
    tp = rng.binomial(gold, _chance(1.8 + 1.2 * latent))
    fp = rng.binomial(1, 0.1, latent.size) * (latent > -50.0)
    return np.column_stack((tp, fp, gold - tp)).astype(np.int64)


def _translated(rng: np.random.Generator, latent: Floats, shared: dict[str, Any]) -> Numbers:
    length = shared["length"]
    chance = _chance(np.array([0.6, -0.3, -1.0, -1.7]) + 0.8 * latent[:, None])
    size = np.maximum(length + rng.integers(-2, 3, latent.size), 4)
    totals = np.stack([size - order for order in range(4)], axis=1)
    return np.column_stack([size, length, rng.binomial(totals, chance), totals]).astype(np.int64)


EVALUATIONS = {
    "0/1": World(mean(), _right),
    "0/1, 95 % alike": World(mean(), _right, alike=0.95),
    "ratings 1-5": World(mean(), _rated, alike=0.5, bounds=(1.0, 5.0)),
    "ratings, rare losses": World(mean(), _rated, alike=0.9, bounds=(1.0, 5.0), spoiled=0.02),
    "bounded 0-1": World(mean(), _scored),
    "bounded, rare losses": World(mean(), _close, spoiled=0.02),
    "real": World(mean(), _measured),
    "seconds (skewed)": World(mean(lower_is_better=True), _timed, alike=0.3, bounds=(0.0, 30.0)),
    "F1": World(F1, _tagged, alike=0.7),
    "F1, rare losses": World(F1, _tagged, alike=0.85, spoiled=0.02),
    "BLEU": World(BLEU, _translated),
}
WORLDS: dict[str, World | Population] = {**EVALUATIONS, **POPULATIONS}


def designed(rng: np.random.Generator, items: int, clusters: int, unequal: bool) -> Ints:
    """The cluster of every item; each item its own where there are none."""
    if not clusters:
        return np.arange(items)
    if not unequal:
        return np.arange(items) % clusters
    sizes = np.clip((rng.lognormal(0.0, 1.2, clusters) * items / clusters / 2.05).round(), 1, 231)
    return np.repeat(np.arange(clusters), sizes.astype(np.int64))


def drawn(
    rng: np.random.Generator,
    name: str,
    items: int,
    clusters: int = 0,
    unequal: bool = False,
    *,
    shift: float = 0.0,
) -> Joint:
    """A simulated evaluation, ready to be tested."""
    codes = designed(rng, items, clusters, unequal)
    a, b = WORLDS[name].draw(rng, codes, (shift,))
    return joint_of({"a": a, "b": b}, WORLDS[name].metric, codes if clusters else None)


@cache
def truth(name: str, shift: float = 0.0, unequal: bool = False) -> tuple[float, float]:
    """True scores of both systems, to within the error of a million items."""
    world, rng = WORLDS[name], np.random.default_rng(2026)
    metric, part = world.metric, POPULATION // PARTS
    totals: list[Any] = [0.0, 0.0]
    number = 0
    for _ in range(PARTS):
        codes = designed(rng, part, part // 10 if unequal else 0, unequal)
        number += codes.size
        for k, values in enumerate(world.draw(rng, codes, (shift,))):
            projected = metric.project(values.reshape(len(values), -1))
            totals[k] = totals[k] + projected.sum(axis=0) / 1.0
    first, second = (float(metric.finish(total, number)) for total in totals)
    if shift == 0.0 and world.same_law:  # no error at all in the difference
        return (first + second) / 2.0, (first + second) / 2.0
    return first, second


def true_delta(name: str, shift: float = 0.0, unequal: bool = False) -> float:
    """True difference towards better."""
    first, second = truth(name, shift, unequal)
    return WORLDS[name].metric.sign * (second - first)
