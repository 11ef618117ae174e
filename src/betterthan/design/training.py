"""Many comparable systems from few: training sets drawn anew (Berg-Kirkpatrick et al., 2012, 3.2).

Where no collection of systems exists, each base model is trained on training sets resampled from
the original, of several sizes. The systems differ as revisions of one system do; those of one base
model are alike, those of different ones less so, which gives the two groups of a study.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from betterthan.data.scores import Scores
from betterthan.data.values import as_floats
from betterthan.errors import DataError, UsageError
from betterthan.resampling.generator import Rng, as_generator

Trainer = Callable[[Sequence[Any]], Callable[[Any], Any]]


@dataclass(frozen=True, slots=True)
class TrainedSystems:
    """Scores of all trained systems, and where each comes from.

    ``models`` maps a system to its base model: pass it as ``groups`` to
    :func:`betterthan.thresholds`. ``sizes`` maps it to the size of its training set.
    """

    scores: Scores
    models: dict[str, str]
    sizes: dict[str, int]


def resample_training(
    models: Mapping[str, Trainer],
    train: Sequence[Any],
    test: Sequence[Any],
    score: Callable[[Any, Any], ArrayLike],
    *,
    sizes: Sequence[int] | None = None,
    copies: int | Sequence[int] = 10,
    columns: Sequence[str] | None = None,
    lower_is_better: bool = False,
    failures: int = 0,
    rng: Rng = 0,
) -> TrainedSystems:
    """Train every base model on resampled training sets, and score what they predict.

    Parameters
    ----------
    models : mapping of str to callable
        ``fit(examples)`` of each base model; it returns ``predict(item)``.
    train : sequence
        The original training examples; sets are drawn from it with replacement.
    test : sequence
        The test items.
    score : callable
        ``score(prediction, item)``: the item's score, or its columns.
    sizes : sequence of int, optional
        Sizes of the training sets: the original's, half and a quarter of it by default, as
        published, so that base models of different strength overlap in their scores.
    copies : int or sequence of int
        Training sets of each size.
    columns, lower_is_better
        Of the scores.
    failures : int
        How many trainings may fail before it is an error; those that do are left out and said so
        (one of the paper's own models failed on some sets).
    rng : None, int or Generator
        Seed. All base models are trained on the same sets.

    Examples
    --------
    >>> def constant(examples):
    ...     common = max(set(examples), key=examples.count)
    ...     return lambda item: common
    >>> made = resample_training({"mode": constant}, "aab", "abab", lambda p, y: p == y, copies=2)
    >>> made.scores.systems[:2], set(made.models.values())
    (('mode/3/1', 'mode/3/2'), {'mode'})
    """
    if not models or not len(train) or not len(test):
        raise UsageError("give at least one base model, training example and test item")
    if sizes is None:
        sizes = list(dict.fromkeys(max(len(train) // k, 1) for k in (1, 2, 4)))
    each = [copies] * len(sizes) if isinstance(copies, int) else list(copies)
    if len(each) != len(sizes) or min(each, default=0) < 1 or min(sizes, default=0) < 1:
        raise UsageError(f"give sizes of at least 1 and copies of each, not {sizes} and {copies}")
    generator = as_generator(rng)
    found: dict[str, Any] = {}
    models_of: dict[str, str] = {}
    sizes_of: dict[str, int] = {}
    failed: list[str] = []
    for size, count in zip(sizes, each, strict=True):
        for copy in range(1, count + 1):
            drawn = [train[int(k)] for k in generator.integers(len(train), size=size)]
            for model, fit in models.items():
                name = f"{model}/{size}/{copy}"
                try:
                    predict = fit(drawn)
                    rows = [np.atleast_1d(np.asarray(score(predict(x), x))) for x in test]
                except Exception as error:
                    failed.append(name)
                    if len(failed) > failures:
                        raise DataError(f"training {name!r} failed: {error}") from error
                    continue
                found[name] = as_floats(np.stack(rows), f"system {name!r}")
                models_of[name], sizes_of[name] = model, size
    made = Scores.from_arrays(found, columns=columns or ("score",), lower_is_better=lower_is_better)
    if failed:
        made = replace(made, notes=(f"{len(failed)} trainings failed: {', '.join(failed)}",))
    return TrainedSystems(made, models_of, sizes_of)
