"""Estimated against true p-values: the study of sections 5 and 6 of Wein et al. (2023).

For every perturbation a reference test set is simulated, or taken from the user's own gold
responses; each combination of a sampling strategy and a metric gives an estimated p for it, and the
population a true one. How far they are apart says which combination to trust.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Unpack

import numpy as np

from betterthan.checks import several
from betterthan.errors import Note, Remedy, UsageError, how_many, not_one_of
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng, affordable, as_generator
from betterthan.resampling.work import Sampling, Work
from betterthan.responses.budget import Split, split_budget
from betterthan.responses.distances import item_means
from betterthan.responses.population_fit import fit
from betterthan.responses.published_test import published_law
from betterthan.responses.question import ResponseQuestion
from betterthan.responses.response_metrics import ResponseMetric, as_response_metric
from betterthan.responses.simulator import Population, draw_test_set, respond, toxicity
from betterthan.responses.strategies import SAMPLINGS, Strategy, as_strategy
from betterthan.responses.trio import RawResponses, Responses, Trio, as_responses, trio
from betterthan.responses.truth import true_ps
from betterthan.results.protocol import Result

PAPER_EPS = (0.0, 0.05, 0.1, 0.3, 0.7)
PAPER_METRICS = tuple(
    "mae wins wins_vectorized mse spearman emd_aggregated emd_vectorized emd_mean cosine".split()
)
FEW_REPEATS = 10
"""With fewer reference test sets the least error of many is that of a lucky draw."""

_SEVERAL = (
    *("wins_vectorized", "emd_vectorized", "emd_mean"),
    *("emd_vectorized_counts", "emd_mean_counts"),
)
"""Metrics that say nothing of their own about a single response per item."""


@dataclass(frozen=True, slots=True)
class StudyCell:
    """One strategy and metric at one perturbation.

    ``estimated`` is the mean over the reference test sets, ``error`` the mean absolute difference
    of their estimates from the true p.
    """

    eps: float
    sampling: str
    metric: str
    estimated: float
    true: float
    error: float


@dataclass(frozen=True, slots=True)
class ResponseStudy(Result):
    """Outcome of :func:`study`.

    Plots: ``metrics`` and ``samplings``, the least error of p by either; ``budget``, where to spend
    responses.
    """

    cells: tuple[StudyCell, ...]
    splits: tuple[Split, ...]
    items: int
    responses: int
    resamples: int
    repeats: int

    @property
    def eps(self) -> tuple[float, ...]:
        """The perturbations studied."""
        return tuple(dict.fromkeys(cell.eps for cell in self.cells))

    def least_error(self, by: str) -> dict[str, dict[float, float]]:
        """Smallest error by ``"metric"`` or ``"sampling"`` at every eps: Tables 1 and 2."""
        if by not in ("metric", "sampling"):
            raise not_one_of("by", by, ("metric", "sampling"))
        table: dict[str, dict[float, float]] = {}
        for cell in self.cells:
            row = table.setdefault(getattr(cell, by), {})
            row[cell.eps] = min(cell.error, row.get(cell.eps, np.inf))
        return table

    def ranking(self) -> list[tuple[str, str, float]]:
        """Metric, sampling and mean error over the perturbations above zero, best first."""
        errors: dict[tuple[str, str], list[float]] = {}
        for cell in self.cells:
            if cell.eps > 0.0 or self.eps == (0.0,):
                errors.setdefault((cell.metric, cell.sampling), []).append(cell.error)
        means = [(*pair, float(np.mean(found))) for pair, found in errors.items()]
        return sorted(means, key=lambda row: row[2])

    @property
    def notes(self) -> tuple[Note, ...]:
        """What to know about the recommendation."""
        if self.repeats >= FEW_REPEATS:
            return ()
        sets = how_many(self.repeats, "reference test set")
        return (
            Note(
                f"chance chose among those that are close: with {sets} per eps it may be another "
                "next time",
                Remedy("more reference test sets", "repeats", FEW_REPEATS),
            ),
        )

    @property
    def recommendation(self) -> str:
        """Say which metric and strategy to trust here, and how to spend the responses."""
        metric, sampling, error = self.ranking()[0]
        text = (
            f"Of the published tests, {metric} with {sampling} estimates p best here: off by "
            f"{'less than 1e-5' if error < 1e-5 else f'{error:.2g}'} on average where the systems "
            "differ."
        )
        if self.splits:
            best = max(self.splits, key=lambda split: split.power)
            text += (
                f" For the calibrated test by {best.metric}, {best.items:,} items with "
                f"{best.responses} response{'s' * (best.responses > 1)} each are the best use of "
                f"{self.items * self.responses:,} responses: power {best.power:.2f} at eps "
                f"{best.eps:g}."
            )
        return text


def study(
    gold: RawResponses | None = None,
    *,
    metric: str | ResponseMetric | Iterable[str | ResponseMetric] = PAPER_METRICS,
    sampling: str | Strategy | Iterable[str | Strategy] = SAMPLINGS,
    items: int = 1000,
    responses: int = 5,
    eps: Sequence[float] = PAPER_EPS,
    law: Literal["normal", "toxicity"] = "normal",
    population: Population | None = None,
    alternative: Alternative = "two-sided",
    draws: int = 1000,
    repeats: int = 1,
    rng: Rng = None,
    **shared: Unpack[Sampling],
) -> ResponseStudy:
    """Compare estimated with true p-values for every strategy and metric.

    Parameters
    ----------
    gold : array_like, optional
        Your own gold responses, scaled to [0, 1]: the population is fitted to them, and they are
        the gold of every reference test set, whose systems are simulated around the items' means.
    metric, sampling : str, or iterable of these
        What is studied; by default the 45 combinations of the paper.
    items, responses : int
        Size of a test set; taken from ``gold`` where that is given.
    eps : sequence of float
        Perturbations of the baseline ``a``; the candidate's is the population's ``eps_b``.
    law : {"normal", "toxicity"}
        Where test sets come from otherwise: the simulator of the paper, or :func:`toxicity`.
    population : Population, optional
        Another population.
    alternative : {"two-sided", "greater", "less"}
        Sides of both p-values.
    draws : int
        Draws of each law; 1,000 is what the paper's figures imply.
    repeats : int
        Reference test sets at every eps; the paper has one.
    rng : None, int or Generator
        Seed.
    **shared
        ``workers`` and ``executor``, as in :class:`~betterthan.resampling.work.Sampling`. The
        outcome does not depend on them.
    """
    work = Work.of(shared)
    if shared.get("resamples") is not None:
        raise UsageError(
            "a study has draws of each distribution, and no resamples",
            Remedy("", "draws", shared["resamples"]),
        )
    if law not in ("normal", "toxicity"):
        raise not_one_of("law", law, ("normal", "toxicity"))
    if law == "toxicity":
        population = toxicity()
    if gold is not None and population is not None:
        raise UsageError("a population is fitted to gold responses: no other can be given")
    eps = tuple(eps)
    if min(repeats, draws, len(eps)) < 1:
        raise UsageError("a study needs at least one eps, one repeat and one draw")
    affordable(1e7, items=items, responses=responses)
    affordable(1e7, draws=draws, repeats=repeats)
    own = None if gold is None else as_responses(gold, "gold")
    if own is not None:
        items, responses = own.n, max(1, round(float(own.counts.mean())))
        population = fit(own).population()
    plan = _Plan(
        population or Population(),
        own,
        eps=tuple(map(float, eps)),
        items=items,
        responses=responses,
        measures=tuple(map(as_response_metric, several("metric", metric))),
        strategies=tuple(map(as_strategy, several("sampling", sampling))),
        alternative=alternative,
        resamples=draws,
        entropy=tuple(as_generator(rng).integers(1 << 32, size=4).tolist()),
    )
    tasks = plan.tasks()
    if not tasks:
        raise UsageError("a study needs a metric and a sampling strategy that fit together")
    goals = list(work.map(plan.true, range(len(eps)), len(eps)))
    pairs = [(at, repeat) for at in range(len(eps)) for repeat in range(repeats)]
    references = dict(zip(pairs, work.map(plan.reference, pairs, len(pairs)), strict=True))
    asked = [(references[task[0], k], task, k) for task in tasks for k in range(repeats)]
    estimates = list(work.map(plan.estimate, asked, len(asked)))
    found = np.array(estimates).reshape(len(tasks), repeats)
    cells = []
    for (at, s, m), here in zip(tasks, found, strict=True):
        sampling, metric = plan.strategies[s], plan.measures[m]
        goal = goals[at][metric.name, sampling.single]
        error = float(np.abs(here - goal).mean())
        cells.append(
            StudyCell(plan.eps[at], str(sampling), metric.name, float(here.mean()), goal, error)
        )
    return ResponseStudy(tuple(cells), plan.splits(), items, responses, draws, repeats)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a study does; every piece of work has a seed of its own, so order does not matter."""

    population: Population
    own: Responses | None
    eps: tuple[float, ...]
    items: int
    responses: int
    measures: tuple[ResponseMetric, ...]
    strategies: tuple[Strategy, ...]
    alternative: Alternative
    resamples: int
    entropy: tuple[int, ...]

    def seed(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.entropy, spawn_key=key)

    def at(self, k: int) -> Population:
        return replace(self.population, eps_a=self.eps[k])

    def tasks(self) -> list[tuple[int, int, int]]:
        """Numbers of an eps, a strategy and a metric that fit together."""
        return [
            (at, s, m)
            for at in range(len(self.eps))
            for s, strategy in enumerate(self.strategies)
            for m, metric in enumerate(self.measures)
            if self.fits(metric, single=strategy.single)
        ]

    def fits(self, metric: ResponseMetric, *, single: bool) -> bool:
        """Some metrics need several responses; pairing them needs equal numbers."""
        if single:
            return metric.name not in _SEVERAL
        return not metric.paired or self.own is None or self.own.even

    def reference(self, pair: tuple[int, int]) -> Trio:
        """Draw a reference test set, around the user's own gold responses where there are any."""
        here, generator = self.at(pair[0]), np.random.default_rng(self.seed(0, *pair))
        if self.own is None:
            return draw_test_set(here, self.items, self.responses, generator).trio
        perturbed = here.perturbed(item_means(self.own.values), self.own.sds, generator)
        made = respond(here, perturbed, (1, self.responses, self.responses), generator)
        return trio(self.own, made.a, made.b)

    def true(self, at: int) -> dict[tuple[str, bool], float]:
        """True p by metric, for one response and for several."""
        found: dict[tuple[str, bool], float] = {}
        for single in {strategy.single for strategy in self.strategies}:
            chosen = [metric for metric in self.measures if self.fits(metric, single=single)]
            laws = true_ps(
                self.at(at),
                chosen,
                items=self.items,
                responses=1 if single else self.responses,
                alternative=self.alternative,
                resamples=self.resamples,
                rng=self.seed(1, at, single),
            )
            found |= {(m.name, single): law.pvalue for m, law in zip(chosen, laws, strict=True)}
        return found

    def estimate(self, asked_of: tuple[Trio, tuple[int, int, int], int]) -> float:
        """Estimate p from one reference test set."""
        test_set, task, repeat = asked_of
        _, s, m = task
        seed = self.seed(2, *task, repeat)
        asked = ResponseQuestion(test_set, self.measures[m], self.alternative, self.resamples, seed)
        return published_law(asked, self.strategies[s]).pvalue

    def splits(self) -> tuple[Split, ...]:
        """Ways to spend the budget, for the smallest perturbation that makes a difference."""
        some = [eps for eps in self.eps if eps > self.population.eps_b]
        if not some:
            return ()
        hardest = replace(self.population, eps_a=min(some))
        return split_budget(hardest, self.items * self.responses, rng=self.seed(3))
