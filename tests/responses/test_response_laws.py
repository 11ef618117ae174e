"""Laws of items and of responses."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from betterthan.errors import UsageError
from betterthan.responses import (
    Beta,
    BetaResponses,
    Categorical,
    FoldedNormal,
    Likert,
    Normal,
    Population,
    Triangular,
    Uniform,
    simulate,
)

rng = np.random.default_rng(7)


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
    inside = 1 - 2 * stats.norm.sf(0.7999 / 0.5)
    assert folded.cdf([-0.01, 0.7999, 0.8]) == pytest.approx([0.0, inside, 1.0], rel=1e-12)
    assert triangle.cdf([-0.01, 0.0]) == pytest.approx([0.0, 0.2**2 / (0.6 * 0.3)], rel=1e-12)


def test_response_laws_keep_means_and_spread() -> None:
    means, sds = np.full((400, 500), 0.4), np.full((400, 500), 0.2)
    normal = Normal().draw(means, sds, rng)
    error = 5 * 0.2 / math.sqrt(means.size)  # five standard errors of a mean, and then some
    assert (normal.mean(), normal.std()) == pytest.approx((0.4, 0.2), abs=error)
    beta = BetaResponses().draw(means, sds, rng)
    assert (beta.mean(), beta.std()) == pytest.approx((0.4, 0.2), abs=error)
    assert 0 <= beta.min() <= beta.max() <= 1
    wide = BetaResponses().draw(means, sds + 5, rng)
    coin = 5 * math.sqrt(0.4 * 0.6 / means.size)  # no law on [0, 1] with this mean is wider
    assert wide.mean() == pytest.approx(0.4, abs=coin)
    assert wide.std() == pytest.approx(math.sqrt(0.99 * 0.4 * 0.6), abs=coin)
    yes = Categorical().draw(means, sds, rng)
    assert set(np.unique(yes)) == {0.0, 1.0}
    assert yes.mean() == pytest.approx(0.4, abs=coin)
    assert np.unique(Categorical(4).draw(means, sds, rng)).tolist() == [0, 1 / 3, 2 / 3, 1]
    floored = Likert().draw(means, sds, rng)
    assert np.unique(floored).tolist() == [0.0, 0.2, 0.4, 0.6, 0.8]
    below = stats.norm.cdf([0.2, 0.4, 0.6, 0.8], 0.4, 0.2)
    shares = [(floored <= x).mean() for x in (0.0, 0.2, 0.4, 0.6)]
    assert shares == pytest.approx(below, abs=5 * 0.5 / math.sqrt(means.size))
    # Rounded to the nearest level the mean stays where it was, but for the clamping.
    rounded = Likert(20, nearest=True).draw(means, sds / 4, rng)
    assert rounded.mean() == pytest.approx(0.4, abs=5 * rounded.std() / math.sqrt(means.size))


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
