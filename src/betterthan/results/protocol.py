"""The protocol that every public result follows: it prints, draws and saves itself.

The packages that write and draw lie above this one, and are not imported from here: the top of the
house names them once with :func:`presented_by`, and they are loaded on first use.
"""

from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

from betterthan.blame import blames_arguments
from betterthan.errors import UsageError, quote

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from betterthan.results.sheet import Sheet

STYLES = {
    ".txt": "table",
    ".md": "md",
    ".json": "json",
    ".tex": "latex",
    ".csv": "csv",
    ".html": "html",
    ".xml": "junit",
}
"""How a file of text is written, by its suffix."""

PICTURES = (".png", ".svg", ".pdf")
FRAMES = (".parquet",)

_presenters: dict[str, str] = {}


def presented_by(*, render: str, plots: str) -> None:
    """Name the packages that write results and draw them."""
    _presenters.update(render=render, plots=plots)


def _presenter(name: str) -> Any:
    return import_module(_presenters[name])


class Result:
    """What every result can do; a mixin for frozen dataclasses.

    ``str(result)`` is what the command line prints, and a notebook shows its table. The kinds that
    ``plot`` draws are listed in the class that inherits from this one, the usual one first.
    """

    __slots__ = ()

    def sheet(self) -> "Sheet":
        """Everything that is written about it, before it takes a form."""
        made: Sheet = _presenter("render").sheet_of(self)
        return made

    def rendered(self, style: str = "table", **options: Any) -> str:
        """Write it as ``table``, ``md``, ``latex``, ``csv``, ``json``, ``html`` or ``junit``.

        ``command`` is the command that repeats the run, for the report; ``width``, ``intervals``
        and ``label`` are those of :meth:`to_latex`.
        """
        text: str = _presenter("render").rendered(self, style, **options)
        return text

    def __str__(self) -> str:
        return self.rendered()

    def _repr_html_(self) -> str:
        """Return the table that a notebook shows."""
        return self.rendered("fragment")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document as plain Python values."""
        from betterthan.results.json_text import plain_value  # noqa: PLC0415 (this module is light)

        document = plain_value(self.sheet().document)
        return document if isinstance(document, dict) else {"rows": document}

    def to_json(self) -> str:
        """Return the JSON document that the command line writes."""
        return self.rendered("json")

    def to_csv(self) -> str:
        """Return the records as CSV, unrounded."""
        return self.rendered("csv")

    def to_markdown(self, *, intervals: bool | None = None) -> str:
        """Return it for a README or a pull request; ``intervals`` as in :meth:`to_latex`."""
        return self.rendered("md", intervals=intervals)

    @blames_arguments
    def to_latex(
        self,
        *,
        width: str | None = None,
        intervals: bool | None = None,
        label: str | None = None,
    ) -> str:
        """Return booktabs tables for a paper.

        Parameters
        ----------
        width : {"column", "page"}, optional
            What they may take of a page; by default a column where that is enough.
        intervals : bool, optional
            With intervals, or without; by default with them where there is one metric.
        label : str, optional
            What a paper refers to it by; of several tables, from the second on with a number.
        """
        return self.rendered("latex", width=width, intervals=intervals, label=label)

    def to_polars(self) -> "pl.DataFrame":
        """Return the records as a polars frame."""
        import polars as pl  # noqa: PLC0415 (slow to import)

        return pl.DataFrame(self._records(), infer_schema_length=None)

    def to_pandas(self) -> Any:
        """Return the records as a pandas frame; pandas must be installed."""
        try:
            import pandas as pd  # noqa: PLC0415 (optional)
        except ImportError as error:
            raise UsageError(
                "pandas is not installed: pip install pandas, or take to_polars()"
            ) from error
        return pd.DataFrame(self._records())

    @blames_arguments
    def plot(self, kind: str | None = None, ax: Any = None) -> Any:
        """Draw it into matplotlib axes, new ones unless ``ax`` is given, and return them."""
        kinds = _presenter("plots").kinds_of(self)
        if not kinds:
            raise UsageError(f"there is no plot of a {type(self).__name__}")
        kind = next(iter(kinds)) if kind is None else kind
        if kind not in kinds:
            raise UsageError(f"this result is drawn as {' or '.join(kinds)}, not {quote(kind)}")
        if not (ax is None or callable(ax) or hasattr(ax, "findobj")):
            raise UsageError(f"ax are axes of matplotlib to draw into, not {quote(ax)}")
        from betterthan.results.drawing import ALONE, fitted  # noqa: PLC0415 (this module is light)
        from betterthan.results.inert import calmed  # noqa: PLC0415

        with ALONE:
            with calmed(ax) as drawn:
                drawn.append(kinds[kind](self, ax))
            if ax is None or callable(ax):  # a figure of our own
                fitted(drawn[0])
        return drawn[0]

    def plot_kinds(self) -> tuple[str, ...]:
        """Return the names of the kinds that ``plot`` draws of this one, the usual one first."""
        return tuple(_presenter("plots").kinds_of(self))

    @blames_arguments
    def save(
        self,
        path: "str | Path",
        *,
        kind: str | None = None,
        width: "str | float | None" = None,
    ) -> None:
        """Write it into a file, whole or not at all, in the form that the suffix names.

        html (a full report), tex, md, txt, json, csv, parquet; or a picture: png, svg, pdf, of the
        given kind. Pictures and LaTeX are as wide as they like, as a ``"column"`` or a ``"page"``
        of a paper, pictures also so many inches.
        """
        from pathlib import Path  # noqa: PLC0415 (this module is light)

        from betterthan.data.frames.writing import encode  # noqa: PLC0415 (slow to import)
        from betterthan.results.whole_files import write_whole  # noqa: PLC0415

        if not isinstance(path, str | PathLike) or "\0" in str(path):
            raise UsageError(f"path names a file to write, not {quote(path)}")
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix in STYLES:
            told = {"width": width} if suffix == ".tex" else {}
            write_whole(path, self.rendered(STYLES[suffix], **told) + "\n")
        elif suffix in FRAMES:
            write_whole(path, encode(self.to_polars(), suffix))
        elif suffix in PICTURES:
            write_whole(path, self._picture(suffix[1:], kind, width))
        else:
            known = ", ".join([*STYLES, *FRAMES, *PICTURES])
            raise UsageError(f"cannot save {path.name!r}: its suffix must be one of {known}")

    def _picture(self, form: str, kind: str | None, width: "str | float | None") -> bytes:
        from betterthan.results import drawing  # noqa: PLC0415

        with drawing.settings({}):
            made = drawing.apart if width is None else drawing.as_wide_as(width)
            return drawing.encoded(self.plot(kind, made).figure, form)

    def _records(self) -> list[dict[str, Any]]:
        from betterthan.results.json_text import plain_value  # noqa: PLC0415

        return [plain_value(record) for record in self.sheet().flat()]
