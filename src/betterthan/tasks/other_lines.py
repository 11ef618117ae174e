"""Lines that are paired with the reference of another line.

A line is compared with its own reference, its neighbours' and a few far ones, which are the same
for every system: nothing is searched for, so a line that belongs to none of them fits its own best
as often as any other. What two lines share is Dice's coefficient of their character trigrams.

=================  ==============================================================================
a wrong file       own references fit no better than the others, over the whole file
a lost line        from some line on, the neighbour at one distance fits best, line after line
misplaced lines    a stretch fits at random, and its lines belong to references elsewhere
=================  ==============================================================================

Stretches are the largest sums of votes over neighbouring lines (Bentley, 1984; Page, 1954). Lines
that are empty or occur twice in an output vote for nothing: a system that gives up is no shift.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import Choice, Note, Remedy
from betterthan.tasks.sources import Source

NEAR = (-3, -2, -1, 1, 2, 3)
FAR = 4
MOST_LINES, PARTS = 5000, 10  # of longer files, so many lines in so many runs
FEW_LINES, FEW_WORDS = 20, 4  # below either, what lines share says little
CLEAR = 2.0  # standard errors by which own references must fit better
STEADY = 3.0  # standard errors of fair votes for a shift: nine lines of one mind
ASTRAY = 6.0  # what some 24 lines in a row sum up to that fit at random
SOME_LINES, BELONG = 50, 2 / 3  # of so many such lines, this share must fit another reference
Lines = Sequence[str]
Floats = NDArray[np.float64]
Trigrams = set[str]


@dataclass(frozen=True, slots=True)
class Fits:
    """How well the lines at some places fit their own reference, near ones and far ones.

    There is a row for each place, and NaN where a near reference is beyond the end of the file.
    """

    places: NDArray[np.int64]
    own: Floats
    near: Floats
    far: Floats

    @property
    def worse(self) -> Floats:
        """Which share of other references fit a line better than its own; half, at random."""
        others, own = np.hstack([self.near, self.far]), self.own[:, None]
        votes = (others > own) + (others == own) / 2
        return np.asarray(np.nanmean(np.where(np.isnan(others), np.nan, votes), axis=1))


class References:
    """The trigrams of references, at the places that are looked at and beside them."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.places = _places(len(lines))
        self._known: dict[int, Trigrams] = {}

    def __getitem__(self, k: int) -> Trigrams:
        if k not in self._known:
            self._known[k] = trigrams(self.lines[k])
        return self._known[k]

    @property
    def telling(self) -> bool:
        """Whether there are enough lines, of enough words, that differ."""
        some = [self.lines[k] for k in self.places]
        words = sum(len(line.split()) for line in some)
        return len(some) >= FEW_LINES and words >= FEW_WORDS * len(some) and not _repeats(some)


def places_note(system: Source, gold: Source, references: References) -> tuple[Note, ...]:
    """Say so if the lines of a file, or a stretch of them, belong to other references."""
    text = _misplaced(system, gold, references)
    remedy = Remedy("score against the references of these lines", "ref", Choice("FILE"))
    return (Note(text, remedy, beside_verdict=True),) if text else ()


def _misplaced(system: Source, gold: Source, references: References) -> str:
    """Say which lines fit others better than their own; empty where none do."""
    if _repeats([system.lines[k] for k in references.places]):
        return ""
    fits = _fits(system.lines, references)
    if len(fits.places) < FEW_LINES:
        return ""
    shift = _shift(fits)
    worse = fits.worse
    # A rank among others is uniform where a line belongs to none of them: its variance is 1/12.
    wrong = (0.5 - worse.mean()) * np.sqrt(12 * len(worse)) <= CLEAR
    if wrong and (shift is None or shift[1] <= max(NEAR)):  # else it can be told where it went so
        k = int(fits.places[np.argmax(worse)])
        hint = f"; better with {_lines_off(shift[0])}" if shift else ""
        return (
            f"the lines of {system.name} have no more in common with their own lines of "
            f"{gold.name} than with others (line {k + 1:,}: {_short(system.lines[k])} against "
            f"{_short(references.lines[k])}){hint}"
        )
    if shift:
        by, first, last = shift
        at = _example(fits, by, first, last)
        return (
            f"{system.name} looks shifted against {gold.name} from {_about(system)}line "
            f"{first + 1:,}{_to(last, system)}: its lines fit {_lines_off(by)} better than their "
            f"own (line {at + 1:,}: {_short(system.lines[at])} fits line {at + by + 1:,}, "
            f"{_short(references.lines[at + by])}); a line is lost or one too many in one of the "
            "files"
        )
    found = _astray(fits, worse, system, references)
    if not found:
        return ""
    first, last, at, other = found
    return (
        f"{system.name} looks out of order against {gold.name} from about line {first + 1:,}"
        f"{_to(last, system)}: its lines fit other lines better than their own (line {at + 1:,}: "
        f"{_short(system.lines[at])} fits line {other + 1:,}, {_short(references.lines[other])})"
    )


def trigrams(line: str) -> Trigrams:
    """Three characters at a time, whatever their case: that is for the metric to mind.

    >>> sorted(trigrams("Abcd"))
    ['abc', 'bcd']
    """
    line = line.lower()
    return {line[k : k + 3] for k in range(len(line) - 2)}


def _shift(fits: Fits) -> tuple[int, int, int] | None:
    """Find by how many lines a stretch is shifted, its first line and its last, if any is.

    A line votes for the distance that alone fits it best. Were it of neither, it would vote as
    often for its own reference as for a neighbour, and the sum would be a random walk; and nonsense
    would vote for all neighbours alike, so that none had half of the votes.
    """
    near = np.nan_to_num(fits.near, nan=-1.0)
    top = np.maximum(near.max(axis=1), fits.own)
    alone = (near == top[:, None]).sum(axis=1) + (fits.own == top) == 1
    home = alone & (fits.own == top)
    found, most = None, 0.0
    for column, by in enumerate(NEAR):
        here = alone & (near[:, column] == top)
        votes = here * 1.0 - home
        start, end, total = _largest_sum(votes)
        steady = total >= STEADY * np.sqrt(np.abs(votes[start:end]).sum())
        if total > most and steady and here[start:end].sum() >= alone[start:end].sum() / 2:
            found, most = (by, int(fits.places[start]), int(fits.places[end - 1])), total
    return found


def _astray(
    fits: Fits, worse: Floats, system: Source, references: References
) -> tuple[int, int, int, int] | None:
    """Find a stretch that fits at random while its lines do belong to other references.

    Without the second condition a system that talks nonsense for a while would be refused. A line
    belongs to a reference that it is nearer to than all other references are; nonsense in the
    words of the references did so for at most half of its lines. Gives the first line and the
    last, and a line with the reference that it fits.
    """
    start, end, total = _largest_sum(worse - 0.25)  # halfway between fitting and chance
    if total < ASTRAY:
        return None
    lost = np.flatnonzero(worse[start:end] >= 0.5) + start
    some = lost[:: max(len(lost) // SOME_LINES, 1)]
    found = [_nearest(trigrams(system.lines[fits.places[k]]), references, "") for k in some]
    apart = [_nearest(references[k], references, references.lines[k])[0] for _, k in found]
    pairs = zip(found, apart, strict=True)
    belong = {references.lines[k] for (fit, k), other in pairs if fit > other}  # or it is stuck
    if len(belong) < BELONG * len(some):
        return None
    best = max(range(len(some)), key=lambda k: found[k][0] - fits.own[some[k]])
    ends = fits.places[start], fits.places[end - 1], fits.places[some[best]]
    first, last, at = map(int, ends)
    return first, last, at, found[best][1]


def _nearest(mine: Trigrams, references: References, but: str) -> tuple[float, int]:
    """Find the reference that shares most with a line, but for a text: how much, and where."""
    fits = (
        (_dice(mine, references[k]), k) for k in references.places if references.lines[k] != but
    )
    return max(fits)


def _fits(lines: Lines, references: References) -> Fits:
    n, all_places = len(lines), references.places
    times = Counter(lines[k] for k in all_places)
    votes = [p for p, k in enumerate(all_places) if lines[k].strip() and times[lines[k]] == 1]
    steps = [len(all_places) * k // (FAR + 1) for k in range(1, FAR + 1)]
    own, near, far = [], [], []
    for p in votes:
        k = all_places[p]
        mine = trigrams(lines[k])
        own.append(_dice(mine, references[k]))
        near.append([_dice(mine, references[k + s]) if 0 <= k + s < n else np.nan for s in NEAR])
        others = [all_places[(p + step) % len(all_places)] for step in steps]
        far.append([_dice(mine, references[other]) for other in others])
    places = np.array([all_places[p] for p in votes], dtype=np.int64)
    return Fits(places, np.array(own), np.array(near), np.array(far))


def _largest_sum(values: Floats) -> tuple[int, int, float]:
    """Find where the neighbouring values with the largest sum begin and end, and the sum.

    >>> _largest_sum(np.array([-1.0, 2.0, -1.0, 3.0, -2.0]))
    (1, 4, 4.0)
    """
    sums = np.concatenate([[0.0], np.cumsum(values)])
    end = int(np.argmax(sums - np.minimum.accumulate(sums)))
    start = int(np.argmin(sums[: end + 1]))
    return start, end, float(sums[end] - sums[start])


def _places(n: int) -> list[int]:
    """All lines of a file; of a long one, runs of lines spread evenly, up to the end."""
    if n <= MOST_LINES:
        return list(range(n))
    run = MOST_LINES // PARTS
    return [s + k for s in np.linspace(0, n - run, PARTS).astype(int).tolist() for k in range(run)]


def _example(fits: Fits, by: int, first: int, last: int) -> int:
    """Find the line of a stretch that speaks loudest for a shift."""
    gain = fits.near[:, NEAR.index(by)] - fits.own
    inside = (fits.places >= first) & (fits.places <= last)
    return int(fits.places[np.nanargmax(np.where(inside, gain, np.nan))])


def _dice(a: Trigrams, b: Trigrams) -> float:
    return 2 * len(a & b) / (len(a) + len(b) or 1)


def _lines_off(by: int) -> str:
    """Say where to look.

    >>> _lines_off(1), _lines_off(-2)
    ('those one line later', 'those 2 lines earlier')
    """
    far = "one line" if abs(by) == 1 else f"{abs(by)} lines"
    return f"those {far} {'later' if by > 0 else 'earlier'}"


def _about(source: Source) -> str:
    return "about " * (len(source.lines) > MOST_LINES)


def _to(last: int, source: Source) -> str:
    near_end = last + 1 + max(NEAR) >= len(source.lines)
    return " on" if near_end else f" to about line {last + 1:,}"


def _repeats(lines: Lines) -> bool:
    return len(set(lines)) < len(lines) / 2


def _short(line: str, width: int = 40) -> str:
    return repr(line if len(line) <= width else f"{line[: width - 3]}...")
