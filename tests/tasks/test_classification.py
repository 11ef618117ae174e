"""Labels against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

from betterthan.errors import AlignmentError, FormatError, UsageError
from betterthan.metrics import parse, resolve
from betterthan.tasks import classification as labels
from betterthan.tasks.sources import Source

ALL = ["accuracy", "f1", "macro-f1", "mcc", "f1(a)"]
pairs = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1, max_size=30
)


@settings(max_examples=150, deadline=None)
@pytest.mark.filterwarnings("ignore")  # scikit-learn warns of a single label
@given(pairs)
def test_scores_are_scikit_learns(rows: list[tuple[str, str]]) -> None:
    gold, said = [g for g, _ in rows], [p for _, p in rows]
    sources = Source("s", "\n".join(said)), Source("g", "\n".join(gold))
    columns = labels.score([sources[0]], [sources[1]], ALL).columns

    def ours(metric: str) -> float:
        found = resolve(metric, tuple(columns))
        return found.score(np.stack([columns[c][:, 0] for c in found.columns], axis=1) * 1.0)

    assert ours("accuracy") == pytest.approx(accuracy_score(gold, said), abs=1e-12)
    assert ours("f1") == pytest.approx(f1_score(gold, said, average="micro"), abs=1e-12)
    assert ours("micro-f1") == ours("f1")
    if len({*gold, *said}) > 1:  # one class is refused: there is nothing to average over
        assert ours("macro-f1") == pytest.approx(f1_score(gold, said, average="macro"), abs=1e-12)
        assert ours("mcc") == pytest.approx(matthews_corrcoef(gold, said), abs=1e-12)
    if "a" in {*gold, *said}:
        of_a = f1_score(gold, said, labels=["a"], average=None, zero_division=0)[0]
        assert ours("f1(a)") == pytest.approx(of_a, abs=1e-12)


def test_classes_are_made_only_when_needed() -> None:
    s, g = Source("s", "a\nb\n"), Source("g", "a\na\n")
    assert set(labels.score([s], [g], ["accuracy"]).columns) == {"correct", "tp", "pred", "gold"}
    assert "tp(b)" in labels.score([s], [g], ["mcc"]).columns


def test_complaints() -> None:
    with pytest.raises(FormatError, match="s, line 2 is empty: every line is the label"):
        labels.score([Source("s", "a\n\nb\n")], [Source("g", "a\nb\nc\n")], ["accuracy"])
    with pytest.raises(AlignmentError, match="s has 1 line, g has 2"):
        labels.score([Source("s", "a\n")], [Source("g", "a\nb\n")], ["accuracy"])
    many = Source("g", "\n".join(map(str, range(6000))))
    with pytest.raises(UsageError, match="6,000 different lines, too many for classes"):
        labels.score([many], [many], ["macro-f1"])


def test_macro_f1_without_classes_says_how() -> None:
    with pytest.raises(
        UsageError, match=r"macro-f1 needs to know the classes: .*macro_f1\(labels\)"
    ):
        parse("macro-f1")
