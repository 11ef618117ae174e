"""Decimal commas, and points that group thousands, as much of the world writes them."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from betterthan.data.frames.cells import MISSING
from betterthan.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

NUMBER = r"^[+-]?\d+(,\d+)?\s*%?$"
SURE = r"^[+-]?0,|,\d{1,2}\s*%?$|,\d{4,}\s*%?$"  # 1,234 may be one thousand
GROUPED = r"^[+-]?[1-9]\d{0,2}\.\d{3}$"
UNGROUPED = r"^[+-]?\d{1,3}$"
POINT = r"\d\.\d|\d\.$|^[+-]?\.\d"


def with_points(
    frame: "pl.DataFrame", scores: Collection[str]
) -> "tuple[pl.DataFrame, tuple[str, ...]]":
    """Write points for decimal commas in columns that may be scores; and name those columns.

    Only where nothing else can be meant: most columns of numbers have such commas, none of them a
    point, and some comma cannot set off thousands. Otherwise (``3,17`` may be a span of text) the
    table stays as it is, and whoever wants numbers of it complains.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    columns = [frame[name] for name in frame.columns if name in scores]
    texts = [_words(column) for column in columns if column.dtype == pl.String]
    written = [
        words
        for words in texts
        if words.str.contains(",", literal=True).any() and words.str.contains(NUMBER).all()
    ]
    numeric = [column for column in columns if column.dtype.is_numeric()]
    pointed = any(words.str.contains(POINT).any() for words in texts if _numbers(words)) or any(
        (column % 1 != 0).any() for column in numeric
    )
    sure = any(words.str.contains(SURE).any() for words in written)
    if pointed or not sure or 2 * len(written) <= len(numeric) + sum(map(_numbers, texts)):
        return frame, ()
    names = tuple(words.name for words in written)
    return frame.with_columns(pl.col(*names).str.replace(",", ".", literal=True)), names


def refuse_thousands(
    frame: "pl.DataFrame",
    scores: Collection[str],
    written: "Callable[[str], pl.Series]",
    where: str,
) -> None:
    """Refuse a column of ``950`` and ``1.052``: the point may group thousands, or be a decimal one.

    All numbers with a point have three decimals, and those from 101 to 999 have none. A program
    that drops zeros at the end hardly ever writes decimals so; ``written`` has a column as text.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    for name in frame.columns:
        if name not in scores or not _may_be_grouped(frame[name]):
            continue
        words = _words(frame[name] if frame[name].dtype == pl.String else written(name))
        grouped, large = words.str.contains(GROUPED), _large(words)
        if len(large) and grouped.any() and (grouped | words.str.contains(UNGROUPED)).all():
            raise FormatError(
                f"{where}: column {name!r} holds {words.filter(grouped)[0]} beside {large[0]}: "
                "does the point group thousands? Write all numbers without such points; or with as "
                "many decimals each"
            )


def _may_be_grouped(column: "pl.Series") -> bool:
    """Whether numbers, or what is text so far, may be written with points between thousands."""
    if not column.dtype.is_numeric():
        words = _words(column)
        return bool(words.str.contains(GROUPED).any()) and len(_large(words)) > 0
    x = column.drop_nulls().abs()
    whole = x % 1 == 0
    return not whole.all() and bool(((x > 100) & (x < 1000) & whole).any() and (x < 1000).all())


def _large(words: "pl.Series") -> "pl.Series":
    return words.filter(words.str.contains(r"^[+-]?[1-9]\d\d$") & (words != "100"))


def _words(column: "pl.Series") -> "pl.Series":
    """What a column holds, but for words that stand for nothing."""
    words = column.drop_nulls().str.strip_chars()
    return words.filter(~words.str.to_lowercase().is_in(MISSING))


def _numbers(words: "pl.Series") -> bool:
    """Whether some words are made of digits, points and commas."""
    return bool(words.str.contains(r"^[+-]?[\d.,]*\d[\d.,]*\s*%?$").any())
