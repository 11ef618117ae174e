"""The sheet: everything that is written about one result, before it takes any form.

Each kind of result has one function that makes its sheet; each form (text, Markdown, LaTeX, CSV,
JSON, HTML, JUnit XML) has one function that writes any sheet.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from betterthan.errors import Advice, Note, as_keyword, remedy_of
from betterthan.results.interval import NO_INTERVAL, Interval
from betterthan.results.json_text import belongs_to_verdict, noted, plain_value
from betterthan.results.schemas import columns_of
from betterthan.results.signature import __version__

Align = Literal["<", ">"]
Layout = Literal["card", "board", "plain"]
Line = str | tuple[str, str]
"""A line of text; with a word in front, its further lines stand under the text."""


@dataclass(frozen=True, slots=True)
class Table:
    """Headers, how each column is aligned, and rows of finished text.

    ``caption`` and ``label`` are for a page or a paper. The cells ``(row, column)`` in ``bold`` are
    set in bold where that can be done; those in ``raised`` end in a superscript. A rule follows the
    rows in ``ruled``. The columns in ``intervals`` may be left out of a paper, with what the
    caption says ``of_intervals``; from a ``crowded`` table they are left out unless asked for.
    Cells below the headers in ``lists`` are lists of words: they go on in further lines where they
    are too wide, since without their middle they would say something else.
    """

    headers: tuple[str, ...]
    align: tuple[Align, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    label: str = "tab:betterthan"
    bold: Collection[tuple[int, int]] = ()
    raised: Mapping[tuple[int, int], str] = field(default_factory=dict)
    ruled: Collection[int] = ()
    intervals: Collection[int] = ()
    of_intervals: str = ""
    crowded: bool = False
    lists: Collection[str] = ()

    def __post_init__(self) -> None:
        width = len(self.headers)
        if len(self.align) != width or any(len(row) != width for row in self.rows):
            raise ValueError(f"every row and the alignment need {width} cells")

    @classmethod
    def of(
        cls,
        headers: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        left: Collection[str] = (),
        caption: str = "",
        label: str = "tab:betterthan",
        bold: Collection[tuple[int, int]] = (),
    ) -> "Table":
        """Return a table whose columns are numbers, but for those named in ``left``."""
        align: tuple[Align, ...] = tuple("<" if name in left else ">" for name in headers)
        return cls(tuple(headers), align, tuple(map(tuple, rows)), caption, label, bold)

    def for_paper(self, *, intervals: bool | None = None) -> "Table":
        """Return the table with its intervals, or without; by default, where there is room."""
        if not self.intervals or (not self.crowded if intervals is None else intervals):
            return replace(self, caption=f"{self.caption} {self.of_intervals}".strip())
        kept = [k for k in range(len(self.headers)) if k not in self.intervals]
        at = {k: j for j, k in enumerate(kept)}
        return replace(
            self,
            headers=tuple(self.headers[k] for k in kept),
            align=tuple(self.align[k] for k in kept),
            rows=tuple(tuple(row[k] for k in kept) for row in self.rows),
            bold=[(i, at[k]) for i, k in self.bold if k in at],
            raised={(i, at[k]): text for (i, k), text in self.raised.items() if k in at},
            intervals=(),
        )

    def with_column(self, place: int, header: str, align: Align, cells: Sequence[str]) -> "Table":
        """Return the table with a column more; superscripts and bold cells move along."""

        def moved(k: int) -> int:
            return k + (k >= place)

        return replace(
            self,
            headers=(*self.headers[:place], header, *self.headers[place:]),
            align=(*self.align[:place], align, *self.align[place:]),
            rows=tuple(
                (*row[:place], cell, *row[place:])
                for row, cell in zip(self.rows, cells, strict=True)
            ),
            bold=[(i, moved(k)) for i, k in self.bold],
            raised={(i, moved(k)): text for (i, k), text in self.raised.items()},
            intervals=[moved(k) for k in self.intervals],
        )


@dataclass(frozen=True, slots=True)
class Case:
    """One claim that was checked, for servers that count passes and failures."""

    name: str
    group: str
    ruling: Literal["pass", "failure", "error"]
    verdict: str
    message: str
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Everything that is written about one result.

    Attributes
    ----------
    title : str
        What a page about it is called.
    kind : str
        The kind of its document: the schema is ``betterthan/KIND/1``.
    rows : sequence of mappings
        The rows of the document, of CSV and of frames; flat and unrounded. Several notes are a
        tuple here and one text where they are written.
    facts : mapping
        What else the document holds; the level, the correction and the alternative among it.
    headlines : tuple of str
        What was found, first.
    subheads : tuple of str
        Lines that belong to them.
    details : tuple of (str, str)
        How it was found, before the tables: a word, and what there is to know about it.
    tables : tuple of Table
        The rows, for people.
    card : tuple of str or (str, str)
        What a terminal shows in place of tables and remarks, where that is better.
    appendix : tuple of Table
        Further tables, with captions, after all else.
    remarks : tuple of str
        Sentences that explain the tables.
    notes : tuple of str
        What the reader should know.
    signature : str
        One line from which the run can be repeated; empty where nothing was computed.
    paper : callable that returns a tuple of Table
        Makes the tables of a paper, where they differ.
    layout : {"card", "board", "plain"}
        On a terminal: a card stands off and is indented; a board starts with its table; a plain
        sheet starts at the margin.
    source : str
        What was read.
    methods : callable that returns a str
        Says what was done, in sentences for a paper, when asked.
    explanation : callable that returns a tuple of str
        Says why this way, what it assumes and what would change it, in plain words, when asked.
    ruling : str
        The verdict on all claims, where they pass or fail.
    cases : tuple of Case
        The claims.
    """

    title: str
    kind: str
    rows: Sequence[Mapping[str, Any]]
    facts: Mapping[str, Any] = field(default_factory=dict)
    headlines: tuple[str, ...] = ()
    subheads: tuple[str, ...] = ()
    details: tuple[tuple[str, str], ...] = ()
    tables: tuple[Table, ...] = ()
    card: tuple[Line, ...] = ()
    appendix: tuple[Table, ...] = ()
    remarks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    signature: str = ""
    paper: Callable[[], tuple[Table, ...]] = tuple
    layout: Layout = "card"
    source: str = ""
    methods: Callable[[], str] = str
    explanation: Callable[[], tuple[str, ...]] = tuple
    ruling: str = ""
    cases: tuple[Case, ...] = ()

    @property
    def columns(self) -> list[str]:
        """The keys of the rows."""
        return list(columns_of(self.kind))

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes that could overturn the verdict."""
        return tuple(note for note in self.notes if belongs_to_verdict(note))

    @property
    def other_notes(self) -> tuple[str, ...]:
        """The notes that could not."""
        return tuple(note for note in self.notes if not belongs_to_verdict(note))

    @property
    def document(self) -> dict[str, Any]:
        """The document, before :meth:`plain` makes plain values of it."""
        return {
            "schema": f"betterthan/{self.kind}/1",
            "version": __version__,
            "rows": self.rows,
            **dict.fromkeys(("alpha", "correction", "alternative")),
            "source": self.source or None,
            "notes": self.notes,
            "signature": self.signature or None,
            **self.facts,
        }

    def plain(self, advice: Advice = as_keyword) -> dict[str, Any]:
        """Return the document in plain values; ``advice`` writes the remedies of notes."""
        rows = [
            {
                name: "; ".join(noted(x, advice) for x in cell) or None
                if isinstance(cell, tuple)
                else plain_value(cell)
                for name, cell in row.items()
            }
            for row in self.rows
        ]
        document: dict[str, Any] = plain_value(self.document | {"rows": ()}, advice)
        return document | {"rows": rows}

    def advised(self, advice: Advice) -> "Sheet":
        """Return the sheet with the remedies of its notes written out."""
        return replace(self, notes=tuple(noted(note, advice) for note in self.notes))


def row_of(kind: str, part: object, /, **more: Any) -> dict[str, Any]:
    """Return the row of a part of a result; ``more`` are cells that are not its attributes."""
    interval = getattr(part, "interval", None)
    cells = (interval.columns if isinstance(interval, Interval) else NO_INTERVAL) | more
    return {x: cells[x] if x in cells else getattr(part, x) for x in columns_of(kind)}


def attributes(result: object, *names: str) -> dict[str, Any]:
    """Facts of a result for its document, under the names that they have in Python."""
    return {name: getattr(result, name) for name in names}


def note_on(what: str, note: str) -> Note:
    """Say what a note is on; it keeps its remedy."""
    return Note(f"{what}: {note}", remedy_of(note), beside_verdict=belongs_to_verdict(note))
