"""Power: exact laws against brute force and simulation, published anchors, bad designs."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import special, stats

import betterthan as bt
from betterthan.design import Pilot, Rates, Spread, allocations, variance_components
from betterthan.design.assumptions import Assumption
from betterthan.design.detection import Detection, PlannedTest
from betterthan.design.difference_law import DifferenceLaw, clustered
from betterthan.design.exact_power import critical_wins, exact_power
from betterthan.design.student_power import LISTED, normal_power, rejected
from betterthan.errors import Note, UsageError, remedy_of
from betterthan.intervals.jackknife import standard_error
from betterthan.metrics import mean
from betterthan.numeric import Alternative
from oracles import signed_sum_pvalue

SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def planned(side: Alternative = "two-sided", alpha: float = 0.05, **more: Any) -> PlannedTest:
    return PlannedTest(alpha=alpha, alternative=side, **more)


def brute_force(
    values: Sequence[int], chances: Sequence[Fraction], n: int, alpha: Fraction, side: str
) -> tuple[Fraction, Fraction, Fraction]:
    """Power, P(verdict and wrong sign) and E|sum| given a verdict, by listing all test sets."""
    effect = sum(v * c for v, c in zip(values, chances, strict=True))
    power = wrong = size = Fraction(0)
    for at in product(range(len(values)), repeat=n):
        chance = math.prod((chances[k] for k in at), start=Fraction(1))
        d = [values[k] for k in at]
        if signed_sum_pvalue(d, side) <= alpha:
            power += chance
            wrong += chance * (sum(d) * effect < 0)
            size += chance * abs(sum(d))
    return power, wrong, size / power if power else Fraction(0)


@st.composite
def designs(draw: st.DrawFn) -> tuple[list[int], list[Fraction], int]:
    values = draw(st.lists(st.integers(-3, 3), min_size=2, max_size=4, unique=True))
    weights = draw(st.lists(st.integers(1, 6), min_size=len(values), max_size=len(values)))
    n = draw(st.integers(1, 6 if len(values) < 4 else 5))
    return values, [Fraction(w, sum(weights)) for w in weights], n


@settings(max_examples=80, deadline=None)
@given(
    designs(),
    st.sampled_from(SIDES),
    st.sampled_from([Fraction(1, 4), Fraction(1, 8)]),
    st.sampled_from([1, 500, 1 << 18]),
)
def test_exact_power_is_brute_force_on_tiny_designs(
    design: tuple[list[int], list[Fraction], int], side: Alternative, alpha: Fraction, batch: int
) -> None:
    values, chances, n = design
    law = DifferenceLaw.of(values, [float(c) for c in chances])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("betterthan.design.exact_power.BATCH_CELLS", batch)
        computed = exact_power(law, n, planned(side, float(alpha)))
    power, wrong, size = brute_force(values, chances, n, alpha, side)
    assert computed.kind == "exact"
    assert computed.power == pytest.approx(float(power), abs=1e-11)
    effect = float(sum(v * c for v, c in zip(values, chances, strict=True)))
    if power and effect:
        assert computed.type_s == pytest.approx(float(wrong / power), abs=1e-9)
        assert computed.type_m == pytest.approx(float(size) / n / abs(effect), rel=1e-9)
    elif not effect:
        assert computed.type_s is None


@settings(max_examples=30, deadline=None)
@example(40, 0.5, 1 << 14, 30, "two-sided")  # sampled
@given(
    st.integers(2, 20),
    st.floats(0.05, 0.95),
    st.sampled_from([1000, 1 << 14]),
    st.sampled_from([2, 3]),
    st.sampled_from(SIDES),
)
def test_a_power_that_is_wanted_is_reached_or_not_as_in_the_whole_sum(
    n: int, wanted: float, batch: int, size: int, side: Alternative
) -> None:
    law = clustered(DifferenceLaw.of_one_size(0.3, 0.1), size, 0.2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("betterthan.design.exact_power.BATCH_CELLS", batch)
        part = exact_power(law, n, planned(side, wanted=wanted))
        whole = exact_power(law, n, planned(side))
    assert (part.power >= wanted) == (whole.power >= wanted)
    assert part.power <= whole.power + 1e-12
    if part.kind == "exact":
        assert whole.power <= part.power + part.error + 1e-12


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 300), st.sampled_from([0.05, 0.025, 0.03125, 0.5, 1 / 64, 0.9]))
def test_critical_values_are_those_of_exact_fractions(m: int, level: float) -> None:
    (critical,) = critical_wins(np.array([m]), level).tolist()
    tail = Fraction(sum(math.comb(m, k) for k in range(critical, m + 1)), 2**m)
    one_less = tail + Fraction(math.comb(m, critical - 1), 2**m)
    assert tail <= Fraction(level) < one_less


def test_published_anchors_of_card_et_al() -> None:
    # Output cells of Card et al. (2020), github.com/dallascard/NLP-power-analysis,
    # notebooks_for_power_calculations/accuracy.ipynb, 10,000 simulations each: standard errors
    # .003 and .004. Their power counts right signs only.
    low = bt.power(Rates(accuracy=0.7, agreement=0.42), items=1000, effect=0.02)
    assert low.type_s is not None
    assert low.type_m is not None
    assert low.power * (1 - low.type_s) == pytest.approx(0.119, abs=0.01)
    assert low.type_s == pytest.approx(0.022, abs=0.012)
    assert low.type_m == pytest.approx(3.004, abs=0.1)
    high = bt.power(Rates(accuracy=0.8, agreement=0.975), items=500, effect=0.02)
    assert high.power == pytest.approx(0.800, abs=0.012)
    assert high.type_m == pytest.approx(1.118, abs=0.01)
    assert bt.power(Rates(accuracy=0.7, agreement=0.98), items=1000, effect=0.02).power > 0.999


def test_the_bleu_anchor_of_card_et_al() -> None:
    # BLEU.ipynb there: p_zero = .13, b_zero = 25.8, N = 2000, 1 BLEU: .756 in 500 simulations
    # (standard error .019), "approximately 75 % power" in the paper. Effects of a swap are Laplace,
    # and twice an item's difference.
    p, b, effect = 0.13, 25.8, 1.0
    location = 2 * effect / (1 - p)
    variance = (1 - p) * (2 * b**2 + location**2) - (2 * effect) ** 2
    computed = bt.power(Spread(math.sqrt(variance) / 2), items=2000, effect=effect)
    assert computed.power == pytest.approx(0.75, abs=0.01)
    assert computed.type_m == pytest.approx(1.2, abs=0.06)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.01, 2.0), st.floats(0.1, 5.0), st.integers(2, 400), st.sampled_from(SIDES))
def test_normal_power_is_the_noncentral_t(
    effect: float, sd: float, n: int, side: Alternative
) -> None:
    computed = normal_power(effect, sd, n, planned(side))
    shift = effect / sd * math.sqrt(n)
    tail = 0.025 if side == "two-sided" else 0.05
    critical = stats.t.ppf(1 - tail, n - 1)
    # The noncentral t of scipy is itself good to some 1e-8.
    up = stats.nct.sf(critical, n - 1, shift)
    down = stats.nct.cdf(-critical, n - 1, shift)
    expected = {"two-sided": up + down, "greater": up, "less": down}[side]
    if math.isfinite(expected):
        assert computed.power == pytest.approx(expected, abs=2e-5)


def test_type_m_and_s_of_a_normal_estimate_match_simulation() -> None:
    rng = np.random.default_rng(1)
    n, effect, sd = 12, 0.3, 1.0
    x = rng.normal(effect, sd, size=(400_000, n))
    mean, error = x.mean(axis=1), x.std(axis=1, ddof=1) / math.sqrt(n)
    hit = np.abs(mean / error) >= stats.t.ppf(0.975, n - 1)
    computed = normal_power(effect, sd, n, planned())
    assert computed.power == pytest.approx(hit.mean(), abs=0.003)
    assert computed.type_s == pytest.approx((mean[hit] < 0).mean(), abs=0.004)
    assert computed.type_m == pytest.approx(np.abs(mean[hit]).mean() / effect, rel=0.01)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.floats(0.0, 1.0), st.floats(-0.2, 0.2))
def test_clusters_have_the_correlation_asked_for(size: int, icc: float, effect: float) -> None:
    one = DifferenceLaw.of_one_size(0.4, effect)
    computed = clustered(one, size, icc)
    assert computed.shares.sum() <= 1 + 1e-12
    second = float(computed.shares @ np.square(computed.sizes / 1.0)) * computed.scale**2
    variance = second - computed.effect**2
    single = 0.4 - effect**2
    assert computed.effect == pytest.approx(effect, abs=1e-12)
    assert variance == pytest.approx(single * (1 + (size - 1) * icc) / size, rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 4),
    st.floats(0.0, 1.0),
    st.sampled_from([[1], [1, 2], [2, 3]]),
    st.floats(-0.1, 0.1),
)
def test_clusters_by_all_that_can_happen_to_their_items(
    size: int, icc: float, sizes: list[int], lean: float
) -> None:
    values, n = [*sizes, *(-step for step in sizes)], len(sizes)
    one = DifferenceLaw.of(values, [0.2 / n + lean] * n + [0.2 / n - lean] * n)
    chances = {0: 1.0 - float(one.shares.sum())}
    for step, share, heads in zip(one.sizes, one.shares, one.heads, strict=True):
        chances |= {int(step): share * heads, -int(step): share * (1.0 - heads)}
    copied = math.sqrt(icc)
    expected: dict[int, float] = dict.fromkeys(range(-3 * size, 3 * size + 1), 0.0)
    for common, chance in chances.items():
        for items in product(chances, repeat=size):
            given_common = math.prod(
                copied * (item == common) + (1.0 - copied) * chances[item] for item in items
            )
            expected[sum(items)] += chance * given_common
    computed = clustered(one, size, icc)
    result = dict.fromkeys(expected, 0.0)
    for step, share, heads in zip(computed.sizes, computed.shares, computed.heads, strict=True):
        result[int(step)], result[-int(step)] = share * heads, share * (1.0 - heads)
    result[0] = expected[0]  # what is left of one
    assert list(result.values()) == pytest.approx(list(expected.values()), abs=1e-12)


@pytest.mark.parametrize(
    "assumed",
    [Rates(agreement=0.85), Spread(1.3), Rates(accuracy=0.6), Spread(0.4, 1.0, repeats=3)],
)
def test_the_three_questions_are_one(assumed: Assumption) -> None:
    effect = 0.04 if assumed.percent else 0.3
    needed = bt.power(assumed, effect=effect, power=0.8)
    assert needed.solved_for == "items"
    assert needed.power >= 0.8
    assert bt.power(assumed, items=needed.items - 1, effect=effect).power < 0.8
    again = bt.power(assumed, items=needed.items, power=needed.power)
    assert again.effect == pytest.approx(effect, rel=1e-3)
    assert bt.power(assumed, items=needed.items, effect=effect).power == needed.power


def test_power_moves_as_it_should() -> None:
    def result(**changes: float) -> float:
        design = {"agreement": 0.85, "items": 400, "effect": 0.04, "comparisons": 1} | changes
        size, icc = int(design.get("cluster_size", 1)), design.get("icc", 0.0)
        return bt.power(
            Rates(agreement=design["agreement"], cluster_size=size, icc=icc),
            items=int(design["items"]),
            effect=design["effect"],
            comparisons=int(design["comparisons"]),
        ).power

    usual = result()
    assert result(items=800) > usual
    assert result(effect=0.06) > usual
    assert result(agreement=0.92) > usual
    assert result(comparisons=10) < usual
    assert result(cluster_size=4, icc=0.5) < usual
    independent = result(cluster_size=4, icc=0.0)
    assert independent == pytest.approx(usual, abs=0.03)
    one_sided = bt.power(Rates(agreement=0.85), items=400, effect=0.04, alternative="greater").power
    assert one_sided > usual
    assert bt.power(
        Rates(agreement=0.85), items=400, effect=-0.04, alternative="less"
    ).power == pytest.approx(one_sided, abs=1e-12)


def test_no_effect_no_power_beyond_alpha() -> None:
    computed = bt.power(Rates(agreement=0.8), items=300, effect=0.0)
    assert 0.02 < computed.power <= 0.05
    assert computed.type_s is None
    assert computed.type_m is None


def test_a_pilot_gives_its_spread_and_not_its_effect() -> None:
    rng = np.random.default_rng(0)
    a = rng.random(400) < 0.6
    b = np.where(rng.random(400) < 0.2, rng.random(400) < 0.9, a)
    pilot = Pilot(bt.Scores.from_arrays({"a": a, "b": b}))
    agreement = float((a == b).mean())
    for effect in (0.02, 0.05):
        from_pilot = bt.power(pilot, items=1000, effect=effect)
        from_rates = bt.power(Rates(agreement=agreement), items=1000, effect=effect)
        assert from_pilot.power == pytest.approx(from_rates.power, abs=1e-12)
        assert from_pilot.kind == "exact"
    mirrored = Pilot(bt.Scores.from_arrays({"a": b, "b": a}))
    assert (
        bt.power(mirrored, items=1000, effect=0.05).power
        == bt.power(pilot, items=1000, effect=0.05).power
    )


def test_a_clustered_pilot_counts_clusters() -> None:
    rng = np.random.default_rng(2)
    topic = np.repeat(rng.integers(-1, 2, size=60), 5)
    a = np.zeros(300)
    b = np.where(rng.random(300) < 0.7, topic, 0)
    clusters = np.repeat(np.arange(60), 5)
    loose = Pilot(bt.Scores.from_arrays({"a": a, "b": b}))
    tight = Pilot(bt.Scores.from_arrays({"a": a, "b": b}, clusters=clusters.tolist()))
    assert tight.items_per_unit == 5.0
    effect = 0.1
    assert (
        bt.power(tight, items=300, effect=effect).power
        < bt.power(loose, items=300, effect=effect).power - 0.1
    )


def test_variance_components_recover_what_was_put_in() -> None:
    rng = np.random.default_rng(3)
    items = 4000
    true = rng.normal(0.2, 0.5, size=items)
    noise = {"a": 0.8, "b": 0.6}
    responses = {
        name: list((true * (name == "b"))[:, None] + rng.normal(0, sd, (items, 4)))
        for name, sd in noise.items()
    }
    result = variance_components(bt.Scores.from_responses(responses))
    assert result.item == pytest.approx(0.5, abs=0.03)
    assert result.repeat == pytest.approx(1.0, abs=0.03)
    assert not result.percent


def test_allocations_trade_items_for_repeats() -> None:
    cheap = allocations(Spread(0.2, 0.5), 1000, effect=0.05, item_cost=0.0)
    dear = allocations(Spread(0.2, 0.5), 1000, effect=0.05, item_cost=50.0)
    assert cheap[0].repeats == 1
    assert dear[0].repeats > 4
    assert all(row.cost <= 1000 for row in (*cheap, *dear))
    powers = [row.power for row in dear]
    assert powers == sorted(powers, reverse=True)
    rated = allocations(Spread(0.2, 0.1, 1.0), 1000, effect=0.05, raters=(1, 3), item_cost=30.0)
    assert rated[0].raters == 3


def test_curves_rise() -> None:
    curve = bt.power(Rates(agreement=0.9), items=[100, 400, 1600], effect=0.03)
    powers = [point.power for point in curve]
    assert powers == sorted(powers)
    assert "1,600 items detect +3 points" in str(curve[-1])
    assert curve[-1].signature.startswith("betterthan:")


def test_defaults_of_the_three() -> None:
    rates = Rates(agreement=0.9)
    assert bt.power(rates, effect=0.02).items == bt.power(rates, effect=0.02, power=0.8).items
    assert bt.power(rates, items=500).solved_for == "effect"
    pilot = Pilot(bt.Scores.from_arrays({"a": [0, 1] * 60, "b": [0, 1, 1, 1] * 30}))
    assert bt.power(pilot).items == 120
    assert bt.power(pilot, effect=0.2).solved_for == "items"


def test_repeats_are_those_of_a_spread() -> None:
    spread = Spread(item=0.2, repeat=0.5)
    many = bt.power(spread, items=100, effect=0.1, repeats=5)
    assert many.power == bt.power(Spread(0.2, 0.5, repeats=5), items=100, effect=0.1).power
    assert many.power > bt.power(spread, items=100, effect=0.1).power
    rng = np.random.default_rng(4)
    answers = {name: list(rng.integers(0, 2, (50, 4))) for name in "ab"}
    pilot = Pilot(bt.Scores.from_responses(answers))
    assert bt.power(pilot, items=200, effect=0.1, repeats=2).percent
    with pytest.raises(UsageError) as caught:
        bt.power(Rates(agreement=0.9), items=100, effect=0.02, repeats=2)
    assert caught.value.remedy is not None
    assert caught.value.remedy.parameter == "sd"


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: Rates(accuracy=70), "accuracy"),
        (lambda: Rates(agreement=-0.1), None),
        (Rates, "accuracy"),
        (lambda: Rates(agreement=1.0), "agreement"),
        (lambda: Rates(agreement=0.9, icc=2.0), None),
        (lambda: Rates(agreement=0.9, cluster_size=0), None),
        (lambda: Spread(-1.0), "sd"),
        (Spread, "sd"),
        (lambda: Spread(1.0, repeats=0), "repeats"),
        (lambda: Spread(1.0, icc=-1.0), None),
        (lambda: bt.power(Rates(agreement=0.9)), "effect"),
        (lambda: bt.power(Rates(agreement=0.9), items=0, effect=0.1), "items"),
        (lambda: bt.power(Rates(agreement=0.9), items=[], effect=0.1), None),
        (lambda: bt.power(Rates(agreement=0.9), items=10, effect=0.1, power=0.8), "effect"),
        (lambda: bt.power(Rates(agreement=0.9), items=10, effect=0.2), "agreement"),
        (lambda: bt.power(Rates(accuracy=0.9), items=10, effect=0.2), "effect"),
        (lambda: bt.power(Rates(0.9, agreement=0.1), items=10, effect=0.02), "agreement"),
        (lambda: bt.power(Rates(agreement=0.9), items=10, power=0.9), "items"),
        (lambda: bt.power(Rates(agreement=0.9), effect=0.0, power=0.9), "effect"),
        (lambda: bt.power(Spread(1.0), effect=1e-6, power=0.9), "effect"),
        (lambda: bt.power(Spread(1.0), effect=-1.0, alternative="greater"), "effect"),
        (lambda: bt.power(Spread(1.0), items=10, effect=1.0, alpha=0.0), None),
        (lambda: bt.power(Spread(1.0), items=10, effect=1.0, comparisons=0), None),
        (lambda: bt.power(Spread(1.0), items=10, power=1.5), None),
        (lambda: bt.power(Spread(1.0), items=10, effect=math.nan), None),
        (lambda: bt.power(Spread(1.0), items=10, effect=1.0, alternative="up"), None),  # type: ignore[call-overload]
        (lambda: allocations(Spread(1.0), 1, effect=0.1), "budget"),
        (lambda: allocations(Spread(1.0), 100), "effect"),
        (lambda: allocations(Rates(0.7), 100, effect=0.1), "sd"),  # type: ignore[arg-type]
        (lambda: Pilot(bt.Scores.from_arrays({"a": [1, 0]})), None),
        (lambda: Pilot(bt.Scores.from_arrays({"a": [1, 0], "b": [1, 0]})), None),
        (lambda: Pilot(bt.Scores.from_arrays({"a": [1], "b": [0]})), None),
        (
            lambda: variance_components(bt.Scores.from_arrays({"a": [1, 0], "b": [0, 0]})),
            "columns",
        ),
    ],
)
def test_bad_designs_have_remedies(make: Callable[[], object], parameter: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        make()
    assert parameter in {None, *(remedy.parameter for remedy in caught.value.remedies)}


def test_a_remedy_takes_the_error_away() -> None:
    with pytest.raises(UsageError) as caught:
        Rates(accuracy=70)
    assert Rates(accuracy=caught.value.remedies[0].value).accuracy == 0.7  # type: ignore[arg-type]
    with pytest.raises(UsageError) as caught:
        allocations(Spread(1.0, cluster_size=3), 1, effect=0.1)
    budget: Any = caught.value.remedies[0].value
    assert len(allocations(Spread(1.0, cluster_size=3), budget, effect=0.1)) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("n", "agreement", "effect"), [(80, 0.7, 0.12), (400, 0.9, 0.04)])
def test_exact_power_is_that_of_the_public_test(n: int, agreement: float, effect: float) -> None:
    rng = np.random.default_rng(11)
    computed = bt.power(Rates(agreement=agreement), items=n, effect=effect)
    chances = [(1 - agreement - effect) / 2, agreement, (1 - agreement + effect) / 2]
    draws = 4000
    hits = 0
    for _ in range(draws):
        d = rng.choice([-1, 0, 1], size=n, p=chances)
        hits += bt.permutation_test(np.zeros(n, dtype=int), d).pvalue <= 0.05
    error = math.sqrt(computed.power * (1 - computed.power) / draws)
    assert abs(hits / draws - computed.power) < 4 * error


@pytest.mark.slow
def test_power_of_several_sizes_is_that_of_the_public_test() -> None:
    rng = np.random.default_rng(12)
    values, chances = [-7, -3, -1, 0, 1, 2, 5], [0.02, 0.05, 0.13, 0.45, 0.2, 0.1, 0.05]
    for n in (30, 150):
        computed = exact_power(DifferenceLaw.of(values, chances), n, planned())
        draws = 3000
        hits = sum(
            bt.permutation_test(
                np.zeros(n, dtype=int), rng.choice(values, size=n, p=chances)
            ).pvalue
            <= 0.05
            for _ in range(draws)
        )
        error = math.sqrt(computed.power * (1 - computed.power) / draws) + computed.error
        assert abs(hits / draws - computed.power) < 4 * error


@pytest.mark.slow
def test_f1_pilots_are_resampled(demo_folder) -> None:  # type: ignore[no-untyped-def]
    scores = bt.read("ner.csv", metric="f1")
    pilot = Pilot(scores, "crf", "bilstm", metric="f1")
    small, large = bt.power(pilot, items=[80, 500], effect=0.04, resamples=200)
    assert small.power + 0.2 < large.power
    null = bt.power(pilot, items=150, effect=0.0, resamples=200)
    assert null.power <= 0.05 + null.error
    with pytest.raises(UsageError):
        bt.power(pilot, items=100, effect=0.5)


def test_so_few_units_that_no_p_is_small_enough_have_no_power() -> None:
    # n units have 2^n swaps: the least two-sided p is 2^(1-n), the least one-sided one 2^-n.
    for assumed, items, effect, comparisons in (
        (Spread(1.0), 4, 3.0, 1),
        (Spread(1.0), 5, 2.0, 1),
        (Spread(1.0, cluster_size=10, icc=0.1), 50, 1.0, 1),
        (Spread(1.0), 8, 3.0, 10),
        (Rates(agreement=0.1), 5, 0.9, 1),
    ):
        computed = bt.power(assumed, items=items, effect=effect, comparisons=comparisons)
        assert computed.power == 0.0
        note = computed.notes[0]
        assert isinstance(note, Note)
        assert note.beside_verdict
        enough: Any = remedy_of(note)
        assert (
            bt.power(assumed, items=enough.value, effect=effect, comparisons=comparisons).power > 0
        )
        with pytest.raises(UsageError):
            bt.power(assumed, items=items, power=0.5, comparisons=comparisons)
    assert bt.power(Spread(1.0), items=5, effect=5.0, alternative="greater").power > 0.99
    assert bt.power(Spread(1.0), effect=30.0, power=0.8).items == 6
    assert bt.power(Spread(1.0), effect=30.0, power=0.8, comparisons=10).items == 9
    assert bt.power(Spread(1.0, cluster_size=10), effect=30.0, power=0.8).items == 60
    assert not bt.power(Spread(1.0), items=6, effect=3.0).notes
    assert min(row.items for row in allocations(Spread(1.0, 1.0), 20, effect=9.0)) >= 6


@pytest.mark.parametrize("effect", [0.5, 1.5, 2.5])
def test_six_units_reject_if_all_have_one_sign(effect: float) -> None:
    computed = bt.power(Spread(1.0), items=6, effect=effect)
    exact = special.ndtr(effect) ** 6 + special.ndtr(-effect) ** 6
    assert computed.kind == "sampled"
    assert abs(computed.power - exact) < 1.6 * computed.error  # of 99 %: four standard errors
    assert computed.type_s == pytest.approx(special.ndtr(-effect) ** 6 / exact, abs=0.01)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-9, 30), min_size=1, max_size=8), st.integers(0, 40))
@example(d=[-2, 1, 1, 0], allowed=6)
def test_flips_are_counted_as_the_test_counts_them(d: list[int], allowed: int) -> None:
    p = signed_sum_pvalue(d, "greater")
    assert rejected(np.array([d]) / 1.0, allowed)[0] == (p * 2 ** len(d) <= allowed)


def test_the_lowest_of_many_units_tell_whether_few_flips_are_as_large() -> None:
    rng = np.random.default_rng(5)
    d = np.round(rng.normal(1.6, 1.0, size=(60, 18)) * 1000)
    p = [bt.permutation_test(np.zeros(18), row, alternative="greater").pvalue for row in d]
    for allowed in (1, 5, LISTED):
        assert rejected(d, allowed).tolist() == [x * 2**18 <= allowed + 0.5 for x in p]
    assert 5 < rejected(d, LISTED).sum() < 55


@pytest.mark.parametrize("n", [4, 6])
def test_a_pilot_of_real_scores_is_shifted(n: int) -> None:
    """Against all test sets that there are of the centred differences and the effect."""
    d = np.array([-1.31, 0.27, 0.55, 2.09])
    effect, alpha = 1.9, 0.2  # 1.05 is the mean size of a difference
    shifted = (d - d.mean()) * math.sqrt(4 / 3) + effect
    hits = [
        signed_sum_pvalue([round(1e9 * shifted[k]) for k in at], "two-sided") <= Fraction(1, 5)
        for at in product(range(4), repeat=n)
    ]
    for gain in (0.0, 7.0):
        pilot = Pilot(bt.Scores.from_arrays({"a": np.zeros(4), "b": d + gain}))
        computed = bt.power(pilot, items=n, effect=effect, alpha=alpha)
        assert abs(computed.power - np.mean(hits)) < 1.6 * computed.error


@pytest.mark.parametrize(("n", "effect"), [(9, 0.6), (18, 0.6), (24, 0.5)])
def test_a_pilot_has_the_power_of_the_test_on_its_shifted_differences(
    n: int, effect: float
) -> None:
    rng = np.random.default_rng(8)
    d = rng.normal(0.0, 0.86, size=40)
    computed = bt.power(
        Pilot(bt.Scores.from_arrays({"a": np.zeros(40), "b": d})), items=n, effect=effect
    )
    shifted = (d - d.mean()) * math.sqrt(40 / 39) + effect
    draws = rng.choice(shifted, size=(300, n))
    hits = np.mean([bt.permutation_test(np.zeros(n), x).pvalue <= 0.05 for x in draws])
    error = math.sqrt(computed.power * (1 - computed.power) / 300)
    assert abs(hits - computed.power) < 3 * error + computed.error
    formula = bt.power(Spread(float(d.std(ddof=1))), items=n, effect=effect).power
    assert computed.power == pytest.approx(formula, abs=0.06)


def test_ties_of_a_pilot_stay_ties() -> None:
    rng = np.random.default_rng(9)
    d = np.where(np.arange(40) < 30, 0.0, rng.normal(0.1, 1.0, 40))
    pilot = Pilot(bt.Scores.from_arrays({"a": np.zeros(40), "b": d}))
    # Three of eight at least tie in 97 % of all sets: five never reject.
    assert bt.power(pilot, items=8, effect=5.0).power < 0.03
    assert bt.power(pilot, items=100, effect=5.0).power > 0.99


def test_an_effect_moves_large_clusters_more() -> None:
    rng = np.random.default_rng(10)
    sizes = rng.integers(1, 20, size=40)
    clusters = np.repeat(np.arange(40), sizes)
    base = rng.random(sizes.sum())
    for metric in (mean(), mean(lower_is_better=True)):
        new = base + 0.3 + np.repeat(rng.normal(0, 0.1, 40), sizes)
        scores = bt.Scores.from_arrays({"a": base, "b": new}, clusters=clusters.tolist())
        pilot = Pilot(scores, metric=metric)
        centred, moved, share = pilot._moved
        assert float(share @ centred) == pytest.approx(0.0, abs=1e-12)
        assert float(share @ moved) == pytest.approx(1.0)
        # What is left is the spread of clusters around the common effect: the jackknife's.
        error = standard_error(pilot.pair)
        assert error is not None
        assert pilot.null_sd(0.0) / math.sqrt(40) == pytest.approx(error, rel=0.05)


@pytest.mark.parametrize("size", [3, 40])
def test_clusters_of_independent_items_are_those_items(size: int) -> None:
    """Items right or wrong whose clusters mean nothing: the effect of the pilot is no matter."""
    rng = np.random.default_rng(11)
    clusters = np.repeat(np.arange(2400), size)
    base = rng.random(clusters.size) < 0.3
    new = base | (rng.random(clusters.size) < 0.5)
    scores = bt.Scores.from_arrays({"a": base, "b": new}, clusters=clusters.tolist())
    share = float((base != new).mean())
    for effect in (0.02, 0.05):
        items = size * round(8.0 * share / effect**2 / size)
        computed = bt.power(Pilot(scores), items=items, effect=effect)
        true = bt.power(Rates(agreement=1.0 - share, cluster_size=size), items=items, effect=effect)
        assert computed.power == pytest.approx(true.power, abs=0.02 + computed.error)
    with pytest.raises(UsageError):
        bt.power(Pilot(scores), items=1000, effect=share + 0.01)


class Coin(Spread):
    """A t-test's power, or a share of simulated tests that rejected."""

    simulations: int | None = None

    def detection(self, items: int, effect: float, test: PlannedTest) -> Detection:
        cut = stats.norm.isf(test.alpha / 2)
        shift = abs(effect) * math.sqrt(items) / self.item
        true = float(special.ndtr(shift - cut) + special.ndtr(-shift - cut))
        if self.simulations is None:
            return Detection(true, None, None, 1e-12, "exact", "normal")
        assert isinstance(test.rng, int)
        coins = np.random.default_rng([test.rng, items, int(effect * 1e9)])
        hit = coins.random(self.simulations) < true
        return Detection.sampled(hit, np.full(hit.size, effect), effect, "coins")


@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("simulations", [50, 500])
def test_the_ends_of_a_simulated_answer_hold_the_true_one(wanted: float, simulations: int) -> None:
    exact, noisy = Coin(1.0), Coin(1.0)
    object.__setattr__(noisy, "simulations", simulations)
    effect = bt.power(exact, items=100, power=wanted).effect
    items = bt.power(exact, effect=effect, power=wanted).items
    missed = 0
    for seed in range(25):
        computed = bt.power(noisy, items=100, power=wanted, rng=seed)
        size = bt.power(noisy, effect=effect, power=wanted, rng=seed)
        for result, true in ((computed, effect), (size, items)):
            low, high = result.solved_low or 0.0, result.solved_high or 0.0
            missed += not low <= true <= high
        assert (computed.solved_high or math.inf) < effect * 2.5
    assert missed <= 1  # of 50
    assert bt.power(exact, items=100, power=wanted).solved_low is None


def test_no_mean_of_ratings_changes_by_more_than_their_scale() -> None:
    rng = np.random.default_rng(8)
    ratings = {name: rng.integers(1, 6, 40) for name in ("base", "new")}
    scores = bt.Scores.from_arrays(ratings)
    assert bt.power(Pilot(scores), items=40, effect=3.5).power > 0.99
    with pytest.raises(UsageError) as caught:
        bt.power(Pilot(scores), items=40, effect=5)
    assert caught.value.remedies[0].value == "4"
    seconds = Pilot(bt.Scores.from_arrays(ratings, lower_is_better=True))
    assert bt.power(seconds, items=40, effect=5).power > 0.99


def test_items_that_fill_no_cluster_make_none() -> None:
    given = Rates(agreement=0.7, cluster_size=4)
    result = {n: bt.power(given, items=n, effect=0.2).power for n in (24, 26, 27, 28)}
    assert result[24] == result[26] == result[27] < result[28]
