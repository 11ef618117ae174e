"""Cells: what one replicate of each says, and which code it depends on.

A trial maps ``measure/method`` to whether it came true; None where no answer was given.
"""

from dataclasses import dataclass, fields
from functools import cache
from typing import Literal, Protocol

import numpy as np

import betterthan as bt
from betterthan.comparison.effect import detectable_effect
from betterthan.data.scores import Scores
from betterthan.errors import UsageError
from betterthan.intervals.bootstrapped import INTERVAL_KINDS
from betterthan.intervals.choice import difference_interval
from betterthan.intervals.ends import Ends
from betterthan.intervals.margins import MarginAssumption, margin_tests
from betterthan.intervals.one_system import score_interval
from betterthan.ranking import rating
from betterthan.results.interval import Interval
from betterthan.testing.bootstrap import check_clusters
from betterthan.testing.by_name import run_tests
from betterthan.testing.permutation import permute
from betterthan.testing.request import Request
from betterthan.testing.values import KINDS, Bootstrap, as_test
from calibrate.boards import Study
from calibrate.worlds import WORLDS, drawn, true_delta, truth

ALPHA = 0.05
DRAWS = 999  # of sampled tests: 5 % is then a p-value that can be had
Trial = dict[str, bool | None]
TESTED = ("metrics", "data", "exact", "resampling", "testing", "intervals")


class Cell(Protocol):
    """One cell of the grid."""

    @property
    def packages(self) -> tuple[str, ...]:
        """Packages whose code the answers depend on."""

    def trial(self, rng: np.random.Generator) -> Trial:
        """One replicate."""


def named(cell: Cell) -> str:
    """The cell's name: its kind and what it varies."""
    facts = [f"{f.name}={getattr(cell, f.name)}" for f in fields(cell)]  # type: ignore[arg-type]
    return f"{type(cell).__name__} {', '.join(facts)}"


@dataclass(frozen=True)
class Pairs:
    """Two systems: all tests, the interval of the difference and that of the second system."""

    world: str
    items: int
    clusters: int = 0
    unequal: bool = False
    shift: float = 0.0

    packages = TESTED

    def trial(self, rng: np.random.Generator) -> Trial:
        """Draw once, ask all."""
        joint = drawn(rng, self.world, self.items, self.clusters, self.unequal, shift=self.shift)
        pair, seed = joint.pair(0, 1), int(rng.integers(2**31))
        said: Trial = {}
        measure = "type I" if true_delta(self.world, self.shift) == 0.0 else "power"
        asked = Request(rng=seed, resamples=DRAWS)
        for test in KINDS:
            if test == "mcnemar" and not joint.is_binary:
                continue
            try:
                if test == "bootstrap":
                    check_clusters(joint)  # as comparisons do
                value = Bootstrap(method="sample") if test == "bootstrap" else as_test(test)
                (made,) = run_tests(joint, [(0, 1)], value, asked)
            except UsageError:
                if joint.metric.form == "mean" or test == "bootstrap":  # refused: no answer
                    said[f"{measure}/{test}"] = None
                continue
            said[f"{measure}/{test}"] = made.pvalue <= ALPHA + 1e-12
        found = difference_interval(pair, alpha=ALPHA)
        said["coverage/compare"] = inside(found, true_delta(self.world, self.shift))
        own = truth(self.world, self.shift)[1]
        single = joint.select([1])
        said["score/as it is"] = inside(score_interval(single), own)
        bounds = WORLDS[self.world].bounds
        if bounds is not None:
            known = score_interval(single, bounds=bounds)
            said["score/with bounds"] = inside(known, own)
        return said


def inside(interval: Interval | Ends, true: float) -> bool | None:
    """Whether an interval holds the truth; None where it has no ends."""
    if np.isinf(interval.low) and np.isinf(interval.high):
        return None
    return bool(interval.low <= true <= interval.high)


@dataclass(frozen=True)
class OneSided:
    """Two systems of one law, and every test that the second is better; the sign bootstrap, too."""

    world: str
    items: int

    packages = TESTED

    def trial(self, rng: np.random.Generator) -> Trial:
        """Draw once, ask all that know the metric."""
        joint, seed = drawn(rng, self.world, self.items), int(rng.integers(2**31))
        said: Trial = {}
        asked = Request(alternative="greater", rng=seed, resamples=DRAWS)
        tests = {
            "permutation": as_test("permutation"),
            "bootstrap": Bootstrap(method="sample"),
            "sign bootstrap": Bootstrap(variant="sign", method="sample"),
        }
        if joint.metric.form == "mean":
            tests |= {name: as_test(name) for name in ("wilcoxon", "sign", "t")}
        for name, test in tests.items():
            (made,) = run_tests(joint, [(0, 1)], test, asked)
            said[f"one-sided/{name}"] = made.pvalue <= ALPHA + 1e-12
        return said


@dataclass(frozen=True)
class Gates:
    """A candidate exactly at the border of what a gate passes, so that every PASS is wrong."""

    world: str
    items: int
    clusters: int = 0
    unequal: bool = False
    shift: float = 0.0

    packages = TESTED

    def trial(self, rng: np.random.Generator) -> Trial:
        """The three goals at their borders; and a loss of nothing with a margin of that size."""
        margin = -true_delta(self.world, self.shift)
        bounds = WORLDS[self.world].bounds
        joint = drawn(rng, self.world, self.items, self.clusters, self.unequal, shift=self.shift)
        forward, backward = margin_tests(joint.pair(0, 1), bounds=bounds)
        low = forward.above(-margin) <= ALPHA
        said: Trial = {
            "false PASS/non-inferior": low,
            "false PASS/equivalent": low and backward.above(-margin) <= ALPHA,
        }
        turned, _ = margin_tests(joint.pair(1, 0), bounds=bounds)
        said["false PASS/superior"] = turned.above(margin) <= ALPHA
        if not WORLDS[self.world].spoiled:
            equal = drawn(rng, self.world, self.items, self.clusters, self.unequal)
            passed, _ = margin_tests(equal.pair(0, 1), bounds=bounds)
            said["true PASS/non-inferior"] = passed.above(-margin) <= ALPHA
        return said


@dataclass(frozen=True)
class Assumed:
    """Gates that assume a model instead of bounds, at the border."""

    world: str
    items: int
    shift: float

    packages = TESTED

    def trial(self, rng: np.random.Generator) -> Trial:
        """Both models, where they can be assumed at all."""
        border = true_delta(self.world, self.shift)
        pair = drawn(rng, self.world, self.items, shift=self.shift).pair(0, 1)
        models: tuple[MarginAssumption, ...]
        models = ("shift", "large-sample") if pair.metric.form == "mean" else ("large-sample",)
        return {
            f"assumed PASS/{model}": margin_tests(pair, assume=model)[0].above(border) <= ALPHA
            for model in models
        }


@dataclass(frozen=True)
class ByName:
    """Intervals that are asked for by name."""

    world: str
    items: int

    packages = TESTED

    def trial(self, rng: np.random.Generator) -> Trial:
        """The three bootstrap intervals of a difference from 999 resamples; and Student's t."""
        pair, seed = drawn(rng, self.world, self.items).pair(0, 1), int(rng.integers(2**31))
        a, b = pair.known_items.values
        made: dict[str, Interval] = {
            kind: bt.bootstrap_interval(
                a, b, pair.metric, kind=kind, method="sample", resamples=DRAWS, rng=seed
            )
            for kind in INTERVAL_KINDS
        }
        if pair.metric.form == "mean":
            made["t"] = difference_interval(pair, alpha=ALPHA, test=as_test("t"))
        true = true_delta(self.world)
        return {f"by name/{kind}": inside(found, true) for kind, found in made.items()}


@dataclass(frozen=True)
class Boards:
    """A leaderboard, all of whose true ranks should lie in their sets together."""

    study: Study

    packages = (*TESTED, "comparison", "ranking")

    def trial(self, rng: np.random.Generator) -> Trial:
        """Draw and rank once."""
        return {f"joint ranks/{self.study.method}": self.study.covered(rng)}


@dataclass(frozen=True)
class Ratings:
    """A board's intervals of single ratings: ten systems, one of which is looked at."""

    method: Literal["mean", "median"]
    items: int

    packages = (*TESTED, "comparison", "ranking")

    def trial(self, rng: np.random.Generator) -> Trial:
        """Symmetric scores around the levels: the true mean is the true median."""
        study = Study(self.method, self.items, 10, "real", 1.0)
        made = rating(study.draw(rng), self.method, resamples=1000, rng=rng)
        at = made.names.index("0")
        return {f"ratings/{self.method}": bool(made.low[at] <= study.truth()[0] <= made.high[at])}


@dataclass(frozen=True)
class Families:
    """Four systems against one baseline, all five of one law: any verdict is wrong."""

    world: str
    items: int

    packages = (*TESTED, "comparison")

    def trial(self, rng: np.random.Generator) -> Trial:
        """Every correction of the family-wise error; and whether all intervals hold together."""
        made = WORLDS[self.world].draw(rng, np.arange(self.items), (0.0,) * 4)
        columns = WORLDS[self.world].metric.columns
        scores = Scores.from_arrays(dict(zip("abcde", made, strict=True)), columns=columns)
        metric, seed = WORLDS[self.world].metric, int(rng.integers(2**31))
        said: Trial = {}
        for correction in ("holm", "max-t", "bonferroni", "hochberg", "sidak"):
            if correction == "max-t" and metric.form != "mean":
                continue  # refused
            found = bt.compare_many(scores, metric=metric, correction=correction, rng=seed)
            said[f"family/{correction}"] = any(c.verdict != "can't tell" for c in found)
            if correction == "holm":
                held = [c.interval.low <= 0.0 <= c.interval.high for c in found]
                said["joint intervals/compare"] = all(held)
        return said


@dataclass(frozen=True)
class Sampled:
    """Sampled p-values, whose 99 % bracket should hold the exact one."""

    world: str
    items: int

    packages = TESTED

    def trial(self, rng: np.random.Generator) -> Trial:
        """Both ways of finding one p-value."""
        pair = drawn(rng, self.world, self.items).pair(0, 1)
        exact = permute(pair, Request(rng=0)).pvalue
        asked = Request(resamples=DRAWS, rng=int(rng.integers(2**31)))
        made = permute(pair, asked, "monte-carlo")
        said: Trial = {"bracket/permutation": made.pvalue_low <= exact <= made.pvalue_high}
        asked = Request(resamples=DRAWS, rng=int(rng.integers(2**31)))
        (ideal,) = run_tests(pair, [(0, 1)], Bootstrap(method="ideal"), asked)
        (sample,) = run_tests(pair, [(0, 1)], Bootstrap(method="sample"), asked)
        said["bracket/bootstrap"] = sample.pvalue_low <= ideal.pvalue <= sample.pvalue_high
        return said


@dataclass(frozen=True)
class Detects:
    """The printed smallest effect, which should be detected in about 80 % of cases."""

    world: str
    items: int

    packages = (*TESTED, "comparison")

    def trial(self, rng: np.random.Generator) -> Trial:
        """The exact test where the true effect is what the test set is said to detect."""
        shift = _detectable_shift(self.world, self.items)
        pair = drawn(rng, self.world, self.items, shift=shift).pair(0, 1)
        return {"detects/permutation": permute(pair, Request(rng=0)).pvalue <= ALPHA + 1e-12}


@cache
def _detectable_shift(world: str, items: int) -> float:
    """The shift whose true effect is the average of what sets of equal systems claim to detect."""
    rng = np.random.default_rng(7)
    claims = [
        detectable_effect(drawn(rng, world, items).pair(0, 1), alpha=ALPHA, alternative="two-sided")
        for _ in range(200)
    ]
    wanted = float(np.mean([claim for claim in claims if claim is not None]))
    low, high = 0.0, 4.0
    while high - low > 0.01:
        middle = (low + high) / 2.0
        low, high = (middle, high) if true_delta(world, middle) < wanted else (low, middle)
    return (low + high) / 2.0
