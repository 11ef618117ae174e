"""The protocol of all results: they print, convert, draw and save themselves.

The packages that write and draw lie above this one: they are loaded by name, on first use.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import singledispatch
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from betterthan.errors import Advice, Remedy, UsageError, as_keyword, closest, first_few, quote

if TYPE_CHECKING:
    from functools import _SingleDispatchCallable
    from pathlib import Path

    import polars as pl

    from betterthan.results.sheet import Sheet

Part = TypeVar("Part")
Made = TypeVar("Made")

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


def _presenter(name: str) -> Any:
    return import_module(f"betterthan.{name}")


class Result:
    """What every result can do; a mixin for frozen dataclasses.

    ``str(result)`` is what the command line prints, ``repr(result)`` one line, and a notebook shows
    its table. ``to_dict()`` is its one document, whose ``rows`` have the keys that are the columns
    of ``to_polars()``, CSV and Parquet.
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__repr__ = Result.__repr__  # type: ignore[method-assign]  # a dataclass keeps it

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._brief()}>"

    def _brief(self) -> str:
        """Return what ``repr`` says of it."""
        sheet = self.sheet()
        return next(iter(sheet.headlines), sheet.title)

    def sheet(self) -> "Sheet":
        """Everything that is written about it, before it takes a form."""
        made: Sheet = _presenter("render").sheet_of(self)
        return made

    def rendered(self, style: str = "table", *, advice: Advice = as_keyword, **options: Any) -> str:
        """Write it as ``table``, ``md``, ``latex``, ``csv``, ``json``, ``html`` or ``junit``.

        ``advice`` writes the remedies of notes. ``command`` is the command that repeats the run,
        for the report; ``width``, ``intervals`` and ``label`` are those of :meth:`to_latex`.
        """
        text: str = _presenter("render").rendered(self, style, advice=advice, **options)
        return text

    def __str__(self) -> str:
        return self.rendered()

    def _repr_html_(self) -> str:
        """Return the table that a notebook shows."""
        return self.rendered("fragment")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document as plain Python values."""
        document: dict[str, Any] = self.sheet().plain()
        return document

    def to_json(self) -> str:
        """Return the JSON document that the command line writes."""
        return self.rendered("json")

    def to_csv(self) -> str:
        """Return the rows as CSV, unrounded."""
        return self.rendered("csv")

    def to_markdown(self, *, intervals: bool | None = None) -> str:
        """Return it for a README or a pull request; ``intervals`` as in :meth:`to_latex`."""
        return self.rendered("md", intervals=intervals)

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
        """Return the rows as a polars frame."""
        import polars as pl  # noqa: PLC0415 (slow to import)

        sheet = self.sheet()
        return pl.DataFrame(sheet.plain()["rows"], sheet.columns, infer_schema_length=None)

    def to_pandas(self) -> Any:
        """Return the rows as a pandas frame; pandas must be installed."""
        import pandas as pd  # noqa: PLC0415 (optional)

        sheet = self.sheet()
        return pd.DataFrame(sheet.plain()["rows"], columns=sheet.columns)

    @property
    def plots(self) -> tuple[str, ...]:
        """The names of the plots that ``plot`` draws of it, the default first."""
        return tuple(_presenter("plots").kinds_of(self))

    def plot(self, kind: str | None = None, ax: Any = None) -> Any:
        """Draw it into matplotlib axes, new ones unless ``ax`` is given, and return them."""
        return _presenter("plots").drawn(self, kind, ax)

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

        from betterthan.results.atomic_write import encode, write_whole  # noqa: PLC0415

        if not isinstance(path, str | PathLike) or "\0" in str(path):
            raise UsageError(f"path must name a file to write, got {quote(path)}")
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix in STYLES:
            options: dict[str, Any] = {"width": width} if suffix == ".tex" else {}
            write_whole(path, self.rendered(STYLES[suffix], **options) + "\n")
        elif suffix in FRAMES:
            write_whole(path, encode(self.to_polars(), suffix))
        elif suffix in PICTURES:
            write_whole(path, _presenter("plots").picture(self, suffix[1:], kind, width))
        else:
            known = ", ".join([*STYLES, *FRAMES, *PICTURES])
            raise UsageError(f"cannot save {path.name!r}: its suffix must be one of {known}")


class Sequenced(Result, Generic[Part]):
    """A result that is a sequence of others, those in ``_each``."""

    __slots__ = ()

    @property
    def _each(self) -> tuple[Part, ...]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Part]:
        return iter(self._each)

    def __len__(self) -> int:
        return len(self._each)

    def __getitem__(self, at: int | str) -> Part:
        return at_name(self._each, at, self._named) if isinstance(at, str) else self._each[at]

    def _named(self, part: Part) -> str:
        """Return the name by which a part is looked up."""
        raise UsageError(f"a {type(self).__name__} is indexed by position")


@dataclass(frozen=True, slots=True)
class Several(Sequenced[Part]):
    """Results that were made together and are written as one; a sequence of them."""

    parts: tuple[Part, ...]

    @property
    def _each(self) -> tuple[Part, ...]:
        return self.parts


class UnknownNameError(UsageError, KeyError):
    """A result has nothing of that name."""


def at_name(parts: tuple[Part, ...], name: str, named: Callable[[Part], str]) -> Part:
    """Return the first part of that name."""
    for part in parts:
        if named(part) == name:
            return part
    names = list(dict.fromkeys(map(named, parts)))
    close = closest(name, names)
    remedies = [Remedy("", "systems", [close])] if close else []
    known = first_few(names)
    raise UnknownNameError(f"there is no system {name!r}; there are {known}", *remedies)


def by_type(
    made: type[Made],
    package: str,
    homes: Mapping[str, str],
    otherwise: Callable[[Any], Made] | None = None,
) -> "_SingleDispatchCallable[Made]":
    """Return a generic function that makes ``made``; modules of ``package`` register its cases.

    ``homes`` says which of its modules serves the results of which package, or of one module of
    it: a comparison must not wait for the import of rankings. ``otherwise`` serves what no module
    registers.
    """

    @singledispatch
    def generic(result: Any) -> Made:
        for cls in type(result).__mro__:
            module = cls.__module__.removeprefix("betterthan.")
            home = homes.get(module, homes.get(module.partition(".")[0]))
            if home is not None:
                import_module(f"{package}.{home}")
        case = generic.dispatch(type(result))
        if case is not generic.dispatch(object):
            return case(result)
        if otherwise is None:
            raise TypeError(f"{package} knows no {type(result).__name__}")
        return otherwise(result)

    return generic
