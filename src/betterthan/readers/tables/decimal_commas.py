"""Numbers written with decimal commas, as spreadsheets write them in much of the world."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from betterthan.data.frames.cells import MISSING

if TYPE_CHECKING:
    import polars as pl

NUMBER = r"^[+-]?\d+(,\d+)?\s*%?$"
SURE = r"^[+-]?0,|,\d{1,2}\s*%?$|,\d{4,}\s*%?$"  # 1,234 may be one thousand
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


def _words(column: "pl.Series") -> "pl.Series":
    """What a column holds, but for words that stand for nothing."""
    words = column.drop_nulls().str.strip_chars()
    return words.filter(~words.str.to_lowercase().is_in(MISSING))


def _numbers(words: "pl.Series") -> bool:
    """Whether some words are made of digits, points and commas."""
    return bool(words.str.contains(r"^[+-]?[\d.,]*\d[\d.,]*\s*%?$").any())
