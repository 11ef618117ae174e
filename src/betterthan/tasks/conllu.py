"""Universal Dependencies: tags, heads and relations on the gold's own words.

Files are CoNLL-U. Words are scored; multi-word tokens (``1-2``) and empty nodes (``1.1``) are not,
but both files must split the sentence alike.

| metric  | columns of a sentence     | live | test  |
|---------|---------------------------|------|-------|
| ``upos`` | ``upos_correct``, ``words`` | 1  | exact |
| ``uas`` | ``head_correct``, ``words`` | 1   | exact |
| ``las`` | ``label_correct``, ``words`` | 1  | exact |

As in the CoNLL 2018 shared task (Zeman et al., 2018), relations are compared without their
subtypes (``nmod:poss`` is ``nmod``) and punctuation counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from betterthan.errors import AlignmentError, FormatError
from betterthan.tasks.sources import Scored, Source, check_not_empty, paired, stack, the_gold

METRICS = ("upos", "uas", "las")
COLUMNS = ("upos_correct", "head_correct", "label_correct", "words")
LONGEST_HEAD = 9  # digits; no sentence has as many words
FIELDS = 10


class Word(NamedTuple):
    """What is scored of a word, and the line it is on."""

    line: int
    form: str
    upos: str
    head: int
    relation: str


@dataclass(frozen=True, slots=True)
class UdSentence:
    """Words of a sentence; ``joined`` are the multi-word tokens, as they are written."""

    id: str
    line: int
    document: str
    words: tuple[Word, ...]
    joined: tuple[tuple[str, str], ...]


def recognise(text: str) -> bool:
    """Tell tokens of ten fields, separated by tabs."""
    tokens = [line for line in text.split("\n")[:-1] if line.strip() and not line.startswith("#")]
    return bool(tokens) and all(line.count("\t") == FIELDS - 1 for line in tokens)


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each sentence."""
    del metrics  # all of them are cheap
    gold = the_gold(golds, "parsing")
    truth = list(_sentences(gold))
    answers = []
    for system, pairs in paired(systems, gold, truth, "sentences", _sentences):
        for mine, theirs in pairs:
            _check_words(system, mine, gold, theirs)
        answers.append([_right(mine, theirs) for mine, theirs in pairs])
    ids = [sentence.id for sentence in truth]
    documents = [sentence.document for sentence in truth]
    return Scored(
        columns=stack(answers, COLUMNS),
        items=ids if all(ids) and len(set(ids)) == len(ids) else None,
        groups={"document": documents} if len(set(documents)) > 1 else {},
    )


def _right(mine: UdSentence, theirs: UdSentence) -> tuple[int, int, int, int]:
    pairs = list(zip(mine.words, theirs.words, strict=True))
    heads = [a.head == b.head for a, b in pairs]
    return (
        sum(a.upos == b.upos for a, b in pairs),
        sum(heads),
        sum(h and a.relation == b.relation for h, (a, b) in zip(heads, pairs, strict=True)),
        len(pairs),
    )


def _sentences(source: Source) -> Iterator[UdSentence]:
    check_not_empty(source)
    rows: list[tuple[int, list[str]]] = []
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
            rows.append((number, fields))
        elif rows:
            yield _sentence(source, name, document, rows)
            rows, name = [], ""


def _sentence(
    source: Source, name: str, document: str, rows: Sequence[tuple[int, list[str]]]
) -> UdSentence:
    words: list[Word] = []
    joined: list[tuple[str, str]] = []
    count = sum(fields[0].isdecimal() for _, fields in rows)
    for line, fields in rows:
        if "-" in fields[0]:
            joined.append((fields[0], fields[1]))
        elif "." not in fields[0]:
            words.append(_word(source, line, fields, len(words) + 1, count))
    return UdSentence(name, rows[0][0], document, tuple(words), tuple(joined))


def _word(source: Source, line: int, fields: list[str], place: int, count: int) -> Word:
    if fields[0] != str(place):
        raise FormatError(
            f"{source.at(line)}: word {place} of the sentence has the id {fields[0]!r}: words are "
            "numbered from one, and an empty line ends a sentence"
        )
    head = fields[6]
    if not head.isdecimal() or len(head) > LONGEST_HEAD or int(head) > count:
        raise FormatError(
            f"{source.at(line)}: the head {head!r} of {fields[1]!r} is none of the words 0 to "
            f"{count} of its sentence"
        )
    return Word(line, fields[1], fields[3], int(head), fields[7].partition(":")[0])


def _check_words(system: Source, mine: UdSentence, gold: Source, theirs: UdSentence) -> None:
    """Refuse a sentence that is split into other words."""
    where = f"sentence {theirs.id or 'at ' + gold.at(theirs.line)}"
    for a, b in zip(mine.words, theirs.words, strict=False):
        if a.form != b.form:
            raise AlignmentError(
                f"{system.at(a.line)}: {where} has the word {b.form!r} in {gold.name} (line "
                f"{b.line:,}) and {a.form!r} here: parse the gold's words"
            )
    if len(mine.words) != len(theirs.words) or mine.joined != theirs.joined:
        unit = "words" if len(mine.words) != len(theirs.words) else "multi-word tokens"
        counts = [len(s.words if unit == "words" else s.joined) for s in (theirs, mine)]
        raise AlignmentError(
            f"{system.at(mine.line)}: {where} has other {unit} in {gold.name} ({counts[0]}) than "
            f"here ({counts[1]}): parse the gold's words"
        )
