"""Who beats whom on a board, and how sure each score is, are what compare and score say."""

from typing import Any

import numpy as np
import pytest

import betterthan as bt

TESTS = {
    "mean": (None, "t", "sign", "wilcoxon"),
    "median": (None, "sign"),
    "bradley-terry": (None, "wilcoxon"),
    "elo(repeats=2)": (None,),
    "trueskill(repeats=2)": (None,),
}
USUAL = {"mean": "permutation", "median": "mood"}


def random_scores(seed: int) -> bt.Scores:
    """Scores of five kinds; some in clusters, some lower is better."""
    rng = np.random.default_rng(seed)
    items, systems = int(rng.integers(6, 60)), int(rng.integers(2, 6))
    values = rng.normal(size=(items, 1)) + rng.normal(size=(items, systems))
    values += rng.normal(size=systems)
    values = (
        (values > 0).astype(int),
        np.clip(np.round(values + 3), 1, 5).astype(int),
        values,
        np.round(values, 2),
        np.round(values),
    )[seed % 5]
    options: dict[str, Any] = {"lower_is_better": seed % 3 == 0 and seed % 5 > 0}
    if seed % 4 == 0:
        options["clusters"] = np.arange(items) // 2
    names = [f"s{k}" for k in rng.permutation(systems)]
    return bt.Scores.from_arrays(dict(zip(names, values.T, strict=True)), **options)


@pytest.mark.parametrize("seed", range(40))
def test_boards_and_comparisons_say_the_same(seed: int) -> None:
    scores = random_scores(seed)
    methods = list(TESTS)[: None if seed % 8 == 0 else 3]
    correction: Any = ("holm", "bonferroni", "bh", "none")[seed // 2 % 4]
    for method, test in ((name, test) for name in methods for test in TESTS[name]):
        used = test or USUAL.get(method, "sign")
        if used == "mood" and scores.clusters is not None:
            used = "sign"  # Mood's test knows no clusters
        board = bt.rank(scores, method=method, test=test, correction=correction, resamples=2)
        comparisons = bt.compare_all(scores, test=used, correction=correction)
        assert board.decided_by == used
        expected = {(c.candidate, c.baseline) for c in comparisons if c.verdict == "better"}
        expected |= {(c.baseline, c.candidate) for c in comparisons if c.verdict == "worse"}
        assert {(row.system, other) for row in board for other in row.beats} == expected
        names = board.pairs.names
        for c in comparisons:
            pair = names.index(c.baseline), names.index(c.candidate)
            assert board.pairs.pvalue[pair] == pytest.approx(c.pvalue, rel=1e-12)
            assert board.pairs.adjusted[pair] == pytest.approx(c.pvalue_adjusted, rel=1e-12)
        metric = "median" if method == "median" else None
        for row in bt.score(scores, metric=metric):
            shown = board[row.system].interval
            assert shown is not None
            assert (shown.low, shown.high) == (row.interval.low, row.interval.high)
