"""How often every paired test rejects a true null hypothesis: simulated, from a fixed seed.

Run as a program it prints the table of ``docs/bootstrap.md``, which ``test_type_one_error.py``
simulates anew.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import betterthan as bt
from betterthan import metrics
from betterthan.data.pairing import joint_of
from betterthan.metrics import Metric
from betterthan.testing.contrasts import Contrasts, Event

LEVEL = 0.05
DRAWS = 999  # with the +1 rule, 5 % is a p-value that can be had
EVENTS = {
    "shift, two-sided": Event("shift", "two-sided"),
    "shift, greater": Event("shift", "greater"),
    "sign, two-sided": Event("sign", "two-sided"),
    "sign, greater": Event("sign", "greater"),
}
TESTS = ("permutation", *EVENTS, "absolute")

Floats = NDArray[np.float64]
Systems = tuple[NDArray[Any], NDArray[Any]]
Draw = Callable[[np.random.Generator], Systems]


def absolute_centring(deltas: Floats, delta: float) -> float:
    """The p-value of Moses's script and of sacrebleu 2.6: absolute differences less their mean."""
    size = np.abs(deltas)
    return float((1 + np.count_nonzero(size - size.mean() > abs(delta))) / (1 + len(deltas)))


# -- what the systems are like --------------------------------------------------------------------


def zero_one(n: int) -> Draw:
    """Both right on 60 % of the items; on 20 % one of the two, whichever."""

    def draw(rng: np.random.Generator) -> Systems:
        wins, losses, _ = rng.multinomial(n, [0.1, 0.1, 0.8]).tolist()
        a, b = np.zeros((2, n), dtype=np.int64)
        b[:wins], a[wins : wins + losses] = 1, 1
        return a, b

    return draw


def heavy_tailed(n: int) -> Draw:
    """Scores around an item's difficulty with the errors of Student's t, three degrees."""
    return lambda rng: tuple(rng.normal(size=n) + rng.standard_t(3, size=(2, n)))


def skewed(n: int) -> Draw:
    """Equal means, but not the same law: many small losses, few large gains."""
    return lambda rng: (np.zeros(n), rng.exponential(size=n) - 1.0)


def bleu_counts(n: int) -> Draw:
    """Two translations of the same sentences with the same chances of a match."""

    def draw(rng: np.random.Generator) -> Systems:
        length = rng.integers(5, 40, n)
        ease = rng.normal(size=(n, 1))
        chance = 1.0 / (1.0 + np.exp(-(np.array([0.6, -0.3, -1.0, -1.7]) + 0.7 * ease)))

        def translated() -> NDArray[Any]:
            size = np.maximum(length + rng.integers(-2, 3, n), 4)
            totals = np.stack([size - order for order in range(4)], axis=1)
            return np.column_stack([size, length, rng.binomial(totals, chance), totals])

        return translated(), translated()

    return draw


NULLS: dict[str, tuple[Draw, Metric, int]] = {
    "0/1, n = 50": (zero_one(50), metrics.mean(), 10_000),
    "0/1, n = 200": (zero_one(200), metrics.mean(), 10_000),
    "0/1, n = 1,000": (zero_one(1000), metrics.mean(), 10_000),
    "real, heavy tails, n = 50": (heavy_tailed(50), metrics.mean(), 4_000),
    "BLEU, n = 200": (bleu_counts(200), metrics.BLEU, 4_000),
    "means alone equal, skewed, n = 50": (skewed(50), metrics.mean(), 4_000),
}


# -- what the tests say ---------------------------------------------------------------------------


def pvalues(a: NDArray[Any], b: NDArray[Any], metric: Metric, seed: int) -> list[float]:
    """P-value of every test in ``TESTS``, all bootstraps from the same resamples."""
    swapped = bt.permutation_test(
        a, b, metric, method="monte-carlo" if metric.form == "sums" else "auto",
        resamples=DRAWS, rng=seed,
    ).pvalue  # fmt: skip
    contrasts = Contrasts.of(joint_of({"a": a, "b": b}, metric), [(0, 1)])
    blocks = contrasts.replicas.blocks(DRAWS, seed, then=contrasts.of_scores)
    deltas = np.concatenate(list(blocks))
    delta, slack = contrasts.delta, contrasts.slack
    hits = {name: int(event.hits(deltas, delta, slack)[0]) for name, event in EVENTS.items()}
    shares = [
        (1 + hits[name]) / (1 + DRAWS) * (2 if event.doubled else 1)
        for name, event in EVENTS.items()
    ]
    return [swapped, *shares, absolute_centring(deltas[:, 0], float(delta[0]))]


@cache
def pvalues_of_counts(wins: int, losses: int, n: int) -> tuple[float, ...]:
    """The same for 0/1 scores, of which only wins and losses matter: no sampling is needed."""
    a, b = np.zeros((2, n), dtype=np.int64)
    b[:wins], a[wins : wins + losses] = 1, 1
    exact = bt.permutation_test(a, b).pvalue
    ideal = (
        bt.bootstrap_test(a, b, "mean", event.variant, event.alternative).pvalue
        for event in EVENTS.values()
    )
    counts = np.random.default_rng([wins, losses, n]).multinomial(
        n, [wins / n, losses / n, 1 - (wins + losses) / n], size=DRAWS
    )
    deltas = (counts[:, 0] - counts[:, 1]) / n
    return (exact, *ideal, absolute_centring(deltas, (wins - losses) / n))


def rejections(name: str, seed: int = 2012) -> tuple[dict[str, float], int]:
    """Share of simulated nulls that each test rejects, and how many were simulated."""
    draw, metric, times = NULLS[name]
    rng = np.random.default_rng([seed, list(NULLS).index(name)])

    def rows() -> Iterator[list[float] | tuple[float, ...]]:
        for at in range(times):
            a, b = draw(rng)
            if name.startswith("0/1"):
                yield pvalues_of_counts(int((b > a).sum()), int((a > b).sum()), len(a))
            else:
                yield pvalues(a, b, metric, at)

    # A p-value of 0.05 is one however it was rounded.
    rejected = (np.array(list(rows())) <= LEVEL + 1e-12).mean(axis=0)
    return dict(zip(TESTS, rejected.tolist(), strict=True)), times


if __name__ == "__main__":
    print("| null | " + " | ".join(TESTS) + " |\n|:---|" + "---:|" * len(TESTS))
    for one in NULLS:
        shares, _ = rejections(one)
        print(f"| {one} | " + " | ".join(f"{100 * shares[test]:.1f}" for test in TESTS) + " |")
