"""Translation edit rate (Snover et al., 2006): sacrebleu's counts, also of long lines.

Words are shifted, the best shift at a time, until no shift brings the line nearer to its
reference; each shift is one edit, and so is each word that must still be inserted, deleted or
replaced. Distances are those of a beam around the diagonal, as in Tercom and in sacrebleu, whose
limits and ties are kept to the letter: the counts are equal. What differs is the price of a shift
that is tried. It leaves the words before and after it where they are, so the rows of the dynamic
programme before it are known, and the rows behind it from the other end: only those between are
filled, those of all shifts at once.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from betterthan.errors import TooLargeError
from betterthan.numeric import Ints

LONGEST_SHIFT = 10
FARTHEST_SHIFT = 50
BEAM = 25
MOST_SHIFTS = 1000  # that are tried for a line
MOST_WORDS = 20_000  # of a line: some seconds at worst
NEVER = 1 << 29


class Shift(NamedTuple):
    """Move the words ``start : start + length`` to where the word ``target`` stands."""

    length: int
    start: int
    target: int

    def ends(self, size: int) -> tuple[int, int]:
        """The first word of so many that moves, and the first that stands still again."""
        if self.target < self.start:
            return self.target, self.start + self.length
        if self.target > self.start + self.length:
            return self.start, self.target
        return self.start, min(self.target + self.length, size)

    def between(self, words: list[int]) -> list[int]:
        """The words between those ends, after the shift."""
        first, end = self.ends(len(words))
        moved = words[self.start : self.start + self.length]
        if self.target < self.start:
            return moved + words[first : self.start]
        return words[self.start + self.length : end] + moved


def edits(words: Sequence[str], reference: Sequence[str]) -> int:
    """Shifts, insertions, deletions and substitutions that make the reference of the words.

    >>> edits("a b c d".split(), "a c d b".split()), edits([], ["a"]), edits(["a"], [])
    (1, 1, 1)
    """
    if not words or not reference:
        return len(words) + len(reference)
    if max(len(words), len(reference)) > MOST_WORDS:
        raise TooLargeError(
            f"a segment of {max(len(words), len(reference)):,} words is too long for TER (at most "
            f"{MOST_WORDS:,}): split it, for example into sentences"
        )
    codes = {word: k for k, word in enumerate(dict.fromkeys([*words, *reference]))}
    line, gold = [codes[word] for word in words], [codes[word] for word in reference]
    beam = Beam.of(len(line), gold)
    shifts = tried = 0
    while True:
        costs = beam.costs(line)
        distance = int(costs[-1, len(gold) - beam.low[-1] + 1]) + len(gold)
        candidates = list(_shifts(line, gold, Alignment.of(beam, costs, line), tried))
        tried += len(candidates)
        if not candidates or tried >= MOST_SHIFTS:
            return shifts + distance
        distances = beam.shifted(line, candidates, costs)
        # Nearest first, then as Tercom ranks them: the longest, then the earliest.
        nearest, _, _, _, best = min(
            (d, -s.length, s.start, s.target, s)
            for d, s in zip(distances.tolist(), candidates, strict=True)
        )
        if nearest >= distance:
            return shifts + distance
        first, end = best.ends(len(line))
        line[first:end] = best.between(line)
        shifts += 1


@dataclass(frozen=True)
class Beam:
    """Cells ``low[i] <= j < high[i]`` of row i: the cost of the first i words as the first j.

    Kept is the cost less j, so that an insertion costs nothing and the least cost so far along a
    row is what is reached by insertions. A row is as wide as the widest, from ``low[i]`` on, and
    is framed by cells that are never reached: one before, and as many behind as rows step aside.
    """

    low: Ints
    high: Ints
    gold: Ints
    consumed: Ints  # the reference's word of each cell
    beyond: Ints  # never where a row has no cell, else far below any cost
    step: Ints

    @staticmethod
    def of(n: int, gold: list[int]) -> "Beam":
        """The beam of a line of n words, which follows the diagonal from corner to corner."""
        m, ratio = len(gold), len(gold) / n
        width = ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
        diagonal = [floor(i * ratio) for i in range(n + 1)]
        low = np.array([max(0, d - width) for d in diagonal])
        high = np.array([min(m + 1, d + width) for d in diagonal])
        high[n] = m + 1
        high[0] = high[1]  # all of the first row is known; no more of it is looked at
        return Beam._within(low, high, np.array(gold))

    @staticmethod
    def _within(low: Ints, high: Ints, gold: Ints) -> "Beam":
        cell = low[:, None] + np.arange((high - low).max())
        consumed = np.where(cell > 0, gold[np.clip(cell - 1, 0, gold.size - 1)], -1)
        beyond = np.where(cell < high[:, None], -NEVER, NEVER)
        return Beam(low, high, gold, consumed, beyond, np.diff(low, prepend=0))

    def mirrored(self) -> "Beam":
        """The same cells, seen from the last one."""
        size = self.gold.size + 1
        return Beam._within(size - self.high[::-1], size - self.low[::-1], self.gold[::-1])

    @property
    def width(self) -> int:
        """Of the widest row."""
        return int(self.consumed.shape[1])

    def costs(self, line: list[int]) -> Ints:
        """Costs from the first cell to every other, a row for each word and one before them."""
        width = self.width
        rows = np.full((len(line) + 1, 1 + width + int(self.step.max())), NEVER)
        rows[0, 1 : width + 1] = np.maximum(0, self.beyond[0])
        same = self.consumed[1:] == np.array(line)[:, None]
        for i, step in enumerate(self.step[1:].tolist()):
            kept = rows[i, step : step + width] - same[i]
            deleted = rows[i, step + 1 : step + 1 + width] + 1
            reached = np.minimum.accumulate(np.minimum(kept, deleted))
            np.maximum(reached, self.beyond[i + 1], out=rows[i + 1, 1 : width + 1])
        return rows

    def shifted(self, line: list[int], shifts: "list[Shift]", costs: Ints) -> Ints:
        """Distance of the line after each of the shifts alone."""
        ends = np.array([shift.ends(len(line)) for shift in shifts])
        order = np.argsort(ends[:, 0] - ends[:, 1], kind="stable")  # the longest first
        first, end = ends[order].T
        sizes = end - first
        words = np.full((len(shifts), sizes[0]), -1)
        for k, shift in enumerate(order.tolist()):
            words[k, : sizes[k]] = shifts[shift].between(line)
        cell, each = np.arange(self.width), np.arange(len(shifts))[:, None]
        rows = costs[first]
        for k in range(int(sizes[0])):
            n = int(np.searchsorted(-sizes, -k))  # those that have words left
            row = first[:n] + k + 1
            above = rows[each[:n], self.step[row, None] + np.arange(self.width + 1)]
            kept = above[:, :-1] - (self.consumed[row] == words[:n, k, None])
            reached = np.minimum.accumulate(np.minimum(kept, above[:, 1:] + 1), axis=1)
            rows[:n, 1 : self.width + 1] = np.maximum(reached, self.beyond[row])
        back = self.mirrored()
        rest = back.costs(line[::-1])[len(line) - end]  # what the words from there on cost
        # The cell j is the cell m - j of the mirrored row; both leave out the words consumed.
        mirror = self.gold.size - self.low[end] - back.low[len(line) - end]
        there = np.clip(mirror[:, None] - cell + 1, 0, back.width + 1)
        distances = np.empty(len(shifts), dtype=np.int64)
        through = rows[:, 1 : self.width + 1] + rest[each, there]
        distances[order] = through.min(axis=1) + self.gold.size
        return distances


@dataclass(frozen=True)
class Alignment:
    """Where each word of the reference stands in the line, and how many errors precede each word.

    A word that is missing in the line stands where the last one before it does.
    """

    places: list[int]
    line_errors: list[int]
    gold_errors: list[int]

    @staticmethod
    def of(beam: Beam, costs: Ints, line: list[int]) -> "Alignment":
        """Of ties, a word stays or is replaced before it is deleted, and that before inserted."""
        low, cost, gold = beam.low.tolist(), costs.tolist(), beam.gold.tolist()
        i, j = len(line), len(gold)
        places, in_line, in_gold = [0] * j, [0] * i, [0] * j

        def at(i: int, j: int) -> int:
            k = j - low[i] + 1
            return j + cost[i][k] if 0 <= k <= beam.width else NEVER

        while i or j:
            here = at(i, j) if i else 0
            same = i and j and line[i - 1] == gold[j - 1]
            if i and j and at(i - 1, j - 1) + (not same) == here:
                i, j = i - 1, j - 1
                places[j], in_line[i], in_gold[j] = i, not same, not same
            elif i and (not j or at(i - 1, j) + 1 == here):
                i -= 1
                in_line[i] = 1
            else:
                j -= 1
                places[j], in_gold[j] = i - 1, 1
        return Alignment(places, [0, *accumulate(in_line)], [0, *accumulate(in_gold)])


def _shifts(line: list[int], gold: list[int], aligned: Alignment, tried: int) -> Iterator[Shift]:
    """Shifts of words that are wrong where they stand to where the reference has them."""
    where: dict[int, list[int]] = {}
    for place, word in enumerate(gold):
        where.setdefault(word, []).append(place)
    wrong, missed, places = aligned.line_errors, aligned.gold_errors, aligned.places
    for start, word in enumerate(line):
        if wrong[min(start + LONGEST_SHIFT, len(line))] == wrong[start]:
            continue
        homes = where.get(word, [])
        near = bisect_left(homes, start - FARTHEST_SHIFT)
        for home in homes[near : bisect_left(homes, start + FARTHEST_SHIFT + 1)]:
            for length in range(1, LONGEST_SHIFT + 1):
                end = start + length
                if (
                    end > len(line)
                    or home + length > len(gold)
                    or line[end - 1] != gold[home + length - 1]
                ):
                    break
                if (
                    wrong[end] == wrong[start]
                    or missed[home + length] == missed[home]
                    or start <= places[home] < end
                ):
                    continue
                before = -1
                for place in range(home - 1, home + length):
                    target = places[place] + 1 if place >= 0 else 0
                    if target != before:
                        tried += 1
                        yield Shift(length, start, target)
                    before = target
                if tried >= MOST_SHIFTS:
                    return
