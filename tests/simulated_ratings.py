"""Scores of two systems whose means differ by a known amount: ratings, mostly, with rare losses."""

from collections.abc import Callable
from typing import Any

import numpy as np

from betterthan.numeric import Numbers

Draw = Callable[[np.random.Generator, int], tuple[Numbers, Numbers]]
LEVELS, USUAL = (1, 2, 3, 4, 5), (0.05, 0.1, 0.15, 0.3, 0.4)


def moved(steps: tuple[float, float, float], lost: float = 0.0, won: float = 0.0) -> Draw:
    """Ratings 1 to 5 that fall by one, stay or rise; some drop to 1, some rise to 5."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
        base = rng.choice(LEVELS, n, p=USUAL)
        new = np.clip(base + rng.choice([-1, 0, 1], n, p=steps), 1, 5)
        u = rng.random(n)
        return base, np.where(u < lost, 1, np.where(u > 1.0 - won, 5, new))

    return draw


def unlike(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    """Ratings that have nothing to do with each other."""
    return rng.choice(LEVELS, n, p=USUAL), rng.choice(LEVELS, n, p=(0.1, 0.1, 0.15, 0.3, 0.35))


def skewed(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    """Many small losses, few large gains, equal means."""
    return np.zeros(n), rng.exponential(size=n) - 1.0


def normal(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    """Real scores, a shift."""
    base = rng.normal(size=n)
    return base, base + rng.normal(0.1, 1.0, n)


MEANS: dict[str, Draw] = {
    "ratings, 10 % move by one, 2 % drop to 1": moved((0.05, 0.9, 0.05), lost=0.02),
    "ratings, 20 % move by one, 5 % drop to 1": moved((0.1, 0.8, 0.1), lost=0.05),
    "ratings, 1 % drop to 1": moved((0.0, 1.0, 0.0), lost=0.01),
    "ratings, 1 % drop to 1, 3 % rise to 5": moved((0.0, 1.0, 0.0), lost=0.01, won=0.03),
    "ratings, 30 % move by one": moved((0.1, 0.7, 0.2)),
    "ratings, independent": unlike,
    "real, skewed": skewed,
    "real, normal": normal,
}


def errors(alike: float) -> Draw:
    """Errors and seconds of recordings, as transcribed by two systems; a share of them alike."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
        seconds, rate = rng.integers(1, 40, n), rng.gamma(1.0, 0.2, n)
        first = rng.poisson(rate * seconds)
        second = np.where(rng.random(n) < alike, first, rng.poisson(0.9 * rate * seconds))
        return np.column_stack((first, seconds)), np.column_stack((second, seconds))

    return draw


def translations(alike: float, gain: float) -> Draw:
    """BLEU's counts of two translations of the same sentences, a share of them alike."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
        length, ease = rng.integers(5, 40, n), 0.7 * rng.normal(size=(n, 1))

        def translated(lead: float) -> Any:
            odds = np.array([0.6, -0.3, -1.0, -1.7]) + lead + ease
            size = np.maximum(length + rng.integers(-2, 3, n), 4)
            totals = np.stack([size - order for order in range(4)], axis=1)
            matches = rng.binomial(totals, 1.0 / (1.0 + np.exp(-odds)))
            return np.column_stack([size, length, matches, totals])

        first = translated(0.0)
        return first, np.where(rng.random((n, 1)) < alike, first, translated(gain))

    return draw
