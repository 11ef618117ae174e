"""The order of rows and columns, and the names of clusters, change no number and no signature."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan import Scores
from betterthan.data.tally import cluster_numbers, item_order
from betterthan.design import (
    Pilot,
    aa_check,
    against_published,
    calibration,
    thresholds,
    thresholds_by_size,
)
from betterthan.metrics import blackbox, mean, sums

RNG = np.random.default_rng(5)
N = 48
VALUES = np.round(RNG.normal(size=(N, 1)) + RNG.normal(size=(N, 5)) + np.arange(5) / 10, 1)
DOCUMENTS = np.array([f"d{k // 3}" for k in range(N)])
DOMAINS = np.array(["x", "y"] * (N // 2))
SPREAD = blackbox(
    lambda rows: float(np.sort(rows)[7 * len(rows) // 10]), ("score",), spelling="q70"
)
ROOT = sums(("score",), lambda total: np.cbrt(total[..., 0]), spelling="root")


def scores(rows: Any, systems: Sequence[int], clustered: bool, rename: bool = False) -> Scores:
    """The same data, in some order of rows and columns."""
    names = [f"k{hash_of(d)}" for d in DOCUMENTS] if rename else DOCUMENTS
    return Scores.from_arrays(
        {f"s{k}": VALUES[rows, k] for k in systems},
        items=[f"q{k}" for k in rows],
        clusters=np.array(names)[rows].tolist() if clustered else None,
        groups={"domain": DOMAINS[rows].tolist()},
    )


def hash_of(label: str) -> int:
    """Another order of the same labels."""
    return int(label[1:]) * 7 % 16 + 10


CALLS: dict[str, Callable[[Scores], Any]] = {
    "compare": lambda s: bt.compare(  # the bootstrap refuses so few clusters
        s, "s0", "s3", test="bootstrap" if s.clusters is None else "permutation"
    ),
    "black box": lambda s: bt.compare(s, "s0", "s3", metric=SPREAD, resamples=300),
    "gate": lambda s: bt.gate(s, "s0", "s3", margin=1, assume="large-sample"),
    "thresholds": lambda s: thresholds(s, resamples=200, band=(0.001, 0.4)),
    "black-box thresholds": lambda s: thresholds(
        s, metric=SPREAD, resamples=200, band=(0.001, 0.4)
    ),
    "calibration": lambda s: calibration(s, sizes=20, test_sets=3, resamples=200),
    "calibration by": lambda s: calibration(s, by="domain=x", resamples=200),
    "A/A": lambda s: aa_check(s, "s0", "s3", simulations=20),
    "sizes": lambda s: thresholds_by_size(s, [20, 30], how="subsample", resamples=200),
    "pilot": lambda s: bt.power(
        Pilot(s, "s0", "s3", metric=ROOT), items=30, effect=0.05, resamples=50
    ),
}


def document(result: Any) -> Any:
    """What is said of the data; not what is drawn from them."""
    computed = json.loads(result.rendered("json"))
    computed.pop("source", None)
    return computed


@pytest.mark.parametrize("clustered", [False, True], ids=["items", "clusters"])
@pytest.mark.parametrize("name", CALLS)
def test_rows_columns_and_cluster_names(name: str, clustered: bool) -> None:
    call = CALLS[name]
    plain = document(call(scores(np.arange(N), range(5), clustered)))
    rows = np.random.default_rng(1).permutation(N)
    moved = document(call(scores(rows, [3, 0, 4, 1, 2], clustered, rename=True)))
    assert moved == plain


def test_responses_of_the_null_check() -> None:
    answers = np.random.default_rng(2).integers(0, 3, size=(30, 4)).astype(float)
    answers[::5, 3] = np.nan

    def checked(rows: Any, seeds: Any) -> Any:
        listed = [[x for x in row[seeds] if x == x] for row in answers[rows]]  # noqa: PLR0124
        computed = Scores.from_responses({"a": listed})
        return document(aa_check(computed, null="seeds", simulations=40))

    plain = checked(np.arange(30), np.arange(4))
    assert plain == checked(np.random.default_rng(3).permutation(30), [2, 0, 3, 1])


@pytest.mark.parametrize("metric", [SPREAD, mean()], ids=["blackbox", "mean"])
def test_black_boxes_see_values_alone(metric: Any) -> None:
    """Integers are their floats, singletons are items, and names of clusters are only names."""
    whole = np.round(5 * VALUES[:, :2]).astype(np.int64)
    a, b = whole.T
    clusters = np.arange(N) // 3

    def tested(a: Any, b: Any, clusters: Any = None) -> Any:
        return bt.permutation_test(
            a, b, metric, method="monte-carlo", resamples=500, clusters=clusters, rng=1
        )

    assert tested(a, b).pvalue == tested(a / 1.0, b / 1.0).pvalue
    assert tested(a, b).signature == tested(a / 1.0, b / 1.0).signature
    assert tested(a, b).pvalue == tested(a, b, RNG.permutation(N)).pvalue
    renamed = tested(a, b, [f"x{c * 5 % 16}" for c in clusters])
    assert tested(a, b, clusters).pvalue == renamed.pvalue
    assert tested(a, b, clusters).signature == renamed.signature


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.integers(0, 3)),
        min_size=2,
        max_size=12,
    )
)
def test_swapped_roles_change_the_sign_alone(rows: list[tuple[float, float, int]]) -> None:
    a, b, clusters = (np.array(x) for x in zip(*rows, strict=True))
    computed = Scores.from_arrays({"a": a, "b": b}, clusters=clusters.tolist())
    for metric in (mean("score"), SPREAD):
        one, other = computed.pair("a", "b", metric), computed.pair("b", "a", metric)
        assert one.delta == -other.delta
        assert one.scores == other.scores[::-1]
        joint = computed.joint(metric=metric)
        assert joint.pair(1, 0).delta == other.delta
        assert [x.tolist() for x in joint.pair(1, 0).hashed] == [x.tolist() for x in other.hashed]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 4)), min_size=1),
    st.randoms(use_true_random=False),
)
def test_canonical_order_against_plain_sorting(rows: list[tuple[int, int, int]], mix: Any) -> None:
    """Clusters by their sorted items, items by their numbers: as Python sorts lists of them."""
    mix.shuffle(rows)
    _, codes = np.unique([c for *_, c in rows], return_inverse=True)
    values = [np.array([[x] for x, _, _ in rows]), np.array([[y] for _, y, _ in rows])]
    numbers = cluster_numbers(values, codes)
    order = item_order(values, numbers)
    held = [
        sorted((x, y) for (x, y, _), c in zip(rows, codes, strict=True) if c == code)
        for code in set(codes.tolist())
    ]
    held.sort(key=lambda items: (len(items), items))
    assert [rows[k][:2] for k in order] == [item for items in held for item in items]
    assert numbers[order].tolist() == [k for k, items in enumerate(held) for _ in items]


def test_a_score_beside_a_published_one_is_that_of_any_order() -> None:
    rng = np.random.default_rng(3)
    values = rng.random(57)
    computed = {
        against_published(Scores.from_arrays({"a": values[rng.permutation(57)]}), 0.4).score
        for _ in range(20)
    }
    assert len(computed) == 1
