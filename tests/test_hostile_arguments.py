"""Arguments that a public function cannot use are errors, and never pass for something else.

Each function is called with arguments that work, and then with each of them in turn replaced by
what it cannot be. The functions of every day explain what is wrong in an error of ours; elsewhere
an argument of the wrong type may be Python's own error.
"""

import inspect
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args, is_typeddict

import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan import design, exact, metrics, ranking, responses

HOSTILE = {
    "None": None,
    "an empty list": [],
    "an empty dict": {},
    "a huge number": 10**400,
    "NaN": float("nan"),
    "a word": "x",
    "an object": object(),
    "bytes": b"x",
    "a fraction": 0.5,
    "True": True,
    "a null character": "\0",
    "a list of fractions": [0.1],
    "a list of lists": [[]],
    "a negative number": -1,
    "an array of no dimensions": np.array(1),
    "a list of nothing": [None],
}
PYTHONS_OWN = (TypeError, AttributeError, OverflowError, ValueError)
EVERYDAY = [
    *(bt.compare, bt.compare_many, bt.compare_all, bt.score, bt.rank, bt.gate, bt.read, bt.Plan),
    *(bt.permutation_test, bt.bootstrap_test, bt.bootstrap_interval, bt.mcnemar, bt.mood_test),
    *(bt.sign_test, bt.t_test, bt.wilcoxon, bt.item_by_item, bt.Pilot),
]
Call = tuple[Callable[..., Any], dict[str, Any]]


def _calls() -> Iterator[Call]:
    """Functions, and arguments that they work with."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 2, 12), rng.integers(0, 2, 12)
    arrays = {"base": a, "new": b, "third": b[::-1]}
    parts = {"part": ["x", "y"] * 6, "task": ["s", "t"] * 6}
    scores = bt.Scores.from_arrays(arrays, groups=parts)
    seeds = {name: rng.random((12, 3)) for name in ("gold", "base", "new")}
    repeated = bt.Scores.from_responses(seeds)
    judgments = bt.Judgments.from_arrays(
        ["u", "v", "w"] * 4, ["v", "w", "u"] * 4, [1, 0, 0.5, 0, 1, 1] * 2
    )
    frame = pl.DataFrame({"id": [f"q{k}" for k in range(12)], **{k: arrays[k] for k in arrays}})
    battles = pl.DataFrame({"model_a": ["u", "v"], "model_b": ["v", "u"], "winner": ["u", "v"]})
    metric = metrics.mean()
    quick = {"rng": 0, "resamples": 50}

    pair = {"a": a, "b": b}
    yield bt.permutation_test, pair
    yield bt.permutation_test, {**pair, "method": "monte-carlo", **quick}
    yield bt.bootstrap_test, pair
    yield bt.bootstrap_test, {**pair, "method": "sample", **quick}
    yield bt.bootstrap_interval, pair
    yield bt.bootstrap_interval, {**pair, "method": "sample", **quick}
    for test in (bt.mcnemar, bt.mood_test, bt.sign_test, bt.t_test, bt.wilcoxon):
        yield test, pair

    of_scores = {"data": scores}
    two = {**of_scores, "baseline": "base", "candidate": "new"}
    yield bt.compare, two
    yield bt.compare, {**two, "test": "bootstrap"}
    yield bt.compare_many, {**of_scores, "baseline": "base"}
    yield bt.compare_all, of_scores
    yield bt.score, of_scores
    yield bt.gate, {**two, "margin": 0.5}
    yield bt.Plan, {"checks": (design.Check("mean(score)", 50),)}
    yield bt.Plan.of, {"margin": 50}
    yield bt.Plan.of(50).gate, two
    yield bt.item_by_item, {"scores": scores, "baseline": "base", "candidate": "new"}
    yield design.aa_check, {**two, "simulations": 5, "resamples": 50, "sizes": 6}
    yield design.calibration, {**of_scores, "by": "part=x", "sizes": 4, "test_sets": 2}
    yield design.thresholds, of_scores

    yield bt.read, {"": frame}
    yield bt.read, {"": frame, "items": False}
    yield bt.read, {"": battles, "items": False}
    yield bt.Limits, {"memory": "8G"}
    yield bt.tests.Permutation, {}
    yield bt.tests.Bootstrap, {}
    yield bt.methods.BradleyTerry, {}
    yield bt.methods.Elo, {}

    tallied = bt.read(frame, items=False)
    for named in (scores, tallied):
        yield named.baseline, {"named": "base"}
        yield named.measured, {}
        yield named.pair, {"baseline": "base", "candidate": "new"}
        yield named.position, {"system": "base"}
    yield scores.labels, {"name": "part"}
    yield scores.completed, {"missing": "error"}
    yield scores.labels, {"name": "part"}
    yield scores.measured_by, {"metric": metric}
    yield lambda name: list(scores.parts(name)), {"name": "part"}
    yield scores.select, {"": "base"}
    yield scores.with_tasks, {"name": "task"}
    yield lambda first: judgments.select(first, "v"), {"first": "u"}

    for data in (scores, judgments):
        given = {"data": data}
        yield bt.rank, {**given, "resamples": 20}
        yield ranking.rating, {**given, "method": "elo(repeats=2)", "resamples": 20}
        yield ranking.cycles, given
        yield ranking.disagreement, {**given, "method": ("bradley-terry", "elo")}
        yield ranking.goodness_of_fit, {**given, "resamples": 20}
        yield ranking.leave_one_out, given
        yield ranking.pairwise, given
        yield ranking.prepare, given
        yield ranking.tie_sensitivity, given
    yield ranking.agreement, {"data": scores}
    yield ranking.by_size, {"data": scores, "sizes": [5], "repeats": 2}
    yield ranking.diagnose, {"data": scores, "first": "base", "second": "new"}
    yield ranking.score_spread, {"data": scores}
    yield ranking.study_disagreement, {"setups": {"x": scores}, "repeats": 2}
    yield ranking.paired_marginals, {"items": 5}
    yield ranking.score_matrix, {"items": 5, "systems": 3}
    ranked = ranking.rating(scores, resamples=20)
    yield ranking.compare_rankings, {"first": ranked, "second": ranked}
    yield ranking.win_matrix, {"ranking": ranked}
    yield ranked.in_top, {"k": 1}
    yield ranked.position, {"name": "base"}

    spread = design.Spread(item=0.5)
    yield design.Spread, {"item": 0.5}
    yield design.Rates, {"accuracy": 0.5, "agreement": 0.8}
    yield design.Check, {"metric": "mean(score)", "margin": 0.1}
    yield bt.power, {"assumed": spread, "items": 100, "effect": 0.1}
    yield bt.power, {"assumed": spread, "items": [100], "effect": 0.1}
    yield bt.Pilot, two
    yield design.allocations, {"assumed": spread, "budget": 100, "effect": 0.1}
    yield design.against_published, {**of_scores, "published": 0.5, "candidate": "new"}
    yield design.by_class, {"groups": {"base": "x"}, "classes": {"x": "y"}}
    yield design.published_thresholds, {}
    yield design.thresholds_by_domain, {**of_scores, "by": "part"}
    yield design.thresholds_by_size, {**of_scores, "sizes": [6]}
    yield design.variance_components, {"data": repeated}
    yield design.training_sets, {"examples": 10}
    taught = {"m": lambda _: lambda _: 1}
    learned = {"models": taught, "train": [1] * 8, "test": [1] * 4, "score": lambda *_: 1.0}
    yield design.resample_training, {**learned, "sizes": [4], "copies": 1}

    yield exact.Probability.of, {"value": 0.5}
    yield exact.Probability.of_log, {"log": -1.0}
    yield exact.ratio_pvalue, {"num_a": a, "den_a": a + 1, "num_b": b, "den_b": b + 1}
    yield exact.shift_interval, {"differences": [1, 2, 3, -1, 2, 3]}
    yield exact.walsh_interval, {"differences": [1, 2, 3, -1, 2, 3]}
    yield exact.signed_sum_pvalue, {"differences": [1, 2, 3]}
    yield exact.test, {"stay": [[1], [2]], "swap": [[2], [1]], "h": lambda x: x}
    yield exact.SignedSum.of, {"differences": [1, 2, 3]}
    yield exact.SignedSum.of_counts, {"steps": [1, 2], "counts": [1, 2]}
    yield exact.ResampledRatio.of, {"d": [1, 2, 3], "w": [1, 1, 2]}
    signed, summed = exact.SignedSum.of([1, 2, 3]), exact.ResampledRatio.of([1, 2, 3])
    yield signed.pvalue, {"observed": 2}
    yield signed.quantile, {"q": 0.5}
    yield signed.tail, {"s": 2}
    yield summed.interval, {}
    yield summed.quantile, {"probability": 0.5}
    yield summed.tail, {"r": Fraction(2, 3)}

    yield metrics.fbeta, {"beta": 1.0}
    yield metrics.mean, {}
    yield metrics.ratio, {"numerator": {"c": 1}, "denominator": {"n": 1}}
    yield metrics.macro_f1, {"labels": ["x", "y"]}
    yield metrics.mcc, {"labels": ["x", "y"]}
    yield metrics.parse, {"spelling": "mean"}
    yield metrics.resolve, {"metric": "mean", "columns": ("score",)}
    yield metrics.blackbox, {"score": lambda x: x.mean()}
    yield metrics.sums, {"columns": ("c",), "finish": lambda x: x[..., 0]}

    trio = {"gold": seeds["gold"], "a": seeds["base"], "b": seeds["new"]}
    small = {"items": 10, "responses": 2, "rng": 0}
    population = responses.toxicity()
    yield responses.trio, trio
    yield responses.p_value, {**trio, "resamples": 50}
    yield responses.p_value, {**trio, "test": "published(even=yes)", "resamples": 50}
    yield responses.simulate, small
    yield responses.draw_test_set, {"population": population, **small}
    normal = responses.Normal()  # to choose among all takes seconds
    yield (
        lambda gold, bins: responses.fit(gold, bins=bins, response=normal),
        {"gold": seeds["gold"], "bins": 3},
    )
    three = {"gold": "gold", "baseline": "base", "candidate": "new"}
    yield responses.from_scores, {"scores": repeated, **three}
    yield responses.item_metric, {"function": lambda x, y: 0.0, "lower_is_better": True}
    yield responses.whole_metric, {"function": lambda x, y: 0.0, "lower_is_better": True}
    study = {"population": population, **small, "eps": (0.1,), "metric": ("mae",)}
    yield responses.study, {**study, "draws": 20}
    split = {"population": population, "budget": 50, "responses": (1, 2), "simulated": 200}
    yield responses.split_budget, split
    yield responses.toxicity, {}
    yield responses.true_p, {"population": population, **small, "resamples": 20}
    yield responses.wins, {}

    found = bt.compare(scores, "base", "new")
    yield found.save, {"path": "y.html"}
    yield found.save, {"path": "y.png"}
    yield found.plot, {}
    yield found.to_latex, {}
    yield found.to_markdown, {}


CALLS = list(_calls())


def _keywords(call: Callable[..., Any], works: dict[str, Any]) -> Iterator[str]:
    """Every keyword of a function, those that it takes as ``**sampling`` too."""
    yield from works
    for parameter in inspect.signature(call).parameters.values():
        options = get_args(parameter.annotation)
        if options and is_typeddict(options[0]):
            yield from options[0].__annotations__
        elif parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            yield parameter.name


def _call(call: Callable[..., Any], given: dict[str, Any]) -> None:
    keywords = dict(given)
    call(*([keywords.pop("")] if "" in keywords else []), **keywords)


@pytest.mark.parametrize(
    ("call", "works"), CALLS, ids=[getattr(call, "__qualname__", "") for call, _ in CALLS]
)
def test_hostile_arguments_are_errors(
    call: Callable[..., Any],
    works: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # where a file called "x" may be written
    _call(call, works)
    found = []
    for name in dict.fromkeys(_keywords(call, works)):
        expected = bt.BetterthanError if call in EVERYDAY and name != "progress" else PYTHONS_OWN
        for what, value in HOSTILE.items():
            try:
                _call(call, {**works, name: value})
            except expected:
                pass
            except Exception as error:
                found.append(f"{name}, {what}: {type(error).__name__}: {error}")
    assert found == []


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (bt.bootstrap_test, "recentre"),
        (bt.bootstrap_test, "strict"),
        (bt.mcnemar, "continuity"),
        (bt.mood_test, "continuity"),
    ],
)
def test_no_text_passes_for_a_truth_value(call: Callable[..., Any], name: str) -> None:
    with pytest.raises(bt.BetterthanError, match=name):
        call([0, 1, 0, 1], [1, 1, 0, 1], **{name: "no"})


def test_the_argument_that_was_wrong_is_named() -> None:
    scores = bt.Scores.from_arrays({"base": [0, 1], "new": [1, 1]})
    with pytest.raises(bt.BetterthanError, match="band"):
        design.thresholds(scores, band=[])  # type: ignore[arg-type]
