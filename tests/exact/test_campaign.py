"""The campaign against our own brackets, in small."""

from fractions import Fraction

import pytest

import campaign
from betterthan.exact.probability import Probability


@pytest.mark.slow
@pytest.mark.parametrize("engine", campaign.ENGINES)
def test_no_bracket_leaves_out_the_truth(engine: str) -> None:
    with campaign.without_shortcuts():
        tally = campaign.run(engine, cases=1000, seconds=60.0, seed=7)
    assert tally.cases >= 100
    assert tally.wrong == []


def test_the_campaign_sees_a_wrong_bracket() -> None:
    third = Fraction(1, 3)
    good, bad = Probability.of(1 / 3, 1e-15), Probability.of(0.3333, 1e-5)
    assert campaign.holds(good, third)[0]
    assert not campaign.holds(bad, third)[0]
    tally = campaign.Tally()
    tally.add(bad, third, "about")
    tally.add(third, Fraction(1, 2), "about")
    assert len(tally.wrong) == 2
