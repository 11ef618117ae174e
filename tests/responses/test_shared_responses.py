"""Response tests and studies of disagreement come out the same whoever draws: bit by bit."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from betterthan import responses
from betterthan.ranking import score_matrix, study_disagreement
from betterthan.ranking.methods import Aggregation

rng = np.random.default_rng(0)
EVEN = [np.round(rng.random((40, 3)), 2) for _ in range(3)]
OF_GOLD, OF_BOTH = rng.random((2, 40, 3)) < 0.2
UNEVEN = [np.where(at, np.nan, x) for at, x in zip((OF_GOLD, OF_BOTH, OF_BOTH), EVEN, strict=True)]
for block in UNEVEN:
    block[:, 0] = 0.5
TESTS = [
    ("spearman", "calibrated"),
    ("cosine_means", "calibrated"),
    ("mae", "sharp"),
    ("emd_aggregated", "sharp"),
    ("mae", "published(sampling=bootstrap_items/all)"),
    ("spearman", "published(sampling=bootstrap_items/sample(k)/redrawn)"),
    ("spearman", "published(sampling=all_items/sample(1))"),
    ("mae", "published(sampling=bootstrap_items/sample(1))"),
    ("mae", "published(sampling=bootstrap_items/split)"),
    ("spearman", "published(sampling=bootstrap_items/first_element)"),
    ("emd_aggregated", "published(sampling=bootstrap_items/split)"),
]
SETS = {f"d{k}": score_matrix(systems=4, items=20, types=2, rng=k).scores for k in range(2)}
METHODS: tuple[Aggregation, ...] = ("mean", "bradley-terry", "elo")


def outcome(data: list[Any], metric: str, test: str, **options: Any) -> tuple[Any, ...]:
    gold, a, b = data
    made = responses.p_value(gold, a, b, metric, test, resamples=2500, rng=1, **options)
    assert made.kind == "sampled"
    return made.pvalue, made.pvalue_low, made.pvalue_high, made.signature


def studied(**options: Any) -> str:
    found = study_disagreement(SETS, METHODS, sizes=(5, 10), repeats=3, **options)
    return repr((found.overall, found.sizes))


@pytest.mark.parametrize(("metric", "test"), TESTS)
@pytest.mark.parametrize("data", [EVEN, UNEVEN], ids=["even", "uneven"])
def test_a_response_test_is_the_same_whoever_draws(data: list[Any], metric: str, test: str) -> None:
    alone = outcome(data, metric, test)
    assert outcome(data, metric, test, workers=2) == alone
    with ThreadPoolExecutor(8) as pool:
        assert outcome(data, metric, test, executor=pool) == alone


def test_disagreement_is_the_same_whoever_ranks() -> None:
    alone = studied()
    assert studied(workers=2) == alone
    assert studied(rng=1) != alone
    with ThreadPoolExecutor(8) as pool:
        assert studied(executor=pool) == alone


def test_processes_get_what_threads_get() -> None:
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for metric, test in TESTS:
            assert outcome(EVEN, metric, test, executor=pool) == outcome(EVEN, metric, test)
        assert studied(executor=pool) == studied()
