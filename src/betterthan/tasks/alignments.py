"""Word alignment: the error rate of Och & Ney (2003), with sure and possible links.

Two formats. Pharaoh: one sentence pair per line, links ``0-0 1-2``, words counted from zero; a
possible link of the gold is written ``1?2`` or ``1p2``. NAACL 2003 (Mihalcea & Pedersen, 2003): one
link per line, ``sentence source target [S|P] [confidence]``, all counted from one; sure by default.
Sentence pairs that have no links anywhere are not in such files, and count for nothing.

| metric | columns of a sentence pair                             | live | test  |
|--------|--------------------------------------------------------|------|-------|
| ``aer`` | ``links``, ``sure``, ``sure_hits``, ``possible_hits`` | 2    | exact |
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from betterthan.errors import AlignmentError
from betterthan.metrics import AER
from betterthan.tasks.sources import Scored, Source, check_counts, columns_of, fault, only

METRICS = ("aer",)
_PHARAOH = re.compile(r"(?P<source>[0-9]{1,15})(?P<kind>[-?p])(?P<target>[0-9]{1,15})")
_NAACL = re.compile(
    r"\s*(?P<pair>[0-9]{1,15})\s+(?P<source>[0-9]{1,15})\s+(?P<target>[0-9]{1,15})"
    r"(?:\s+(?P<kind>[SP]))?(?:\s+[\d.eE+-]+)?\s*"
)


class Links(NamedTuple):
    """Links of a sentence pair, ``(source, target)`` counted from one; sure ones are possible."""

    sure: set[tuple[int, int]]
    possible: set[tuple[int, int]]


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each sentence pair."""
    gold = only(golds)
    truth, answers = _links(gold), [_links(system) for system in systems]
    for system, pairs in zip(systems, answers, strict=True):
        if not any(_is_naacl(source.lines) for source in (system, gold)):
            check_counts("line", system, len(pairs), gold.name, len(truth))
        if (last := max(pairs)) > max(truth):
            text = f"{gold.name} has no sentence pair {last:,}"
            raise fault(system.at(), text, kind=AlignmentError)
    numbers, none = sorted({*truth}.union(*answers)), Links(set(), set())
    rows = [[_counts(pairs.get(k, none), truth.get(k, none)) for k in numbers] for pairs in answers]
    return Scored(columns=columns_of(AER.columns, rows))


def _counts(answer: Links, truth: Links) -> list[int]:
    hits = answer.possible & truth.sure, answer.possible & truth.possible
    return [len(links) for links in (answer.possible, truth.sure, *hits)]


def _is_naacl(lines: Sequence[str]) -> bool:
    return all(_NAACL.fullmatch(line) for line in lines if line.strip())


def _links(source: Source) -> dict[int, Links]:
    """Read the links of each sentence pair, by its number."""
    naacl = _is_naacl(source.lines)
    numbers = () if naacl else range(1, len(source.lines) + 1)
    pairs = {number: Links(set(), set()) for number in numbers}
    for number, line in enumerate(source.lines, start=1):
        for word in filter(str.strip, [line] if naacl else line.split()):
            link = (_NAACL if naacl else _PHARAOH).fullmatch(word)
            if link is None or (naacl and 0 in map(int, link.group("pair", "source", "target"))):
                form = "1 3 4 S" if naacl else "3-4 or 3?4"
                raise fault(source.at(number), f"{word!r} is not a link, such as {form}")
            links = pairs.setdefault(int(link["pair"]) if naacl else number, Links(set(), set()))
            words = int(link["source"]) + (not naacl), int(link["target"]) + (not naacl)
            links.possible.add(words)
            if link["kind"] in ("-", "S", None):
                links.sure.add(words)
    return pairs
