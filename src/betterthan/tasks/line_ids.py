"""Ids at the beginning of lines, as in Kaldi's files, which are scored as words."""

import re
from collections.abc import Sequence

from betterthan.errors import Note
from betterthan.tasks.line_headers import names_ids, unquoted
from betterthan.tasks.sources import Source

FEW_LINES = 5
_WITH_DIGITS = re.compile(r"(?=.*\d)[\w.:/#-]+")
_NUMBER = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")


def ids_note(source: Source) -> tuple[Note, ...]:
    """Say so if every line begins with its own id, below a header or without one.

    Ids differ from line to line and have digits: ``utt12`` or ``1089-134686-0000``. Numbers
    alone are ids where they count the lines or a tab follows; text may begin with any others.
    """
    if len(source.lines) < FEW_LINES:
        return ()
    header = _has_header(source.lines)
    body = source.lines[header:]
    ids = _before_space(body, by_tab=header and "\t" in source.lines[0])
    ids = ids or _before_mark(source.lines)
    if not ids:
        return ()
    below = " below the first" * (len(ids) < len(source.lines))
    text = (
        f"{source.name}: every line{below} begins with an id ({ids[0]!r}, {ids[1]!r}, ...), which "
        "is scored as a word; if these are not text, put all files in the same order and delete "
        "the ids"
    )
    return (Note(text, beside_verdict=True),)


def counts(ids: Sequence[str]) -> bool:
    """Tell whole numbers that follow on one another, in any order.

    >>> counts(["3", "1", "2"]), counts(["1", "3"]), counts(["a", "b"])
    (True, False, False)
    """
    if not all(map(_NUMBER.fullmatch, ids)) or max(map(len, ids)) > 18:
        return False  # too long a number for int() counts no lines
    numbers = list(map(int, ids))
    return sorted(numbers) == list(range(min(numbers), min(numbers) + len(numbers)))


def with_digits(field: str) -> bool:
    """Tell single words with a digit, as most ids are."""
    return _WITH_DIGITS.fullmatch(field) is not None


def _has_header(lines: Sequence[str]) -> bool:
    """Whether the first line names columns: ``id text``, or any names that a tab parts."""
    words = lines[0].split()
    named = len(words) == 2 and names_ids(words[0])
    return named or ("\t" in lines[0] and not _begins_with_id(lines[0]))


def _before_space(lines: Sequence[str], *, by_tab: bool) -> list[str]:
    """Ids that white space separates from the text; ``by_tab`` only a tab."""
    if not all(map(_begins_with_id, lines)):
        return []
    rows = [line.split(maxsplit=1) for line in lines]
    ids = [row[0] for row in rows]
    bare = sum(len(row) == 1 for row in rows)  # nothing was recognised there
    if bare > len(rows) / 2 or len(set(ids)) < len(ids):
        return []
    tabs = all(
        len(row) == 1 or line.lstrip()[len(row[0])] == "\t"
        for row, line in zip(rows, lines, strict=True)
    )
    if not tabs and (by_tab or (all(map(_NUMBER.fullmatch, ids)) and not counts(ids))):
        return []
    return ids


def _before_mark(lines: Sequence[str]) -> list[str]:
    """Ids that a comma or similar separates from the text: a header names them, or they count."""
    for mark in ",;|":
        if not all(mark in line for line in lines):
            continue
        first = unquoted(lines[0].split(mark)[0])
        rows = [line.split(mark, 1) for line in lines[not with_digits(first) :]]
        ids = [unquoted(name) for name, _ in rows]
        if len(set(ids)) < len(ids) or not all(map(with_digits, ids)):
            continue
        worded = all(_LETTER.search(rest) for _, rest in rows)
        large = 2 * sum(rest[:1].isdigit() for _, rest in rows) > len(rows)  # "3,000 people"
        if names_ids(first) or (counts(ids) and worded and not large):
            return ids
    return []


def _begins_with_id(line: str) -> bool:
    words = line.split(maxsplit=1)
    return bool(words) and with_digits(words[0])
