"""Word alignment: the error rate of Och & Ney (2003), with sure and possible links.

Two formats. Pharaoh: one sentence pair per line, links ``0-0 1-2``, words counted from zero; a
possible link of the gold is written ``1?2`` or ``1p2``. NAACL 2003 (Mihalcea & Pedersen, 2003): one
link per line, ``sentence source target [S|P] [confidence]``, all counted from one; sure by default.

| metric | columns of a sentence pair                             | live | test  |
|--------|--------------------------------------------------------|------|-------|
| ``aer`` | ``links``, ``sure``, ``sure_hits``, ``possible_hits`` | 2    | exact |
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from betterthan.errors import AlignmentError, Choice, FormatError, Remedy, UsageError
from betterthan.metrics import AER
from betterthan.tasks.sources import Scored, Source, check_counts, check_not_empty, stack, the_gold

METRICS = ("aer",)
COLUMNS = AER.columns
FEW_LINES = 20
TEXTS = Remedy(
    "both texts, which say how many pairs there are",
    "columns",
    {"source": Choice("@FILE"), "target": Choice("@FILE")},
)
_LINK = re.compile(r"([0-9]{1,15})([-?p])([0-9]{1,15})")
_NAACL = re.compile(
    r"\s*([0-9]{1,15})\s+([0-9]{1,15})\s+([0-9]{1,15})(?:\s+([SP]))?(?:\s+[\d.eE+-]+)?\s*"
)
Link = tuple[int, int]


@dataclass(slots=True)
class Links:
    """Links of a sentence pair, words counted from zero, with the line each stands on."""

    sure: dict[Link, int] = field(default_factory=dict)
    possible: dict[Link, int] = field(default_factory=dict)

    @property
    def all(self) -> dict[Link, int]:
        """Sure links are possible, too."""
        return {**self.possible, **self.sure}


def recognise(text: str) -> bool:
    """Tell lines of links in either format."""
    lines = [line for line in text.split("\n")[:-1] if line.strip()] or [text]
    return _is_naacl(lines) or all(_LINK.fullmatch(word) for line in lines for word in line.split())


def score(
    systems: Sequence[Source],
    golds: Sequence[Source],
    metrics: Sequence[str],
    texts: Sequence[Source] = (),
) -> Scored:
    """Columns of each sentence pair; ``texts``, the source's and the target's, check the links."""
    del metrics  # there is but one
    gold = the_gold(golds, "alignment")
    if len(texts) not in (0, 2):
        raise UsageError("the texts of both sides are needed, or neither", TEXTS)
    pairs = len(texts[0].lines) if texts else None
    truth = _pairs(gold, naacl=_is_naacl(gold.lines), count=pairs)
    _check_range(gold, truth, texts)
    rows = []
    for system in systems:
        said = _pairs(system, naacl=_is_naacl(system.lines), count=len(truth))
        check_counts("sentence pair", (system, len(said)), (gold, len(truth)))
        _check_range(system, said, texts)
        _check_numbering(system, said, gold, truth)
        rows.append([_counts(mine, theirs) for mine, theirs in zip(said, truth, strict=True)])
    return Scored(columns=stack(rows, COLUMNS))


def _counts(system: Links, gold: Links) -> tuple[int, int, int, int]:
    links = system.all.keys()
    return (
        len(links),
        len(gold.sure),
        len(links & gold.sure.keys()),
        len(links & gold.all.keys()),
    )


def _is_naacl(lines: Sequence[str]) -> bool:
    return any(line.strip() for line in lines) and all(
        _NAACL.fullmatch(line) for line in lines if line.strip()
    )


def _pairs(source: Source, *, naacl: bool, count: int | None) -> list[Links]:
    check_not_empty(source)
    if naacl:
        return _of_links(source, count)
    pairs = []
    for number, line in enumerate(source.lines, start=1):
        pair = Links()
        for word in line.split():
            link = _LINK.fullmatch(word)
            if link is None:
                raise FormatError(
                    f"{source.at(number)}: {word!r} is no link: write 3-4 for a sure link of the "
                    "words 3 and 4, counted from zero, and 3?4 for a possible one"
                )
            kind = pair.sure if link[2] == "-" else pair.possible
            kind[int(link[1]), int(link[3])] = number
        pairs.append(pair)
    return pairs


def _of_links(source: Source, count: int | None) -> list[Links]:
    """Sentence pairs of a file with one link per line; pairs without links are not in the file.

    How many there are is known from the texts or the gold; else a gold must leave none out.
    """
    found: dict[int, Links] = {}
    for number, line in enumerate(source.lines, start=1):
        link = _NAACL.fullmatch(line)
        if link is None:
            continue  # an empty line
        sentence, a, b = (int(part) for part in link.groups()[:3])
        if count is not None and sentence > count:
            raise AlignmentError(
                f"{source.at(number)}: there is no sentence pair {sentence:,}, as there are "
                f"{count:,}: write its number, then those of the two words"
            )
        if 0 in (sentence, a, b):
            raise FormatError(
                f"{source.at(number)} has a zero: in this format sentences and words are counted "
                "from one"
            )
        pair = found.setdefault(sentence, Links())
        (pair.possible if link[4] == "P" else pair.sure)[a - 1, b - 1] = number
    gap = next(k for k in range(1, len(found) + 2) if k not in found)
    if count is None and gap <= len(found):
        raise AlignmentError(
            f"{source.name} has links of sentence pair {max(found):,} and none of {gap:,}",
            TEXTS,
        )
    return [found.get(k + 1, Links()) for k in range(count or len(found))]


def _check_range(source: Source, pairs: Sequence[Links], texts: Sequence[Source]) -> None:
    """Refuse links to words that the sentences do not have."""
    for side, text in enumerate(texts):
        check_counts("sentence pair", (source, len(pairs)), (text, len(text.lines)))
        for pair, line in zip(pairs, text.lines, strict=True):
            words = len(line.split())
            for link, number in pair.all.items():
                if link[side] >= words:
                    hint = "; are its words counted from one?" if link[side] == words else ""
                    raise AlignmentError(
                        f"{source.at(number)}: the link {link[0]}-{link[1]} is out of range, as "
                        f"{text.name} has {words} words there, 0 to {words - 1}{hint}"
                    )


def _check_numbering(
    system: Source, said: Sequence[Links], gold: Source, truth: Sequence[Links]
) -> None:
    """Refuse files of which one counts words from zero and the other from one."""
    starts = [
        min((word for pair in pairs for link in pair.all for word in link), default=0)
        for pairs in (said, truth)
    ]
    if len(truth) >= FEW_LINES and starts in ([0, 1], [1, 0]):
        zero, one = (system, gold) if starts[0] == 0 else (gold, system)
        raise AlignmentError(
            f"{zero.name} has links to word 0 and {one.name} has none in {len(truth):,} lines: it "
            "seems to count words from one; let both count from zero"
        )
