"""The committed table of false rejections, simulated anew."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt
from simulated_nulls import DRAWS, EVENTS, LEVEL, NULLS, TESTS, pvalues, rejections

PAGE = Path(__file__).parents[2] / "docs" / "bootstrap.md"
EXCHANGEABLE = [name for name in NULLS if not name.startswith("means alone")]


def committed() -> dict[str, dict[str, float]]:
    """Percentages of the table in the documentation."""
    rows = re.findall(r"^\| (.+?) \| ([\d. |]+) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    return {
        name: dict(zip(TESTS, (float(x) for x in cells.split(" | ")), strict=True))
        for name, cells in rows
    }


def error(share: float, times: int) -> float:
    """Three binomial standard errors, and half a unit of the last printed digit."""
    return 3.0 * math.sqrt(share * (1.0 - share) / times) + 0.0005


def test_the_table_is_complete() -> None:
    assert list(committed()) == list(NULLS)


def test_the_simulated_p_values_are_those_of_the_tests() -> None:
    for name in ("real, heavy tails, n = 50", "BLEU, n = 200"):
        draw, metric, _ = NULLS[name]
        a, b = draw(np.random.default_rng(1))
        _, *shares, _ = pvalues(a, b, metric, 7)
        for event, share in zip(EVENTS.values(), shares, strict=True):
            result = bt.bootstrap_test(
                a,
                b,
                metric,
                event.variant,
                event.alternative,
                method="sample",
                resamples=DRAWS,
                rng=7,
            )
            assert result.pvalue == min(share, 1.0)


def test_exact_means_that_the_level_is_kept() -> None:
    for name in EXCHANGEABLE:
        times = NULLS[name][2]
        assert committed()[name]["permutation"] / 100 <= LEVEL + error(LEVEL, times)


@pytest.mark.slow
@pytest.mark.parametrize("name", NULLS)
def test_false_rejections(name: str) -> None:
    measured, times = rejections(name)
    for test, percent in committed()[name].items():
        assert measured[test] == pytest.approx(percent / 100, abs=error(percent / 100, times)), test
    if name in EXCHANGEABLE:
        assert measured["permutation"] <= LEVEL + error(LEVEL, times)
        assert measured["absolute"] > 0.1 - error(0.1, times)
