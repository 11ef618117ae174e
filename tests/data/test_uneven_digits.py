"""Scores that were cut to fewer digits in one system than in another."""

from pathlib import Path

import numpy as np
import pytest
from betterthan.data.uneven_digits import refuse_cut
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.errors import DataError
from betterthan.numeric import Floats


def scores(n: int, seed: int) -> Floats:
    return np.random.default_rng(seed).random(n)


@pytest.mark.parametrize("places", [2, 3, 4, 6, 9])
@pytest.mark.parametrize("order", [1, -1])
def test_a_tie_that_rounding_hides_is_no_win(places: int, order: int) -> None:
    full = scores(60, 1)
    cut = np.where(np.arange(60) < 20, full, scores(60, 2)).round(places)
    with pytest.raises(DataError, match=rf"have {places} decimals.* 20 of 60 items differ by"):
        bt.permutation_test(*((cut, full) if order == 1 else (full, cut)))
    with pytest.raises(DataError, match="'new' more digits"):
        bt.compare(bt.Scores.from_arrays({"base": cut, "new": full}))
    with pytest.raises(DataError, match=r"have \d decimals"):
        bt.rank(bt.Scores.from_arrays({"base": cut, "new": full}))
    bt.permutation_test(cut, full.round(places))


def test_a_tie_that_few_bits_hide_is_no_win() -> None:
    full = np.random.default_rng(3).choice([0.0, 0.3, 1.0], 50)
    half = np.where(np.arange(50) < 25, full, 0.0).astype(np.float16).astype(np.float64)
    with pytest.raises(DataError, match=r"come in half precision.* 8 of 50 items differ by"):
        bt.permutation_test(half, full)


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 300), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_digits_of_other_scores_are_no_rounding(n: int, places: int, seed: int) -> None:
    # Scores that have nothing to do with each other, of a ruler of few marks and of one of many.
    rng = np.random.default_rng(seed)
    first, second = rng.random(n).round(places), rng.random(n)
    near = np.abs(first - second) <= 0.5 * 10.0**-places
    if near.sum() < max(3, 0.05 * n):
        refuse_cut(("a", "b"), (first[:, None], second[:, None]))


def test_right_or_wrong_beside_what_is_nearly_so_is_let_be() -> None:
    rng = np.random.default_rng(4)
    right = (rng.random(200) < 0.8).astype(np.float64)
    refuse_cut(("a", "b"), (right[:, None], np.clip(right, 1e-5, 1 - 1e-5)[:, None]))


def test_items_that_are_listed_once_count_as_often_as_they_are(tmp_path: Path) -> None:
    full = scores(20, 5)
    rows = [f"{k},{full[k].round(4) if k else 0.5},{full[k]}\n" for k in range(20)]
    rows += [f"{k},0.1235,0.12346\n" for k in range(20, 26)]
    path = tmp_path / "t.csv"
    path.write_text("item,base,new\n" + "".join(rows))
    for data in (bt.read(path), bt.read(path, columns={"item": "item"}, items=False)):
        with pytest.raises(DataError, match="25 of 26 items differ by that rounding alone"):
            bt.compare(data)
