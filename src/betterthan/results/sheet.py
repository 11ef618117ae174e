"""The sheet: everything that is written about one result, before it takes any form.

Each kind of result has one function that makes its sheet; each form (text, Markdown, LaTeX, CSV,
JSON, HTML, JUnit XML) has one function that writes any sheet.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Align = Literal["<", ">"]
Layout = Literal["card", "board", "plain"]


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
    document : mapping
        The JSON document; unrounded. A list stands for its rows.
    records : sequence of mappings
        The rows of a CSV file or a frame; unrounded, at least one.
    headlines : tuple of str
        What was found, first.
    subheads : tuple of str
        Lines that belong to them.
    details : tuple of str
        How it was found, before the tables.
    tables : tuple of Table
        The rows, for people.
    card : tuple of str
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
    document: Mapping[str, Any] | Sequence[Any]
    records: Sequence[Mapping[str, Any]]
    headlines: tuple[str, ...] = ()
    subheads: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    card: tuple[str, ...] = ()
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
    def sentences(self) -> tuple[str, ...]:
        """The details where no columns of text can be aligned."""
        return tuple(re.sub(r"^(\w+) {2,}", r"\1: ", line) for line in self.details)

    def flat(self) -> list[dict[str, Any]]:
        """Return the records with one level of mappings as columns, and lists as text."""
        return [_flat(record) for record in self.records]


def attributes(result: object, *names: str) -> dict[str, Any]:
    """Facts of a result for its document, under the names that they have in Python."""
    return {name: getattr(result, name) for name in names}


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            flat |= {f"{name}_{key}": x for key, x in value.items()}
        elif isinstance(value, tuple | list):
            flat[name] = "; ".join(map(str, value))
        else:
            flat[name] = value
    return flat
