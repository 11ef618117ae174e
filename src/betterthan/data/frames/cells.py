"""Cells of a data frame's columns: numbers, ids and codes, a whole column at a time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import FIRST, AlignmentError, BadValueError, FormatError, UsageError
from betterthan.numeric import Ints

if TYPE_CHECKING:
    import polars as pl

MISSING = ("", "none", "null", "na", "n/a", "nan", "<na>", "nil", "-")
DECIMAL_COMMA = r"^\s*[+-]?\d+,\d+\s*$"
TRUTH = {"true": 1.0, "false": 0.0}
EXACT = 2**53  # whole numbers up to here are doubles, each its own


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table is from, and what its rows are called there, for the messages."""

    name: str
    row: Callable[[int], str] = lambda k: f"row {k + 1:,}"
    unread: tuple[str, ...] = ()  # columns of nested values
    inside: tuple[str, ...] = ()  # numbers in them, such as scores.accuracy

    def __str__(self) -> str:
        return self.name


def numbers(column: "pl.Series", where: Place) -> "pl.Series | None":
    """Return a column as floats, null or NaN where a cell is missing; None where it holds labels.

    Truth values are 0 and 1, ``85%`` is 85. A text column is one of numbers when at least half of
    its cells are; then every other cell must be blank, or a word such as ``None`` or ``NA``, or it
    is an error.
    """
    if column.dtype.is_float():
        return column.cast(float)
    read, odd = _parsed(column)
    if read is None:
        return None
    if len(odd) > len(read) - read.null_count():
        if column.gather(odd).cast(str).str.contains(DECIMAL_COMMA).all():  # scores, not labels
            shown = f"{column[odd[0]]!r} in {where.row(odd[0])}"
            raise FormatError(
                f"{where}: column {column.name!r} writes numbers with commas ({shown}): write them "
                'with points, or, if it is no score, name those that are with score="COLUMN"'
            )
        return None
    return _checked(column, read, odd, where)


def are_labels(column: "pl.Series") -> bool:
    """Whether a column holds anything but numbers, for the most part."""
    read, odd = _parsed(column)
    return read is None or len(odd) > len(read) - read.null_count()


def required_numbers(column: "pl.Series", where: Place) -> "pl.Series":
    """Return a column that the user named as a score as floats; any other word is an error."""
    read, odd = _parsed(column)
    if read is None:
        raise BadValueError(f"{where}: column {column.name!r} holds {column.dtype}, no numbers")
    return _checked(column, read, odd, where)


def spellings(columns: "Iterable[pl.Series]") -> tuple[str, ...]:
    """Say how columns of numbers were written, where that is worth saying."""
    import polars as pl  # noqa: PLC0415 (heavy)

    found = dict[str, None]()
    for column in columns:
        words = pl.Series(dtype=pl.String)
        if column.dtype == pl.String:
            words = column.drop_nulls().str.strip_chars().str.to_lowercase()
        if column.dtype == pl.Boolean or words.is_in(list(TRUTH)).any():
            found["true/false as 1/0"] = None
        elif words.str.ends_with("%").any():
            found["85% as 85"] = None
    return tuple(found)


def _checked(column: "pl.Series", read: "pl.Series", odd: list[int], where: Place) -> "pl.Series":
    """Return the numbers, if all are, and each of them arrived as it was written."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if odd:
        _refuse_words(column, odd, where)
    if column.dtype.is_float() or column.dtype == pl.Boolean:
        return read
    for k in (read.abs() >= EXACT).arg_true().to_list():
        written = str(column[k]).strip()
        whole = written.lstrip("+-").isdecimal() and np.isfinite(read[k]) and len(written) < 400
        if whole and int(written) != int(read[k]):
            raise BadValueError(
                f"{where}: column {column.name!r} holds {written} in {where.row(k)}, a whole number"
                f" beyond 2^53 that would be rounded to {int(read[k])}: if it is an id, say "
                f'item="{column.name}" or label="{column.name}"; if a score, write it in a larger '
                "unit"
            )
    return read


def _parsed(column: "pl.Series") -> "tuple[pl.Series | None, list[int]]":
    """Read a column's numbers, and list the rows where there are other words."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null):
        return column.cast(pl.Float64), []
    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype != pl.String:
        return None, []
    read = column.cast(pl.Float64, strict=False).fill_nan(None)
    if read.null_count() == column.null_count():
        return read, []
    unread = (read.is_null() & column.is_not_null()).arg_true()
    words = column.gather(unread).str.strip_chars().str.to_lowercase()
    truth = words.replace_strict(TRUTH, default=None, return_dtype=pl.Float64)
    bare = words
    if read.null_count() == len(read):  # all in percent, or none: 85% beside 0.85 is no number
        bare = words.str.strip_suffix("%").str.strip_chars_end()
    again = bare.cast(pl.Float64, strict=False).fill_nan(None).fill_null(truth)
    odd = unread.filter(again.is_null() & ~words.is_in(MISSING))
    return read.scatter(unread, again), odd.to_list()


def _refuse_words(column: "pl.Series", odd: list[int], where: Place) -> None:
    shown = ", ".join(f"{column[k]!r} in {where.row(k)}" for k in odd[:FIRST])
    raise BadValueError(
        f"{where}: column {column.name!r} has {len(odd):,} cells that are not numbers ({shown}): "
        'correct them, blank them and choose missing="drop", or, if it is no score, name those '
        'that are with score="COLUMN"'
    )


def ids(columns: "list[pl.Series]") -> "pl.Series":
    r"""Spell ids as text, several columns joined by ``/``; ``1`` and ``1.0`` are the same id.

    A slash inside a part is written ``\/``, so that no two ids are joined to the same text.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    spelled = [_spelled(column) for column in columns]
    if len(spelled) == 1:
        return spelled[0]
    parts = [part.str.replace_all(r"[\\/]", r"\${0}") for part in spelled]
    return pl.select(pl.concat_str(parts, separator="/")).to_series()


def complete(column: "pl.Series", what: str, where: Place) -> "pl.Series":
    """Refuse blank ids."""
    import polars as pl  # noqa: PLC0415 (heavy)

    blank = column.is_null() | (column == "")
    if blank.any():
        rows = ", ".join(where.row(k) for k in blank.arg_true().head(FIRST).to_list())
        raise AlignmentError(
            f"{where}: {int(blank.sum()):,} rows have no {what} ({rows}): fill them in or "
            "delete those rows"
        )
    return column if column.dtype == pl.String else column.cast(pl.String)


def codes(column: "pl.Series") -> tuple[Ints, "pl.Series"]:
    """Number the values of a column in order of appearance, and list them; null is -1."""
    if _ascending(column):
        return np.arange(len(column)), column
    coded, first = _numbered(column.hash().to_numpy())
    if first.size == len(column) and not column.null_count():
        return coded, column
    values = column.gather(first)
    if not values.gather(coded).eq_missing(column).all():
        # Two values share a hash of 64 bits: very rare, so it may be slow.
        coded, first = _numbered(column.rank("dense").fill_null(0).to_numpy())
        values = column.gather(first)
    null = values.is_null().arg_true()
    if len(null):
        coded = np.where(coded == null[0], -1, coded - (coded > null[0]))
    return coded, values.drop_nulls()


def _ascending(column: "pl.Series") -> bool:
    """Whether ids go up, shorter ones first (q1, q2 ... q10): then no two are the same."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if column.dtype != pl.String or column.null_count():
        return False
    for some in (column.gather_every(1009), column):  # few that do not go up are enough
        before, after = some.head(-1), some.slice(1)
        shorter, longer = before.str.len_bytes(), after.str.len_bytes()
        if not ((shorter < longer) | ((shorter == longer) & (before < after))).all():
            return False
    return True


def _numbered(keys: NDArray[Any]) -> tuple[Ints, Ints]:
    """Number distinct integers in order of appearance, and say where each appears first.

    Most columns are orderly: runs of one value, or the same values over and over. Only what is left
    of them is looked up value by value.
    """
    changes = keys[1:] != keys[:-1]
    if 2 * (np.count_nonzero(changes) + 1) <= keys.size:
        heads = np.concatenate(([0], np.flatnonzero(changes) + 1))
        coded, first = _numbered(keys[heads])
        return np.repeat(coded, np.diff(heads, append=keys.size)), heads[first]
    again = np.flatnonzero(keys[1:] == keys[0])[:1] + 1
    if (
        again.size
        and keys.size % again[0] == 0
        and (keys.reshape(-1, again[0]) == keys[: again[0]]).all()
    ):
        coded, first = _numbered(keys[: again[0]])
        return np.tile(coded, keys.size // again[0]), first
    at = _first_rows(keys)
    first = np.flatnonzero(at == np.arange(keys.size, dtype=at.dtype))
    number = np.empty(keys.size, dtype=np.int64)
    number[first] = np.arange(first.size)
    return number.take(at), first


def _first_rows(keys: NDArray[Any]) -> NDArray[Any]:
    """For each row the first one with its key, by tables of some bits of the keys.

    A table holds the first row of all that share those bits. Keys that another one keeps out of
    their place are looked up by other bits: some one in eight, since keys are hashes. Of few keys
    the table is small enough to stay in the processor's cache.
    """
    size = np.int32 if keys.size < 1 << 31 else np.int64  # half the memory to go through
    rows, at, rest = np.arange(keys.size, dtype=size), np.empty(0, dtype=size), keys
    seen = np.unique(keys[:: 1 + keys.size // 1024]).size
    for shift in range(0, 40, 5):
        bits = 12 if seen <= 256 and not shift else min(rest.size.bit_length() + 1, 24)
        slot = (rest >> rest.dtype.type(shift)) & rest.dtype.type((1 << bits) - 1)
        slot = slot.astype(np.intp)
        table = np.empty(1 << bits, dtype=size)
        table[slot[::-1].copy()] = rows[::-1].copy()  # the last to be put is kept
        found = table.take(slot)
        wrong = np.flatnonzero(keys.take(found) != rest)
        if shift:
            at[rows] = found  # the wrong ones for now
        else:
            at = found
        if not wrong.size:
            return at
        rows, rest = rows[wrong], rest[wrong]
    _, first, group = np.unique(rest, return_index=True, return_inverse=True)
    at[rows] = rows[first[group]]
    return at


def ranks(column: "pl.Series") -> Ints:
    """Rank the values of a column without gaps: by number where all are, else by spelling."""
    import polars as pl  # noqa: PLC0415 (heavy)

    number = column.cast(pl.Float64, strict=False)
    ordered = (column if number.null_count() else number).rank("dense")
    return np.asarray(ordered.to_numpy(), dtype=np.int64)


def labels(values: "pl.Series", at: Ints) -> NDArray[np.object_]:
    """Array of strings from distinct values and the position of each; -1 is the empty label."""
    table = np.empty(len(values) + 1, dtype=object)
    table[:-1] = _spelled(values).to_numpy()
    table[-1] = ""
    taken: NDArray[np.object_] = table[at]
    return taken


def to_polars(frame: Any) -> "pl.DataFrame":
    """Copy any data frame that narwhals knows into a polars one, without needing pyarrow."""
    import narwhals as nw  # noqa: PLC0415 (heavy)
    import polars as pl  # noqa: PLC0415 (heavy)

    if isinstance(frame, pl.DataFrame):
        return frame
    index = getattr(frame, "index", None)
    if any(name is not None for name in getattr(index, "names", ())):
        frame = frame.reset_index()  # a named pandas index is a column like any other
    try:
        known = nw.from_native(frame)
    except TypeError as error:
        raise UsageError(f"a {type(frame).__name__} is no data frame and no path") from error
    except nw.exceptions.DuplicateError as error:
        said = " ".join(str(error).split())
        raise FormatError(
            f"the data frame has columns of one name ({said}): rename them"
        ) from error
    if isinstance(known, nw.LazyFrame):
        known = known.collect()
    columns = {str(name): _from_narwhals(str(name), known[name]) for name in known.columns}
    return pl.DataFrame([column for column in columns.values() if column is not None])


def from_list(name: str, values: list[Any]) -> "pl.Series | None":
    """Column of plain Python values; None where they are nested and so neither score nor label.

    Mixed columns become text, never null: a stray word among numbers is to be found and named.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    kinds = set(map(type, values)) - {type(None)}
    if kinds & {dict, list, tuple}:
        return None
    name = _whole_text(name)
    if kinds <= {str}:
        return _texts(name, values)
    if kinds == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if kinds == {int}:
        try:
            return pl.Series(name, values, dtype=pl.Int64)
        except (OverflowError, TypeError):
            pass  # integers beyond 64 bits can only be ids: spell them
    elif kinds <= {bool, int, float} and not _rounded(values):
        floats = [None if v is None else float(v) for v in values]
        return pl.Series(name, floats, dtype=pl.Float64)
    absent = [v is None or (isinstance(v, float) and isnan(v)) for v in values]
    return _texts(name, [None if gone else str(v) for v, gone in zip(values, absent, strict=True)])


def _texts(name: str, values: list[str | None]) -> "pl.Series":
    import polars as pl  # noqa: PLC0415 (heavy)

    try:
        return pl.Series(name, values, dtype=pl.String)
    except UnicodeEncodeError:
        spelled = [None if text is None else _whole_text(text) for text in values]
        return pl.Series(name, spelled, dtype=pl.String)


def _whole_text(text: str) -> str:
    """Half an emoji becomes the text of its escape, as in JSON."""
    return text.encode(errors="backslashreplace").decode()


def _rounded(values: list[Any]) -> bool:
    """Whether any whole number is too large to be a double."""
    return any(
        type(v) is int and abs(v) > EXACT and (v.bit_length() > 1000 or int(float(v)) != v)
        for v in values
    )


def _from_narwhals(name: str, column: Any) -> "pl.Series | None":
    import polars as pl  # noqa: PLC0415 (heavy)

    absent = column.is_null().to_numpy()
    if column.dtype.is_numeric() and not absent.any():
        return pl.Series(_whole_text(name), column.to_numpy())
    values = column.to_list()
    for k in np.flatnonzero(absent):
        values[k] = None  # pandas has several ways of saying so
    return from_list(name, values)


def _spelled(column: "pl.Series") -> "pl.Series":
    import polars as pl  # noqa: PLC0415 (heavy)

    if column.dtype == pl.String:
        first = column.first()
        if not (isinstance(first, str) and first.endswith(".0")):
            return column
        whole = column.str.contains(r"^-?\d+\.0$").all()
        return column.str.strip_suffix(".0") if whole else column
    if column.dtype.is_float():
        text = column.cast(pl.String)
        return text.str.strip_suffix(".0")
    try:
        return column.cast(pl.String)
    except pl.exceptions.PolarsError as error:
        raise FormatError(
            f"column {column.name!r} holds {column.dtype}, which is neither an id nor a label: "
            "write it as text or as whole numbers"
        ) from error
