from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from betterthan.responses.distances import (
    cosine_columns,
    earth_movers,
    item_means,
    spearman,
)

NUMBERS = st.floats(-100, 100, allow_nan=False).map(lambda x: round(x, 3))
BLOCKS = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6),
    elements=NUMBERS,
)
FAST = settings(max_examples=100, deadline=None)


@FAST
@given(BLOCKS, st.data())
def test_earth_movers_against_scipy(block: Any, data: st.DataObject) -> None:
    other = data.draw(
        hnp.arrays(np.float64, (block.shape[0], data.draw(st.integers(1, 6))), elements=NUMBERS)
    )
    expected = [stats.wasserstein_distance(x, y) for x, y in zip(block, other, strict=True)]
    assert earth_movers(block, other) == pytest.approx(expected, abs=1e-9)


@FAST
@given(BLOCKS, st.data())
def test_missing_numbers_are_not_there(block: Any, data: st.DataObject) -> None:
    shape = block.shape
    gone = data.draw(hnp.arrays(np.bool_, shape))
    gone[:, 0] = False
    holes = np.where(gone, np.nan, block)
    rows = [x[~np.isnan(x)] for x in holes]
    assert item_means(holes) == pytest.approx([x.mean() for x in rows])
    distances = [stats.wasserstein_distance(x, y) for x, y in zip(rows, block, strict=True)]
    assert earth_movers(holes, block) == pytest.approx(distances, abs=1e-9)


@FAST
@given(BLOCKS, st.data())
def test_spearman_against_scipy(block: Any, data: st.DataObject) -> None:
    other = data.draw(hnp.arrays(np.float64, block.shape, elements=NUMBERS))
    for x, y, found in zip(block, other, spearman(block, other), strict=True):
        if x.size > 1 and np.ptp(x) > 0 and np.ptp(y) > 0:
            assert found == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
        else:
            assert found == 0.0


def test_cosine_columns_skip_missing_pairs() -> None:
    system = np.array([[1.0, 2.0, np.nan]])
    gold = np.array([[3.0, 4.0, 5.0]])
    assert cosine_columns(system, gold).tolist() == [[11.0, 5.0, 25.0]]
