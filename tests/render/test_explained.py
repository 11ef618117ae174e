"""``--explain`` tells what the numbers rest on, and nothing that this run did not do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from betterthan.render.explained import _IDEAS
from betterthan.testing.by_name import TESTS
from conftest import Run
from made_up_results import MADE_UP

PARTS = ("Why this test:", "What it assumes:", "The interval:", "What would change it:")
JARGON = ("live column", "lattice", "joint law", "engine")


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("options", "told", "untold"),
    [
        ("--systems atlas", "the 480 items are independent", "Several comparisons"),
        ("--systems atlas --cluster document", "the 160 clusters are independent", "480 items are"),
        ("", "adjusted for 3 of them (Holm)", "four times"),
        (
            "--systems atlas --test bootstrap --method sample --resamples 500",
            "500 were drawn at random",
            "Nothing was left",
        ),
        ("--systems atlas --alternative greater", "one side only (greater)", "Several"),
    ],
)
def test_comparisons_are_explained(
    demo_folder: Path, betterthan: Callable[..., Run], options: str, told: str, untold: str
) -> None:
    words = ("compare", "qa.csv", *options.split())
    said = flat(betterthan(*words, "--explain").out)
    assert all(part in said for part in (*PARTS, told))
    assert untold not in said
    plain = betterthan(*words).out
    assert "Why this test" not in plain
    assert not any(word in plain for word in JARGON)


def test_boards_are_explained(demo_folder: Path, betterthan: Callable[..., Run]) -> None:
    words = ("rank", "qa.csv", "--method", "mean", "--resamples", "50")
    said = flat(betterthan(*words, "--explain").out)
    assert "by a permutation test on the items that both have" in said
    assert "the share of 50 test sets" in said
    assert "What would change it" not in betterthan(*words).out


def test_data_are_not_explained(demo_folder: Path, betterthan: Callable[..., Run]) -> None:
    words = ("compare", "qa.csv", "--systems", "atlas", "-f", "json")
    assert betterthan(*words, "--explain").out == betterthan(*words).out


def test_every_test_has_its_idea() -> None:
    assert set(_IDEAS) == set(TESTS)


@pytest.mark.parametrize(
    "name", ["gate", "gate-several", "estimates", "power", "allocations", "responses"]
)
def test_every_claim_is_explained_in_plain_words(name: str) -> None:
    told = " ".join(MADE_UP[name].sheet().explanation)
    assert "What it assumes: " in told
    assert len(told) > 400
    for jargon in ("live column", "discordant", "lattice", "asymptotic", "non-inferior"):
        assert jargon not in told
