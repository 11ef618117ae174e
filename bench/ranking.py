"""Leaderboards against evalica and FastChat-style resampling, in processor time of one run."""

import time
from collections.abc import Callable, Sequence
from typing import Literal

import evalica
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from betterthan.data.scores import Scores
from betterthan.ranking import Judgments, Ranking, rating
from betterthan.ranking.methods import BradleyTerry

RESAMPLES = 1000
FASTCHAT_ROUNDS = 3


def seconds(work: Callable[[], object]) -> float:
    """Processor time of all threads: a busy machine does not count against anybody."""
    start = time.process_time()
    work()
    return time.process_time() - start


def evalica_fit(
    left: Sequence[str], right: Sequence[str], outcome: NDArray[np.float64]
) -> Callable[[], object]:
    kinds = np.array([evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.X], dtype=object)
    winners = kinds[(2 * outcome).astype(int)].tolist()
    return lambda: evalica.bradley_terry(left, right, winners)


def fastchat_rounds(
    left: NDArray[np.int64], right: NDArray[np.int64], outcome: NDArray[np.float64], systems: int
) -> Callable[[], object]:
    """Resample battles row by row and refit a logistic regression on the resampled table."""
    rng = np.random.default_rng(0)

    def once() -> object:
        drawn = rng.integers(len(outcome), size=len(outcome))
        a, b, y = left[drawn], right[drawn], outcome[drawn]

        def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            d = theta[a] - theta[b]
            gap = expit(d) - y
            slope = np.bincount(a, gap, systems) - np.bincount(b, gap, systems)
            return -float(y @ log_expit(d) + (1 - y) @ log_expit(-d)), np.asarray(slope, float)

        return minimize(loss, np.zeros(systems), jac=True, method="L-BFGS-B", tol=1e-6)

    return lambda: [once() for _ in range(FASTCHAT_ROUNDS)]


def line(what: str, ours: float, theirs: float, who: str) -> None:
    print(f"{what:<58} {ours:>8.2f} s  {theirs:>8.2f} s  {theirs / ours:>8.1f} x  {who}")


def shared_test_set(systems: int = 50, items: int = 10_000) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(items, 1)) + rng.normal(size=(items, systems))
    values += np.linspace(0, 1, systems)
    names = [f"system {k}" for k in range(systems)]
    scores = Scores.from_arrays({name: values[:, k] for k, name in enumerate(names)})
    ours = seconds(lambda: rating(scores, "bradley-terry", resamples=RESAMPLES, rng=0))
    a, b = np.triu_indices(systems, 1)
    left = np.tile(np.array(names, dtype=object)[a], items).tolist()
    right = np.tile(np.array(names, dtype=object)[b], items).tolist()
    outcome = (values[:, a] > values[:, b]).astype(float).ravel()
    theirs = seconds(evalica_fit(left, right, outcome))
    what = f"{systems} systems x {items:,} items: fit + {RESAMPLES:,} refits"
    line(what, ours, theirs, "evalica, one fit, no interval")


def battles(count: int = 1_000_000, systems: int = 100) -> None:
    rng = np.random.default_rng(1)
    left = rng.integers(systems, size=count)
    right = (left + rng.integers(1, systems, size=count)) % systems
    strength = np.linspace(-1, 1, systems)
    chance = 1 / (1 + np.exp(strength[right] - strength[left]))
    outcome = np.where(
        rng.uniform(size=count) < 0.2, 0.5, (rng.uniform(size=count) < chance).astype(float)
    )
    names = np.array([f"model {k}" for k in range(systems)], dtype=object)
    a, b = names[left].tolist(), names[right].tolist()
    what = f"{count:,} battles of {systems} models"
    theirs = seconds(evalica_fit(a, b, outcome))

    def ranked(interval: Literal["sandwich", "resample"]) -> Ranking:
        judged = Judgments.from_arrays(a, b, outcome)  # names are indexed by both
        method = BradleyTerry(ties="half-win", interval=interval)
        return rating(judged, method, resamples=RESAMPLES, rng=0)

    one = seconds(lambda: ranked("sandwich"))
    line(f"{what}: fit + sandwich errors", one, theirs, "evalica, one fit, no interval")
    many = seconds(lambda: ranked("resample"))
    each = seconds(fastchat_rounds(left, right, outcome, systems)) / FASTCHAT_ROUNDS
    line(f"{what}: fit + {RESAMPLES:,} refits", many, theirs, "evalica, one fit, no interval")
    line(
        f"{what}: fit + {RESAMPLES:,} refits",
        many,
        RESAMPLES * each,
        f"resampled logistic regression ({FASTCHAT_ROUNDS} rounds measured, times {RESAMPLES:,})",
    )


def run() -> None:
    print(f"{'':<58} {'ours':>10}  {'theirs':>10}  {'ratio':>10}")
    shared_test_set()
    battles()


if __name__ == "__main__":
    run()
