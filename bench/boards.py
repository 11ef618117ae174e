"""Boards of the sizes that are published, beside the least that any program has to do.

The floor of a job is one pass over its data: the matrix product that counts every pair, one
group-by of the battles, one sum of differences a pair, one median.
"""

import resource
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from betterthan import Scores, compare, compare_all, rank, read
from betterthan.metrics import UAS
from betterthan.ranking import rating


def seconds(work: Callable[[], object]) -> float:
    """Processor time of all threads: a busy machine does not count against anybody."""
    start = time.process_time()
    work()
    return time.process_time() - start


def line(what: str, ours: Callable[[], object], floor: Callable[[], object], named: str) -> None:
    """Print both, what the floor is, and the most memory that the run has taken so far."""
    least, taken = seconds(floor), seconds(ours)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:<52} {taken:>8.2f} s  {least:>9.4f} s  {memory:>7,.0f} MB  {named}")


def scores_of(values: NDArray[Any]) -> Scores:
    """Scores of (items, systems) values."""
    return Scores.from_arrays({f"s{k:04d}": values[:, k] for k in range(values.shape[1])})


def right_or_wrong(systems: int, items: int) -> None:
    rng = np.random.default_rng(0)
    odds = rng.normal(size=systems) - 1.5 * rng.normal(size=(items, 1))
    values = (rng.random((items, systems)) < 1 / (1 + np.exp(-odds))).astype(np.float32)
    scores = scores_of(values)
    line(
        f"{systems:,} systems x {items:,} items of 0/1, Bradley-Terry",
        lambda: rank(scores, method="bradley-terry"),
        lambda: values.T @ (1 - values),
        "all wins by one matrix product",
    )


def many(systems: int, items: int) -> None:
    rng = np.random.default_rng(5)
    odds = rng.normal(size=systems) - 1.5 * rng.normal(size=(items, 1))
    values = (rng.random((items, systems)) < 1 / (1 + np.exp(-odds))).astype(np.float32)
    scores = scores_of(values)
    line(
        f"{systems:,} systems x {items:,} items of 0/1, ranks by mean",
        lambda: rating(scores, "mean"),
        lambda: values.T @ (1 - values),
        "all wins by one matrix product",
    )


def real_scores(systems: int, items: int, decimals: int) -> None:
    rng = np.random.default_rng(1)
    values = 10 * rng.normal(size=systems) + 15 * rng.normal(size=(items, 1))
    values = np.round(values + 5 * rng.normal(size=(items, systems)), decimals)
    scores = scores_of(values)
    for method in ("mean", "bradley-terry"):
        line(
            f"{systems:,} systems x {items:,} real scores, {method}",
            partial(rank, scores, method=method),
            lambda: [np.abs(values[:, k : k + 1] - values).sum(axis=0) for k in range(systems)],
            "one sum of differences a pair",
        )


def battles(count: int, systems: int = 100) -> None:
    rng = np.random.default_rng(2)
    left = rng.integers(systems, size=count)
    right = (left + rng.integers(1, systems, size=count)) % systems
    names = np.array([f"model {k}" for k in range(systems)])
    winner = np.array(["model_a", "model_b", "tie"])[rng.integers(3, size=count)]
    frame = pl.DataFrame({"model_a": names[left], "model_b": names[right], "winner": winner})
    line(
        f"{count:,} battles of {systems} models, a frame",
        lambda: rank(read(frame)),
        lambda: frame.group_by(frame.columns).len(),
        "one group-by",
    )


def parsers(systems: int = 75, sentences: int = 690) -> None:
    rng = np.random.default_rng(3)
    words = rng.integers(3, 45, sentences)
    columns = {
        f"s{k:02d}": np.stack([rng.binomial(words, 0.8 + 0.001 * k), words], axis=1)
        for k in range(systems)
    }
    scores = Scores.from_arrays(columns, columns=UAS.columns)
    values = np.stack([x[:, 0] for x in columns.values()])
    line(
        f"UAS of {systems} parsers on {sentences} sentences, all pairs",
        lambda: compare_all(scores, metric=UAS),
        lambda: [np.abs(values[k] - values).sum(axis=1) for k in range(systems)],
        "one sum of differences a pair",
    )


def medians(items: int = 100_000) -> None:
    a, b = np.random.default_rng(4).normal(size=(2, items))
    scores = Scores.from_arrays({"a": a, "b": b})
    line(
        f"median of {items:,} items, test and interval",
        lambda: compare(scores, metric="median"),
        lambda: [np.median(x) for x in (a, b)],
        "two medians",
    )


def run() -> None:
    """Print a line for each job."""
    print(f"{'':<52} {'ours':>10}  {'floor':>11}  {'memory':>10}")
    right_or_wrong(134, 500)
    right_or_wrong(1_000, 2_000)
    real_scores(181, 41, 2)
    real_scores(52, 300, 12)
    battles(1_000_000)
    parsers()
    medians()
    many(10_000, 1_000)


if __name__ == "__main__":
    run()
