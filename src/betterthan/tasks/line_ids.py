"""Ids at the beginning of lines, as in Kaldi's files: they would be scored as words."""

import re

from betterthan.errors import FormatError
from betterthan.tasks.sources import Source

FEW_LINES = 5
_WITH_DIGITS = re.compile(r"(?=.*\d)[\w.:/#-]+")
_NUMBER = re.compile(r"\d+")


def check_no_ids(source: Source) -> None:
    """Refuse lines that each begin with an id of their own.

    Ids differ from line to line and have digits: ``utt12`` or ``1089-134686-0000``. Numbers
    alone are ids where they count the lines or a tab follows; text may begin with any others.
    """
    if len(source.lines) < FEW_LINES or not all(map(_begins_with_id, source.lines)):
        return
    rows = [line.split(maxsplit=1) for line in source.lines]
    ids = [row[0] for row in rows]
    bare = sum(len(row) == 1 for row in rows)  # nothing was recognised there
    if bare > len(rows) / 2 or len(set(ids)) < len(ids):
        return
    by_tab = all(
        len(row) == 1 or line.lstrip()[len(row[0])] == "\t"
        for row, line in zip(rows, source.lines, strict=True)
    )
    if all(map(_NUMBER.fullmatch, ids)) and not by_tab and not _counts(ids):
        return
    cut = "cut -f2-" if by_tab else "cut -d' ' -f2-"
    raise FormatError(
        f"{source.name}: every line begins with an id of its own ({ids[0]!r}, {ids[1]!r}, ...), "
        "which would be scored as a word: put all files in the same order and cut the ids off, "
        f"as with {cut}, or say unchecked=True if they are text"
    )


def _begins_with_id(line: str) -> bool:
    words = line.split(maxsplit=1)
    return bool(words) and _WITH_DIGITS.fullmatch(words[0]) is not None


def _counts(ids: list[str]) -> bool:
    if max(map(len, ids)) > 18:
        return False  # no count of lines, and too long for int()
    numbers = list(map(int, ids))
    return sorted(numbers) == list(range(min(numbers), min(numbers) + len(numbers)))
