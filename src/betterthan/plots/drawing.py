"""Pictures that are the same every time, whoever else is drawing.

The settings of matplotlib, its fonts and Python's filters of warnings belong to the whole process:
one thread at a time draws, and what it sets is put back before the next one starts.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from textwrap import fill
from threading import RLock
from typing import Any

from betterthan.errors import UsageError, not_one_of, quote
from betterthan.numeric import NUMBER
from betterthan.plots import kinds_of
from betterthan.plots.fonts import supply, tell_missing
from betterthan.results.escaping import inert_text

ALONE = RLock()
SALT = {"svg.hashsalt": "betterthan", "text.usetex": False}  # the same picture every time
UNDATED: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


@contextmanager
def settings(values: Mapping[str, Any]) -> Iterator[None]:
    """Draw with settings of matplotlib, and with nobody else drawing."""
    try:
        import matplotlib as mpl  # noqa: PLC0415 (slow to import)
    except (ValueError, OSError) as error:
        raise UsageError(f"matplotlib cannot read its settings ({error}): mend them") from error
    known: dict[Any, Any] = {**SALT, **values}
    with ALONE, warnings.catch_warnings(), mpl.rc_context(known):
        yield


def apart(width: float, height: float) -> Any:
    """Make axes of a figure that no window shows and pyplot does not know."""
    from matplotlib.figure import Figure  # noqa: PLC0415 (slow to import)

    return Figure(figsize=(width, height), layout="constrained").subplots()


WIDTHS = {"column": 3.3, "page": 6.9}
"""Inches that a column and a page of a paper have."""
LEAST, WIDEST = 2, 100
"""Inches that a picture has at least, to have room for axes, and that it can be drawn with."""


def as_wide_as(width: str | float) -> Any:
    """Make axes as :func:`apart` does, but of this width: inches, or a column or a page."""
    wide = WIDTHS.get(width) if isinstance(width, str) else width
    if not (isinstance(wide, NUMBER) and LEAST <= wide <= WIDEST):
        raise UsageError(
            f"a picture is as wide as a {' or a '.join(WIDTHS)}, or {LEAST} to {WIDEST} inches, "
            f"not {quote(width)}"
        )
    # Text keeps its size, and so lines of text keep most of their height.
    return lambda usual, height: apart(wide, height * min(max(wide / usual, 0.85), 1.0))


@contextmanager
def _no_word_of_letters() -> Iterator[None]:
    """Letters that no font has are told at once, not each for itself."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from", UserWarning)
        yield


def fitted(ax: Any) -> None:
    """See to it that nothing written is cut: titles wrap, and long names lose their middle."""
    from matplotlib.ticker import FixedFormatter, FuncFormatter  # noqa: PLC0415 (slow to import)
    from matplotlib.transforms import blended_transform_factory  # noqa: PLC0415

    figure = ax.figure
    supply(figure)
    room = 0.38 * 72 * figure.get_figwidth()
    for axis in (ax.xaxis, ax.yaxis):
        labels = [label.get_text() for label in axis.get_majorticklabels()]
        size = axis.get_majorticklabels()[0].get_fontsize() if labels else 1.0
        short = [shortened(text, max(int(room / (0.55 * size)), 8)) for text in labels]
        if (
            isinstance(axis.get_major_formatter(), FixedFormatter | FuncFormatter)
            and short != labels
        ):
            axis.set_ticklabels(short)
    # A title starts where the names do, not where the axis does.
    heading = ax._left_title
    across = blended_transform_factory(figure.transFigure, heading.get_transform())
    heading.set(x=0.02, transform=across)
    with _no_word_of_letters():
        for _ in range(3):  # what wraps makes the rest smaller
            figure.draw_without_rendering()
            if not [text for text in _written(ax) if _wrapped(text, figure)]:
                break


def _written(ax: Any) -> list[Any]:
    titles = [ax.title, ax._left_title, ax._right_title]
    return [text for text in (*titles, ax.xaxis.label, ax.yaxis.label) if text.get_text()]


def _wrapped(text: Any, figure: Any) -> bool:
    """Wrap a text that is wider than the figure has room for; whether it was."""
    box, upright = text.get_window_extent(), text.get_rotation() == 90.0
    low, high = (box.y0, box.y1) if upright else (box.x0, box.x1)
    end = figure.bbox.height if upright else figure.bbox.width
    if low >= 0 and high <= 0.99 * end:
        return False
    middle = text.get_horizontalalignment() == "center"
    room = 2 * min((low + high) / 2, end - (low + high) / 2) if middle else 0.99 * end - low
    said = text.get_text().replace("\n", " ")
    longest = max(map(len, text.get_text().split("\n")))
    text.set_text(fill(said, max(int(0.97 * longest * room / (high - low)), 12)))
    return True


def shortened(name: str, most: int = 28) -> str:
    """Leave out the middle of a long name: what follows is what tells it from the others.

    >>> shortened("submission-01_constrained", 12)
    'submis…ained'
    """
    return name if len(name) <= most else f"{name[: (most + 1) // 2]}…{name[-(most // 2 - 1) :]}"


def encoded(figure: Any, form: str) -> bytes:
    """Write a figure as a file of that form: the same bytes for the same figure."""
    picture = BytesIO()
    tell_missing(supply(figure))
    with _no_word_of_letters():
        figure.savefig(picture, format=form, dpi=200, metadata=UNDATED.get(form))
    return picture.getvalue()


def drawn(result: object, kind: str | None, ax: Any) -> Any:
    """Draw a result into axes, new ones where there are none, and return them."""
    kinds = kinds_of(result)
    if not kinds:
        raise UsageError(f"there is no plot of a {type(result).__name__}")
    kind = next(iter(kinds)) if kind is None else kind
    if kind not in kinds:
        raise not_one_of("kind", kind, kinds)
    if not (ax is None or callable(ax) or hasattr(ax, "findobj")):
        raise UsageError(f"ax must be axes of matplotlib, got {quote(ax)}")
    with ALONE:
        with calmed(ax) as axes:
            axes.append(kinds[kind](result, ax))
        if ax is None or callable(ax):  # a figure of our own
            fitted(axes[0])
    return axes[0]


def picture(result: object, form: str, kind: str | None, width: str | float | None) -> bytes:
    """Draw a result as a file: png, svg or pdf, as wide as it likes where there is no width."""
    with settings({}):
        made = apart if width is None else as_wide_as(width)
        return encoded(drawn(result, kind, made).figure, form)


@contextmanager
def calmed(ax: Any) -> Iterator[list[Any]]:
    """Make what is written into axes plain text: no formulas of matplotlib, no active characters.

    The axes that were drawn into are put into the list; what was in ``ax`` before stays as it was.
    """
    from matplotlib import rcParams  # noqa: PLC0415 (slow to import)
    from matplotlib.text import Text  # noqa: PLC0415 (slow to import)
    from matplotlib.ticker import FixedFormatter, FuncFormatter  # noqa: PLC0415

    drawn_before = [] if ax is None or callable(ax) else ax.findobj(Text)
    before = {text: text.get_text() for text in drawn_before}
    dollar = "\\$" if rcParams["text.parse_math"] else "$"
    drawn: list[Any] = []

    def calm(text: str) -> str:
        return inert_text(text).replace("\\$", "$").replace("$", dollar)

    yield drawn
    for axes in drawn:
        for axis in (axes.xaxis, axes.yaxis):  # labels of ticks are written when they are drawn
            if isinstance(axis.get_major_formatter(), FixedFormatter | FuncFormatter):
                said = [label.get_text() for label in axis.get_majorticklabels()]
                if list(map(calm, said)) != said:
                    axis.set_ticklabels(map(calm, said))
        for text in axes.findobj(Text):
            if text.get_text() != before.get(text, ""):
                text.set_text(calm(text.get_text()))
