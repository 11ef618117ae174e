"""Training sets drawn anew."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from betterthan.design import resample_training, thresholds
from betterthan.design.system_groups import ALL_PAIRS, DIFFERENT, SAME
from betterthan.errors import BetterthanError, DataError, UsageError


def centroid(examples: Sequence[Any]) -> Callable[[Any], int]:
    """Nearest class mean of a single feature."""
    means = {label: np.mean([x for x, y in examples if y == label] or [label]) for label in (0, 1)}
    return lambda item: int(abs(item[0] - means[1]) < abs(item[0] - means[0]))


def test_training_sets_are_drawn_for_every_model_and_size() -> None:
    rng = np.random.default_rng(0)
    train = [(float(rng.normal(label)), label) for label in rng.integers(0, 2, size=40).tolist()]
    computed = resample_training(
        {"centroid": centroid, "ones": lambda examples: lambda item: 1},
        train,
        train[:25],
        lambda guess, item: guess == item[1],
        sizes=(40, 10),
        copies=(2, 3),
    )
    assert computed.scores.values.shape == (25, 10, 1)
    assert computed.models["ones/10/3"] == "ones"
    assert sorted(set(computed.sizes.values())) == [10, 40]
    study = thresholds(computed.scores, groups=computed.models)
    assert {t.group for t in study.thresholds} == {ALL_PAIRS, SAME, DIFFERENT}
    constant = computed.scores.of("ones/40/1")
    assert (constant == computed.scores.of("ones/10/2")).all()


def test_failed_trainings_are_errors_or_said() -> None:
    def fails(examples):  # type: ignore[no-untyped-def]
        raise ArithmeticError("diverged")

    options = {"sizes": (2,), "copies": 1}
    models = {"bad": fails, "good": lambda examples: lambda item: item}
    with pytest.raises(DataError, match="'bad/2/1' failed: diverged"):
        resample_training(models, [1, 0], [1, 0], lambda p, x: p, **options)  # type: ignore[arg-type]
    computed = resample_training(models, [1, 0], [1, 0], lambda p, x: p, failures=1, **options)  # type: ignore[arg-type]
    assert computed.scores.systems == ("good/2/1",)
    assert "1 trainings failed" in computed.scores.notes[0]
    with pytest.raises(BetterthanError, match="base model"):
        resample_training({}, [1], [1], lambda p, x: p)
    for copies, value in ((0, 1), ((2, 3), 2)):
        with pytest.raises(UsageError) as caught:
            resample_training(models, [1], [1], lambda p, x: p, copies=copies)
        assert [(r.parameter, r.value) for r in caught.value.remedies] == [("copies", value)]
