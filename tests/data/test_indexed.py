"""Series and frames are paired by the labels of their index, plain arrays by position."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import betterthan as bt
from betterthan.errors import AlignmentError, UsageError
from betterthan.metrics import F1

BASE = [0, 0, 0, 0, 0, 0, 1, 1]
NEW = [1, 1, 1, 1, 1, 1, 1, 0]
LABELS = [f"q{k}" for k in range(8)]
A, B = pd.Series(BASE, index=LABELS), pd.Series(NEW, index=LABELS)
OTHER_ORDER = [3, 7, 0, 2, 6, 1, 5, 4]
TESTS: dict[str, Callable[..., Any]] = {
    "permutation": bt.permutation_test,
    "bootstrap": lambda a, b: bt.bootstrap_test(a, b, rng=1),
    "wilcoxon": bt.wilcoxon,
    "sign": bt.sign_test,
    "mcnemar": bt.mcnemar,
    "t": bt.t_test,
}


def discordant(pair: tuple[list[int], list[int]]) -> int:
    return sum(x != y for x, y in zip(*pair, strict=True))


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_same_labels_in_another_order(test: Callable[..., Any]) -> None:
    shuffled = [NEW[k] for k in OTHER_ORDER]
    assert discordant((BASE, NEW)) != discordant((BASE, shuffled))  # position would be another test
    by_label = test(A, B.iloc[OTHER_ORDER])
    assert by_label.pvalue == test(BASE, NEW).pvalue
    assert by_label.signature == test(BASE, NEW).signature


def test_mood_and_the_interval() -> None:
    assert bt.mood_test(A, B.iloc[::-1]).pvalue == bt.mood_test(BASE, NEW).pvalue
    made = bt.bootstrap_interval(A, B.iloc[OTHER_ORDER], rng=1)
    assert (made.low, made.high) == (
        (other := bt.bootstrap_interval(BASE, NEW, rng=1)).low,
        other.high,
    )


@pytest.mark.parametrize("test", [*TESTS.values(), bt.mood_test, bt.bootstrap_interval])
def test_differing_labels_are_named_on_both_sides(test: Callable[..., Any]) -> None:
    other = B.rename({"q2": "x2", "q5": "x5"})
    with pytest.raises(AlignmentError, match=r"a lacks 'x2', 'x5'; b lacks 'q2', 'q5'") as caught:
        test(A, other)
    assert ".to_numpy()" in str(caught.value)


def test_fewer_labels() -> None:
    with pytest.raises(AlignmentError, match=r"b lacks 'q0'\. "):
        bt.permutation_test(A, B.iloc[1:])


def test_labels_that_differ_only_by_type() -> None:
    numbers = pd.Series(BASE, index=np.arange(8) + 5)
    with pytest.raises(AlignmentError, match=r"same but for their type \(int64 and str\)"):
        bt.permutation_test(numbers, pd.Series(NEW, index=[str(k + 5) for k in range(8)]))


def test_duplicate_labels() -> None:
    twice = pd.Series(BASE, index=["q0", *LABELS[:-1]])
    for pair in ((twice, B), (A, twice), (twice, twice)):
        with pytest.raises(AlignmentError, match="'q0' more than once"):
            bt.permutation_test(*pair)


def test_what_stays_positional() -> None:
    expected = bt.permutation_test(BASE, NEW)
    for a, b in (
        (np.array(BASE), NEW),
        (pl.Series(BASE), pl.Series(NEW)),
        (pd.Series(BASE), pd.Series(NEW)),
        (A, NEW),
        (A.iloc[OTHER_ORDER].iloc[np.argsort(OTHER_ORDER)], np.array(NEW)),
        (A.to_numpy(), B.rename({"q1": "x"}).to_numpy()),
    ):
        assert bt.permutation_test(a, b).signature == expected.signature


def test_a_range_that_does_not_count_from_zero_names_items() -> None:
    frame = pd.DataFrame({"base": [*BASE, *BASE], "new": [*NEW, *NEW]})
    with pytest.raises(AlignmentError, match="a lacks '8', '9'"):
        bt.permutation_test(frame.base[:8], frame.new[8:])
    shuffled = frame.iloc[::-1]
    assert bt.mcnemar(frame.base, shuffled.new).pvalue == bt.mcnemar(frame.base, frame.new).pvalue


def test_clusters_follow_the_index() -> None:
    documents = pd.Series(list("aabbccdd"), index=LABELS)
    expected = bt.permutation_test(BASE, NEW, clusters=documents.tolist())
    made = bt.permutation_test(A, B.iloc[OTHER_ORDER], clusters=documents.iloc[::-1])
    assert made.signature == expected.signature


def test_frames_of_columns_by_name_and_index() -> None:
    gold = {"tp": [1, 2, 0, 3], "fp": [1, 0, 2, 1], "fn": [0, 1, 1, 0]}
    other = {"tp": [2, 2, 1, 3], "fp": [0, 1, 1, 1], "fn": [0, 1, 0, 0]}
    labels = ["s1", "s2", "s3", "s4"]
    a, b = (pd.DataFrame(x, index=labels) for x in (gold, other))
    expected = bt.permutation_test(a.to_numpy(), b.to_numpy(), F1)
    mixed = b[["fn", "tp", "fp"]].iloc[[2, 0, 3, 1]]
    assert bt.permutation_test(a, mixed, F1).signature == expected.signature
    assert (
        bt.permutation_test(
            pl.DataFrame(gold).select("fp", "fn", "tp"), pl.DataFrame(other), F1
        ).signature
        == expected.signature
    )
    with pytest.raises(UsageError, match="b has no column 'fn'"):
        bt.permutation_test(a, b[["tp", "fp"]], F1)


def test_scores_from_series() -> None:
    documents = pd.Series(list("aabbccdd"), index=LABELS)
    scores = bt.Scores.from_arrays(
        {"base": A, "new": B.iloc[OTHER_ORDER]},
        clusters=documents.iloc[::-1],
        groups={"half": documents.iloc[OTHER_ORDER]},
    )
    assert scores.items is not None
    assert scores.items.tolist() == LABELS
    assert scores.values[:, 1, 0].tolist() == NEW
    assert scores.clusters is not None
    assert scores.clusters.tolist() == scores.groups["half"].tolist() == documents.tolist()
    assert bt.Scores.from_arrays({"a": pd.Series(BASE), "b": pd.Series(NEW)}).items is None
    with pytest.raises(AlignmentError, match="base lacks 'x'"):
        bt.Scores.from_arrays({"base": A, "new": B.rename({"q1": "x"})})


def test_pairs_of_labels() -> None:
    index = pd.MultiIndex.from_product([["d1", "d2"], [1, 2, 3, 4]])
    a, b = pd.Series(BASE, index=index), pd.Series(NEW, index=index)
    assert bt.mcnemar(a, b.iloc[::-1]).pvalue == bt.mcnemar(BASE, NEW).pvalue
