"""How often intervals hold the truth: each function draws once, and says which of them did."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import betterthan as bt
from betterthan.data.pairing import pair_of
from betterthan.design.gains import PERCENTILE, thresholds
from betterthan.design.system_pairs import BAND, StudyTest, gains_of_pairs
from betterthan.design.threshold_intervals import FEWEST_PAIRS
from betterthan.errors import UsageError
from betterthan.intervals.bootstrapped import INTERVAL_KINDS
from betterthan.intervals.choice import difference_interval
from betterthan.intervals.one_system import score_interval
from betterthan.numeric import Floats
from betterthan.ranking import rating
from betterthan.testing.values import as_test
from calibrate.boards import board, collection, levels
from calibrate.cell import DRAWS, Answers, Cell, inside
from calibrate.worlds import EVALUATIONS, WORLDS, designed, true_delta, truth

LARGE = 40  # items from which the interval of a mean is as wide as Student's t
STUDIES = 400  # whose mean threshold is the truth: its error is a hundredth of an interval


def coverage(cell: Cell, rng: np.random.Generator) -> Answers:
    """The interval of `compare`, next to Student's t and BCa; its width, and its verdict."""
    if cell.folder is not None:
        a, b, true = _from_a_board(cell.folder, cell.items, rng)
        metric, codes = bt.metrics.mean(), np.arange(cell.items)
    else:
        metric = WORLDS[cell.world].metric
        codes = designed(rng, cell.items, cell.clusters, cell.unequal)
        a, b = WORLDS[cell.world].draw(rng, codes, (cell.shift,))
        true = true_delta(cell.world, cell.shift, cell.unequal)
    clusters = codes.tolist() if cell.clusters else None
    tasks = {"task": (cell.tasks * np.sqrt(np.arange(a.shape[0]) / a.shape[0])).astype(int)}
    scores = bt.Scores.from_arrays(
        {"a": a, "b": b},
        columns=metric.columns,
        clusters=clusters,
        groups=tasks if cell.tasks else None,
    )
    scores = replace(scores, tasks="task") if cell.tasks else scores
    result = bt.compare(scores, metric=metric, rng=int(rng.integers(2**31)), workers=1)
    low, high = result.interval.low, result.interval.high
    outside = low > 0.0 or high < 0.0
    answers: Answers = {
        "coverage/compare": inside(result.interval, true),
        "contradiction/compare": outside != (result.verdict != "can't tell"),
    }
    if metric.form == "mean" and not cell.tasks and result.pair is not None:
        student = difference_interval(result.pair, test=as_test("t"))
        answers["coverage/Student's t"] = inside(student, true)
        judged = min(cell.items, cell.clusters or cell.items) >= LARGE
        if judged and "widened" not in result.interval.method and not result.pair.is_binary:
            answers["width/compare"] = (high - low) / (student.high - student.low)
    if not cell.tasks:
        sampling: Any = {"method": "sample", "resamples": DRAWS, "rng": 1}
        bca = bt.bootstrap_interval(a, b, metric, kind="bca", clusters=clusters, **sampling)
        answers["coverage/BCa"] = inside(bca, true)
    return answers


def _from_a_board(
    folder: Path, items: int, rng: np.random.Generator
) -> tuple[Floats, Floats, float]:
    """Two systems of one of the tables on resampled items, and their difference on all items."""
    tables = _tables(folder)
    table = tables[rng.integers(len(tables))]
    a, b = table[:, rng.choice(table.shape[1], 2, replace=False)].T
    chosen = rng.integers(len(table), size=items)
    return a[chosen], b[chosen], float((b - a).mean())


@cache
def _tables(folder: Path) -> list[Floats]:
    """Scores of all systems in tables with a column per system."""
    frames = [pl.read_csv(path) for path in sorted(folder.glob("*__*.csv"))]
    labels = ["item", "section"]
    return [frame.drop(labels, strict=False).to_numpy().astype(float) for frame in frames]


def own_intervals(cell: Cell, rng: np.random.Generator) -> Answers:
    """The intervals of other tests, each of what its own test compares."""
    a, b = WORLDS[cell.world].draw(rng, np.arange(cell.items), (cell.shift,))
    answers: Answers = {}
    for test, true in _of_tests(cell.world).items():
        scores = bt.Scores.from_arrays({"a": a, "b": b})
        result = bt.compare(scores, test=test, rng=int(rng.integers(2**31)), resamples=1999)
        answers[f"own interval/{test}"] = inside(result.interval, true)
    return answers


@cache
def _of_tests(world: str) -> dict[str, float]:
    """What each test compares, of a million items; scores with ties have no useful medians."""
    rng = np.random.default_rng(2026)
    a, b = WORLDS[world].draw(rng, np.arange(1_000_000), (0.0,))
    d = b - a
    mean, net_wins = float(d.mean()), float(np.sign(d).mean())
    true = {"sign": net_wins, "bootstrap": mean, "bootstrap(variant=sign)": mean}
    if set(np.unique(a)) == {0, 1}:
        return true | {"mcnemar": mean}
    if np.unique(d).size < 100:
        return true
    pseudo_median = float(np.median((d + rng.permutation(d)) / 2.0))
    return true | {"wilcoxon": pseudo_median, "mood": float(np.median(b) - np.median(a))}


def score(cell: Cell, rng: np.random.Generator) -> Answers:
    """The interval of the second system's score, without bounds and with those of the world."""
    single, own = cell.joint(rng).select([1]), truth(cell.world, cell.shift)[1]
    answers: Answers = {"score/as it is": inside(score_interval(single), own)}
    if (bounds := EVALUATIONS[cell.world].bounds) is not None:
        answers["score/with bounds"] = inside(score_interval(single, bounds=bounds), own)
    return answers


def by_name(cell: Cell, rng: np.random.Generator) -> Answers:
    """The three bootstrap intervals, and Student's t, of a difference of zero."""
    pair, seed = cell.joint(rng).pair(0, 1), int(rng.integers(2**31))
    a, b = pair.known_items.values
    results = {
        kind: bt.bootstrap_interval(
            a, b, pair.metric, kind=kind, method="sample", resamples=DRAWS, rng=seed
        )
        for kind in INTERVAL_KINDS
    }
    answers: Answers = {f"by name/{kind}": inside(x, 0.0) for kind, x in results.items()}
    if pair.metric.form == "mean":
        answers["by name/t"] = inside(difference_interval(pair, test=as_test("t")), 0.0)
    return answers


def in_all_digits(rng: np.random.Generator, world: str, items: int) -> tuple[Floats, Floats]:
    """Two systems of one law with scores in all their digits, so that no lattice holds them."""
    a, b = WORLDS[world].draw(rng, np.arange(items), (0.0,))
    return a + rng.normal(0.0, 1e-3, items), b + rng.normal(0.0, 1e-3, items)


def ideal_interval(cell: Cell, rng: np.random.Generator) -> Answers:
    """The percentile interval of all resamples, and the basic one: its mirror image about delta."""
    metric = WORLDS[cell.world].metric
    a, b = in_all_digits(rng, cell.world, cell.items)
    try:
        result = bt.bootstrap_interval(a, b, metric, kind="percentile", method="ideal")
    except UsageError:  # few items may have none
        return {"ideal interval/percentile": None, "ideal interval/basic": None}
    twice = 2.0 * pair_of(a, b, metric).delta
    return {
        "ideal interval/percentile": result.low <= 0.0 <= result.high,
        "ideal interval/basic": result.low <= twice <= result.high,
    }


def ratings(cell: Cell, rng: np.random.Generator) -> Answers:
    """A board's interval of one rating; scores are symmetric, the true mean is the true median."""
    true = levels(cell.systems, 1.0)
    result = rating(board(rng, "real", cell.items, true), cell.method, resamples=1000, rng=rng)
    place = result.names.index("0")
    return {f"ratings/{cell.method}": bool(result.low[place] <= true[0] <= result.high[place])}


def families(cell: Cell, rng: np.random.Generator) -> Answers:
    """Four systems against one baseline, all five of one law, so that any verdict is wrong."""
    world, seed = WORLDS[cell.world], int(rng.integers(2**31))
    values = world.draw(rng, np.arange(cell.items), (0.0,) * 4)
    scores = bt.Scores.from_arrays(
        dict(zip("abcde", values, strict=True)), columns=world.metric.columns
    )
    answers: Answers = {}
    for correction in ("holm", "max-t", "bonferroni", "hochberg", "sidak"):
        if correction == "max-t" and world.metric.form != "mean":
            continue
        results = bt.compare_many(scores, metric=world.metric, correction=correction, rng=seed)
        answers[f"family/{correction}"] = any(c.verdict != "can't tell" for c in results)
        held = [c.interval.low <= 0.0 <= c.interval.high for c in results]
        answers[f"joint intervals/{correction}"] = all(held)
    return answers


def threshold(cell: Cell, rng: np.random.Generator) -> Answers:
    """The interval of a study's threshold, which should hold the average of such studies."""
    study = thresholds(_systems(cell, rng), test=cell.method, rng=int(rng.integers(2**31)))
    (result,) = study.thresholds
    name = f"thresholds/{cell.method}"
    if result.low is None or result.high is None:
        return {name: None}
    return {name: result.low <= _average_threshold(cell) <= result.high}


def _systems(cell: Cell, rng: np.random.Generator) -> bt.Scores:
    return collection(rng, cell.world, cell.items, cell.systems, cell.clusters)


@cache
def _average_threshold(cell: Cell) -> float:
    """The threshold on (geometric) average, of studies with so many pairs in the band."""
    rng, test, logs = np.random.default_rng(2026), StudyTest.of(cell.method, 0, {}), []
    for _ in range(STUDIES):
        scores = _systems(cell, rng)
        pairs = gains_of_pairs(scores.joint(scores.systems, scores.measured(None)), test)
        gains = [x.gain for x in pairs if BAND[0] <= x.result.pvalue <= BAND[1]]
        if len(gains) >= FEWEST_PAIRS:
            logs.append(np.log(np.percentile(gains, PERCENTILE)))
    return float(np.exp(np.mean(logs)))
