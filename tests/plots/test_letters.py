"""Letters that the usual font lacks: of another font, or told."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import font_manager
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text

import betterthan as bt
from betterthan.plots import fonts as letters
from betterthan.plots.fonts import MissingLettersWarning
from conftest import Run

HOOKED = "ᶁᶄ"  # in STIX, not in DejaVu Sans; both come with matplotlib
CHINESE = "甲乙"


@pytest.fixture(autouse=True)
def bundled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Only fonts that come with matplotlib, whatever is installed."""
    own = [f for f in font_manager.fontManager.ttflist if mpl.get_data_path() in f.fname]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", own)
    letters._fonts_with.cache_clear()
    yield
    letters._fonts_with.cache_clear()


def compared(names: str) -> bt.Comparison:
    scores = bt.Scores.from_arrays({c: [k, 1, 0, 1, k, 0, 1] for k, c in enumerate(names)})
    return bt.compare(scores, *names)


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_letters_of_another_font(tmp_path: Path, form: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compared(HOOKED).save(tmp_path / f"x.{form}")
    figure = compared(HOOKED).plot().figure
    written = [t for t in figure.findobj(Text) if HOOKED[0] in t.get_text()]
    assert written
    for text in written:
        used = [
            font_manager.findfont(FontProperties(family=[name])) for name in text.get_fontfamily()
        ]
        fonts = [font_manager.get_font(path) for path in used]
        assert any(font.get_char_index(ord(HOOKED[0])) for font in fonts)
        assert used[0].endswith("DejaVuSans.ttf")


def test_letters_that_no_font_has_are_told_once(tmp_path: Path) -> None:
    with pytest.warns(MissingLettersWarning, match="no font here has 乙 甲: .*install") as told:
        compared(CHINESE).save(tmp_path / "x.png")
    assert len(told) == 1


def test_the_command_line_tells_them(tmp_path: Path, betterthan: Callable[..., Run]) -> None:
    table = tmp_path / "t.csv"
    table.write_text(f"item,{CHINESE[0]},{CHINESE[1]}\nq1,1,0\nq2,0,1\nq3,1,1\nq4,0,1\n")
    run = betterthan("compare", str(table), "-o", str(tmp_path / "x.png"))
    assert run.code == 0
    assert run.err.count("no font here has 乙 甲") == 1


def test_boxes_are_no_letters() -> None:
    """A font of last resort has every letter, as a box."""
    found, left = letters._fonts_with(frozenset(CHINESE))
    assert found == ()
    assert set(left) == set(CHINESE)
