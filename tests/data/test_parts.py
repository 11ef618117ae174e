"""Tasks and groups: which rows they have, and how many there may be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import betterthan as bt
from betterthan.data.labels import MOST_PARTS, are, as_labels, rows_by_label
from betterthan.errors import UsageError


@given(st.lists(st.sampled_from(["a", "b", "b\0", "", "10", "9", "é"]), min_size=1))
def test_rows_of_every_label(labels: list[str]) -> None:
    given = as_labels(labels)
    found = [(label, rows.tolist()) for label, rows in rows_by_label(given)]
    assert found == [(x, np.flatnonzero(are(given, x)).tolist()) for x in sorted(set(labels))]


def test_ids_taken_for_tasks_are_refused() -> None:
    n = MOST_PARTS + 1
    scores = bt.Scores.from_arrays(
        {"a": [1, 0] * n, "b": [0, 1] * n}, groups={"task": [str(k % n) for k in range(2 * n)]}
    )
    with pytest.raises(UsageError, match=r"5,001 tasks or groups .* name a column with fewer"):
        scores.with_tasks("task").by_task()
    with pytest.raises(UsageError, match=r"5,001 tasks or groups .* name a column with fewer"):
        bt.compare_many(scores, by="task")
