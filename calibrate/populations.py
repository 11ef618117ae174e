"""Populations of item differences for the coverage of intervals, from harmless to hostile.

Where intervals cover poorly, strong skew and losses too rare to be seen, that is shown as well.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from betterthan.metrics import mean
from betterthan.numeric import Floats, Ints, Numbers

Both = tuple[Numbers, Numbers]
RATINGS = np.arange(1, 6)


@dataclass(frozen=True)
class Population:
    """Two systems whose differences on items follow a given distribution.

    Attributes
    ----------
    law : callable
        From a generator and the cluster of every item to the scores of both systems.
    """

    law: Callable[[np.random.Generator, Ints], Both]

    metric = mean()
    same_law = False

    def draw(self, rng: np.random.Generator, codes: Ints, shifts: Any = ()) -> list[Numbers]:
        """Scores of a baseline and a candidate; there is nothing to shift."""
        return list(self.law(rng, codes))


def _added(differences: Callable[[np.random.Generator, int], Floats]) -> Population:
    """A baseline of normal scores, and a candidate that differs by what is drawn."""

    def law(rng: np.random.Generator, codes: Ints) -> Both:
        baseline = rng.normal(size=codes.size)
        return baseline, baseline + differences(rng, codes.size)

    return Population(law)


def _shares(rng: np.random.Generator, codes: Ints) -> Both:
    baseline = rng.uniform(0.3, 0.7, codes.size)
    return np.round(baseline, 3), np.round(baseline + rng.normal(0.01, 0.05, codes.size), 3)


def _penalties(rng: np.random.Generator, codes: Ints) -> Both:
    """Errors of translations: minor ones cost 1, major ones 5, punctuation a tenth."""
    hard = rng.gamma(0.7, 1.4, codes.size)
    minor, major, points = (
        rng.poisson(hard[:, None] * [rate, 0.9 * rate]) for rate in (0.7, 0.25, 0.1)
    )
    penalty = minor + 5 * major + 0.1 * points
    return -penalty[:, 0], -penalty[:, 1]


def _judged(rng: np.random.Generator, codes: Ints) -> Both:
    """A judge's marks from 1 to 10, with several levels between two systems on an item."""
    ease = rng.normal(6.0, 1.5, codes.size)
    baseline, candidate = (ease + gain + rng.normal(0, 1.3, codes.size) for gain in (0.0, 0.3))
    return np.clip(np.rint(baseline), 1, 10), np.clip(np.rint(candidate), 1, 10)


def _ratings(rng: np.random.Generator, codes: Ints, alike: float) -> Both:
    chances = [0.1, 0.15, 0.2, 0.3, 0.25]
    baseline, other = rng.choice(RATINGS, (2, codes.size), p=chances)
    better = np.minimum(other + 1, 5)
    return baseline, np.where(rng.random(codes.size) < alike, baseline, better)


def _rare_losses(rng: np.random.Generator, n: int) -> Floats:
    return np.where(rng.random(n) < 0.04, -0.8, rng.normal(0.03, 0.02, n))


def _zero_one(rng: np.random.Generator, codes: Ints, discordance: float, effect: float) -> Both:
    """Answers that differ on a share of the items; of these the candidate wins more."""
    baseline = (rng.random(codes.size) < 0.6).astype(np.int64)
    draw, win = rng.random(codes.size), discordance * (1.0 + effect) / 2.0
    won, lost = draw < win, (draw >= win) & (draw < discordance)
    differ = won | lost
    return np.where(differ, lost, baseline), np.where(differ, won, baseline)


def _clusters(rng: np.random.Generator, codes: Ints, kind: str) -> Both:
    """Normal scores of items with an effect of their cluster on the difference."""
    sizes = np.bincount(codes)
    effect = rng.normal(0.0, 0.5, sizes.size)
    if kind == "skewed":
        effect = 0.6 * rng.lognormal(0.0, 1.0, sizes.size)
    if kind == "tied to size":
        effect = 0.25 * np.log(sizes) + 0.5 * effect
    baseline = rng.normal(size=codes.size)
    return baseline, baseline + effect[codes] + rng.normal(0.2, 1.0, codes.size)


DISCORDANT = tuple((d, e) for d in (0.02, 0.05, 0.1, 0.2, 0.4) for e in (0.0, 0.5, 0.9))
POPULATIONS = {
    "normal": _added(lambda rng, n: rng.normal(0.2, 1.0, n)),
    "MQM-like": Population(_penalties),
    "judged 1-10": Population(_judged),
    "shares, sd .05": Population(_shares),
    "ratings, half tied": Population(partial(_ratings, alike=0.5)),
    "ratings, 90 % tied": Population(partial(_ratings, alike=0.9)),
    "t with 3 df": _added(lambda rng, n: rng.standard_t(3, n)),
    "lognormal": _added(lambda rng, n: rng.lognormal(0.0, 1.0, n)),
    "rare losses": _added(_rare_losses),
    **{
        f"0/1, {100 * d:g} % differ, effect {e:g}": Population(
            partial(_zero_one, discordance=d, effect=e)
        )
        for d, e in DISCORDANT
    },
    "clusters": Population(partial(_clusters, kind="normal")),
    "clusters, skewed effects": Population(partial(_clusters, kind="skewed")),
    "clusters, effect tied to size": Population(partial(_clusters, kind="tied to size")),
}
