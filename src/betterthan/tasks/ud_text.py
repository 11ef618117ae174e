"""CoNLL-U files as text: characters of all tokens, and where words and sentences lie in them."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from betterthan.errors import FormatError
from betterthan.tasks.sources import Source, check_not_empty

FIELDS = 10
LONGEST_NUMBER = 9  # digits; no sentence has as many words
ROOT = -1

# What the shared task compares of features (Zeman et al., 2018).
UNIVERSAL_FEATURES = frozenset(
    (
        "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree "
        "VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite"
    ).split()
)


class Word(NamedTuple):
    """A syntactic word.

    ``start`` and ``end`` are the characters of its token, which for ``joined`` words is that of all
    of them; ``head`` is a place among all words of the file, or ROOT.
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    features: str
    head: int
    relation: str
    start: int
    end: int
    joined: bool


class UdSentence(NamedTuple):
    """Name and document of a sentence, its characters, and its first line."""

    id: str
    document: str
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class UdText:
    """A file: its characters without blanks, words and sentences; tokens are spans of characters.

    ``lines`` has the line of each token.
    """

    source: Source
    characters: str
    tokens: Sequence[tuple[int, int]]
    lines: Sequence[int]
    words: Sequence[Word]
    sentences: Sequence[UdSentence]

    def line_of(self, character: int) -> int:
        """Line of the token that holds a character; the last one beyond the end."""
        ends = [end for _, end in self.tokens]
        return self.lines[min(int(np.searchsorted(ends, character, "right")), len(ends) - 1)]


def read_conllu(source: Source) -> UdText:
    """Read a CoNLL-U file.

    Empty nodes (``2.1``) are left out. Heads need not form a tree: every word is scored by itself.
    """
    check_not_empty(source)
    made = _Reader(source)
    for sentence in _blocks(source):
        made.add(*sentence)
    if not made.sentences:
        raise FormatError(f"{source.name} holds no words, only blank lines or comments: check it")
    characters = "".join(made.forms)
    return UdText(source, characters, made.tokens, made.lines, made.words, made.sentences)


UdRows = list[tuple[int, list[str]]]


def _blocks(source: Source) -> Iterator[tuple[str, str, UdRows]]:
    """Name, document and numbered rows of each sentence."""
    rows: UdRows = []
    name, document, documents = "", "", 0
    for number, line in enumerate([*source.lines, ""], start=1):
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            if key.strip() == "sent_id":
                name = value.strip()
            elif key.strip().startswith("newdoc"):
                documents += 1
                document = value.strip() or str(documents)
        elif line.strip():
            fields = line.split("\t")
            if len(fields) != FIELDS:
                raise FormatError(
                    f"{source.at(number)} has {len(fields)} fields separated by tabs: CoNLL-U has "
                    f"{FIELDS}"
                )
            if "." not in fields[0]:
                rows.append((number, fields))
        elif rows:
            yield name, document, rows
            rows, name = [], ""


@dataclass(slots=True, eq=False)
class _Reader:
    """What was read so far."""

    source: Source
    forms: list[str] = field(default_factory=list)
    tokens: list[tuple[int, int]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    sentences: list[UdSentence] = field(default_factory=list)

    def add(self, name: str, document: str, rows: UdRows) -> None:
        """Add a sentence."""
        first, begin, joined_until = len(self.words), self._end, 0
        count = sum("-" not in fields[0] for _, fields in rows)
        for line, fields in rows:
            place = len(self.words) - first + 1
            if "-" in fields[0]:
                joined_until = self._last_joined(line, fields[0], place, joined_until, count)
                self._token(line, fields[1])
                continue
            if fields[0] != str(place):
                raise FormatError(
                    f"{self.source.at(line)}: word {place} of the sentence has the id "
                    f"{fields[0]!r}: words are numbered from one, and an empty line ends a sentence"
                )
            joined = place <= joined_until
            form = fields[1] if joined else self._token(line, fields[1])
            head = self._head(line, fields, count)
            begins, ends = self.tokens[-1]
            self.words.append(
                Word(
                    form=form,
                    lemma=fields[2],
                    upos=fields[3],
                    xpos=fields[4],
                    features=_universal(fields[5]),
                    head=first + head - 1 if head else ROOT,
                    relation=fields[7].partition(":")[0],
                    start=begins,
                    end=ends,
                    joined=joined,
                )
            )
        self.sentences.append(UdSentence(name, document, begin, self._end, rows[0][0]))

    @property
    def _end(self) -> int:
        return self.tokens[-1][1] if self.tokens else 0

    def _token(self, line: int, form: str) -> str:
        """Add a token; blanks within it are no characters, as tokenizers may drop them."""
        bare = form if form.isascii() and " " not in form else _bare(form)
        if not bare:
            raise FormatError(f"{self.source.at(line)}: the word has no form: fill in field 2")
        begin = self._end
        self.tokens.append((begin, begin + len(bare)))
        self.lines.append(line)
        self.forms.append(bare)
        return bare

    def _last_joined(self, line: int, span: str, place: int, joined_until: int, count: int) -> int:
        """Number of the last word of a multi-word token."""
        begin, _, end = span.partition("-")
        good = end.isascii() and end.isdecimal() and len(end) <= LONGEST_NUMBER
        if begin != str(place) or not good or place <= joined_until or int(end) < place:
            raise FormatError(
                f"{self.source.at(line)}: the multi-word token {span!r} stands before word "
                f"{place}: it should be {place}-LAST, and none should lie in another"
            )
        if int(end) > count:
            raise FormatError(
                f"{self.source.at(line)}: the multi-word token {span!r} ends after the sentence's "
                f"{count} words"
            )
        return int(end)

    def _head(self, line: int, fields: list[str], count: int) -> int:
        head = fields[6]
        if not head.isdecimal() or len(head) > LONGEST_NUMBER or int(head) > count:
            raise FormatError(
                f"{self.source.at(line)}: the head {head!r} of {fields[1]!r} is none of the words "
                f"0 to {count} of its sentence"
            )
        return int(head)


def _bare(form: str) -> str:
    return "".join(c for c in form if unicodedata.category(c) != "Zs")


def _universal(features: str) -> str:
    """Those features that all languages share, in order."""
    if features == "_":
        return ""
    kept = [f for f in features.split("|") if f.partition("=")[0] in UNIVERSAL_FEATURES]
    return "|".join(sorted(kept))
