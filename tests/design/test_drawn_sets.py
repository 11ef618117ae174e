"""Test sets drawn anew."""

import numpy as np

import betterthan as bt
from betterthan.design.drawn_sets import UnitDraws, units_for


def test_clusters_are_drawn_whole() -> None:
    joint = bt.Scores.from_arrays({"a": range(9)}, clusters=list("abbabcbca")).joint()
    for seed in range(20):
        rows, codes = UnitDraws.of(joint.ordered_items).draw(
            units_for(joint, 9), np.random.default_rng(seed)
        )
        assert codes is not None
        assert codes.max() + 1 == 3
        for code in range(3):
            # of items in order: the clusters by size, c with 5 and 7, then a, then b
            assert rows[codes == code].tolist() in ([0, 1], [2, 3, 4], [5, 6, 7, 8])


def test_every_unit_is_drawn_as_often() -> None:
    joint = bt.Scores.from_arrays({"a": range(6)}, clusters=list("aabbbc")).joint()
    rows, _ = UnitDraws.of(joint.ordered_items).draw(60_000, np.random.default_rng(0))
    share = np.bincount(rows) / 60_000
    assert np.abs(share - 1 / 3).max() < 5 * np.sqrt(2 / 9 / 60_000)
    single = bt.Scores.from_arrays({"a": range(6)}).joint()
    rows, codes = UnitDraws.of(single.ordered_items).draw(60_000, np.random.default_rng(0))
    assert codes is None
    assert np.abs(np.bincount(rows) / 60_000 - 1 / 6).max() < 5 * np.sqrt(5 / 36 / 60_000)


def test_units_make_up_the_items_wanted() -> None:
    clustered = bt.Scores.from_arrays({"a": range(10)}, clusters=list("aabbccddee")).joint()
    assert [units_for(clustered, n) for n in (1, 4, 10, 100)] == [1, 2, 5, 50]
