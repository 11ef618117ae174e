"""Bootstrap comparisons of one pair and of every pair."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import betterthan as bt
from betterthan import metrics
from betterthan.data.pairing import pair_of
from betterthan.data.scores import Scores
from betterthan.errors import AlignmentError, UsageError
from betterthan.intervals.jackknife import standard_error

F1 = ("tp", "fp", "fn")


@pytest.fixture
def counts() -> Scores:
    rng = np.random.default_rng(1)
    values = {f"s{k}": rng.poisson([3 + k / 2, 1, 1], (120, 3)) for k in range(4)}
    groups: dict[str, Sequence[object]] = {
        "document": np.repeat(np.arange(30), 4).tolist(),
        "domain": ["x", "y"] * 60,
    }
    return Scores.from_arrays(values, columns=F1, groups=groups)


def test_one_comparison_is_one_test(counts: Scores) -> None:
    found = bt.compare(counts, "s0", "s1", metric="f1", test="bootstrap", rng=4)
    a, b = (counts.of(name, F1) for name in ("s0", "s1"))
    alone = bt.bootstrap_test(a, b, "f1", rng=4)
    assert (found.pvalue, found.pvalue_low) == (alone.pvalue, alone.pvalue_low)
    assert found.kind == "sampled"
    assert found.test.test == "bootstrap"
    interval = bt.bootstrap_interval(a, b, "f1", kind="basic", rng=4)
    assert (found.interval.low, found.interval.high) == (interval.low, interval.high)
    assert 0 < interval.error < (interval.high - interval.low) / 10


def test_whole_numbers_are_not_sampled() -> None:
    scores = Scores.from_arrays({"a": [0, 0, 1, 1, 0], "b": [1, 1, 1, 0, 1]})
    found = bt.compare(scores, test="bootstrap", alternative="greater")
    assert (found.kind, found.test.resamples) == ("exact", None)
    assert found.pvalue == bt.bootstrap_test([0, 0, 1, 1, 0], [1, 1, 1, 0, 1], "mean", "shift",
                                             "greater").pvalue  # fmt: skip
    sampled = bt.compare(scores, test="bootstrap(method=sample)", resamples=500)
    assert (sampled.kind, sampled.test.resamples) == ("sampled", 500)
    with pytest.raises(UsageError):
        bt.compare(scores, test="bootstrap(method=lattice)")


def test_every_pair_from_one_set_of_resamples(counts: Scores) -> None:
    clustered = replace(counts, clusters=counts.labels("document"))
    found = bt.compare_all(clustered, metric=["f1"], test="bootstrap", resamples=3000, rng=2)
    names = [(f"s{i}", f"s{j}") for i in range(4) for j in range(i + 1, 4)]
    assert [(c.baseline, c.candidate) for c in found] == names
    raw = []
    for c in found:
        alone = bt.bootstrap_test(
            counts.of(c.baseline, F1),
            counts.of(c.candidate, F1),
            "f1",
            clusters=counts.groups["document"],
            resamples=3000,
            rng=2,
        )
        assert c.clusters == 30
        # Other resamples of the same law: the 99 % intervals of p share a part.
        assert max(c.pvalue_low, alone.pvalue_low) <= min(c.pvalue_high, alone.pvalue_high)
        raw.append(c.pvalue)
    smallest = int(np.argmin(raw))
    assert found[smallest].pvalue_adjusted == pytest.approx(min(1.0, 6 * raw[smallest]))
    assert "share one set of resamples" in found[0].reason
    some = bt.compare_all(clustered.select("s3", "s1"), metric=["f1"], test="bootstrap")
    assert [(c.baseline, c.candidate) for c in some] == [("s3", "s1")]
    with pytest.raises(AlignmentError, match="only one system"):
        bt.compare_all(counts.select("s1"), metric=["f1"])


def test_identical_systems_and_few_items() -> None:
    same = Scores.from_arrays({"a": [[1, 0, 2]] * 5, "b": [[1, 0, 2]] * 5}, columns=F1)
    found = bt.compare(same, metric="f1", test="bootstrap")
    assert (found.verdict, found.pvalue) == ("can't tell", 1.0)
    assert (found.interval.low, found.interval.high) == (-1.0, 1.0)
    one = Scores.from_arrays({"a": [[1, 2, 2]], "b": [[3, 0, 1]]}, columns=F1)
    found = bt.compare(one, metric="f1", test="bootstrap")
    assert (found.verdict, found.pvalue) == ("can't tell", 1.0)
    assert (found.interval.low, found.interval.high) == (-math.inf, math.inf)
    for style in ("table", "json", "csv", "md", "latex"):
        assert bt.compare_all(one, metric=["f1"], test="bootstrap").rendered(style)


def test_black_boxes_get_basic_intervals() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 40))
    scores = Scores.from_arrays({"a": a, "b": b})
    found = bt.compare(scores, metric="median", test="bootstrap", resamples=500)
    assert found.interval.method == "basic bootstrap (10,000 resamples)"
    interval = bt.bootstrap_interval(a, b, "median", kind="basic", rng=0)
    assert found.verdict == "can't tell"
    assert interval.low > 0.0
    assert (found.interval.low, found.interval.high) == (0.0, interval.high)  # p has the last word


def test_an_undefined_jackknife_has_no_standard_error() -> None:
    metric = metrics.sums(("x",), lambda s: np.where(s[..., 0] > 1, s[..., 0], np.nan))
    a, b = np.array([[1], [1]]), np.array([[2], [1]])
    assert standard_error(pair_of(a, b, metric)) is None


def test_many_pairs_are_counted_not_listed() -> None:
    rng = np.random.default_rng(0)
    scores = Scores.from_arrays({f"s{k}": rng.integers(0, 2, 50) for k in range(7)})
    text = bt.compare_all(scores, test="bootstrap").rendered()
    assert "21 comparisons at alpha = 0.05: " in text
    assert "can't tell" in text
    assert "CAN'T TELL" not in text


def test_values_may_be_any_whole_numbers() -> None:
    """Booleans, integers and whole floats are the same data."""
    base = np.random.default_rng(0).integers(0, 2, 60).astype(bool)
    new = np.roll(base, 7)
    first = bt.compare(Scores.from_arrays({"a": base, "b": new}), test="bootstrap").pvalue
    for kind in (int, float):
        scores = Scores.from_arrays({"a": base.astype(kind), "b": new.astype(kind)})
        assert bt.compare(scores, test="bootstrap").pvalue == first
