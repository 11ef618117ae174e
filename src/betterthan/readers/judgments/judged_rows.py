"""Rows of judgments: pairs of systems and who won, in all the layouts that files have for it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from betterthan.data.frames.cells import EXACT, Place
from betterthan.data.frames.kept_rows import is_kept, kept_rows
from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.judgments import DoubtfulWinnerError, Telling, outcome_of, settled
from betterthan.data.labels import as_label
from betterthan.errors import FormatError, UsageError, first_few, listing, quote
from betterthan.readers.column_names import names_in
from betterthan.readers.files import first_bytes
from betterthan.readers.json_bytes import value_of
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.runs import as_number, short_id
from betterthan.readers.tables.table_files import frame_of

if TYPE_CHECKING:
    import polars as pl

ITEMS = (
    "question_id",
    "prompt_id",
    "instruction",
    "prompt",
    "item",
    "item_id",
    "id",
    "conversation_id",
)
COUNT = "count"
"""How many judgments a row stands for, of tables with the pair, who won and perhaps the item."""

JUDGES = ("judge", "annotator", "worker", "rater", "judge_id", "judge_name")
NO_JUDGMENT = "names no two systems and a winner"

JudgedRecord = Mapping[str, Any]
Outcome = float | None  # 1 where the left one won, 0 where the right one did; None: no judgment


@dataclass(frozen=True, slots=True)
class PairLayout:
    """Which columns hold the two systems, and how the others tell who won."""

    left: str
    right: str
    needs: tuple[str, ...]
    outcomes: Callable[[JudgedRecord, str, str, Telling], list[Outcome]]

    columns: frozenset[str] = field(init=False)
    """All columns that it reads."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", frozenset((self.left, self.right, *self.needs)))


class Judged(NamedTuple):
    """One judgment: the pair, who won (1 the left one), on what, by whom, and its cluster."""

    left: str
    right: str
    outcome: float
    item: str | None
    judge: str | None
    cluster: str | None
    times: int = 1


def judged_in(path: Path, options: Options) -> tuple[list[Judged], int, JudgedRecord]:
    """Judgments in one file, how many rows have none, and the last record."""
    return settled(
        lambda by: _judged_in(path, options, by),
        lambda: (said for _, record in _records(path, options) for said in _said(record)),
    )


def _judged_in(path: Path, options: Options, by: Telling) -> tuple[list[Judged], int, JudgedRecord]:
    found: list[Judged] = []
    unjudged = 0
    last: JudgedRecord = {}
    for number, last in _records(path, options):
        for row in _judged(last, options, f"{path}: row {number:,}", by):
            if row is None:
                unjudged += 1
            else:
                found.append(row)
    return found, unjudged, last


def described(
    files: Sequence[Path],
    last: JudgedRecord,
    options: Options,
    *,
    systems: list[str],
    clusters: int | None,
    judged: int,
) -> str:
    """Say what was read and how it was understood."""
    parts = [
        f"{len(files)} x judgments",
        *(f"item={name}" for name in item_names(last, options.item)),
        *(f"judge={name}" for name in [_judge_name(last, options.response)] if name),
        *(f"cluster={name} ({clusters:,})" for name in [options.cluster] if name),
        *([f"count={COUNT}"] if COUNT in last else []),
        f"systems {listing(systems)}",
        *(
            f"not compared: {listing(names)}"
            for names in [_unused(files[0], last, options)]
            if names
        ),
        f"{judged:,} judgments",
    ]
    return " · ".join(parts)


def _unused(path: Path, record: JudgedRecord, options: Options) -> list[str]:
    """Columns of a file that are not looked at."""
    layout = pair_layout(tuple(record))
    used = {*item_names(record, options.item), _judge_name(record, options.response)}
    used |= {options.cluster, *(layout.columns if layout else ())}
    used |= {COUNT} & record.keys()
    used |= {"turn"} if _has_turns(record) else set()
    names = names_in(path, first_bytes(path))
    return sorted(name for name in names if name and name not in used)


def _judged(
    record: JudgedRecord, options: Options, where: str, by: Telling = None
) -> Iterator[Judged | None]:
    """Yield the judgments that a record holds; None for one that nobody made."""
    layout = pair_layout(tuple(record))
    if layout is None:
        raise FormatError(f"{where} {NO_JUDGMENT}")
    left, right, said = _judged_pair(record, layout, where, by)
    about = (
        item_of(record, options.item),
        judge_of(record, options.response),
        cluster_of(record, options.cluster),
        _count(record, where) if COUNT in record else 1,
    )
    for swapped, won in enumerate(said):
        if won is None:
            yield None
        elif swapped:  # a second outcome is of the same pair, shown in the other order
            yield Judged(right, left, 1.0 - won, *about)
        else:
            yield Judged(left, right, won, *about)


def check_record(record: JudgedRecord, options: Options, where: str) -> None:
    """Raise unless a record holds judgments and all columns that were asked for."""
    with suppress(DoubtfulWinnerError):  # others may settle it
        for _ in _judged(record, options, where):
            pass


def judged_pairs(
    records: Sequence[tuple[int, JudgedRecord]], layout: PairLayout, where: str
) -> list[tuple[str, str, list[Outcome]]]:
    """Two systems of each record, and who won each of their games."""

    def understood(by: Telling) -> list[tuple[str, str, list[Outcome]]]:
        return [_judged_pair(x, layout, f"{where}: row {k + 1:,}", by) for k, x in records]

    return settled(understood, lambda: (said for _, record in records for said in _said(record)))


def _said(record: JudgedRecord) -> Iterator[tuple[str, str, str]]:
    """Words for who won, with the two systems; none where numbers say it."""
    layout = pair_layout(tuple(record))
    for name in layout.needs if layout else ():
        if layout and name in ("winner", "g1_winner", "g2_winner"):
            word = "" if record[name] is None else as_label(record[name]).strip()
            yield word, as_label(record[layout.left]), as_label(record[layout.right])


def _judged_pair(
    record: JudgedRecord, layout: PairLayout, where: str, by: Telling
) -> tuple[str, str, list[Outcome]]:
    """Two systems, and who won each of their games."""
    for name in (layout.left, layout.right):
        if _is_blank(record[name]):
            raise FormatError(f"{where} names no system in {name!r}: fill it in, or delete the row")
    left, right = as_label(record[layout.left]), as_label(record[layout.right])
    try:
        return left, right, layout.outcomes(record, left, right, by)
    except DoubtfulWinnerError as error:
        raise DoubtfulWinnerError(f"{where}: {error}") from error
    except ValueError as error:
        raise FormatError(
            f"{where}: {error}; write left, right or tie, or a winner's name"
        ) from error


def _has_counts(path: Path, head: bytes) -> bool:
    """Whether rows stand for several judgments: then no column is about a single one."""
    names = set(names_in(path, head))
    layout = pair_layout(tuple(names))
    return layout is not None and names - {*ITEMS} == {*layout.columns, COUNT}


def _count(record: JudgedRecord, where: str) -> int:
    number = as_number(record[COUNT])
    if number is None or not 1 <= number < EXACT or not number.is_integer():
        raise FormatError(
            f"{where}: a count of judgments is a whole number of at least 1, not {record[COUNT]!r}"
        )
    return int(number)


def _winner(record: JudgedRecord, left: str, right: str, by: Telling) -> list[Outcome]:
    return [outcome_of(record["winner"], left, right, by)]


def _preference(record: JudgedRecord, left: str, right: str, by: Telling) -> list[Outcome]:
    """AlpacaEval: ``preference - 1`` is how far the second won; 0 and 1.5 are draws."""
    del left, right, by
    value = as_number(record["preference"])
    if value is None:
        return [None]
    if value == 0:
        return [0.5]
    if not 1 <= value <= 2:
        raise ValueError(f"a preference lies between 1 and 2, not at {value:g}")
    return [2.0 - value]


def _two_games(record: JudgedRecord, left: str, right: str, by: Telling) -> list[Outcome]:
    """MT-Bench: the same pair judged in both orders."""
    return [outcome_of(record[game], left, right, by) for game in ("g1_winner", "g2_winner")]


def _one_hot(record: JudgedRecord, left: str, right: str, by: Telling) -> list[Outcome]:
    del left, right, by
    values = {"winner_model_a": 1.0, "winner_tie": 0.5, "winner_model_b": 0.0}
    return [next((value for name, value in values.items() if as_number(record[name])), None)]


JUDGMENT_LAYOUTS = (
    PairLayout("model_a", "model_b", ("winner",), _winner),
    PairLayout("left", "right", ("winner",), _winner),
    PairLayout("model_a", "model_b", ("winner_model_a", "winner_model_b", "winner_tie"), _one_hot),
    PairLayout("generator_1", "generator_2", ("preference",), _preference),
    PairLayout("model_1", "model_2", ("g1_winner", "g2_winner"), _two_games),
)


@lru_cache(maxsize=64)  # the records of a file have the same names
def pair_layout(names: tuple[str, ...]) -> PairLayout | None:
    """Find the layout that these columns make up; None where they are no judgments."""
    there = set(names)
    return next((known for known in JUDGMENT_LAYOUTS if known.columns <= there), None)


def item_of(record: JudgedRecord, asked: str | Sequence[str] | None) -> str | None:
    """What was judged, by the columns asked for or the first known one; None where one is blank."""
    names = item_names(record, asked)
    turns = ["turn"] if names and asked is None and _has_turns(record) else []
    if any(_is_blank(record[name]) for name in (*names, *turns)):
        return None
    parts = [short_id(as_label(record[name])) for name in names]
    parts += [f"turn {record[name]}" for name in turns]
    if len(parts) > 1:  # as ids of several columns are joined anywhere
        parts = [part.replace("\\", "\\\\").replace("/", "\\/") for part in parts]
    return "/".join(parts) or None


def item_names(record: JudgedRecord, asked: str | Sequence[str] | None) -> list[str]:
    """Columns that say what was judged: those asked for, or the first known one."""
    if asked is None:
        return [name for name in ITEMS if name in record][:1]
    names = names_given(asked, record)
    for name in names:
        _check_there(record, name, "item")
    return names


def judge_of(record: JudgedRecord, asked: str | None) -> str | None:
    """Who judged."""
    name = _judge_name(record, asked)
    judge = record.get(name) if name else None
    return (" ".join(map(str, judge)) if isinstance(judge, list) else str(judge or "")) or None


def _judge_name(record: JudgedRecord, asked: str | None) -> str | None:
    if asked is not None:
        _check_there(record, asked, "response")
        return asked
    return next((name for name in JUDGES if record.get(name) is not None), None)


def cluster_of(record: JudgedRecord, asked: str | None) -> str | None:
    """What belongs together; None where it is blank."""
    if asked is None:
        return None
    _check_there(record, asked, "cluster")
    return None if _is_blank(record[asked]) else as_label(record[asked])


def _has_turns(record: JudgedRecord) -> bool:
    """Whether a pair was judged at every turn of its conversation, as MT-Bench does."""
    return "g1_winner" in record and "turn" in record


def _is_blank(value: object) -> bool:
    return value is None or not str(value).strip()


def _check_there(record: JudgedRecord, name: str, option: str) -> None:
    if name not in record:
        raise UsageError(
            f"there is no column {name!r} ({option}=...); there are {first_few(record)}"
        )


def asked_columns(options: Options) -> set[str]:
    """Columns that the options name."""
    for name in (options.response, options.cluster):
        if not isinstance(name, str | None):
            raise UsageError(f"columns are named by text, not by {quote(name)}")
    whole = [options.item] if isinstance(options.item, str) else []  # a name may hold commas
    asked = [options.response, options.cluster, *whole, *names_given(options.item, ())]
    return {name for name in asked if name is not None}


def judged_table(path: Path, options: Options) -> "pl.DataFrame | None":
    """Columns of a table that judgments may need, as text; None where the file holds records."""
    if _holds_records(path):
        return None
    frame, _ = frame_of(path, Options(), as_text=True)
    frame, _ = kept_rows(frame, options.where, Place(str(path)))
    wanted = _wanted(path, options)
    return frame.select([name for name in frame.columns if name in wanted])


def _holds_records(path: Path) -> bool:
    return first_bytes(path).lstrip()[:1] in (b"{", b"[")


def _wanted(path: Path, options: Options) -> set[str]:
    of_layouts = {name for layout in JUDGMENT_LAYOUTS for name in layout.columns}
    counted = {COUNT} if _has_counts(path, first_bytes(path)) else set()
    return {*ITEMS, *JUDGES, "turn", *asked_columns(options)} | of_layouts | counted


def _records(path: Path, options: Options) -> Iterator[tuple[int, JudgedRecord]]:
    frame = judged_table(path, options)
    if frame is not None:
        yield from enumerate(frame.iter_rows(named=True), start=1)
        return
    wanted, head = _wanted(path, options), first_bytes(path)
    kept = options.where or {}
    for number, raw in json_logs.decode_records(path, head, dict[str, msgspec.Raw]):
        record = {k: value_of(v, path) for k, v in raw.items() if k in wanted or k in kept}
        if is_kept(record, kept):
            yield number, record
