"""Studies of estimated and true p-values, as the authors' program runs them.

The program (Google Research, ``vet``) differs from the text of the paper in four ways that move
numbers: null systems have responses of their own (``/redrawn``), earth mover's distances are those
between heights of bars (``*_counts``) and rest on 100 draws where other estimates rest on 1,000,
means that are equal but for rounding are not tied, and the test set with the real ratings is one of
the 1,000 that the true p is taken over.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, owens_t

from betterthan.numeric import Floats
from betterthan.papers.boards import ratings_arguments, ratings_in
from betterthan.papers.printed_cells import Cell
from betterthan.papers.runner import Runner
from betterthan.responses import (
    SAMPLINGS,
    Population,
    ResponseMetric,
    Trio,
    draw_test_set,
    toxicity,
    trio,
    true_ps,
)
from betterthan.responses.distances import item_means
from betterthan.responses.p_value_study import PAPER_EPS, PAPER_METRICS
from betterthan.responses.published_test import published_test
from betterthan.responses.question import ResponseQuestion
from betterthan.responses.response_metrics import as_response_metric
from betterthan.responses.simulator import respond
from betterthan.responses.strategies import as_strategy
from betterthan.responses.trio import as_responses

Key = tuple[float, str, str]
ITEMS, RESPONSES, DRAWS, EMD_DRAWS = 1_000, 5, 1_000, 100
SEVERAL = ("wins_vectorized", "emd_vectorized", "emd_mean")
"""Metrics that need several responses per item."""

PRIOR = 10
"""Degrees of freedom with which what is expected of a spread counts beside a few repeats."""

LOWEST = -3.0
"""On the normal scale, below which the spread of estimates is cut off by their precision."""

ROUNDING = 1e-15
VISIBLE = 1e8
"""Rounding errors of losses are so much larger here, so that they decide what would be a tie."""


def studied_combinations() -> list[tuple[str, str]]:
    """The 45 pairs of a sampling strategy and a metric."""
    return [
        (sampling, metric)
        for metric in PAPER_METRICS
        for sampling in SAMPLINGS
        if metric not in SEVERAL or not single(sampling)
    ]


def single(sampling: str) -> bool:
    """Whether a strategy takes one response per item."""
    return sampling.endswith(("sample(1)", "first_element"))


def as_programmed(metric: str) -> ResponseMetric:
    """Return a metric of the paper as the program computes it."""
    if metric.startswith("emd"):
        return as_response_metric(f"{metric}_counts")
    found = as_response_metric(metric)
    if not metric.startswith("wins"):
        return found
    return replace(found, name=f"{metric}_rounded", function=_rounded, means_only=False)


def _rounded(system: Floats, gold: Floats) -> Floats:
    """Distance of means in floating point, whose rounding errors decide between equal ones."""
    distance = np.abs(gold.mean(axis=-1) - system.mean(axis=-1))
    rounding = distance - np.round(distance, 12)
    tiny = np.abs(rounding) < ROUNDING
    return np.asarray(distance + VISIBLE * np.where(tiny, rounding, 0.0), dtype=np.float64)


def population(law: str, eps: float) -> Population:
    """Return what test sets are drawn from; perturbed means are clamped in either law."""
    return toxicity(eps) if law == "toxicity" else Population(eps_a=eps, clamp=True)


def reference(law: str, eps: float, rng: np.random.Generator, ratings: str = "") -> Trio:
    """Draw a reference test set.

    Around real ratings, systems have the means and deviations that the ratings of an item happen
    to have: those of a file, or such as are drawn from the fitted law.
    """
    here = population(law, eps)
    made = draw_test_set(here, ITEMS, RESPONSES, rng)
    if law == "simulated":
        return made.trio
    gold = made.trio.gold
    if ratings:
        values = ratings_in(ratings)
        rows = rng.choice(len(values), min(ITEMS, len(values)), replace=False)
        gold = as_responses(values[rows], "gold")
    around = here.perturbed(item_means(gold.values), gold.sds, rng)
    systems = respond(here, around, (1, RESPONSES, RESPONSES), rng)
    return trio(gold, systems.a, systems.b)


def estimated(
    data: Trio, metric: ResponseMetric, sampling: str, draws: int, seed: np.random.SeedSequence
) -> float:
    """P of the published test; items stay in the order that they were drawn in."""
    rng = np.random.default_rng(seed)
    asked = ResponseQuestion(data, metric, "two-sided", draws, rng)
    return published_test(asked, as_strategy(sampling)).pvalue


def estimates(
    seed: np.random.SeedSequence, law: str, eps: float, ratings: str = "", content: int = 0
) -> list[float]:
    """Estimated p of every combination, from one reference test set."""
    drawn, *seeds = seed.spawn(1 + len(studied_combinations()))
    data = reference(law, eps, np.random.default_rng(drawn), ratings)
    return [
        _share(
            estimated(data, as_programmed(metric), f"{sampling}/redrawn", _draws(metric), child),
            _draws(metric),
        )
        for (sampling, metric), child in zip(studied_combinations(), seeds, strict=True)
    ]


def truths(seed: np.random.SeedSequence, law: str, eps: float) -> list[list[Any]]:
    """True p of every metric: whether of one response, its name, p."""
    found: list[list[Any]] = []
    for alone, child in zip((False, True), seed.spawn(2), strict=True):
        chosen = [m for m in PAPER_METRICS if not alone or m not in SEVERAL]
        laws = true_ps(
            population(law, eps),
            [as_programmed(metric) for metric in chosen],
            items=ITEMS,
            responses=1 if alone else RESPONSES,
            alternative="two-sided",
            resamples=DRAWS,
            rng=child,
        )
        found += [
            [alone, metric, _share(law_.pvalue, DRAWS)]
            for metric, law_ in zip(chosen, laws, strict=True)
        ]
    return found


def _draws(metric: str) -> int:
    return EMD_DRAWS if metric.startswith("emd") else DRAWS


def _share(p: float, draws: int) -> float:
    """Share of pairs behind a p that counts one pair more."""
    pairs = draws * draws
    return max(0.0, (p * (pairs + 1) - 1) / pairs)


@dataclass(frozen=True, slots=True)
class Study:
    """Estimated and true p over repeats, by eps, sampling and metric."""

    estimated: dict[Key, list[float]]
    true: dict[Key, list[float]]


@cache
def studied(runner: Runner, law: str) -> Study:
    """Run the studies of one law: every repeat has a reference test set and a truth of its own.

    Estimates around ratings that are drawn have no published counterpart: fewer will do.
    """
    repeats = 4 if runner.quick else 40
    ratings = ratings_arguments(runner.data) if law == "toxicity" else {}
    fewer = repeats // 4 if law == "toxicity" and not ratings else repeats
    jobs: list[dict[str, Any]] = [{"law": law, "eps": e} for e in PAPER_EPS for _ in range(repeats)]
    asked = [{**job, **ratings} for k, job in enumerate(jobs) if k % repeats < fewer]
    estimated: dict[Key, list[float]] = {}
    true: dict[Key, list[float]] = {}
    for job, row in zip(asked, runner.map(f"2023 {law} estimates", estimates, asked), strict=True):
        for (sampling, metric), p in zip(studied_combinations(), row, strict=True):
            estimated.setdefault((job["eps"], sampling, metric), []).append(p)
    for job, rows in zip(jobs, runner.map(f"2023 {law} truths", truths, jobs), strict=True):
        for alone, metric, p in rows:
            for sampling in SAMPLINGS:
                if single(sampling) == alone:
                    true.setdefault((job["eps"], sampling, metric), []).append(p)
    return Study(estimated, true)


def true_cell(name: str, published: str, drawn: list[float], reason: str = "") -> Cell:
    """Hold a true p against a published one, which is the overlap of 1,000 draws and 1,000.

    The variance of such an overlap is known for two normal laws of one spread, and what few repeats
    say of it leans on that.
    """
    mean = float(np.mean(drawn))
    freedom = len(drawn) - 1
    own = float(np.var(drawn, ddof=1)) if freedom else 0.0
    variance = (PRIOR * overlap_variance(mean, DRAWS) + freedom * own) / (PRIOR + freedom)
    sd = variance**0.5
    return Cell(name, published, mean, sd / len(drawn) ** 0.5, sd, reason)


def overlap_variance(p: float, draws: int) -> float:
    """Variance of the share of pairs in which one of ``draws`` normal numbers exceeds another.

    A two-sample U-statistic (Hoeffding, 1948) whose kernel has the mean ``p``; two of its pairs
    that share a draw are both hits with the probability that two normal numbers of correlation 1/2
    exceed the same bound (Owen, 1956).

    >>> round(overlap_variance(0.5, 1000), 6)  # (2 / 1000) (1/3 - 1/4)
    0.000167
    """
    share = max(p, 1.0 / draws**2)
    bound = float(ndtri(share))
    both = float(ndtr(bound) - 2 * owens_t(bound, 3**-0.5))
    return 2.0 * max(both - share * share, 0.0) / draws


def estimated_cells(study: Study, asked: list[tuple[str, Key, str]]) -> list[Cell]:
    """Hold estimates against published ones: names, what they are about, printed numbers.

    An estimate is spread by the reference test set that it happens to be made from, far from
    symmetrically; on the normal scale the spread is nearly that of all metrics and perturbations.
    """
    scores = {key: _normal_scores(ps, key[2]) for key, ps in study.estimated.items()}
    telling: dict[str, list[float]] = {}
    for (_, sampling, _), z in scores.items():
        if z.min() > LOWEST and z.max() < 0.0:  # none of the p-values is at an end
            telling.setdefault(sampling, []).append(float(np.var(z, ddof=1)))
    cells = []
    for name, key, published in asked:
        z = scores[key]
        freedom = z.size - 1
        own = float(np.var(z, ddof=1))
        expected = float(np.mean(telling.get(key[1], [own])))
        sd = ((PRIOR * expected + freedom * own) / (PRIOR + freedom)) ** 0.5
        middle = float(z.mean())
        ours = float(ndtr(middle)) if any(study.estimated[key]) else 0.0
        theirs = max(float(published.removeprefix("<")), _least(key[2]))
        apart = float(ndtri(theirs)) - middle
        # The slope between the two turns errors of the normal scale into errors of p.
        slope = (theirs - float(ndtr(middle))) / apart if abs(apart) > 1e-6 else 0.4
        cells.append(Cell(name, published, ours, slope * sd / z.size**0.5, slope * sd))
    return cells


def _normal_scores(ps: list[float], metric: str) -> Floats:
    return np.asarray(ndtri(np.clip(ps, _least(metric), 0.5)), dtype=np.float64)


def _least(metric: str) -> float:
    """Half a pair, where none overlapped."""
    return 0.5 / _draws(metric) ** 2
