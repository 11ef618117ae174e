from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from betterthan.errors import DataError, UsageError
from betterthan.responses import (
    SAMPLINGS,
    Beta,
    BetaResponses,
    Categorical,
    FoldedNormal,
    Likert,
    Normal,
    Population,
    Triangular,
    Uniform,
    fit,
    p_value,
    simulate,
    split_budget,
    study,
    toxicity,
    true_p,
)
from betterthan.responses.simulator import draw
from betterthan.responses.truth import true_ps

rng = np.random.default_rng(7)


def test_algorithm_3() -> None:
    made = simulate(items=20_000, responses=4, eps_a=0.2, eps_b=0.0, sd=0.3, rng=1)
    assert made.gold.shape == made.a.shape == made.b.shape == (20_000, 4)
    # Means U[0, 1], sds U[0, .3]: an item's variance is .03 on average, and a response's
    # variance 1/12 + .03, plus .2^2 / 3 where perturbed.
    for block, variance in ((made.gold, 0.11333), (made.b, 0.11333), (made.a, 0.12667)):
        assert block.mean() == pytest.approx(0.5, abs=0.01)
        assert block.var() == pytest.approx(variance, rel=0.03)
        assert block.var(axis=1, ddof=1).mean() == pytest.approx(0.03, rel=0.03)
    # One perturbation an item, shared by its responses, so it stays in the item's mean:
    # .03 / 4 from either side's noise, plus .2^2 / 3.
    apart = made.a.mean(1) - made.gold.mean(1)
    assert apart.var() == pytest.approx(0.03 / 2 + 0.04 / 3, rel=0.03)
    assert np.array_equal(made.gold, simulate(20_000, 4, 0.2, rng=1).gold)
    assert made.scores.systems == ("gold", "a", "b")
    assert made.scores.responses is not None


def test_scores_of_a_simulation_are_its_responses() -> None:
    made = simulate(6, (3, 2, 4), rng=0)
    scores = made.scores
    assert scores.responses is not None
    assert np.array_equal(scores.responses[:, 1, 0, :2], made.a)
    assert np.isnan(scores.responses[:, 1, 0, 2:]).all()


@pytest.mark.parametrize(
    ("law", "reference"),
    [
        (Uniform(0.1, 0.4), stats.uniform(0.1, 0.3)),
        (FoldedNormal(0.2, 0.16, most=np.inf), stats.foldnorm(0.2 / 0.16, scale=0.16)),
        (
            Triangular(-0.05, 0.21, 0.45, least=-np.inf, most=np.inf),
            stats.triang(0.26 / 0.5, -0.05, 0.5),
        ),
        (Beta(2.0, 5.0), stats.beta(2.0, 5.0)),
    ],
)
def test_item_laws_against_scipy(law: Any, reference: Any) -> None:
    x = np.linspace(-0.2, 1.2, 57)
    assert law.cdf(x) == pytest.approx(reference.cdf(x), abs=1e-12)
    assert stats.kstest(law.draw(2000, np.random.default_rng(3)), reference.cdf).pvalue > 1e-3


def test_clamped_laws_have_atoms_at_their_ends() -> None:
    folded, triangle = FoldedNormal(0.0, 0.5, most=0.8), Triangular(-0.2, 0.1, 0.4)
    drawn = [law.draw(20_000, np.random.default_rng(1)) for law in (folded, triangle)]
    assert (drawn[0] == 0.8).mean() == pytest.approx(2 * stats.norm.sf(1.6), abs=0.01)
    assert (drawn[1] == 0.0).mean() == pytest.approx(0.2**2 / (0.6 * 0.3), abs=0.01)
    assert folded.cdf([-0.01, 0.7999, 0.8]).round(3).tolist() == [0.0, 0.89, 1.0]
    assert triangle.cdf([-0.01, 0.0]).round(3).tolist() == [0.0, 0.222]


def test_response_laws_keep_means_and_spread() -> None:
    means, sds = np.full((400, 500), 0.4), np.full((400, 500), 0.2)
    normal = Normal().draw(means, sds, rng)
    assert (normal.mean(), normal.std()) == pytest.approx((0.4, 0.2), abs=0.005)
    beta = BetaResponses().draw(means, sds, rng)
    assert (beta.mean(), beta.std()) == pytest.approx((0.4, 0.2), abs=0.005)
    assert 0 <= beta.min() <= beta.max() <= 1
    wide = BetaResponses().draw(means, sds + 5, rng)
    assert wide.mean() == pytest.approx(0.4, abs=0.01)
    yes = Categorical().draw(means, sds, rng)
    assert set(np.unique(yes)) == {0.0, 1.0}
    assert yes.mean() == pytest.approx(0.4, abs=0.005)
    assert np.unique(Categorical(4).draw(means, sds, rng)).tolist() == [0, 1 / 3, 2 / 3, 1]
    floored = Likert().draw(means, sds, rng)
    assert np.unique(floored).tolist() == [0.0, 0.2, 0.4, 0.6, 0.8]
    below = stats.norm.cdf([0.2, 0.4, 0.6, 0.8], 0.4, 0.2)
    shares = [(floored <= x).mean() for x in (0.0, 0.2, 0.4, 0.6)]
    assert shares == pytest.approx(below, abs=0.01)
    # Rounded to the nearest level the mean stays where it was, but for the clamping.
    assert Likert(20, nearest=True).draw(means, sds / 4, rng).mean() == pytest.approx(
        0.4, abs=0.005
    )


def test_perturbed_means_are_clamped_on_request() -> None:
    wild = Population(eps_a=5.0, clamp=True)
    items = wild.items((1000,), np.random.default_rng(0))
    assert 0 == items.a.min() < items.a.max() == 1
    assert not np.array_equal(items.a, items.gold)
    assert np.array_equal(items.b, items.gold)


def test_wrong_laws_are_refused() -> None:
    for make in (
        lambda: Uniform(2.0, 1.0),
        lambda: FoldedNormal(0.0, 0.0),
        lambda: Triangular(0.5, 0.2, 0.4),
        lambda: Beta(-1.0, 1.0),
        lambda: Likert(1),
        lambda: Categorical(1),
        lambda: Population(eps_a=-0.1),
        lambda: simulate(0),
        lambda: simulate(5, 0),
        lambda: simulate(5, (1, 2, 0)),
    ):
        with pytest.raises(UsageError):
            make()


def test_fit_finds_the_laws_that_made_the_data() -> None:
    law = FoldedNormal(0.45, 0.12, 0.8)
    made = simulate(8000, 60, means=law, sds=Triangular(0.0, 0.02, 0.09), rng=2)
    found = fit(np.clip(made.gold, 0, 1))
    assert found.means.error < 0.003
    assert found.sds.error < 0.006
    assert found.means.observed.sum() == pytest.approx(1)
    assert found.means.expected.sum() == pytest.approx(1)
    assert found.response == Normal()
    edges = found.means.edges
    assert found.means.law.cdf(edges) == pytest.approx(law.cdf(edges), abs=0.02)


@pytest.mark.parametrize(
    ("law", "found"),
    [
        (Likert(5), Likert(5, nearest=True)),
        (Likert(5, closed=True), Likert(5, nearest=True, closed=True)),  # (rating - 1) / 4
        (Likert(4, nearest=True, closed=True), Likert(4, nearest=True, closed=True)),
        (Categorical(2), Categorical(2)),
        (Normal(), Normal()),
    ],
)
def test_fit_knows_the_levels_of_ratings(law: Any, found: Any) -> None:
    made = simulate(400, 5, response=law, rng=1)
    gold = np.clip(made.gold, 0.0, 1.0) if law == Normal() else made.gold
    fitted = fit(gold)
    assert fitted.response == found
    again = draw(fitted.population(eps_a=0.0), 400, 5, rng=2)
    if law != Normal():
        assert set(np.unique(again.gold)) <= set(np.unique(gold))
    assert again.gold.mean() == pytest.approx(gold.mean(), abs=0.05)


def test_fit_says_what_it_needs() -> None:
    with pytest.raises(DataError, match=r"scale them to \[0, 1\]"):
        fit([[1, 5], [2, 3]])
    with pytest.raises(DataError, match="one response an item"):
        fit([[0.1], [0.3]])
    with pytest.raises(UsageError, match="bins"):
        fit([[0.1, 0.2], [0.3, 0.2]], bins=1)
    assert fit([[0.25, 0.5], [0.75, 0.0]]).response == Likert(4, nearest=True)
    assert fit([[0.5, 0.25], [0.5]]).population(0.2).eps_a == 0.2


def test_true_p_of_equal_systems_is_a_half() -> None:
    laws = true_ps(
        Population(eps_a=0.0),
        ["mae", "wins", "mse", "cosine", "spearman", "emd_mean"],
        items=100,
        responses=2,
        resamples=2000,
        rng=1,
    )
    for law in laws:
        assert law.pvalue == pytest.approx(0.5, abs=0.04)


# Tables 5-8 of Wein et al. (2023), true p: their candidate A is our b, their eps_B our eps_a.
# "Wins(MAE)" is wins. The authors' own figures for one and the same law (rows of Table 7 that
# differ in the strategy alone) are up to .03 apart, so no more is asked.
PUBLISHED = [
    (0.0, "mae", 1, 0.497),
    (0.0, "mae", 5, 0.496),
    (0.0, "wins", 1, 0.497),
    (0.0, "wins", 5, 0.510),
    (0.0, "mse", 1, 0.498),
    (0.0, "spearman", 5, 0.494),
    (0.0, "cosine", 1, 0.494),
    (0.0, "emd_aggregated", 5, 0.503),
    (0.0, "emd_mean", 5, 0.494),
    (0.05, "mae", 1, 0.351),
    (0.05, "mae", 5, 0.068),
    (0.05, "wins", 1, 0.088),
    (0.05, "wins", 5, 0.002),
    (0.05, "mse", 1, 0.451),
    (0.05, "mse", 5, 0.262),
    (0.05, "spearman", 1, 0.443),
    (0.05, "spearman", 5, 0.264),
    (0.05, "cosine", 5, 0.391),
    (0.1, "mae", 1, 0.116),
    (0.1, "mae", 5, 0.000),
    (0.1, "wins", 1, 0.005),
    (0.1, "mse", 1, 0.317),
    (0.1, "mse", 5, 0.011),
    (0.1, "spearman", 1, 0.318),
    (0.1, "spearman", 5, 0.010),
    (0.1, "cosine", 1, 0.323),
    (0.1, "cosine", 5, 0.131),
]


# Tables 12 and 13: the toxicity data, Likert responses.
PUBLISHED_TOXICITY = [
    (0.1, "mae", 1, 0.276),
    (0.1, "mae", 5, 0.014),
    (0.1, "wins", 1, 0.235),
    (0.1, "wins", 5, 0.034),
    (0.1, "wins_vectorized", 5, 0.062),
    (0.1, "mse", 1, 0.359),
    (0.1, "mse", 5, 0.058),
    (0.1, "spearman", 1, 0.346),
    (0.1, "spearman", 5, 0.055),
    (0.1, "cosine", 1, 0.407),
    (0.1, "cosine", 5, 0.319),
    (0.3, "mae", 1, 0.0005),
    (0.3, "wins", 1, 0.0002),
    (0.3, "mse", 1, 0.008),
    (0.3, "spearman", 1, 0.029),
    (0.3, "cosine", 1, 0.107),
    (0.3, "cosine", 5, 0.003),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "population"),
    [
        (PUBLISHED, lambda eps: Population(eps_a=eps)),
        (PUBLISHED_TOXICITY, toxicity),
    ],
    ids=["simulated", "toxicity"],
)
def test_published_true_p(
    table: list[tuple[float, str, int, float]], population: Callable[[float], Population]
) -> None:
    for eps, k in sorted({(eps, k) for eps, _, k, _ in table}):
        rows = [(metric, p) for e, metric, size, p in table if (e, size) == (eps, k)]
        laws = true_ps(
            population(eps),
            [metric for metric, _ in rows],
            items=1000,
            responses=k,
            resamples=4000,
            rng=2023,
        )
        for (metric, published), law in zip(rows, laws, strict=True):
            assert law.pvalue == pytest.approx(published, abs=0.03), (eps, k, metric)


@pytest.mark.slow
def test_published_true_p_of_distant_systems_and_of_the_printed_spread() -> None:
    for k in (1, 5):
        metrics = ["mae", "wins", "mse", "cosine", "spearman"]
        for law in true_ps(
            Population(eps_a=0.3), metrics, items=1000, responses=k, resamples=2000, rng=1
        ):
            assert law.pvalue < 0.001
    # With sds U[0, .2], as Algorithm 3 is printed, the .116 of Table 7 does not come out.
    printed = Population(eps_a=0.1, sds=Uniform(0.0, 0.2))
    assert true_p(printed, items=1000, responses=1, resamples=2000, rng=1).pvalue < 0.02


def test_study_of_few_cells() -> None:
    options: dict[str, Any] = {
        "eps": (0.0, 0.3),
        "items": 40,
        "responses": 3,
        "resamples": 60,
        "metrics": ["mae", "wins_vectorized"],
        "repeats": 2,
        "rng": 5,
    }
    found = study(**options)
    assert len(found.cells) == 2 * (6 + 3)  # vectorised wins need several responses
    assert found == study(**options, workers=3)
    assert {tuple(row) for row in found.to_dicts()} == {
        ("eps", "sampling", "metric", "estimated", "true", "error")
    }
    least = found.least_error("metric")
    assert set(least) == {"mae", "wins_vectorized"}
    assert least["mae"][0.3] == min(
        c.error for c in found.cells if (c.metric, c.eps) == ("mae", 0.3)
    )
    assert found.ranking()[0][0] in found.recommendation
    assert "raise repeats" in found.recommendation
    assert "repeats" not in replace(found, repeats=20).recommendation
    assert "least error by sampling" in str(found)


def test_study_of_own_data_uses_them() -> None:
    gold = simulate(50, 4, means=FoldedNormal(), sds=Triangular(), response=Likert(), rng=1).gold
    found = study(gold, eps=(0.3,), metrics=["mae"], resamples=50, rng=1)
    assert (found.items, found.responses) == (50, 4)
    ragged = [row[: 2 + i % 3] for i, row in enumerate(gold.tolist())]
    mixed = study(ragged, eps=(0.3,), metrics=["cosine", "mae"], resamples=20, rng=1)
    assert {c.sampling for c in mixed.cells if c.metric == "cosine"} == {
        name for name in SAMPLINGS if "(1)" in name or "first" in name
    }
    with pytest.raises(UsageError, match="not both"):
        study(gold, population=Population())
    with pytest.raises(UsageError, match="at least one"):
        study(eps=())
    with pytest.raises(UsageError, match="by is"):
        found.least_error("eps")


@pytest.mark.slow
def test_budget_split_predicts_the_power_of_the_calibrated_test() -> None:
    population = Population(eps_a=0.1)
    for split in split_budget(population, 400, responses=(2, 5), rng=1):
        hits = sum(
            p_value(*made.trio).pvalue <= 0.05
            for made in (
                simulate(split.items, split.responses, rng=np.random.default_rng([3, i]))
                for i in range(600)
            )
        )
        assert split.power == pytest.approx(hits / 600, abs=0.08)


def test_budget_split_needs_a_mean_over_items() -> None:
    with pytest.raises(UsageError, match="not a mean"):
        split_budget(Population(), 100, metric="spearman")
    equal = split_budget(Population(eps_a=0.0), 400, metric="wins", simulated=20_000, rng=0)
    assert all(split.power < 0.06 for split in equal)
    constant = split_budget(Population(eps_a=0.0, sds=Uniform(0.0, 0.0)), 400, simulated=100, rng=0)
    assert constant[0].power == pytest.approx(0.05)
