"""Boards of the sizes that are published, next to evalica, resampled fits, and one pass."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import evalica
import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit

import betterthan as bt
from bench.runner import Benchmark, Case
from betterthan.metrics import UAS
from betterthan.ranking import Judgments, Ranking, rating
from betterthan.ranking.methods import BradleyTerry

Floats = NDArray[np.float64]
REFITS, FASTCHAT_ROUNDS = 1_000, 3
BT, MEAN, MILLION = "bradley-terry", "mean", (1_000_000,)
PRODUCT, PASS = "floor: all wins by one matrix product", "floor: one sum of differences a pair"


def scores_of(values: NDArray[Any]) -> bt.Scores:
    """Scores of (items, systems) values."""
    return bt.Scores.from_arrays({f"s{k:04d}": x for k, x in enumerate(values.T)})


def right_or_wrong(systems: int, *, items: int, method: str) -> Case:
    """0/1 scores of items and systems of different ease and skill."""
    rng = np.random.default_rng(5)
    odds = rng.normal(size=systems) - 1.5 * rng.normal(size=(items, 1))
    values = (rng.random((items, systems)) < 1 / (1 + np.exp(-odds))).astype(np.float32)
    scores = scores_of(values)
    rank = rating if method == MEAN else bt.rank  # of so many systems only the ranks
    return Case(lambda: rank(scores, method=method), {PRODUCT: lambda: values.T @ (1 - values)})


def real_scores(systems: int, *, items: int, decimals: int, method: str) -> Case:
    """Real scores, as published with a few decimals or with all."""
    rng = np.random.default_rng(1)
    values = 10 * rng.normal(size=systems) + 15 * rng.normal(size=(items, 1))
    values = np.round(values + 5 * rng.normal(size=(items, systems)), decimals)
    columns = [values[:, k : k + 1] for k in range(systems)]
    return Case(
        partial(bt.rank, scores_of(values), method=method),
        {PASS: lambda: [np.abs(x - values).sum(axis=0) for x in columns]},
    )


def parsers(systems: int) -> Case:
    """UAS on 690 sentences, all pairs."""
    rng = np.random.default_rng(3)
    words = rng.integers(3, 45, 690)
    columns = {
        f"s{k:02d}": np.stack([rng.binomial(words, 0.8 + 0.001 * k), words], axis=1)
        for k in range(systems)
    }
    scores = bt.Scores.from_arrays(columns, columns=UAS.columns)
    values = np.stack([x[:, 0] for x in columns.values()])
    return Case(
        lambda: bt.compare_all(scores, metric=UAS),
        {PASS: lambda: [np.abs(x - values).sum(axis=1) for x in values]},
    )


def frame_of_battles(count: int) -> Case:
    """Battles of 100 models as a data frame."""
    left, right, names, rng = _drawn_battles(count, 100)
    winner = np.array(["model_a", "model_b", "tie"])[rng.integers(3, size=count)]
    columns = {"model_a": names[left], "model_b": names[right], "winner": winner}
    frame = pl.DataFrame({name: x.astype(str) for name, x in columns.items()})
    return Case(
        lambda: bt.rank(bt.read(frame)),
        {"floor: one group-by": lambda: frame.group_by(frame.columns).len()},
    )


def _drawn_battles(count: int, systems: int) -> tuple[Any, Any, Any, np.random.Generator]:
    """Two models of each battle, their names, and the generator."""
    rng = np.random.default_rng(6)
    names = np.array([f"model {k}" for k in range(systems)], dtype=object)
    left = rng.integers(systems, size=count)
    return left, (left + rng.integers(1, systems, size=count)) % systems, names, rng


def evalica_fit(left: Sequence[str], right: Sequence[str], outcome: Floats) -> Callable[[], object]:
    """One fit of Bradley-Terry by evalica."""
    kinds = np.array([evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.X], dtype=object)
    winners = kinds[(2 * outcome).astype(int)].tolist()
    return lambda: evalica.bradley_terry(left, right, winners)


def battles(count: int) -> Case:
    """Battles of 50 models as arrays."""
    left, right, names, rng = _drawn_battles(count, 50)
    outcome = rng.choice([0.0, 0.5, 1.0], count)
    a, b = names[left].tolist(), names[right].tolist()
    frame = pl.DataFrame({"a": a, "b": b, "outcome": outcome})
    return Case(
        lambda: rating(Judgments.from_arrays(a, b, outcome), BradleyTerry(ties="half-win")),
        {
            "floor: one group-by": lambda: frame.group_by(frame.columns).len(),
            "evalica, no intervals": evalica_fit(a, b, outcome),
        },
    )


def fastchat_rounds(left: Any, right: Any, outcome: Floats, systems: int) -> list[object]:
    """Resample battles row by row and refit a logistic regression on the resampled table."""
    rng = np.random.default_rng(0)

    def once() -> object:
        drawn = rng.integers(len(outcome), size=len(outcome))
        a, b, y = left[drawn], right[drawn], outcome[drawn]

        def loss(theta: Floats) -> tuple[float, Floats]:
            d = theta[a] - theta[b]
            gap = expit(d) - y
            slope = np.bincount(a, gap, systems) - np.bincount(b, gap, systems)
            return -float(y @ log_expit(d) + (1 - y) @ log_expit(-d)), np.asarray(slope, float)

        return minimize(loss, np.zeros(systems), jac=True, method="L-BFGS-B", tol=1e-6)

    return [once() for _ in range(FASTCHAT_ROUNDS)]


def judged(count: int, *, refit: bool) -> Case:
    """Battles of 100 models of known strength: errors by a formula, or by 1,000 refits."""
    left, right, names, rng = _drawn_battles(count, 100)
    strength = np.linspace(-1, 1, 100)
    wins = rng.uniform(size=count) < expit(strength[left] - strength[right])
    outcome = np.where(rng.uniform(size=count) < 0.2, 0.5, wins.astype(float))
    a, b = names[left].tolist(), names[right].tolist()

    def ours() -> Ranking:
        method = BradleyTerry(ties="half-win", interval="resample" if refit else "sandwich")
        return rating(Judgments.from_arrays(a, b, outcome), method, resamples=REFITS, rng=0)

    others = {"evalica, one fit, no interval": evalica_fit(a, b, outcome)}
    if not refit:
        return Case(ours, others)
    refits = f"resampled logistic regression ({FASTCHAT_ROUNDS} rounds, times {REFITS:,})"
    rounds = {refits: lambda: fastchat_rounds(left, right, outcome, 100)}
    return Case(ours, others | rounds, {refits: REFITS / FASTCHAT_ROUNDS})


def shared_items(items: int) -> Case:
    """50 systems on a shared test set, with 1,000 refits."""
    values = np.random.default_rng(0).normal(size=(items, 51))
    values = values[:, 50:] + values[:, :50] + np.linspace(0, 1, 50)
    names = np.array([f"system {k}" for k in range(50)], dtype=object)
    scores = bt.Scores.from_arrays(dict(zip(names, values.T, strict=True)))
    a, b = np.triu_indices(50, 1)
    left, right = (np.tile(names[x], items).tolist() for x in (a, b))
    outcome = (values[:, a] > values[:, b]).astype(float).ravel()
    return Case(
        lambda: rating(scores, "bradley-terry", resamples=REFITS, rng=0),
        {"evalica, one fit, no interval": evalica_fit(left, right, outcome)},
    )


BENCHMARKS = (
    Benchmark(
        "growth",
        "Bradley-Terry board of systems x 500",
        (10, 30, 100, 300),
        partial(right_or_wrong, items=500, method=BT),
    ),
    Benchmark("growth", "Bradley-Terry of battles", (10_000, 100_000, 1_000_000), battles),
    *(
        Benchmark(
            "boards",
            f"systems x {items:,} of 0/1, {method}",
            (systems,),
            partial(right_or_wrong, items=items, method=method),
        )
        for systems, items, method in ((134, 500, BT), (1_000, 2_000, BT), (10_000, 1_000, MEAN))
    ),
    *(
        Benchmark(
            "boards",
            f"systems x {items} real scores, {method}",
            (systems,),
            partial(real_scores, items=items, decimals=decimals, method=method),
        )
        for systems, items, decimals in ((181, 41, 2), (52, 300, 12))
        for method in (MEAN, BT)
    ),
    Benchmark("boards", "battles of 100 models, a frame", MILLION, frame_of_battles),
    Benchmark("boards", "parsers on 690 sentences, UAS, all pairs", (75,), parsers),
    Benchmark("ranking", "items x 50 systems, fit and 1,000 refits", (10_000,), shared_items),
    Benchmark("ranking", "battles, fit and sandwich errors", MILLION, partial(judged, refit=False)),
    Benchmark("ranking", "battles, fit and 1,000 refits", MILLION, partial(judged, refit=True)),
)
