"""Thresholds as the test set grows, and from domain to domain (the 2012 paper, section 4.1)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Unpack

import numpy as np

from betterthan.checks import check_whole, several
from betterthan.data.labels import are
from betterthan.data.scores import Scores
from betterthan.design.gains import GainStudy, thresholds
from betterthan.design.system_groups import Groups
from betterthan.design.threshold_intervals import unit_order
from betterthan.errors import not_one_of
from betterthan.metrics import Metric
from betterthan.readers.files import PathName
from betterthan.resampling.generator import Rng, as_generator
from betterthan.resampling.work import Sampling
from betterthan.results.protocol import Result
from betterthan.tables.accepted import Frame, as_scores
from betterthan.testing.values import PairedTest


class StudyOptions(Sampling, total=False):
    """Options of every one of the repeated studies."""

    metric: str | Metric | None
    groups: Groups | PathName | None
    test: str | PairedTest
    band: tuple[float, float]
    percentile: float
    rng: Rng


@dataclass(frozen=True, slots=True, kw_only=True)
class Decay:
    """How a group's threshold falls as the test set grows.

    ``exponent`` is the slope of log threshold against log size, -1/2 by the central limit theorem;
    ``constant`` is the mean of threshold times square root of size.
    """

    group: str
    exponent: float | None
    constant: float | None

    def at(self, n: int) -> float | None:
        """Threshold that the square-root law gives for a test set of n items."""
        return None if self.constant is None else self.constant / math.sqrt(n)


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeStudy(Result):
    """The same study on test sets of several sizes, or of several domains.

    Plots: ``gains``, gain against confidence of all of them; ``decay``, thresholds against size.
    """

    studies: tuple[GainStudy, ...]
    decay: tuple[Decay, ...] = ()


def thresholds_by_size(
    data: Scores | Frame,
    sizes: Sequence[int] | None = None,
    *,
    how: Literal["prefix", "subsample"] = "prefix",
    **options: Unpack[StudyOptions],
) -> SizeStudy:
    """Repeat the study on parts of the test set that grow (section 4.1, Figures 9 and 10).

    ``how="prefix"`` takes initial segments in the data's order, as published; ``"subsample"``
    random items, for files that are sorted. By default sizes are halved from the whole down to 50
    items. The other options are those of :func:`betterthan.design.thresholds`.
    """
    scores = as_scores(data, metric=options.get("metric"))
    if sizes is None:
        sizes = [scores.n // 2**k for k in range(12) if scores.n // 2**k >= 50][::-1] or [scores.n]
    sizes = several("sizes", sizes)
    for size in sizes:
        check_whole(size, "sizes", least=2, most=scores.n)
    if how not in ("prefix", "subsample"):
        raise not_one_of("how", how, ("prefix", "subsample"))
    order = np.arange(scores.n)
    if how == "subsample":
        order = unit_order(scores)[1][as_generator(options.get("rng", 0)).permutation(scores.n)]
    studies = tuple(
        thresholds(scores.only(np.sort(order[:n])), label=f"{n:,} items", **options) for n in sizes
    )
    names = [t.group for t in studies[-1].thresholds]
    return SizeStudy(studies=studies, decay=tuple(_decay(name, studies) for name in names))


def thresholds_by_domain(
    data: Scores | Frame,
    by: str,
    *,
    sizes: int | Sequence[int] | None = None,
    **options: Unpack[StudyOptions],
) -> SizeStudy:
    """Repeat the study within domains, on as many first items of each (Figure 11).

    ``by`` names a label column; ``sizes`` is the smallest domain's by default, so that only the
    domain differs. The other options are those of :func:`betterthan.design.thresholds`.
    """
    scores = as_scores(data, label=by, metric=options.get("metric"))
    labels = scores.labels(by)
    rows = {name: np.flatnonzero(are(labels, name)) for name in sorted(set(labels.tolist()))}
    smallest = min(map(len, rows.values()))
    counts = [smallest] if sizes is None else several("sizes", sizes)
    for size in counts:
        check_whole(size, "sizes", least=2, most=smallest)
    return SizeStudy(
        studies=tuple(
            thresholds(
                scores.only(items[:size]),
                label=f"{by}={name}" + f", {size:,} items" * (len(counts) > 1),
                **options,
            )
            for name, items in rows.items()
            for size in counts
        )
    )


def _decay(group: str, studies: Sequence[GainStudy]) -> Decay:
    points = [
        (study.n, t.value)
        for study in studies
        for t in study.thresholds
        if t.group == group and t.value
    ]
    if len(points) < 2:
        return Decay(group=group, exponent=None, constant=None)
    n, value = np.array(points).T
    slope = float(np.polyfit(np.log(n), np.log(value), 1)[0])
    return Decay(group=group, exponent=slope, constant=float(np.mean(value * np.sqrt(n))))
