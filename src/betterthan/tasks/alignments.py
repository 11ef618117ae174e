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
from collections import Counter
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
Link = tuple[int, int, int]  # sentence pair, source word, target word; all counted from one


class Links(NamedTuple):
    """Links of a file, of which sure ones are possible, too; and its sentence pairs."""

    sure: set[Link]
    possible: set[Link]
    pairs: set[int]


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each sentence pair."""
    gold = only(golds)
    truth, answers = _links(gold), [_links(system) for system in systems]
    for system, links in zip(systems, answers, strict=True):
        if not any(_is_naacl(source.lines) for source in (system, gold)):
            check_counts("line", system, len(links.pairs), gold.name, len(truth.pairs))
        if (last := max(links.pairs)) > max(truth.pairs):
            raise fault(
                system.at(), f"{gold.name} has no sentence pair {last:,}", kind=AlignmentError
            )
    pairs = sorted(truth.pairs.union(*(links.pairs for links in answers)))

    def row(links: Links) -> list[list[int]]:
        hits = links.possible & truth.sure, links.possible & truth.possible
        counts = [
            Counter(pair for pair, _, _ in each) for each in (links.possible, truth.sure, *hits)
        ]
        return [[count[pair] for count in counts] for pair in pairs]

    return Scored(columns=columns_of(AER.columns, list(map(row, answers))))


def _is_naacl(lines: Sequence[str]) -> bool:
    return all(_NAACL.fullmatch(line) for line in lines if line.strip())


def _links(source: Source) -> Links:
    naacl = _is_naacl(source.lines)
    links: dict[Link, bool] = {}  # and whether each is sure
    for number, line in enumerate(source.lines, start=1):
        for word in filter(str.strip, [line] if naacl else line.split()):
            link = (_NAACL if naacl else _PHARAOH).fullmatch(word)
            if link is None or (naacl and 0 in map(int, link.group("pair", "source", "target"))):
                form = "1 3 4 S" if naacl else "3-4 or 3?4"
                raise fault(source.at(number), f"{word!r} is not a link, such as {form}")
            pair = int(link["pair"]) if naacl else number
            key = pair, int(link["source"]) + (not naacl), int(link["target"]) + (not naacl)
            links[key] = links.get(key, False) or link["kind"] in ("-", "S", None)
    pairs = {pair for pair, _, _ in links} if naacl else {*range(1, len(source.lines) + 1)}
    return Links({link for link, sure in links.items() if sure}, {*links}, pairs)
