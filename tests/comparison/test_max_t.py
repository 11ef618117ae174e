"""Max-T: exact where all swaps can be gone through, else drawn until chance does not decide."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import betterthan as bt
from betterthan.comparison import max_t
from betterthan.comparison.verdicts import Comparisons
from betterthan.data.scores import Scores
from betterthan.errors import Note, UsageError
from betterthan.numeric import Alternative

ORIENT = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}


def all_swaps(
    gains: NDArray[np.float64], alternative: Alternative = "two-sided"
) -> NDArray[np.float64]:
    """Westfall and Young's steps over all 2^n shared sign patterns, one at a time."""
    norms = np.sqrt((gains**2).sum(axis=0))
    norms[norms == 0] = 1
    patterns = np.array(list(product((1, -1), repeat=len(gains))))
    drawn = ORIENT[alternative](patterns @ gains) / norms
    observed = ORIENT[alternative](gains.sum(axis=0)) / norms
    left, adjusted, before = list(np.argsort(-observed)), np.zeros(len(observed)), 0.0
    while left:
        k = left[0]
        before = max(before, float((drawn[:, left].max(axis=1) >= observed[k] - 1e-9).mean()))
        adjusted[k] = before
        left = left[1:]
    return adjusted


def compared(gains: NDArray[Any], **options: Any) -> Comparisons:
    systems = {f"s{k}": column for k, column in enumerate(gains.T)}
    scores = Scores.from_arrays({"base": np.zeros(len(gains), dtype=gains.dtype), **systems})
    return bt.compare_many(scores, "base", correction="max-t", **options)


def near_alpha() -> Scores:
    """Four systems on 200 items; the first has a p of about .052."""
    rng = np.random.default_rng(3)
    base = (rng.random(200) < 0.6).astype(int)
    systems = {}
    for k in range(4):
        changed = rng.random(200) < 0.2
        systems[f"s{k}"] = np.where(changed, (rng.random(200) < 0.78).astype(int), base)
    return Scores.from_arrays({"base": base, **systems})


@given(
    cells=st.integers(2, 4).flatmap(
        lambda m: st.lists(
            st.lists(st.integers(-3, 3), min_size=m, max_size=m), min_size=2, max_size=7
        )
    ),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
    real=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_few_units_are_exact(cells: list[list[int]], alternative: Alternative, real: bool) -> None:
    gains = np.array(cells) * (0.37 if real else 1)
    found = compared(gains, alternative=alternative, rng=None)
    made = np.array([c.pvalue_adjusted for c in found])
    assert made == pytest.approx(all_swaps(gains.astype(float), alternative), abs=1e-12)
    assert {c.kind_adjusted for c in found} == {"exact"}
    assert all(c.resamples_adjusted is None for c in found)
    assert all(c.pvalue_adjusted >= c.pvalue for c in found)
    assert all(c.pvalue_adjusted_low == c.pvalue_adjusted == c.pvalue_adjusted_high for c in found)


def test_units_that_are_swapped_alike_count_as_one_class() -> None:
    """Two systems on 0/1 items: three classes, however many the items; the twin goes by units."""
    rows = [(1, 0)] * 6 + [(-1, 0)] * 2 + [(0, 1)] * 3 + [(1, 1)] * 4 + [(-1, -1)] + [(0, 0)] * 50
    found = compared(np.array(rows))
    exact = all_swaps(np.array(rows[:16], dtype=float))
    assert [c.pvalue_adjusted for c in found] == pytest.approx(exact.tolist(), abs=1e-13)
    assert [c.kind_adjusted for c in found] == ["exact", "exact"]


def test_draws_agree_with_all_swaps(monkeypatch: pytest.MonkeyPatch) -> None:
    gains = np.random.default_rng(0).integers(-2, 4, (12, 4))
    exact = all_swaps(gains.astype(float))
    monkeypatch.setattr(max_t, "ENUMERATED", 0)
    missed = 0
    for seed in range(20):
        found = compared(gains, rng=seed)
        assert {c.kind_adjusted for c in found} == {"sampled"}
        for c, p in zip(found, exact, strict=True):
            assert c.pvalue_adjusted_low <= c.pvalue_adjusted <= c.pvalue_adjusted_high
            missed += not c.pvalue_adjusted_low <= p + 1e-12 <= c.pvalue_adjusted_high + 2e-12
    assert missed <= 1  # 99 % each time for all four


def test_drawn_p_is_never_below_its_own_nor_falls_on_the_way_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    monkeypatch.setattr(max_t, "LOOKS", (50,))  # so few that chance puts many below
    below = 0
    for seed in range(40):
        gains = rng.integers(-3, 4, (40, 3))
        found = compared(gains, rng=seed)
        assert all(c.pvalue_adjusted >= c.pvalue for c in found)
        assert all(c.pvalue_adjusted_low >= c.pvalue_low for c in found)
        sizes = np.abs(gains.sum(axis=0)) / np.sqrt((gains**2).sum(axis=0))
        falling = np.array([c.pvalue_adjusted for c in found])[np.argsort(-sizes)]
        assert (np.diff(falling) >= 0).all()
        below += any(c.pvalue_adjusted == c.pvalue for c in found)
    assert below > 5  # it did happen


def test_every_seed_has_the_same_verdict() -> None:
    """Of these, 20,000 draws gave two verdicts of better and two of can't tell."""
    for seed in range(4):
        c = bt.compare_many(near_alpha(), "base", correction="max-t", rng=seed)[0]
        assert c.verdict == "can't tell"
        assert 0.05 < c.pvalue_adjusted_low < c.pvalue_adjusted < c.pvalue_adjusted_high
        assert c.resamples_adjusted is not None
        assert c.resamples_adjusted > 20_000


def test_chance_gives_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few draws leave it open: by their share alone some seeds would find it better."""
    monkeypatch.setattr(max_t, "LOOKS", (500, 1000))
    shares = []
    for seed in range(12):
        found = bt.compare_many(near_alpha(), "base", correction="max-t", rng=seed)
        c = found[0]
        assert c.verdict == "can't tell"
        assert not c.opposed
        assert c.pvalue_adjusted_low <= 0.05 < c.pvalue_adjusted_high == c.pvalue_adjusted
        assert any("p is put at the upper end" in note for note in c.notes)
        assert all(o.pvalue_adjusted >= c.pvalue_adjusted for o in found if o.candidate != "s1")
        drawn = bt.compare_many(near_alpha(), "base", correction="max-t", rng=seed, alpha=0.3)
        shares.append(drawn[0].pvalue_adjusted)
    assert min(shares) < 0.05 < max(shares)


def test_more_are_drawn_only_next_to_alpha(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(max_t, "LOOKS", (1000, 2000, 4000))
    near, far = (
        bt.compare_many(near_alpha(), "base", correction="max-t", alpha=alpha)
        for alpha in (0.05, 0.2)
    )
    assert near[0].resamples_adjusted == 4000
    assert far[0].resamples_adjusted == 1000
    fixed = bt.compare_many(near_alpha(), "base", correction="max-t", resamples=3000)
    assert fixed[0].resamples_adjusted == 3000


def test_a_note_tells_that_the_draws_of_a_test_do_not_settle_it() -> None:
    scores = near_alpha()
    drawn = bt.tests.Permutation(method="monte-carlo")
    first = bt.compare(scores, "base", "s0", test=drawn, resamples=2000)
    again = bt.compare(scores, "base", "s0", test=drawn, resamples=2000, alpha=first.pvalue)
    (note,) = (note for note in again.notes if isinstance(note, Note) and note.beside_verdict)
    assert note.remedy is not None
    assert note.remedy.parameter == "resamples"
    clear = bt.compare(scores, "base", "s0", test=drawn, resamples=2000, alpha=0.9)
    assert not any("another seed" in note for note in clear.notes)


def test_a_drawn_floor_is_a_bound() -> None:
    gains = np.random.default_rng(6).integers(1, 9, (60, 2))
    found = compared(gains)
    assert all(c.floor for c in found)
    assert all(line.endswith("p < 5.0e-05 (max-T)") for line in found.sheet().headlines)
    own = compared(gains, resamples=10**5, alternative="greater")
    assert all(line.endswith("p < 1.0e-05 (max-T)") for line in own.sheet().headlines)


def test_other_tests_have_no_max_t() -> None:
    for test, candidates in product(("wilcoxon", "sign", "t", "bootstrap"), (1, 2)):
        with pytest.raises(UsageError, match=f"max-t belongs .* not to {test}") as caught:
            compared(np.ones((9, candidates), dtype=int), test=test)
        named = [(each.parameter, each.value) for each in caught.value.remedies]
        assert named == [("correction", "holm"), ("test", "permutation")]


def test_sampling_error_is_told_wherever_p_is() -> None:
    gains = np.random.default_rng(5).normal(0.3, 1.0, (60, 3))
    found = compared(gains)
    sheet = found.sheet()
    error = max(
        max(c.pvalue_adjusted_high - c.pvalue_adjusted, c.pvalue_adjusted - c.pvalue_adjusted_low)
        for c in found
    )
    said = f"sampled, {found[0].resamples_adjusted:,} draws; p of all swaps within {error:.2g}"
    assert said in sheet.methods()
    assert said in sheet.remarks[0]
    assert any(said in paragraph for paragraph in sheet.explanation())
    assert said in sheet.paper()[0].caption
    exact = compared(np.ones((9, 2), dtype=int)).sheet()
    assert "(adjusted p of all swaps, none sampled)" in exact.methods()


def test_refuses_what_has_no_shared_swaps() -> None:
    rng = np.random.default_rng(1)
    counts = rng.poisson(1.0, size=(3, 30, 3))
    scores = Scores.from_arrays(dict(zip("abc", counts, strict=True)), columns=("tp", "fp", "fn"))
    with pytest.raises(UsageError, match="max-T compares means"):
        bt.compare_many(scores, metric=["f1"], correction="max-t")


def test_ties_in_single_precision() -> None:
    tenths = np.random.default_rng(2).integers(0, 6, (12, 4))
    single = (tenths / 10).astype(np.float32)
    found = [
        bt.compare_many(Scores.from_arrays(dict(zip("abcd", x.T, strict=True))), correction="max-t")
        for x in (tenths, single)
    ]
    assert [c.pvalue_adjusted for c in found[0]] == [c.pvalue_adjusted for c in found[1]]


def test_does_not_depend_on_the_order_of_the_systems() -> None:
    columns = dict(zip("abcd", np.random.default_rng(3).random((4, 30)), strict=True))
    turned = dict(reversed(columns.items()))
    found = [
        {
            frozenset((c.baseline, c.candidate)): c.pvalue_adjusted
            for c in bt.compare_all(Scores.from_arrays(x), correction="max-t")
        }
        for x in (columns, turned)
    ]
    assert found[0] == found[1]


def test_counts_ties_with_no_difference() -> None:
    base = np.zeros(8, dtype=int)
    systems = {"x": [3, -3, 3, -3, 3, -3, 0, 0], "y": [1, -1, 5, -5, 7, -7, 0, 0]}
    found = bt.compare_many(
        Scores.from_arrays({"base": base, **systems}), correction="max-t", alternative="greater"
    )
    assert all(c.pvalue_adjusted >= c.pvalue for c in found)
