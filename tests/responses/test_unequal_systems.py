"""Two systems with unequal numbers of responses: more of them err less, whoever gave them."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from betterthan.errors import DataError
from betterthan.numeric import Floats
from betterthan.responses import RESPONSE_METRICS, Calibrated, Published, p_value
from betterthan.responses.trio import trio

UNPAIRED = [name for name in RESPONSE_METRICS if not RESPONSE_METRICS[name].paired]
UNFAIR = ["all", "sample(5)", "all/redrawn", "sample(k)/redrawn"]
FAIR = ["sample(1)", "sample(k)", "first_element", "split"]


def identical(
    seed: int, items: int = 40, ours: int = 1, theirs: int = 5
) -> tuple[Floats, Floats, Floats]:
    """Gold, and responses of one law from two systems, of one as many as of the other or fewer."""
    rng = np.random.default_rng(seed)
    means = rng.normal(3.0, 1.0, (items, 1))
    gold = means + 0.3 * rng.standard_normal((items, 3))
    a, b = (means + rng.standard_normal((items, k)) for k in (ours, theirs))
    return gold, a, b


@pytest.mark.parametrize("metric", UNPAIRED)
def test_the_calibrated_test_is_refused(metric: str) -> None:
    """Whole items of unequal numbers cannot be swapped; the message has both ways out."""
    with pytest.raises(DataError, match="40 of 40 items") as caught:
        p_value(*identical(0), metric)
    tests = [str(remedy.value) for remedy in caught.value.remedies]
    assert tests == ["calibrated(even=yes)", "sharp"]
    for test in tests:
        assert p_value(*identical(0), metric, test, resamples=20, rng=0).pvalue > 0.0


def test_strategies_that_reward_numbers_are_refused() -> None:
    """Those that are not have the same numbers under the null, or one response of either."""
    for taken in UNFAIR:
        with pytest.raises(DataError, match="unequal numbers"):
            p_value(
                *identical(0), resamples=20, test=Published(sampling=f"bootstrap_items/{taken}")
            )
        found = p_value(
            *identical(0, ours=5), resamples=20, test=Published(sampling=f"bootstrap_items/{taken}")
        )
        assert found.pvalue > 0.0
    for taken in FAIR:
        found = p_value(
            *identical(0), resamples=20, test=Published(sampling=f"bootstrap_items/{taken}")
        )
        assert found.pvalue > 0.0


@pytest.mark.parametrize(
    "way_out", [{"test": "calibrated(even=yes)"}, {"test": "sharp", "resamples": 99}]
)
@pytest.mark.parametrize("metric", ["mae", "wins"])
def test_identical_systems_are_seldom_told_apart(metric: str, way_out: dict[str, Any]) -> None:
    """Of 60 at 5 %, ten or more have chance .001; swaps of all responses rejected most."""
    found = [p_value(*identical(seed), metric, rng=0, **way_out) for seed in range(60)]
    assert sum(one.pvalue <= 0.05 for one in found) < 10


def test_every_choice_of_responses_is_as_likely() -> None:
    """Two of three on one item, and nothing is drawn where numbers agree."""
    given = trio([0, 0], [[1, 2, 3], [8, 9]], [[4, 5], [6, 7]])
    drawn = [given.evened(seed) for seed in range(600)]
    chosen = Counter(tuple(one.a.values[0].tolist()) for one in drawn)
    assert set(chosen) == {(1.0, 2.0), (1.0, 3.0), (2.0, 3.0)}
    assert min(chosen.values()) > 150  # 200 each, with a standard deviation of 12
    for one in drawn:
        assert one.a.values[1].tolist() == [8, 9]
        assert one.b.values.tolist() == [[4, 5], [6, 7]]


def test_a_draw_is_noted_and_can_be_repeated() -> None:
    """The seed is in the signature, and the systems' other responses leave no trace."""
    gold, a, b = identical(3)
    first, again, other = (
        p_value(gold, a, b, rng=seed, test=Calibrated(even=True)) for seed in (0, 0, 1)
    )
    assert first == again
    assert "|even:40|" in first.signature
    assert "seed:0" in first.signature
    assert other.delta != first.delta
    assert "drawn on 40 items" in first.notes[-1]
    given = trio(gold, a, b)
    kept = given.at(given.ordered()).evened(0)
    assert p_value(*kept).pvalue == first.pvalue
    plain = p_value(gold, b, b[:, ::-1] + 0.1, rng=0)
    assert p_value(gold, b, b[:, ::-1] + 0.1, rng=0, test=Calibrated(even=True)) == plain
