"""The scorer of the CoNLL 2018 shared task by its description, for whole files, slow and plain.

Zeman et al. (2018), "CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal
Dependencies", section 4, and the description of word matching in its scorer, version 1.2.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(eq=False)
class Node:
    """A word: its ten fields, characters, whether a multi-word token's, and its place in a tree."""

    fields: list[str]
    span: tuple[int, int]
    multi: bool
    parent: "Node | None" = None

    @property
    def form(self) -> str:
        return self.fields[1].replace(" ", "").replace("\u00a0", "").lower()

    @property
    def relation(self) -> str:
        return self.fields[7].split(":")[0]


def parsed(text: str) -> tuple[list[tuple[int, int]], list[Node]]:
    """Spans of sentences, and words."""
    sentences, words, at, token = [], [], 0, (0, 0)
    for block in text.strip("\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line[:1] != "#"]
        begin, mine, multi = at, [], 0
        for row in rows:
            if "." in row[0]:
                continue
            if "-" in row[0] or int(row[0]) > multi:
                length = len(row[1].replace(" ", "").replace("\u00a0", ""))
                token = at, at + length
                at += length
            if "-" in row[0]:
                multi = int(row[0].split("-")[1])
            else:
                mine.append(Node(row, token, int(row[0]) <= multi))
        for word in mine:
            if word.fields[6] != "0":
                word.parent = mine[int(word.fields[6]) - 1]
        words += mine
        sentences.append((begin, at))
    return sentences, words


def matched(gold: list[Node], system: list[Node]) -> list[tuple[Node, Node]]:
    """Aligned words: by characters, and by a common subsequence in spans of multi-word tokens."""
    if not gold or not system:
        return []
    g, s = gold[0], system[0]
    if not g.multi and not s.multi:
        if g.span == s.span:
            return [(g, s), *matched(gold[1:], system[1:])]
        late = g.span[0] > s.span[0]
        return matched(gold, system[1:]) if late else matched(gold[1:], system)
    end = g.span[1] if g.multi else s.span[1]
    if g.multi and not s.multi and s.span[0] < g.span[0]:
        system = system[1:]
    elif not g.multi and g.span[0] < s.span[0]:
        gold = gold[1:]
    inside: tuple[list[Node], list[Node]] = ([], [])

    def outside(words: list[Node]) -> bool:
        first = words[0] if words else None
        return not first or (first.span[0] >= end if first.multi else first.span[1] > end)

    while not outside(gold) or not outside(system):
        ours = bool(gold) and (not system or gold[0].span[0] <= system[0].span[0])
        word = (gold if ours else system)[0]
        gold, system = (gold[1:], system) if ours else (gold, system[1:])
        inside[not ours].append(word)
        end = max(end, word.span[1]) if word.multi else end
    return [*common(*inside), *matched(gold, system)]


def common(a: list[Node], b: list[Node]) -> list[tuple[Node, Node]]:
    """A longest common subsequence of forms; the gold's word is left out where that is no loss."""

    @cache
    def longest(i: int, j: int) -> int:
        if i == len(a) or j == len(b):
            return 0
        same = 1 + longest(i + 1, j + 1) if a[i].form == b[j].form else 0
        return max(same, longest(i + 1, j), longest(i, j + 1))

    pairs, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i].form == b[j].form:
            pairs.append((a[i], b[j]))
            i, j = i + 1, j + 1
        elif longest(i, j) == longest(i + 1, j):
            i += 1
        else:
            j += 1
    return pairs


def totals(gold_text: str, system_text: str) -> dict[str, tuple[int, int, int]]:
    """Right, the gold's and the system's words, of every metric."""
    (_, gold), (_, system) = parsed(gold_text), parsed(system_text)
    pairs = matched(gold, system)
    partner: dict[Any, Any] = {s: g for g, s in pairs} | {None: None}

    def attached(g: Node, s: Node) -> bool:
        return bool(g.parent == partner.get(s.parent, "nowhere"))

    rules: dict[str, Any] = {
        "ud-words": lambda g, s: True,
        "upos": lambda g, s: g.fields[3] == s.fields[3],
        "xpos": lambda g, s: g.fields[4] == s.fields[4],
        "lemmas": lambda g, s: g.fields[2] in ("_", s.fields[2]),
        "uas": attached,
        "las": lambda g, s: attached(g, s) and g.relation == s.relation,
    }
    return {
        name: (sum(rule(g, s) for g, s in pairs), len(gold), len(system))
        for name, rule in rules.items()
    }
