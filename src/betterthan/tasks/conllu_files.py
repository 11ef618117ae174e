"""CoNLL-U files as text: characters of all tokens, and where words and sentences lie in them."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from betterthan.tasks.sources import Source, fault

FIELDS = 10
ROOT = -1


class Word(NamedTuple):
    """A syntactic word.

    ``start`` and ``end`` are the characters of its token, which for ``joined`` words is that of all
    of them; ``head`` is a place among all words of the file, or ROOT.
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    head: int
    relation: str
    start: int
    end: int
    joined: bool


class UdSentence(NamedTuple):
    """Name and document of a sentence, and its first character."""

    id: str
    document: str
    start: int


@dataclass(frozen=True, slots=True, eq=False)
class UdText:
    """A file, as far as it was read: words and sentences, and the forms of all tokens."""

    source: Source
    forms: list[str] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    sentences: list[UdSentence] = field(default_factory=list)

    @property
    def characters(self) -> str:
        """All characters without blanks."""
        return "".join(self.forms)

    def add(self, name: str, document: str, rows: "Rows") -> None:
        """Add a sentence of numbered rows of fields."""
        first, joined_until = len(self.words), 0
        start = end = self.words[-1].end if self.words else 0
        self.sentences.append(UdSentence(name, document, start))
        count = sum("-" not in fields[0] for _, fields in rows)
        for line, fields in rows:
            place = len(self.words) - first + 1
            number, joins, last = fields[0].partition("-")
            head = _int(fields[6])
            fits = joined_until < place <= _int(last) <= count if joins else 0 <= head <= count
            if number != str(place) or not fits:
                wrong = f"the id {fields[0]!r} or the head {fields[6]!r}"
                raise fault(self.source.at(line), f"{wrong} does not fit word {place} of {count}")
            if joins or place > joined_until:
                self.forms.append(_bare(fields[1]))  # without blanks, as tokenizers may drop them
                start, end = end, end + len(self.forms[-1])
            if joins:
                joined_until = _int(last)
                continue
            form, lemma, upos, xpos, _, _, relation = fields[1:8]
            main, place_of_head = relation.partition(":")[0], first + head - 1 if head else ROOT
            known = (_bare(form), lemma, upos, xpos, place_of_head, main, start, end)
            self.words.append(Word(*known, joined=place <= joined_until))


Rows = Sequence[tuple[int, list[str]]]


def read_conllu(source: Source) -> UdText:
    """Read a CoNLL-U file.

    Empty nodes (``2.1``) are left out. Heads need not form a tree: every word is scored by itself.
    """
    text = UdText(source)
    rows: list[tuple[int, list[str]]] = []
    name, document, documents = "", "", 0
    for number, line in enumerate([*source.lines, ""], start=1):
        if line.startswith("#"):
            key, _, value = map(str.strip, line[1:].partition("="))
            if key == "sent_id":
                name = value
            elif key.startswith("newdoc"):
                documents += 1
                document = value or str(documents)
        elif line.strip():
            fields = line.split("\t")
            if len(fields) != FIELDS or not _bare(fields[1]):
                wanted = f"{FIELDS} fields between tabs, the second not empty"
                raise fault(source.at(number), f"a line must have {wanted}")
            if "." not in fields[0]:
                rows.append((number, fields))
        elif rows:
            text.add(name, document, rows)
            rows, name = [], ""
    if not text.sentences:
        raise fault(source.at(1), "the file has no words, only blank lines or comments")
    return text


def _int(text: str) -> int:
    """Return a number of a word, or -1."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else -1


def _bare(form: str) -> str:
    if form.isascii() and " " not in form:
        return form
    return "".join(c for c in form if unicodedata.category(c) != "Zs")
