"""Judgments: who was preferred, pair by pair, as battles and side-by-side ratings record it.

Winners are named, or given by codes such as ``model_a``, ``2`` and ``tie``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.data.arrays import TEXT, aligned, as_array, as_counts, as_floats
from betterthan.data.labels import Labels, as_labels, check_unique, given_labels, places_of
from betterthan.data.tally import Tally
from betterthan.errors import BadValueError, DataError, first_few
from betterthan.numeric import Floats, Ints

SIDES = [
    tuple(pair.split("/"))
    for pair in (
        "left/right a/b 1/2 x/y model_a/model_b model_1/model_2 model_x/model_y "
        "generator_1/generator_2 true/false"
    ).split()
]
CODES = {code: won for pair in SIDES for code, won in zip(pair, (1.0, 0.0), strict=True)}
DRAWS = "tie draw equal same both neither bothbad tiebothbad bothgood 0.5".split()

Words = Sequence[object] | NDArray[Any]
Judged = tuple[str, str, str]
"""A word for the winner, and the left and the right system."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """Pairwise judgments: build them with :meth:`from_arrays` or :func:`betterthan.read`.

    Attributes
    ----------
    systems : tuple of str
        Names, in order of first appearance.
    left, right : (rows,) array of int
        Positions in ``systems`` of the two that were compared.
    outcome : (rows,) array
        1 where left won, 0 where right won, 0.5 for a draw.
    items, judges : array of str or None
        What was judged (the prompt) and by whom.
    clusters : array of str or None
        What is resampled as one; the items where None, single judgments where there are none.
    source : str
        What was read and how it was understood, on one line.
    notes : tuple of str
        What the reader should know about the data.
    counts : (rows,) array of int or None
        How many judgments each row stands for; one where None.
    """

    systems: tuple[str, ...]
    left: Ints
    right: Ints
    outcome: Floats
    items: Labels | None = None
    judges: Labels | None = None
    clusters: Labels | None = None
    source: str = ""
    notes: tuple[str, ...] = ()
    counts: Ints | None = None

    def __post_init__(self) -> None:
        n = len(self.outcome)
        if n == 0:
            raise DataError("there are no judgments: the data are empty")
        columns = [self.left, self.right, self.items, self.judges, self.clusters]
        if any(len(x) != n for x in columns if x is not None):
            raise DataError(f"left, right and labels must each have {n:,} entries")
        check_unique("system", self.systems)
        itself = np.flatnonzero(self.left == self.right)
        if itself.size:
            rows = first_few(f"row {i + 1}" for i in itself)
            raise DataError(f"a system is compared with itself in {rows}: remove those judgments")
        bad = np.flatnonzero(~np.isin(self.outcome, (0.0, 0.5, 1.0)))
        if bad.size:
            raise BadValueError(
                f"outcome must be 1 (left won), 0.5 (draw) or 0, not {self.outcome[bad[0]]} "
                f"(row {bad[0] + 1} and {bad.size - 1:,} more)"
            )
        if self.counts is not None:
            object.__setattr__(self, "counts", as_counts(self.counts, n))
        for array in (self.left, self.right, self.outcome):
            array.flags.writeable = False

    def __repr__(self) -> str:
        return f"<Judgments: {self.n:,} of {len(self.systems)} systems {self.systems[:5]}>"

    @property
    def n(self) -> int:
        """Number of judgments."""
        return len(self.outcome) if self.counts is None else int(self.counts.sum())

    def select(self, *systems: str) -> Self:
        """Return the judgments between some of the systems, in the order given."""
        place = np.full(len(self.systems), -1)
        place[places_of(systems, self.systems)] = np.arange(len(systems))
        left, right = place[self.left], place[self.right]
        rows = np.flatnonzero((left >= 0) & (right >= 0))
        columns = {"left": left, "right": right, "outcome": self.outcome, "items": self.items}
        columns |= {"judges": self.judges, "clusters": self.clusters, "counts": self.counts}
        chosen: Any = {name: x if x is None else x[rows] for name, x in columns.items()}
        return replace(self, systems=systems, **chosen)

    def counted(self) -> dict[str, list[Any]]:
        """Distinct judgments and how often each occurs: all that a ranking needs.

        Judgments of one unit (a cluster, or else an item) are told apart from those of others by
        its number, which keeps the order of their names but not the names.
        """
        labels = self.items if self.clusters is None else self.clusters
        unit = np.zeros_like(self.left)
        if labels is not None:
            _, unit = np.unique(labels, return_inverse=True)
        columns = [unit, self.left, self.right, (2 * self.outcome).astype(np.int64)]
        tally = Tally.of(columns, self.counts)
        units, left, right, twice = tally.rows.T.tolist()
        digits = len(str(max(units)))
        winners = ("model_b", "tie", "model_a")
        return {
            **({} if labels is None else {"item": [f"{k:0{digits}d}" for k in units]}),
            "model_a": [self.systems[k] for k in left],
            "model_b": [self.systems[k] for k in right],
            "winner": [winners[k] for k in twice],
            "count": tally.counts.tolist(),
        }

    @classmethod
    def from_arrays(
        cls,
        left: Words,
        right: Words,
        outcome: Words,
        *,
        items: Words | None = None,
        judges: Words | None = None,
        clusters: Words | None = None,
        counts: Sequence[int] | Ints | None = None,
    ) -> Self:
        """Judgments from names and outcomes, each of which stands for ``counts`` judgments.

        ``outcome`` holds numbers (1, 0.5, 0), the words ``left``/``right``/``tie`` or
        ``model_a``/``model_b``/``tie (bothbad)``, or the winners' names. Where a word or a whole
        number names one system and as a code means the other, and the other outcomes do not say
        which, there is an error. Series of pandas are paired by their index, all else by position.

        Examples
        --------
        >>> Judgments.from_arrays(["a", "b", "a"], ["b", "c", "c"], ["left", "tie", "right"])
        <Judgments: 3 of 3 systems ('a', 'b', 'c')>
        """
        sides = {"left": left, "right": right, "outcome": outcome}
        labels: dict[str, Any] = {"items": items, "judges": judges, "clusters": clusters}
        sides, labels, _ = aligned(sides, {**labels, "counts": counts})
        first, second = (given_labels(sides[name], name).tolist() for name in ("left", "right"))
        won = as_array(sides["outcome"], "outcome")
        if won.shape != (len(first),) or len(first) != len(second):
            raise DataError(
                "left, right and outcome must have one entry per judgment, got "
                f"{len(first):,}, {len(second):,} and {won.size:,}"
            )
        for name, blank in {"items": None, "judges": "", "clusters": None}.items():
            if labels[name] is not None:
                labels[name] = given_labels(labels[name], name, blank=blank)
        systems = tuple(dict.fromkeys(chain.from_iterable(zip(first, second, strict=True))))
        code = {name: k for k, name in enumerate(systems)}
        return cls(
            systems=systems,
            left=np.fromiter(map(code.__getitem__, first), np.int64),
            right=np.fromiter(map(code.__getitem__, second), np.int64),
            outcome=_outcomes(won, first, second),
            **labels,
        )


def _outcomes(won: NDArray[Any], left: list[str], right: list[str]) -> Floats:
    """Outcomes of numbers that name no system, or of words."""
    words = as_labels(won).tolist()
    text = {*map(type, won.tolist())} & TEXT
    if won.dtype.kind == "f" or not (text or {*left, *right} & {*words}):
        return as_floats(won, "outcome")
    rows: list[Judged] = list(zip(words, left, right, strict=True))
    distinct = list(dict.fromkeys(rows))
    known = dict(zip(distinct, outcomes(distinct, "outcome"), strict=True))
    unread = next((row for row, outcome in known.items() if outcome is None), None)
    if unread is not None:
        word, *names = unread
        raise BadValueError(
            f"row {rows.index(unread) + 1}: cannot tell who won from {word!r}; write left, right "
            f"or tie, model_a, model_b or tie, or the winner's name (here {first_few(names)})"
        )
    return np.array([known[row] for row in rows], dtype=np.float64)


def outcomes(rows: Sequence[Judged], where: str) -> list[float | None]:
    """Who won, by name or by code: 1 left, 0.5 a draw, 0 right; None where a word is neither.

    A word may name one system and as a code mean the other. Then all winners are names if each of
    them is one, or codes if all are of one pair of :data:`SIDES`; if both or neither, the doubt is
    an error.

    >>> outcomes([(x, "gpt", "llama") for x in ("llama", "model_a", "tie (bothbad)", "")], "here")
    [0.0, 1.0, 0.5, None]
    """
    named, coded = [_named(*row) for row in rows], [_coded(word) for word, *_ in rows]
    read = list(zip(named, coded, rows, strict=True))
    doubtful = (row for name, code, row in read if None not in (name, code) and name != code)
    if (doubt := next(doubtful, None)) is not None:
        telling = [
            (name, _plain(row[0]))
            for name, code, row in read
            if row[0] and (name, code) != (None, 0.5)
        ]
        by_name = all(name is not None for name, _ in telling)
        by_code = any(all(word in pair for _, word in telling) for pair in SIDES)
        if by_name == by_code:
            word, left, right = doubt
            raise BadValueError(
                f"{where}: {word!r} may be the winner's name or a code ({left!r} against "
                f"{right!r}): write model_a, model_b or tie, or give the systems other names"
            )
        if by_code:
            return coded
    return [code if name is None else name for name, code, _ in read]


def _named(word: str, left: str, right: str) -> float | None:
    """Outcome where a word is a system's name, in any case if that tells the two apart."""
    exact = {right: 0.0, left: 1.0}.get(word.strip())
    if exact is not None or left.lower() == right.lower():
        return exact
    return {right.lower(): 0.0, left.lower(): 1.0}.get(word.strip().lower())


def _coded(word: str) -> float | None:
    """Outcome that a word stands for; None of any other word."""
    plain = _plain(word)
    draw = plain.translate(str.maketrans("", "", " ()_-")) in DRAWS
    return 0.5 if draw else CODES.get(plain)


def _plain(word: str) -> str:
    return word.strip().lower().removesuffix(".0")
