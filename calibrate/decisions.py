"""How often tests, gates and rank sets are wrong: each function draws once, and says which were."""

from functools import cache

import numpy as np

from betterthan.comparison.effect import detectable_effect
from betterthan.data.pairing import pair_of
from betterthan.errors import UsageError
from betterthan.intervals.margins import MarginAssumption, margin_tests
from betterthan.numeric import Alternative
from betterthan.ranking import rating
from betterthan.testing.bootstrap import check_clusters
from betterthan.testing.by_name import run_tests
from betterthan.testing.permutation import permute
from betterthan.testing.request import Request
from betterthan.testing.values import KINDS, Bootstrap, as_test
from calibrate.boards import all_ranks_inside, board, levels
from calibrate.cell import ALPHA, DRAWS, SAMPLED, Answers, Cell, rejected
from calibrate.intervals import in_all_digits
from calibrate.worlds import EVALUATIONS, WORLDS, drawn, true_delta

SIDES: dict[str, Alternative] = {"two-sided": "two-sided", "one-sided": "greater"}


def tests(cell: Cell, rng: np.random.Generator) -> Answers:
    """All tests of two systems, of one law or with one ahead."""
    joint, seed = cell.joint(rng), int(rng.integers(2**31))
    measure = "power" if true_delta(cell.world, cell.shift) else "type I"
    request = Request(rng=seed, resamples=DRAWS)
    answers: Answers = {}
    for test in KINDS:
        if test == "mcnemar" and not joint.is_binary:
            continue
        try:
            if test == "bootstrap":
                check_clusters(joint)  # as comparisons do
            value = SAMPLED if test == "bootstrap" else as_test(test)
            (result,) = run_tests(joint, [(0, 1)], value, request)
            answers[f"{measure}/{test}"] = rejected(result.pvalue)
        except UsageError:
            if joint.metric.form == "mean" or test == "bootstrap":
                answers[f"{measure}/{test}"] = None
    return answers


def one_sided(cell: Cell, rng: np.random.Generator) -> Answers:
    """Every test that the second of two systems of one law is better; the sign bootstrap, too."""
    joint, seed = cell.joint(rng), int(rng.integers(2**31))
    request = Request(alternative="greater", rng=seed, resamples=DRAWS)
    tests = {
        "permutation": as_test("permutation"),
        "bootstrap": SAMPLED,
        "sign bootstrap": Bootstrap(variant="sign", method="sample"),
    }
    if joint.metric.form == "mean":
        tests |= {name: as_test(name) for name in ("wilcoxon", "sign", "t")}
    results = {name: run_tests(joint, [(0, 1)], test, request)[0] for name, test in tests.items()}
    return {f"one-sided/{name}": rejected(x.pvalue) for name, x in results.items()}


def ideal(cell: Cell, rng: np.random.Generator) -> Answers:
    """The ideal bootstrap test of real scores: the law of all resamples, certified."""
    pair = pair_of(*in_all_digits(rng, cell.world, cell.items), WORLDS[cell.world].metric)
    answers: Answers = {}
    for name, alternative in SIDES.items():
        request = Request(alternative=alternative, rng=0)
        (result,) = run_tests(pair, [(0, 1)], Bootstrap(method="ideal"), request)
        if result.kind != "certified":
            raise ValueError(f"{result.engine} is not what is measured here")
        answers[f"ideal/{name} bootstrap"] = rejected(result.pvalue)
    return answers


def ranks(cell: Cell, rng: np.random.Generator) -> Answers:
    """A leaderboard, all of whose true ranks should lie in their sets together."""
    true = levels(cell.systems, cell.shift)
    drawn_board = board(rng, cell.world, cell.items, true, cell.pairs)
    resamples = 200 if cell.world == "judgments" else 2
    result = rating(drawn_board, cell.method, resamples=resamples, rng=rng)
    return {f"joint ranks/{cell.method}": all_ranks_inside(result, true)}


def gates(cell: Cell, rng: np.random.Generator) -> Answers:
    """A candidate at the border of each goal, where every PASS is wrong; and an equal one."""
    margin, world = -true_delta(cell.world, cell.shift), EVALUATIONS[cell.world]
    joint = cell.joint(rng)
    forward, backward = margin_tests(joint.pair(0, 1), bounds=world.bounds)
    reverse, _ = margin_tests(joint.pair(1, 0), bounds=world.bounds)
    passes = forward.above(-margin) <= ALPHA
    answers: Answers = {
        "false PASS/non-inferior": passes,
        "false PASS/equivalent": passes and backward.above(-margin) <= ALPHA,
        "false PASS/superior": reverse.above(margin) <= ALPHA,
    }
    if world.same_law:
        equal, _ = margin_tests(cell.joint(rng, shift=0.0).pair(0, 1), bounds=world.bounds)
        answers["true PASS/non-inferior"] = equal.above(-margin) <= ALPHA
    return answers


def assumed(cell: Cell, rng: np.random.Generator) -> Answers:
    """Gates that assume a model instead of bounds, at the border."""
    border, pair = true_delta(cell.world, cell.shift), cell.joint(rng).pair(0, 1)
    models: tuple[MarginAssumption, ...]
    models = ("shift", "large-sample") if pair.metric.form == "mean" else ("large-sample",)
    bounds = {model: margin_tests(pair, assume=model)[0] for model in models}
    return {f"assumed PASS/{model}": x.above(border) <= ALPHA for model, x in bounds.items()}


def sampled(cell: Cell, rng: np.random.Generator) -> Answers:
    """Sampled p-values, whose 99 % bracket should hold the exact one."""
    pair = cell.joint(rng).pair(0, 1)
    requests = [Request(resamples=DRAWS, rng=int(rng.integers(2**31))) for _ in "pb"]
    exact, swaps = permute(pair, Request(rng=0)), permute(pair, requests[0], "monte-carlo")
    (law,) = run_tests(pair, [(0, 1)], Bootstrap(method="ideal"), requests[1])
    (draws,) = run_tests(pair, [(0, 1)], SAMPLED, requests[1])
    return {
        "bracket/permutation": swaps.pvalue_low <= exact.pvalue <= swaps.pvalue_high,
        "bracket/bootstrap": draws.pvalue_low <= law.pvalue <= draws.pvalue_high,
    }


def detects(cell: Cell, rng: np.random.Generator) -> Answers:
    """The exact test where the true effect is what the test set is said to detect."""
    shift = _detectable_shift(cell.world, cell.items)
    pair = cell.joint(rng, shift=shift).pair(0, 1)
    return {"detects/permutation": rejected(permute(pair, Request(rng=0)).pvalue)}


@cache
def _detectable_shift(world: str, items: int) -> float:
    """The shift whose true effect is the average of what sets of equal systems claim to detect."""
    rng = np.random.default_rng(7)
    pairs = [drawn(rng, world, items).pair(0, 1) for _ in range(200)]
    claims = [detectable_effect(x, alpha=ALPHA, alternative="two-sided") for x in pairs]
    effect = float(np.mean([claim for claim in claims if claim is not None]))
    low, high = 0.0, 4.0
    while high - low > 0.01:
        middle = (low + high) / 2.0
        low, high = (middle, high) if true_delta(world, middle) < effect else (low, middle)
    return (low + high) / 2.0
