"""Pilots of metrics that are no sums over items: F1 and its kin."""

import time

import numpy as np
import pytest

import betterthan as bt
from betterthan.design import Pilot, pilot
from betterthan.design import power as plan
from betterthan.errors import UsageError, remedy_of
from betterthan.numeric import Floats

RNG = np.random.default_rng(5)
GOLD = RNG.integers(0, 5, 80)
TP = {"crf": RNG.binomial(GOLD, 0.65), "bert": RNG.binomial(GOLD, 0.85)}
COUNTS = {s: np.stack([tp, RNG.integers(0, 2, 80), GOLD - tp], axis=1) for s, tp in TP.items()}


def swapped() -> Pilot:
    return Pilot(bt.Scores.from_arrays(COUNTS, columns=["tp", "fp", "fn"]), metric="f1")


def f1(counts: Floats) -> Floats:
    tp, fp, fn = np.moveaxis(counts, -1, 0)
    return np.asarray(2 * tp / (2 * tp + fp + fn))


def brute_force(items: int, chance: float, sets: int, swaps: int) -> float:
    """Share of test sets, units swapped with a chance, that a test by swaps of its own rejects."""
    rng, hits = np.random.default_rng(6), 0
    for _ in range(sets):
        rows = rng.integers(80, size=items)
        a, b = COUNTS["crf"][rows], COUNTS["bert"][rows]
        turned = rng.random(items) < chance
        d = np.where(turned[:, None], a - b, b - a)
        total = (a + b).sum(axis=0)

        def seen(moved: Floats, total: Floats = total) -> Floats:
            return np.asarray(np.abs(f1((total + moved) / 2) - f1((total - moved) / 2)))

        signs = rng.choice([-1, 1], (swaps, items))
        above = (seen(signs @ d) >= seen(d.sum(axis=0)) - 1e-12).sum()
        hits += (1 + above) / (1 + swaps) <= 0.05
    return hits / sets


@pytest.mark.parametrize("normal", [False, True])
def test_their_power_is_that_of_the_test(monkeypatch: pytest.MonkeyPatch, normal: bool) -> None:
    items, sets = 250, 1000
    monkeypatch.setattr(pilot, "NORMAL_RATIO", 0 if normal else items)
    assumed = swapped()
    effect = assumed.pair.delta / 2
    computed = plan(assumed, items=items, effect=effect, resamples=sets)
    assert computed.kind == ("asymptotic" if normal else "sampled")
    expected = brute_force(items, assumed._swap_chance(effect), sets, 999)
    error = 2.6 * np.sqrt(expected * (1 - expected) / sets)
    assert abs(computed.power - expected) < error * (1 if normal else np.sqrt(2))


def test_few_units_reject_as_the_exact_test_does() -> None:
    assumed = swapped()
    computed = plan(assumed, items=5, effect=assumed.pair.delta, resamples=100)
    assert computed.power == 0.0  # of 2 ** 5 swaps no two are one in twenty
    assert remedy_of(computed.notes[0]) is not None


@pytest.mark.parametrize("effect", [0.03, 0.005])
def test_the_items_are_found_before_anybody_gives_up(effect: float) -> None:
    start = time.process_time()
    computed = plan(swapped(), effect=effect, power=0.8)
    assert time.process_time() - start < 30.0  # an exact test of every set took minutes
    assert computed.power > 0.75
    if computed.kind == "sampled":
        assert computed.error < 0.05
        assert computed.solved_low <= computed.items <= computed.solved_high  # type: ignore[operator]


def test_what_no_swap_can_make_is_an_error() -> None:
    pilot = swapped()
    for items in (100, 10_000):
        with pytest.raises(UsageError) as caught:
            plan(pilot, items=items, effect=2 * pilot.pair.delta)
        assert caught.value.remedies[0].value == pytest.approx(pilot.pair.delta)
