"""``--explain`` tells what the numbers rest on, and nothing that this run did not do."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt
from betterthan.comparison.comparing import compare_many
from betterthan.metrics import mean, parse
from conftest import Run
from made_up_results import MADE_UP

PARTS = ("Why this test:", "What it assumes:", "The interval:", "What would change it:")
JARGON = ("live column", "lattice", "joint law", "engine")


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("options", "told", "untold"),
    [
        ("--systems base,atlas", "the 480 items are independent", "Several comparisons"),
        (
            "--systems base,atlas --cluster document",
            "the 160 clusters are independent",
            "480 items are",
        ),
        (
            "--systems base,atlas --cluster document",
            "some clusters of items and not",
            "some items and not",
        ),
        ("--systems base,atlas --cluster document", "many clusters find about half", "more items"),
        (
            "--systems base,atlas --test sign --cluster document",
            "of a cluster go to one side",
            "{units}",
        ),
        ("--systems base,atlas --test sign", "only who wins an item counts", "of a cluster go"),
        ("", "p was adjusted (Holm): 3 comparisons. Fewer", "four times"),
        (
            "--systems base,atlas --test bootstrap(method=sample) --resamples 500",
            "500 were drawn at random",
            "Nothing was left",
        ),
        ("--systems base,atlas --alternative greater", "one side only (greater)", "Several"),
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


def test_families_are_told_as_the_header_tells_them(
    demo_folder: Path, betterthan: Callable[..., Run]
) -> None:
    words = ("compare", "qa.csv", "--by", "domain")
    said = flat(betterthan(*words, "--explain", "--methods").out)
    with Path("qa.csv").open(encoding="utf-8") as file:
        domains = {row["domain"] for row in csv.DictReader(file)}
    rows = 3, 3 * len(domains)  # four systems, one of them the baseline
    counted = f"{rows[0]} comparisons and {rows[1]} in subsets, each family for itself"
    assert f"{counted}, Holm: p (Holm) decides." in said
    assert f"p was adjusted (Holm): {counted}." in said
    # Holm: atlas is better, the two others are not; no part is told apart on its own level.
    assert "lies in it in 97.5 to 99.7 % of evaluations (" in said


def test_boards_are_explained_and_those_of_parts_once_and_last(demo_folder: Path) -> None:
    scores = bt.read("qa.csv", columns={"label": "domain"})
    whole = bt.rank(scores, resamples=50).sheet().explanation()
    said = flat(" ".join(whole))
    assert "by a permutation test on the items that both have" in said
    assert "the share of 50 test sets" in said
    assert "boards of parts" not in said
    *_, last = bt.rank(scores, by="domain", resamples=50).sheet().explanation()
    assert "not for those of the other boards" in flat(last)


@pytest.mark.parametrize("style", ["json", "csv"])
def test_data_are_not_explained(
    demo_folder: Path, betterthan: Callable[..., Run], style: str
) -> None:
    assert betterthan("compare", "qa.csv", "--explain", "-f", style).code == 2


def test_each_way_to_p_is_told_once_with_its_metrics() -> None:
    rng = np.random.default_rng(1)
    arrays = {}
    for name in ("old", "new"):
        whole, real = rng.integers(1, 9, (40, 1)) / 1.0, rng.random((40, 2))
        arrays[name] = np.hstack([whole, whole / 8, real])
    scores = bt.Scores.from_arrays(arrays, columns=("good", "small", "hits", "words"))
    metrics = [mean("good"), parse("ratio(hits / words)"), mean("small")]
    found = compare_many(scores, "old", metric=metrics)
    told = found.sheet().explanation()[0]
    for said in (
        "For mean(good): nothing was left to a random draw: the differences are whole numbers.",
        "For mean(small): nothing was left to a random draw: the differences are multiples of "
        "0.125.",
    ):
        assert told.count(said) == 1
    assert told.count("For ratio(hits / words): they are too many") == 1
    assert (
        "(exact p-values for mean(good) and mean(small), p-values from 20,000 random draws for "
        "ratio(hits / words), alpha" in found.sheet().methods()
    )
    alone = compare_many(scores, "old", metric=metrics[:1]).sheet()
    assert "For mean" not in alone.explanation()[0]
    assert "(exact p-values, alpha" in alone.methods()


def test_a_pass_comes_before_a_regression() -> None:
    arrays = {"base": [1] * 400, "new": [1] * 390 + [0] * 10}
    worse = bt.gate(bt.Scores.from_arrays(arrays), margin=0.1)
    assert (worse.ruling, worse.checks[0].pvalue_regression < 0.05) == ("PASS", True)
    assert "worse, but shown to be so by less" in worse.checks[0].notes[0]
    said = " ".join(worse.sheet().explanation())
    assert (
        "PASS, if that is shown, also of a candidate that is worse, but shown to be so by less"
        in said
    )
    assert "REGRESSION, if it is not, and the candidate is shown to be worse at all" in said
    gain = bt.gate(bt.Scores.from_arrays(arrays), margin=0.1, goal="superior")
    assert "also of a candidate that is worse" not in " ".join(gain.sheet().explanation())


@pytest.mark.parametrize(
    "name", ["gate", "gate-several", "scores", "power", "allocations", "responses"]
)
def test_every_claim_is_explained_in_plain_words(name: str) -> None:
    told = " ".join(MADE_UP[name].sheet().explanation())
    assert "What it assumes: " in told
    assert len(told) > 400
    for jargon in ("live column", "discordant", "lattice", "asymptotic", "non-inferior"):
        assert jargon not in told
