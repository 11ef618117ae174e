"""Sentences in lines of a width, and names that are cut to one; widths are those of a terminal."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from betterthan.results.escaping import inert_all

_LABEL = 10  # what a word takes in front of a line, with the space behind it
_TOGETHER = re.compile(r" (?=%)|(?<=\d) (?=points|items)|(?<=[ (]p) (?=[=<])|(?<=[=<]) (?=\d)")
_OPTION = re.compile(r"(--[a-z-]+) (?=[^\s-])")
_NARROWEST = 20


def lines_of(lines: Sequence[str | tuple[str, str]], indent: int, columns: int | None) -> str:
    """Write lines behind a margin; what is too long goes on under its own beginning.

    With a word in front it goes on under the text. A number keeps its unit, and an option its
    value. A word that no line holds loses its middle.

    >>> print(lines_of(["! items share a document: --cluster document"], 1, 30))
     ! items share a document:
       --cluster document
    """
    out = []
    texts = inert_all(x if isinstance(x, str) else f"{x[0]:<{_LABEL}}{x[1]}" for x in lines)
    labels = [2 if isinstance(line, str) else _LABEL for line in lines]
    short: dict[str, str] = {}
    if columns is not None and texts:
        room = max(columns, _NARROWEST) - indent - max(labels)
        short = cut_apart((word for text in texts for word in text.split()), room)
    for line, label in zip(texts, labels, strict=True):
        whole = (" " * indent + line).rstrip()
        if columns is None or shown(whole) <= columns:
            out.append(whole)
            continue
        behind = " " * (indent + label)
        cut = re.sub(r"\S+", lambda word: short.get(word[0], word[0]), line)
        kept = _OPTION.sub("\\1\xa0", _TOGETHER.sub("\xa0", cut))
        out += _wrapped(kept, " " * indent, behind, max(columns, _NARROWEST))
    return "\n".join(out)


def _wrapped(text: str, first: str, behind: str, columns: int) -> list[str]:
    """Break at blanks; those within a line stay as they are."""
    lines, used = [first], 0
    for blanks, word in re.findall(r"([ \t\n]*)([^ \t\n]+)", text):
        gap = blanks if used else ""
        if used and shown(lines[-1] + gap + word) > columns:
            lines.append(behind)
            gap = ""
        lines[-1] += gap + word
        used = True
    return [line.rstrip().replace("\xa0", " ") for line in lines]


def shown(text: str) -> int:
    """How many cells of a terminal a text takes: letters of Chinese, Japanese and Korean two.

    >>> shown("base"), shown("系统"), shown("e\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def cut_apart(texts: Iterable[str], most: int) -> dict[str, str]:
    """Cut texts to a width, so that no two are the same: by their text, those that are too wide.

    The middle is left out; where that is what tells two apart, it is their difference that stays.

    >>> cut_apart(["x" * 30, "short"], 9)
    {'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx': 'xxxx…xxxx'}
    >>> list(cut_apart(["model-" + "x" * 9 + k + "y" * 9 for k in "AB"], 11).values())
    ['model…yyyyy', 'mode…Byyyy…']
    """
    every = dict.fromkeys(texts)
    taken = {text: text for text in every if shown(text) <= most}
    made: dict[str, str] = {}
    for text in every:
        if text in taken:
            continue
        said = _without_middle(text, most)
        if (other := taken.get(said)) is not None:
            at = next((k for k, (x, y) in enumerate(zip(text, other, strict=False)) if x != y), 0)
            said = _without_end(f"{_without_end(text, most // 2)}{text[at:]}", most)
        number = 1
        while said in taken:
            number += 1
            said = f"{_without_middle(text, most - 1 - len(str(number)))}~{number}"
        taken[said], made[text] = text, said
    return made


def _without_middle(text: str, most: int) -> str:
    keep = max(most - 1, 2)
    while keep > 2 and shown(text[: keep - keep // 2] + text[-(keep // 2) :]) + 1 > most:
        keep -= 1
    return f"{text[: keep - keep // 2]}…{text[-(keep // 2) :]}"


def _without_end(text: str, most: int) -> str:
    if shown(text) <= most:
        return text
    while shown(text) >= most > 1:
        text = text[:-1]
    return f"{text}…"
