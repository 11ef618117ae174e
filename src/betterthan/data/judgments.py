"""Judgments: who was preferred, pair by pair, as battles and side-by-side ratings record it.

Winners are named, or given by codes such as ``model_a``, ``2`` and ``tie``.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isnan
from typing import Any, Literal, Self, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from betterthan.data.arrays import aligned, as_array
from betterthan.data.labels import (
    Labels,
    as_label,
    as_labels,
    check_names,
    given_labels,
    unknown_system,
)
from betterthan.data.tally import Tally
from betterthan.errors import BadValueError, DataError, UsageError, first_few, how_many
from betterthan.numeric import Floats, Ints

ZERO_ONE = {"0": 0.0, "0.0": 0.0, "0.5": 0.5, "1": 1.0, "1.0": 1.0}
SIDES = (
    ("left", "right"),
    ("a", "b"),
    ("model_a", "model_b"),
    ("model_1", "model_2"),
    ("1", "2"),
    ("generator_1", "generator_2"),
    ("x", "y"),
    ("model_x", "model_y"),
    ("true", "false"),
)
LEFT, RIGHT = map(frozenset, zip(*SIDES, strict=True))
DRAW = frozenset(
    {"tie", "draw", "equal", "same", "both", "neither", "bothbad", "tiebothbad", "bothgood", "0.5"}
)
UNJUDGED = frozenset({"", "none", "null", "nan", "error", "n/a", "invalid"})

Telling = Literal["names", "codes"] | None
"""How all winners of a column are told; None where each is understood by itself."""

Code = Callable[[str], float | None]
Understood = TypeVar("Understood")


class DoubtfulWinnerError(BadValueError):
    """A word that names one of the systems, and as a code means the other."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """Pairwise judgments: build them with :meth:`from_arrays` or :meth:`from_frame`.

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
        if self.counts is not None:
            object.__setattr__(self, "counts", _times(self.counts, n))
        labels = [self.items, self.judges, self.clusters]
        if any(len(x) != n for x in (self.left, self.right, *labels) if x is not None):
            raise DataError(f"left, right and labels must each have {n:,} entries, as outcome has")
        check_names("system", self.systems)
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
        for name in systems:
            if name not in self.systems:
                raise unknown_system(name, self.systems, named=systems)
        place = np.array([systems.index(x) if x in systems else -1 for x in self.systems])
        kept = self._rows(np.flatnonzero((place[self.left] >= 0) & (place[self.right] >= 0)))
        return replace(kept, systems=systems, left=place[kept.left], right=place[kept.right])

    def one_by_one(self) -> Self:
        """Return the same judgments with a row for each."""
        if self.counts is None:
            return self
        rows = np.repeat(np.arange(len(self.outcome)), self.counts)
        return replace(self, counts=None)._rows(rows)

    def _rows(self, rows: Ints) -> Self:
        names = ("left", "right", "outcome", "items", "judges", "clusters", "counts")
        known = {name: getattr(self, name) for name in names}
        chosen: dict[str, Any] = {n: None if x is None else x[rows] for n, x in known.items()}
        return replace(self, **chosen)

    def counted(self) -> "dict[str, list[Any]]":
        """Distinct judgments and how often each occurs: all that a ranking needs.

        Judgments of one unit (a cluster, or else an item) are told apart from those of others by
        its number, which keeps the order of their names but not the names.
        """
        labels = self.items if self.clusters is None else self.clusters
        units = np.zeros(len(self.outcome), dtype=np.int64)
        if labels is not None:
            names = labels.tolist()
            place = {name: k for k, name in enumerate(sorted(set(names)))}
            units = np.fromiter(map(place.__getitem__, names), np.int64, len(names))
        columns = [units, self.left, self.right, (2 * self.outcome).astype(np.int64)]
        tally = Tally.of([column.astype(np.int64) for column in columns], self.counts)
        unit, left, right, twice = tally.rows.T.tolist()
        digits = len(str(max(unit)))
        winners = ("model_b", "tie", "model_a")
        return {
            **({} if labels is None else {"item": [f"{k:0{digits}d}" for k in unit]}),
            "model_a": [self.systems[k] for k in left],
            "model_b": [self.systems[k] for k in right],
            "winner": [winners[k] for k in twice],
            "count": tally.counts.tolist(),
        }

    @classmethod
    def from_arrays(
        cls,
        left: Sequence[object] | NDArray[Any],
        right: Sequence[object] | NDArray[Any],
        outcome: Sequence[object] | NDArray[Any],
        *,
        items: Sequence[object] | NDArray[Any] | None = None,
        judges: Sequence[object] | NDArray[Any] | None = None,
        clusters: Sequence[object] | NDArray[Any] | None = None,
        counts: Sequence[int] | Ints | None = None,
    ) -> Self:
        """Judgments from names and outcomes, each of which stands for ``counts`` judgments.

        ``outcome`` holds numbers (1, 0.5, 0), the words ``left``/``right``/``tie`` or
        ``model_a``/``model_b``/``tie (bothbad)``, or the winners' names. Where a word or a whole
        number names one system and as a code means the other, and the other outcomes do not say
        which, it is refused. Series of pandas are paired by their index, all else by position.

        Examples
        --------
        >>> Judgments.from_arrays(["a", "b", "a"], ["b", "c", "c"], ["left", "tie", "right"])
        <Judgments: 3 of 3 systems ('a', 'b', 'c')>
        """
        beside = {"items": items, "judges": judges, "clusters": clusters, "counts": counts}
        along: dict[str, Any] = {name: x for name, x in beside.items() if x is not None}
        sides, along, _ = aligned({"left": left, "right": right, "outcome": outcome}, along)
        names_left, names_right = _names(sides["left"], "left"), _names(sides["right"], "right")
        raw = as_array(sides["outcome"], "outcome")
        if raw.shape != (len(names_left),) or len(names_left) != len(names_right):
            raise DataError(
                "left, right and outcome must have one entry per judgment, got "
                f"{len(names_left):,}, {len(names_right):,} and {raw.size:,}"
            )
        labels: dict[str, Any] = {
            name: given_labels(along[name], name, blank="" if name == "judges" else None)
            for name in ("items", "judges", "clusters")
            if name in along
        }
        systems = tuple(
            dict.fromkeys(chain.from_iterable(zip(names_left, names_right, strict=True)))
        )
        code = {name: k for k, name in enumerate(systems)}
        return cls(
            systems=systems,
            left=np.fromiter(map(code.__getitem__, names_left), np.int64),
            right=np.fromiter(map(code.__getitem__, names_right), np.int64),
            outcome=_outcomes(raw, names_left, names_right),
            counts=None if counts is None else _times(along["counts"], len(names_left)),
            **labels,
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        left: str = "model_a",
        right: str = "model_b",
        winner: str = "winner",
        item: str | None = None,
        judge: str | None = None,
        cluster: str | None = None,
        count: str | None = None,
    ) -> Self:
        """Judgments from any data frame (polars, pandas, pyarrow ...) by its columns' names.

        ``count`` names the column that says how many judgments a row stands for.
        """
        table = nw.from_native(frame)
        table = table.collect() if isinstance(table, nw.LazyFrame) else table

        def column(name: str | None) -> list[Any] | None:
            if name is None:
                return None
            if name not in table.columns:
                raise UsageError(
                    f"there is no column {name!r}; there are {first_few(table.columns)}"
                )
            return list(table[name].to_list())

        return cls.from_arrays(
            column(left) or [],
            column(right) or [],
            np.array(column(winner) or [], dtype=object),  # numbers may be names
            items=column(item),
            judges=column(judge),
            clusters=column(cluster),
            counts=column(count),
        )


def _times(counts: Sequence[int] | Ints, rows: int) -> Ints:
    """How many judgments each row stands for."""
    try:
        times = np.atleast_1d(np.asarray(counts, dtype=np.float64))
    except (TypeError, ValueError):
        times = np.array([np.nan])
    if len(times) != rows and not np.isnan(times).any():
        raise DataError(f"there are {len(times):,} counts for {how_many(rows, 'row')} of judgments")
    if not ((times >= 1) & (times == np.rint(times))).all() or times.sum() >= 2.0**53:
        raise BadValueError(
            "counts of judgments are whole numbers of at least 1, and below 2^53 together"
        )
    return times.astype(np.int64)


def _names(names: Any, side: str) -> list[str]:
    """Names of the systems on one side, none of them blank."""
    made: list[str] = given_labels(names, side, blank="").tolist()
    blank = [f"row {k + 1:,}" for k, name in enumerate(made) if not name.strip()]
    if blank:
        raise BadValueError(
            f"{side} names no system in {first_few(blank)}: fill it in, or leave the judgment out"
        )
    return made


def _outcomes(raw: NDArray[Any], left: list[str], right: list[str]) -> Floats:
    numbers = raw.dtype.kind == "f" or (
        raw.dtype.kind in "biu" and {*left, *right}.isdisjoint(as_labels(np.unique(raw).tolist()))
    )
    if numbers:  # floats, or whole numbers that name nobody
        return raw.astype(np.float64)
    words = as_labels(raw.tolist()).tolist()
    code = ZERO_ONE.get if set(words) <= ZERO_ONE.keys() else coded_outcome
    rows = list(zip(words, left, right, strict=True))

    def understood(by: Telling) -> Floats:
        known: dict[tuple[str, str, str], float] = {}  # the same pair says the same words
        for row, about in enumerate(rows):
            if about not in known:
                known[about] = _understood(row, about, by, code)
        return np.fromiter(map(known.__getitem__, rows), np.float64, len(rows))

    return settled(understood, lambda: rows, code)


def _understood(row: int, about: tuple[str, str, str], by: Telling, code: Code) -> float:
    word, left, right = about
    try:
        value = outcome_of(word, left, right, by, code)
    except DoubtfulWinnerError as error:
        raise DoubtfulWinnerError(f"row {row + 1:,}: {error}") from error
    except ValueError:
        value = None
    if value is None:
        raise BadValueError(
            f"row {row + 1}: cannot tell who won from {word!r}; write left, right or tie, "
            f"model_a, model_b or tie, or the winner's name (here {left!r} or {right!r})"
        )
    return value


def outcome_of(
    word: object, left: str, right: str, by: Telling = None, code: Code | None = None
) -> float | None:
    """Who won, by name or by any of the words in use: 1 left, 0.5 a draw, 0 right.

    None where the judge did not judge; a ValueError where nobody can tell.

    >>> [outcome_of(word, "gpt", "llama") for word in ("llama", "model_a", "tie (bothbad)", "")]
    [0.0, 1.0, 0.5, None]
    """
    text = "" if word is None else as_label(word).strip()
    named = {right: 0.0, left: 1.0}.get(text)
    coded = None if by == "names" and named is not None else (code or coded_outcome)(text)
    if by is None and coded is not None:
        alike = named
        if alike is None and left.lower() != right.lower():
            alike = {right.lower(): 0.0, left.lower(): 1.0}.get(text.lower())
        if alike is not None and alike != coded:
            one, other = (left, right) if alike else (right, left)
            means = {1.0: f"{left!r} won", 0.0: f"{right!r} won", 0.5: "a draw"}
            raise DoubtfulWinnerError(
                f"{text!r} may be the winner's name ({one!r} beat {other!r}) or a code "
                f"({means.get(coded, 'no judgment')}): write model_a, model_b or tie, or give the "
                "systems other names"
            )
    outcome = coded if named is None or by == "codes" else named
    if outcome is None:
        raise ValueError(f"cannot tell from {text!r} whether {left!r} or {right!r} won")
    return None if isnan(outcome) else outcome


def coded_outcome(text: str) -> float | None:
    """Outcome that a word stands for, NaN where there is no judgment; None of any other word."""
    plain = _plain(text)
    if plain in LEFT or plain in RIGHT:
        return 1.0 if plain in LEFT else 0.0
    if plain.translate(str.maketrans("", "", " ()_-")) in DRAW:
        return 0.5
    return float("nan") if plain in UNJUDGED else None


def _plain(text: str) -> str:
    return text.lower().removesuffix(".0")


def settled(
    understood: Callable[[Telling], Understood],
    rows: Callable[[], Iterable[tuple[str, str, str]]],
    code: Code = coded_outcome,
) -> Understood:
    """Understand every winner by itself, or where that leaves a doubt, by what all are told by.

    ``rows`` are the word, the left and the right system of each judgment. Winners are named where
    all words are names and some no codes, and coded where all are codes of one kind and some no
    names, however they are written; where all could be both, the doubt stays.
    """
    try:
        return understood(None)
    except DoubtfulWinnerError:
        names = codes = alike = True
        kinds = set[tuple[str, str]]()
        for text, left, right in set(rows()):
            known = code(text)
            if text not in (left, right) and known is not None and known not in (0.0, 1.0):
                continue  # a draw, or no judgment: so it is written beside names and codes
            names &= text in (left, right)
            codes &= known is not None
            kinds.update(pair for pair in SIDES if _plain(text) in pair)
            alike &= text.lower() in (left.lower(), right.lower())
        if names and not codes:
            return understood("names")
        if codes and len(kinds) <= 1 and not alike:
            return understood("codes")
        raise
