"""Battles: pairs of systems and who won, in all the words and layouts that files have for it."""

import csv
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data import as_labels
from betterthan.errors import FormatError, UsageError, first_few
from betterthan.frames.roles import Options
from betterthan.readers import json_logs
from betterthan.readers.files import first_bytes
from betterthan.readers.runs import as_number
from betterthan.readers.tables import frame_of

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
JUDGES = ("judge", "annotator", "worker", "rater", "judge_id", "judge_name")
LEFT = {"left", "a", "model_a", "model_1", "1", "generator_1", "x", "model_x", "true"}
RIGHT = {"right", "b", "model_b", "model_2", "2", "generator_2", "y", "model_y", "false"}
DRAW = {
    "tie",
    "draw",
    "equal",
    "same",
    "both",
    "neither",
    "bothbad",
    "tiebothbad",
    "bothgood",
    "0.5",
}
NOTHING = {"", "none", "null", "nan", "error", "n/a", "invalid"}  # a judge that did not judge
LONGEST_ID = 48

Record = Mapping[str, Any]
Outcome = float | None  # 1 where the left one won, 0 where the right one did; None: no judgment


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns hold the two systems, and how the others tell who won."""

    left: str
    right: str
    needs: tuple[str, ...]
    outcomes: Callable[[Record, str, str], list[Outcome]]

    @property
    def columns(self) -> set[str]:
        """All columns that it reads."""
        return {self.left, self.right, *self.needs}


@dataclass(frozen=True, slots=True, kw_only=True)
class Battles:
    """Judgments of all files: names, outcomes (1 the left one won), items, judges and clusters."""

    left: list[str]
    right: list[str]
    outcome: list[float]
    items: list[str] | None
    judges: list[str] | None
    clusters: list[str] | None
    source: str
    where: str
    notes: tuple[str, ...]


def read_battles(files: Sequence[Path], options: Options) -> Battles:
    """Judgments of all files together, as they are."""
    left: list[str] = []
    right: list[str] = []
    outcome: list[float] = []
    items: list[str | None] = []
    judges: list[str | None] = []
    clusters: list[str] = []
    unjudged = 0
    last: Record = {}
    for path in files:
        for number, record in _records(path, options):
            last = record
            layout = layout_of(record.keys())
            if layout is None:
                raise FormatError(f"{path}: row {number:,} names no two systems and a winner")
            left_name, right_name = as_labels([record[layout.left], record[layout.right]])
            pair = str(left_name), str(right_name)
            try:
                said = layout.outcomes(record, *pair)
            except ValueError as error:
                raise FormatError(
                    f"{path}: row {number:,}: {error}; write left, right or tie, or a winner's name"
                ) from error
            for swapped, value in enumerate(said):
                if value is None:
                    unjudged += 1
                    continue
                # A second outcome is of the same pair, shown in the other order.
                left.append(pair[swapped % 2])
                right.append(pair[1 - swapped % 2])
                outcome.append(1.0 - value if swapped else value)
                items.append(_item(record, options.item))
                judges.append(_judge(record, options.response))
                if options.cluster is not None:
                    clusters.append(_cluster(record, options.cluster))
    if not outcome:
        raise FormatError(
            f"{first_few(files)}: nobody judged anything: there is nothing to compare"
        )
    systems = len(set(left) | set(right))
    return Battles(
        left=left,
        right=right,
        outcome=outcome,
        items=[i or "" for i in items] if all(items) else None,
        judges=[j or "" for j in judges] if all(judges) else None,
        clusters=clusters or None,
        source=" · ".join(
            [
                f"{len(files)} x judgments",
                *(f"item={name}" for name in _item_names(last, options.item)),
                *(f"judge={name}" for name in [_judge_name(last, options.response)] if name),
                *(f"cluster={name} ({len(set(clusters)):,})" for name in [options.cluster] if name),
                f"{systems} systems",
                f"{len(outcome):,} judgments",
            ]
        ),
        where=str(files[0]),
        notes=(f"{unjudged:,} rows without a judgment left out",) if unjudged else (),
    )


def _winner(record: Record, left: str, right: str) -> list[Outcome]:
    return [_said(record["winner"], left, right)]


def _preference(record: Record, left: str, right: str) -> list[Outcome]:
    """AlpacaEval: ``preference - 1`` is how far the second won; 0 and 1.5 are draws."""
    del left, right
    value = as_number(record["preference"])
    if value is None:
        return [None]
    if value == 0:
        return [0.5]
    if not 1 <= value <= 2:
        raise ValueError(f"a preference lies between 1 and 2, not at {value:g}")
    return [2.0 - value]


def _two_games(record: Record, left: str, right: str) -> list[Outcome]:
    """MT-Bench: the same pair judged in both orders."""
    return [_said(record[game], left, right) for game in ("g1_winner", "g2_winner")]


def _one_hot(record: Record, left: str, right: str) -> list[Outcome]:
    del left, right
    values = {"winner_model_a": 1.0, "winner_tie": 0.5, "winner_model_b": 0.0}
    return [next((value for name, value in values.items() if as_number(record[name])), None)]


LAYOUTS = (
    Layout("model_a", "model_b", ("winner",), _winner),
    Layout("left", "right", ("winner",), _winner),
    Layout("model_a", "model_b", ("winner_model_a", "winner_model_b", "winner_tie"), _one_hot),
    Layout("generator_1", "generator_2", ("preference",), _preference),
    Layout("model_1", "model_2", ("g1_winner", "g2_winner"), _two_games),
)


def layout_of(names: Iterable[str]) -> Layout | None:
    """Find the layout that these columns make up; None where they are no judgments."""
    there = set(names)
    return next((known for known in LAYOUTS if known.columns <= there), None)


def _said(word: Any, left: str, right: str) -> Outcome:
    """Who won, by name or by any of the words in use."""
    text = str(word if word is not None else "").strip()
    if text in (left, right):  # a system may be called "a" or "left": its name is what is meant
        return 1.0 if text == left else 0.0
    plain = text.lower().removesuffix(".0")
    bare = plain.translate(str.maketrans("", "", " ()_-"))
    if plain in LEFT or plain in RIGHT:
        return 1.0 if plain in LEFT else 0.0
    if bare in DRAW:
        return 0.5
    if plain in NOTHING:
        return None
    raise ValueError(f"cannot tell from {text!r} whether {left!r} or {right!r} won")


def _item(record: Record, asked: str | Sequence[str] | None) -> str | None:
    parts = [_short(as_labels([record[name]])[0]) for name in _item_names(record, asked)]
    if "g1_winner" in record and "turn" in record and asked is None:
        parts.append(f"turn {record['turn']}")
    return "/".join(parts) or None


def _item_names(record: Record, asked: str | Sequence[str] | None) -> list[str]:
    """Columns that say what was judged: those asked for, or the first known one."""
    if asked is None:
        return [name for name in ITEMS if record.get(name) is not None][:1]
    names = [asked] if isinstance(asked, str) else list(asked)
    for name in names:
        _check_there(record, name, "--item")
    return names


def _judge(record: Record, asked: str | None) -> str | None:
    name = _judge_name(record, asked)
    judge = record.get(name) if name else None
    return " ".join(map(str, judge)) if isinstance(judge, list) else judge and str(judge)


def _judge_name(record: Record, asked: str | None) -> str | None:
    if asked is not None:
        _check_there(record, asked, "--response")
        return asked
    return next((name for name in JUDGES if record.get(name) is not None), None)


def _cluster(record: Record, asked: str) -> str:
    _check_there(record, asked, "--cluster")
    return str(as_labels([record[asked]])[0])


def _check_there(record: Record, name: str, option: str) -> None:
    if name not in record:
        raise UsageError(f"there is no column {name!r} ({option}); there are {first_few(record)}")


def _short(text: str) -> str:
    """Cut what is a whole prompt down to an id; a digest keeps it unique."""
    if len(text) <= LONGEST_ID:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{' '.join(text[: LONGEST_ID - 10].split())}… {digest}"


def names_in(path: Path, head: bytes) -> Iterable[str]:
    """Names of the columns of a table, or of the fields of its first record."""
    if head.startswith(b"PAR1"):
        import polars as pl  # noqa: PLC0415 (heavy)

        try:
            return pl.read_parquet_schema(path)
        except pl.exceptions.PolarsError:
            return ()
    if head.lstrip()[:1] in (b"{", b"["):
        return json_logs.top_keys(head)
    first = next(iter(head.removeprefix(json_logs.BOM).decode(errors="replace").splitlines()), "")
    delimiter = max(",\t;", key=first.count)
    return [name.strip() for name in next(csv.reader([first], delimiter=delimiter), [])]


def _records(path: Path, options: Options) -> Iterator[tuple[int, Record]]:
    head = first_bytes(path)
    asked = {
        options.response,
        options.cluster,
        *([options.item] if isinstance(options.item, str) else options.item or ()),
    }
    wanted = {*ITEMS, *JUDGES, "turn", *asked}
    wanted |= {name for layout in LAYOUTS for name in layout.columns}
    if head.lstrip()[:1] in (b"{", b"["):
        for number, raw in json_logs.decode_records(path, head, dict[str, msgspec.Raw]):
            yield number, {k: msgspec.json.decode(v) for k, v in raw.items() if k in wanted}
        return
    frame, _ = frame_of(path, Options(), as_text=True)
    kept = frame.select([name for name in frame.columns if name in wanted])
    yield from enumerate(kept.iter_rows(named=True), start=1)
