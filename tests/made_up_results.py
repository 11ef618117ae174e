"""Results of every kind, made up, so that no number depends on an engine."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from betterthan.comparison.item_by_item import item_by_item
from betterthan.comparison.scoring import SystemScore, SystemScores
from betterthan.data.scores import Scores
from betterthan.design.allocation import Allocation, Allocations
from betterthan.design.calibrations import Bin, Calibration, Calibrations
from betterthan.design.checks import CheckResult, GateResult
from betterthan.design.gains import GainStudy, MeasuredGain, Threshold
from betterthan.design.null_check import NullCheck, NullChecks
from betterthan.design.powers import Power, Powers
from betterthan.design.published import (
    PublishedComparison,
    PublishedThreshold,
    PublishedThresholds,
)
from betterthan.design.thresholds_by import Decay, SizeStudy
from betterthan.design.training import TrainingFiles
from betterthan.metrics import mean
from betterthan.papers import PAPERS, Claim, Curves, Exhibit, Reproduction, Series
from betterthan.papers import Cell as PublishedCell
from betterthan.ranking.board import Leaderboard, Leaderboards, Row
from betterthan.ranking.disagreement import Disagreement, DisagreementStudy
from betterthan.ranking.pairwise import Pairwise
from betterthan.ranking.result import Ranking
from betterthan.ranking.score_spread import ScoreSpread
from betterthan.ranking.uncertainty import RankSets
from betterthan.responses import ResponseComparison, ResponseStudy, Simulation, Split
from betterthan.responses.p_value_study import StudyCell
from betterthan.responses.simulator import Population
from betterthan.results.interval import Interval
from betterthan.results.protocol import Result
from betterthan.results.tests import TestResult


def tested(**changes: Any) -> TestResult:
    fields: dict[str, Any] = {
        "test": "permutation",
        "pvalue": 0.03125,
        "pvalue_low": 0.03125,
        "pvalue_high": 0.03125,
        "log10_pvalue": -1.50515,
        "delta": 0.6,
        "kind": "exact",
        "engine": "lattice transform",
        "reason": "differences of one size follow a binomial law (McNemar)",
        "n": 10,
        "alternative": "two-sided",
        "fraction": Fraction(1, 32),
        "signature": "betterthan:0.1|perm-lattice|m:mean|n:10|2s|data:00000001",
    }
    return TestResult(**{**fields, **changes})


CERTAIN = Interval(0.5407, 1.0, 0.95, "Gaffke's bounds for scores from 0 to 1")
OPEN = Interval(float("-inf"), float("inf"), 0.95, "unbounded (no spread observed)")


def scored(**changes: Any) -> SystemScore:
    fields: dict[str, Any] = {
        "system": "new_1",
        "metric": "accuracy",
        "n": 60,
        "clusters": None,
        "score": 0.8,
        "interval": Interval(0.6767, 0.8922, 0.95, "Clopper-Pearson"),
        "subset": None,
        "percent": True,
    }
    return SystemScore(**{**fields, **changes})


SAMPLED: dict[str, Any] = {
    "kind": "sampled",
    "engine": "random swaps",
    "reason": "2^300 patterns are too many",
    "pvalue": 0.0421,
    "pvalue_low": 0.0384,
    "pvalue_high": 0.0459,
    "log10_pvalue": -1.3757,
    "alternative": "greater",
    "clusters": 40,
    "n": 300,
    "resamples": 20_000,
    "fraction": None,
    "notes": ("40 clusters are few",),
}

RANKING = Ranking(
    method="mean",
    names=("new", "old_v2", "base"),
    scores=np.array([0.71, 0.66, 0.64]),
    low=np.array([0.68, 0.62, 0.60]),
    high=np.array([0.74, 0.69, 0.68]),
    sets=RankSets(
        low=np.array([1, 2, 2]),
        high=np.array([1, 3, 3]),
        separated=np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool),
        critical=2.3,
        errors=np.full((3, 3), 0.01),
    ),
    comes_first=np.array([0.998, 0.002, 0.0]),
    n=1319,
    units=1319,
    decided_by="permutation",
    correction="holm",
    alpha=0.05,
    resamples=np.zeros((2000, 3)),
    notes=("2 items do not count: no system has a score there",),
    signature="betterthan:0.1|rank-mean|m:accuracy|n:1319|items:1319|b:2000|seed:0|data:00000002"
    "|beats:permutation|adj:holm|a:0.05",
)
TINY = -401.3  # the logarithm of a p-value that underflows
PAIRS = Pairwise(
    method="mean",
    test="permutation",
    names=RANKING.names,
    effect=np.array([[0.0, 0.05, 0.07], [-0.05, 0.0, 0.02], [-0.07, -0.02, 0.0]]),
    favours=np.array([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]], dtype=np.int8),
    ahead=np.array([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]], dtype=np.int8),
    model=None,
    pvalue=np.array([[np.nan, 0.001, 0.0], [0.001, np.nan, 0.21], [0.0, 0.21, np.nan]]),
    log10_pvalue=np.array([[np.nan, -3.0, TINY], [-3.0, np.nan, -0.678], [TINY, -0.678, np.nan]]),
    adjusted=np.array([[np.nan, 0.002, 0.0], [0.002, np.nan, 0.21], [0.0, 0.21, np.nan]]),
    log10_adjusted=np.array(
        [[np.nan, -2.699, TINY + 0.477], [-2.699, np.nan, -0.678], [TINY + 0.477, -0.678, np.nan]]
    ),
    wins=np.array([[0, 240, 250], [174, 0, 201], [158, 175, 0]]),
    ties=np.array([[1319, 905, 911], [905, 1319, 943], [911, 943, 1319]]),
    losses=np.array([[0, 174, 158], [240, 0, 175], [250, 201, 0]]),
    correction="holm",
    alpha=0.05,
    results={
        ("new", "old_v2"): tested(pvalue=0.001, log10_pvalue=-3.0),
        ("new", "base"): tested(pvalue=0.0, log10_pvalue=TINY),
        ("old_v2", "base"): tested(pvalue=0.21, log10_pvalue=-0.678),
    },
)


def row(k: int, beats: tuple[str, ...], tier: int, rating: float) -> Row:
    return Row(
        system=RANKING.names[k],
        rank_low=int(RANKING.sets.low[k]),
        rank_high=int(RANKING.sets.high[k]),
        score=float(RANKING.scores[k]),
        interval=Interval(
            float(RANKING.low[k]), float(RANKING.high[k]), 0.95, "resample", of="score"
        ),
        rating=rating,
        rating_low=rating - 25.5,
        rating_high=rating + 25.5,
        order_spread=None,
        comparison_low=float(RANKING.low[k]) + 0.01,
        comparison_high=float(RANKING.high[k]) - 0.01,
        comes_first=float(RANKING.comes_first[k]),
        tier=tier,
        beats=beats,
        n=1319,
        clusters=None,
    )


BOARD = Leaderboard(
    rows=(row(0, ("old_v2", "base"), 1, 1040.2), row(1, (), 2, 990.1), row(2, (), 2, 969.7)),
    ranking=RANKING,
    averages=RANKING,
    ratings=RANKING,
    pairs=PAIRS,
    beats=PAIRS.beats,
    decided_by="permutation",
    metric=mean("correct"),
    percent=True,
    notes=RANKING.notes,
    source="runs.csv · wide table · 1,319 items paired by id",
    signature=RANKING.signature,
)


def check(**changes: Any) -> CheckResult:
    fields: dict[str, Any] = {
        "metric": "f1",
        "margin": 0.02,
        "goal": "non-inferior",
        "n": 300,
        "clusters": None,
        "score_baseline": 0.823,
        "score_candidate": 0.835,
        "delta": 0.012,
        "interval": Interval(-0.011, 0.034, 0.9, "jackknife"),
        "pvalue": 0.012,
        "pvalue_regression": 0.81,
        "pvalue_regression_adjusted": 0.81,
        "pvalue_is_bound": False,
        "regression_is_bound": False,
        "kind": "asymptotic",
        "ruling": "PASS",
        "items_needed": None,
        "percent": True,
        "notes": (),
    }
    return CheckResult(**{**fields, **changes})


def gate(*checks: CheckResult, ruling: Any) -> GateResult:
    return GateResult(
        baseline="crf",
        candidate="bert",
        checks=checks,
        ruling=ruling,
        alpha=0.05,
        correction="holm" if len(checks) > 1 else "none",
        source="ner.csv · long table · 300 items paired by id",
        notes=(),
        signature="betterthan:0.1|gate-asymptotic|m:f1|n:300|plan:none|a:0.05|1s|data:00000003",
    )


def power(items: int, strength: float) -> Power:
    return Power(
        items=items,
        effect=0.02,
        power=strength,
        error=0.0,
        type_s=0.00001,
        type_m=1.18,
        solved_for="power",
        alpha=0.05,
        comparisons=2,
        alternative="two-sided",
        kind="exact",
        engine="binomial laws",
        percent=True,
        given="Rates(accuracy=0.7, agreement=0.85)",
        notes=("the power of an exact test goes up and down as items are added",),
    )


def gains(n: int, value: float | None) -> GainStudy:
    return GainStudy(
        gains=(
            MeasuredGain("a", "b", 0.021, 0.049, "all pairs"),
            MeasuredGain("a", "c", 0.034, 0.0008, "all pairs"),
        ),
        thresholds=(
            Threshold(
                group="all pairs",
                value=value,
                low=None if value is None else value - 0.004,
                high=None if value is None else value + 0.003,
                in_band=1 if value else 0,
                pairs=2,
                missed=0.0,
                early=0.5,
            ),
        ),
        metric="accuracy",
        percent=True,
        n=n,
        systems=3,
        test="bootstrap",
        kind="exact",
        band=(0.04, 0.06),
        percentile=95.0,
        label=f"{n:,} items",
        notes=("1 pair in the band: the threshold is little more than a guess",),
        signature="betterthan:0.1|study-bootstrap-exact|m:accuracy|n:400|1s>|data:00000004",
    )


def calibrated(**changes: Any) -> Calibration:
    fields: dict[str, Any] = {
        "truth": ("population",),
        "bins": {
            "population": (Bin(0.0, 0.01, 40, 40), Bin(0.01, 0.08, 0, 0), Bin(0.08, 1.0, 20, 11))
        },
        "near": {"population": Bin(0.04, 0.06, 7, 6)},
        "metric": "accuracy",
        "test": "bootstrap",
        "size": 400,
        "test_sets": 10,
        "pairs": 6,
        "band": (0.04, 0.06),
        "notes": ("4,000 items are taken for the population",),
        "signature": "betterthan:0.1|calibration-bootstrap|m:accuracy|n:400|sets:10|pairs:6|1s>",
    }
    return Calibration(**{**fields, **changes})


def alarms(test: str, count: int, high: float) -> NullCheck:
    return NullCheck(
        test=test,
        alternative="two-sided",
        alpha=0.05,
        simulations=1000,
        alarms=count,
        rate=count / 1000,
        low=count / 1000 - 0.012,
        high=high,
        n=480,
        null="swap",
        metric="accuracy",
        pvalues=np.linspace(0, 1, 1000),
        signature=f"betterthan:0.1|aa-swap-{test}|m:accuracy|n:480|sets:1000|a:0.05|2s",
    )


RESPONSE = tested(
    **{**SAMPLED, "test": "published response", "metric": "mae", "clusters": None, "n": 120}
)
SPREAD = ScoreSpread(0.05, {"base": 0.1, "new_1": 0.0}, 0.43, 0.64, 0.76, 120)
MEDIAN = Disagreement("mean", "median", 0.8, (), 0.1, 0.25, 0.5, 4)
MADE_UP: dict[str, Result] = {
    "boards": Leaderboards(boards=((None, BOARD), ("domain=a|b", BOARD))),
    "spread": SPREAD,
    "disagreement": DisagreementStudy((MEDIAN,), {50: (MEDIAN,)}, ("wmt|17",), (SPREAD,), 20),
    "curves": Curves("Rise & fall", "n", "p", (Series("a_1", [1, 2], [0.125, 0.0625]),)),
    "reproduction": Reproduction(
        PAPERS["permutation-2022"],
        (
            Exhibit(
                "Table 9",
                "made up",
                (
                    PublishedCell("row 1", ".051", 0.0513, 0.001),
                    PublishedCell("row 2", "30", 22.6, reason="another machine"),
                    PublishedCell("row 3", "4", None, reason="no data"),
                ),
                (Claim("It holds.", True, "Seen."), Claim("It does not.", False, "Not seen.")),
            ),
        ),
        quick=True,
        seed=0,
    ),
    "test": tested(),
    "test-sampled": tested(**SAMPLED),
    "interval": Interval(-0.0123456, float("inf"), 0.95, "BCa bootstrap", 0.0012),
    "items": item_by_item(
        Scores.from_arrays(
            {"base": [1.0, 2.5, 3.0, 4.0], "new": [1.0, 4.0, 2.0, 4.5]},
            items=["q1", "q2", "q|3", "q_4"],
        ),
        "base",
        "new",
    ),
    "scores": SystemScores(
        scores=(
            scored(),
            scored(subset="topic=a|b", n=6, clusters=2, score=1.0, interval=CERTAIN),
            scored(metric="mean(cost)", percent=False, score=3.25, interval=OPEN),
        ),
        alpha=0.05,
        source="run.csv",
        notes=("items share 8 values of 'topic'",),
        signature="betterthan:0.1|estimate|m:accuracy+mean(cost)|n:60|level:0.95|data:00000002",
    ),
    "score": SystemScores(
        scores=(scored(clusters=8),),
        alpha=0.05,
        source="run.csv",
        notes=(),
        signature="betterthan:0.1|estimate|m:accuracy|n:60|c:8|level:0.95|data:00000003",
    ),
    "ranking": RANKING,
    "leaderboard": BOARD,
    "pairwise": PAIRS,
    "gate": gate(check(notes=("300 items are few",)), ruling="PASS"),
    "gate-several": gate(
        check(),
        check(
            metric="recall",
            delta=-0.03,
            interval=Interval(-0.052, -0.008, 0.9, "jackknife"),
            score_candidate=0.793,
            pvalue=0.77,
            pvalue_regression=0.0011,
            pvalue_regression_adjusted=0.0022,
            ruling="REGRESSION",
            items_needed=410,
        ),
        check(
            metric="mean(length)",
            percent=False,
            ruling="CAN'T TELL",
            pvalue=0.21,
            items_needed=1234,
            notes=("lengths are few",),
        ),
        ruling="REGRESSION",
    ),
    "power": power(500, 0.412),
    "powers": Powers((power(500, 0.412), power(2000, 0.99985))),
    "allocations": Allocations(
        (Allocation(250, 4, 1, 2000.0, 0.82, 0.0488), Allocation(166, 8, 1, 1992.0, 0.79, 0.0503)),
        "betterthan:0.1|allocations|budget:2000|cost:4|d:0.05|k:1|a:0.05|2s",
    ),
    "thresholds": gains(400, 0.023),
    "sizes": SizeStudy(
        studies=(gains(100, None), gains(400, 0.023)),
        decay=(Decay(group="all pairs", exponent=-0.47, constant=0.46),),
    ),
    "calibration": calibrated(),
    "calibrations": Calibrations((calibrated(), calibrated(size=200))),
    "training": TrainingFiles(
        Path("sets"), 480, "block", (("480-1", 480, 1), ("240-1", 240, 1), ("240-2", 240, 2))
    ),
    "alarm": alarms("permutation", 47, 0.062),
    "alarms": NullChecks((alarms("permutation", 47, 0.062), alarms("t", 81, 0.1))),
    "published": PublishedThresholds(
        ((PublishedThreshold("BLEU", "same", 0.28, "WMT 2010", 2034, "3.2.3"), 0.5647),), 500
    ),
    "against": PublishedComparison(
        metric="accuracy",
        percent=True,
        n=480,
        score=0.7208,
        published=0.6,
        gain=0.1208,
        interval=Interval(0.6792, 0.7604, 0.95, "ideal bootstrap"),
        clear=True,
        threshold=0.021,
        threshold_source="given",
        exceeds=True,
        notes=("the two test sets must be the same",),
    ),
    "responses": ResponseComparison(baseline="old", candidate="new", test=RESPONSE),
    "study": ResponseStudy(
        cells=(
            StudyCell(0.0, "bootstrap_items/all", "mae", 0.51, 0.5, 0.01),
            StudyCell(0.1, "bootstrap_items/all", "mae", 0.021, 0.02, 0.001),
            StudyCell(0.0, "bootstrap_items/all", "wins", 0.4, 0.5, 0.1),
            StudyCell(0.1, "bootstrap_items/all", "wins", 0.09, 0.05, 0.04),
        ),
        splits=(
            Split(150, 1, "mae", 0.1, 0.031, 0.2, 0.47),
            Split(50, 3, "mae", 0.1, 0.033, 0.15, 0.35),
        ),
        items=50,
        responses=3,
        resamples=1000,
        repeats=1,
    ),
    "simulation": Simulation(
        gold=np.array([[0.25, 0.5]]),
        a=np.array([[0.5]]),
        b=np.array([[0.125]]),
        population=Population(),
    ),
}
