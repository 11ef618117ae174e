"""Designs drawn: every plot has what it promises, on given axes or new ones."""

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import betterthan as bt
from betterthan.design import Rates, Spread, calibration, power, thresholds, thresholds_by_size
from betterthan.errors import UsageError

mpl.use("Agg")

import matplotlib.pyplot as plt

from betterthan.plots.design import (
    calibration_curve,
    detectable_curve,
    gain_confidence,
    power_curves,
    threshold_decay,
)


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def systems() -> bt.Scores:
    rng = np.random.default_rng(0)
    item = rng.normal(size=400)
    return bt.Scores.from_arrays(
        {f"s{k}": (item + rng.normal(size=400) > 0.02 * k).astype(int) for k in range(14)}
    )


def texts(ax: Any) -> str:
    legend = ax.get_legend()
    labels = [] if legend is None else [t.get_text() for t in legend.get_texts()]
    return " ".join([*(t.get_text() for t in ax.texts), *labels, ax.get_title(loc="left")])


def test_power_curves_label_their_effects() -> None:
    ax = power_curves(Rates(agreement=0.9), [0.02, 0.04], items=500)
    assert "2 points" in texts(ax)
    rising = ax.get_lines()[1].get_ydata()
    assert (np.diff(np.asarray(rising, dtype=float)) >= -1e-3).all()
    _, own = plt.subplots()
    assert power_curves(Spread(1.0), [0.3], own, items=100) is own
    with pytest.raises(UsageError) as caught:
        power_curves(Spread(1.0), [])
    assert caught.value.remedies[0].parameter == "effect"


def test_curves_of_several_sizes_reach_the_largest() -> None:
    ax = power(Rates(0.7, agreement=0.9), items=[250, 4000], effect=0.02).plot()
    assert ax.lines[-1].get_xdata().max() >= 4000


def test_detectable_effects_fall() -> None:
    ax = detectable_curve(Rates(agreement=0.9), items=400)
    falling = np.asarray(ax.get_lines()[0].get_ydata(), dtype=float)
    assert (np.diff(falling) < 0).all()


def test_gains_are_points_by_group(systems: bt.Scores) -> None:
    study = thresholds(systems, groups={name: name[-1] for name in systems.systems})
    ax = gain_confidence(study)
    shown = sum(len(c.get_offsets()) for c in ax.collections)
    assert shown == len(study.gains)
    assert "different" in texts(ax)
    both = gain_confidence(study, thresholds(systems, label="synthetic"))
    assert "synthetic" in texts(both)
    with pytest.raises(UsageError, match="no study"):
        gain_confidence()


def test_decay_has_logarithmic_axes(systems: bt.Scores) -> None:
    ax = threshold_decay(thresholds_by_size(systems, [100, 200, 400]))
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_calibration_names_its_bins(systems: bt.Scores) -> None:
    ax = calibration_curve(calibration(systems, sizes=100, test_sets=2))
    assert "0.04–0.08" in [t.get_text() for t in ax.get_xticklabels()]
    assert "100 items" in texts(ax)
