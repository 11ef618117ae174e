"""Nothing that a plot says is cut: at its own size, and as wide as a column of a paper."""

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

import betterthan as bt
from betterthan.errors import UsageError
from betterthan.plots.drawing import apart, as_wide_as
from betterthan.results.protocol import Result
from made_up_results import MADE_UP

LONG = "meta-llama/Meta-Llama-3.1-405B-Instruct-FP8 (temperature 0.0, 5-shot, chain of thought)"
NAMES = ("Online-W", LONG, "Helsinki-NLP/opus-mt-tc-big-en-de-v2.1", "百度-2024", "metricsystem1")


@pytest.fixture(autouse=True)
def no_window() -> Iterator[None]:
    mpl.use("Agg")
    yield
    plt.close("all")


def outside(result: Result, kind: str, made: Any) -> list[str]:
    """Texts that stick out of the figure."""
    ax = result.plot(kind, made)
    figure = ax.figure
    figure.draw_without_rendering()
    wide, tall = figure.bbox.width, figure.bbox.height
    out = []
    for text in figure.findobj(Text):
        if not (text.get_text().strip() and text.get_visible()):
            continue
        box = text.get_window_extent()
        axis = ax.xaxis if text in ax.get_xticklabels() else ax.yaxis
        low, high = sorted(axis.get_view_interval())
        if (
            text in axis.get_ticklabels()
            and not low <= text.get_position()[axis is ax.yaxis] <= high
        ):
            continue  # a tick that is not drawn
        if box.x0 < -1 or box.y0 < -1 or box.x1 > wide + 1 or box.y1 > tall + 1:
            out.append(text.get_text())
    return out


CASES = [
    pytest.param(result, kind, id=f"{name}-{kind}")
    for name, result in MADE_UP.items()
    for kind in result.plots
]


@pytest.mark.filterwarnings("ignore:constrained_layout", "ignore:Glyph")
@pytest.mark.parametrize(("result", "kind"), CASES)
def test_every_plot_fits_a_column(result: Result, kind: str) -> None:
    assert outside(result, kind, as_wide_as("column")) == []


@pytest.mark.filterwarnings("ignore:constrained_layout", "ignore:Glyph")
@pytest.mark.parametrize("made", [apart, as_wide_as("column")])
def test_names_of_real_systems_fit(made: Any) -> None:
    rng = np.random.default_rng(0)
    able = np.linspace(0.8, 0.4, len(NAMES))
    data = {name: (rng.random(60) < p) * 1 for name, p in zip(NAMES, able, strict=True)}
    scores = bt.Scores.from_arrays(data)
    board = bt.rank(scores, method="bradley-terry", rng=0)
    for result in (bt.compare_many(scores), bt.compare(scores, *NAMES[1:3]), board):
        for kind in result.plots:
            assert outside(result, kind, made) == [], kind


def test_a_picture_is_as_wide_as_asked(tmp_path: Any) -> None:
    found = bt.compare(bt.Scores.from_arrays({"a": [0, 1, 0, 1], "b": [1, 1, 1, 0]}), "a", "b")
    for width, pixels in (("column", 660), (5, 1000)):
        found.save(tmp_path / "x.png", width=width)
        assert plt.imread(tmp_path / "x.png").shape[1] == pixels
    with pytest.raises(UsageError, match="sheet"):
        found.save(tmp_path / "x.png", width="sheet")
