"""Which columns of numbers are scores: what their names and values tell, where nobody has said it.

A verdict on a column that is no score is worse than none. Whole numbers that count up are ids;
a column that is named like a property of the items (``length``, ``year``), or whose numbers are of
another kind than the others', is asked about, with the readings that are possible.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from betterthan.data.frames.roles import labels_remedy, plain, suggested
from betterthan.errors import FormatError, Remedy, first_few
from betterthan.numeric import Floats, Ints

if TYPE_CHECKING:
    import polars as pl

# A decimal with a sign, currency, mark, wrapper or unit of its own: -0.4 by a dash, 0.4 s, $0.4.
_DRESSED = (
    r"^\s*(?:tensor\(|array\(|[-+=~<>\x{2212}\x{2013}\p{Sc}]{0,2})\s*\d*[.,]\d+(?:[eE][+-]?\d+)?"
    r"\s*(?:s|ms|sec|pp|pts?|points?)?[%*)\x{2020}\x{2021}]{0,3}$"
)
_BASELINES = ("base", "baseline")
_RIGHT_OR_WRONG = r"(?i)^(?:yes|no|y|n|pass|passed|fail|failed|correct|incorrect|right|wrong)$"
SOME = 1000
FEW = 3  # rows from which numbers that count up by one are ids,
ENOUGH = 8  # and those from which it is enough that they are 1 to n in another order, or go up
APART = 10.0  # how many times larger numbers of another kind are
PERCENT, RATINGS = 100.0, 10.0  # the most that percentages and ratings reach
PERFECT = (0.0, 1.0, PERCENT)  # of any kind, if a system has nothing else
ONE_UNIT = "write both in one unit (divide the percentages by 100, or multiply the shares)"
MARKS = (-9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0)  # written where a score is missing
RARE = 0.2  # share of scores below which they are such marks, among scores from 0 to 1
FRACTIONAL = 0.5  # share of fractions from which whole numbers are of another kind

_SIZE = re.compile(r"(^|_)(len|length|token|word|char|count|num|turn|attempt|page|weight|freq)")
# Columns of averages, where rows are systems.
_AGGREGATE = re.compile(
    r"(.*_)?(rate|avg|average|mean|overall|total|elo|rating|acc|accuracy|f1|bleu|chrf|comet|rouge|"
    r"mmlu|gsm8k|hellaswag|arc|score|rank)(_.*)?|(avg|average|mean)_.*"
)
_SYSTEM_ROWS = re.compile(
    r"(system|model|method|team|submission|approach|agent|llm|participant|engine|provider)"
    r"(_?(name|id))?|name"
)


def is_size(name: str) -> bool:
    """Whether a column's name says how large items are, so that scores may be counts of as many.

    >>> [name for name in ("n_tokens", "num_words", "level", "section") if is_size(name)]
    ['n_tokens', 'num_words']
    """
    return _SIZE.search(plain(name)) is not None


def like_ids(column: "pl.Series") -> Literal["counting", "rising"] | None:
    """How whole numbers look like ids: they count up by one, in any order; or go up, with gaps.

    >>> import polars as pl
    >>> like_ids(pl.Series([7.0, 8.0, 9.0])), like_ids(pl.Series([0.0, 1.0, 1.0]))
    ('counting', None)
    >>> like_ids(pl.Series([1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0]))
    'rising'
    """
    if column.null_count() or len(column) < FEW:
        return None
    x = column.to_numpy()
    low, high = float(x.min()), float(x.max())
    if not (isfinite(low) and isfinite(high)):
        return None
    some = x[:SOME]  # as a rule the first rows tell that they do not go up
    rising = bool((some[1:] > some[:-1]).all() and (x[1:] > x[:-1]).all())
    room = high - low == len(x) - 1  # for each whole number between the two, once
    if room and (rising or (len(x) >= ENOUGH and column.n_unique() == len(x))):
        return "counting" if are_whole(x) else None
    return "rising" if rising and len(x) >= ENOUGH and are_whole(x) else None


def kinds_of_numbers(columns: "Mapping[str, pl.Series]") -> list[list[str]]:
    """Group columns whose numbers may be of one kind, in the order of their first columns.

    Shares from 0 to 1 are of another kind than numbers that are mostly beyond 1, negative ones
    than positive ones, and numbers ten times as large than others; whole numbers than fractions.
    Zeros alone, a perfect 1 or 100 throughout, and one or two numbers may be of any kind.
    """
    values = {name: present(column) for name, column in columns.items()}
    telling = {
        name: x
        for name, x in values.items()
        if x.size >= FEW and not any(bool((x == same).all()) for same in PERFECT)
    }
    kinds = [list(telling)] if telling else []
    for told in (_by_unit, _by_sign, _by_size, _by_fractions):
        parts = (told({name: telling[name] for name in kind}) for kind in kinds)
        kinds = [part for some in parts for part in some if part]
    if len(kinds) <= 1:
        return [list(columns)]
    place = {name: k for k, name in enumerate(columns)}
    return sorted(kinds, key=lambda kind: place[kind[0]])


def refuse_doubtful(
    columns: "Mapping[str, pl.Series]", named: Collection[str], settled: bool, where: str
) -> list[str]:
    """Return the columns to set aside since the systems were named; an error if they were not.

    ``named`` are systems by the user's word; they are all of them if ``settled``, but for others
    that look like them.
    """
    # Properties by their names, and names of ids where the numbers are neither ids nor 0 and 1.
    odd = [
        name
        for name, column in columns.items()
        if name not in named
        and (
            not suggested(name).isdisjoint(("property", "aside", "said"))
            or ("weak item" in suggested(name) and _beyond_one(column))
        )
    ]
    kinds = kinds_of_numbers({name: x for name, x in columns.items() if name not in odd})
    if settled:
        alien = [n for kind in kinds if not set(kind) & set(named) for n in kind]
        return [*odd, *(alien if len(kinds) > 1 else ())]
    all_of_them = Remedy("all are scores of systems", "systems", list(columns))
    if odd:
        rest = [name for name in columns if name not in odd]
        what = "are" if len(odd) > 1 else "is"
        raise FormatError(
            f"{where}: {first_few(odd)} {what} named like what describes the items, not like a "
            "system" + (f" (the others are {first_few(rest)})" if rest else ""),
            labels_remedy(odd),
            all_of_them,
        )
    if len(kinds) > 1:
        shown = "; ".join(f"{first_few(kind)} {_range(columns, kind)}" for kind in kinds)
        raise FormatError(
            f"{where}: columns hold numbers of different kinds ({shown})",
            *(
                Remedy("these are the systems", "systems", list(kind))
                for kind in sorted(kinds, key=len, reverse=True)[:3]
                if len(kind) > 1
            ),
            all_of_them,
        )
    return []


def refuse_averages(
    frame: "pl.DataFrame",
    scores: "Mapping[str, pl.Series]",
    system: str | None,
    texts: Collection[str],
    where: str,
) -> None:
    """Refuse a table of averages, one row per system: without items nothing can be tested."""
    name = system if system is not None else frame.columns[0]
    if not _SYSTEM_ROWS.fullmatch(plain(name)) or not (system or name in texts):
        return
    if frame[name].n_unique() < len(frame):
        return
    doubt = len(kinds_of_numbers(scores)) > 1 or any(
        "property" in suggested(c) or _AGGREGATE.fullmatch(plain(c)) for c in scores
    )
    if plain(name) == "name" and not doubt:
        return  # items have names too
    raise FormatError(
        f"{where}: each row of {name!r} is a system ({first_few(frame[name])}) with its averages, "
        "and there are no items: nothing can be tested. Write every system's score on every item, "
        f"as rows of item, {plain(name)}, score",
        Remedy("the columns are items", "input_format", "transposed"),
        Remedy("the rows are items", "columns", {"item": name}),
    )


def refuse_dressed(labels: "Collection[pl.Series]", where: str) -> None:
    """Refuse a text column of decimals with a unit, sign or mark, or that is called a baseline.

    Left out as a label it would leave its place to another system.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    for column in labels:
        if column.dtype != pl.String:
            continue
        name, words = column.name, column.drop_nulls()
        dressed = words.filter(words.str.contains(_DRESSED))
        judged = name.lower() in _BASELINES and words.str.contains(_RIGHT_OR_WRONG).all()
        if (len(dressed) * 2 > len(words) and "property" not in suggested(name)) or judged:
            what = "no numbers" if judged else "decimals with something beside them"
            one = first_few([*dressed, *words][:1])
            raise FormatError(
                f"{where}: column {name!r} holds {what} ({one}): if it is a system, write bare "
                "numbers",
                labels_remedy([name]),
            )


def present(column: "pl.Series") -> Floats:
    """The finite numbers of a column."""
    x: Floats = column.drop_nulls().to_numpy()
    there = np.isfinite(x)
    return x if there.all() else x[there]


def _beyond_one(column: "pl.Series") -> bool:
    """Whether numbers are whole, and not all 0 and 1."""
    x = present(column)
    return are_whole(x) and not bool(((x == 0) | (x == 1)).all())


def are_whole(x: Floats) -> bool:
    """Whether all numbers are whole."""
    return bool((x == np.rint(x)).all())


def refuse_other_units(
    systems: Sequence[str],
    values: Floats,
    where: str,
    *,
    named: Collection[str | None] = (),
    percent: Collection[str] = (),
    cost: bool = False,
    counts: Ints | None = None,
) -> None:
    """Refuse shares of one system beside percentages of another, or what look like them.

    Only systems that are ``named`` count, where two or more are; naming them does not make their
    units the same. 0 and 1 beside other whole numbers may be counts, of few errors and of many;
    costs may be anything, but for systems whose scores are written in ``percent``, as 85%.
    ``counts`` is how many items have each row. Marks of missing scores, as 99 among shares, are
    refused as well.
    """
    at = [k for k, system in enumerate(systems) if system in named]
    if len(at) > 1:
        systems, values = [systems[k] for k in at], values[:, at]
    times = np.ones(len(values), dtype=np.int64) if counts is None else counts
    for system, x in zip(systems, values.T, strict=True):
        _refuse_marks(system, x, times, where, cost)
    marked = [system for system in systems if system in percent]
    for system, x in zip(systems, values.T, strict=True) if marked else ():
        if system not in marked and not _mostly_beyond_one(x, times):
            raise FormatError(
                f"{where}: scores of {marked[0]!r} are written in percent (85%), those of "
                f"{system!r} are not, and most are no more than 1: {ONE_UNIT}"
            )
    if cost or times.sum() < FEW:
        return
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    unit = (low >= 0.0) & (high <= 1.0) & (low < high)
    beyond = (low >= 0.0) & (high > RATINGS) & (high <= PERCENT)
    for shares in np.flatnonzero(unit).tolist() if beyond.any() else ():
        told = low[shares] > 0.0 or high[shares] < 1.0 or not are_whole(_filled(values[:, shares]))
        for other in np.flatnonzero(beyond).tolist():
            x = _filled(values[:, other])
            apart = told or not are_whole(x) or bool(((x == 0.0) | (x == PERCENT)).all())
            if apart and _mostly_beyond_one(values[:, other], times):
                raise FormatError(
                    f"{where}: scores of {systems[shares]!r} lie between 0 and 1, those of "
                    f"{systems[other]!r} reach {high[other]:g}: are these percentages? If so, "
                    f"{ONE_UNIT}; if both are in one unit, divide all by 100"
                )


def _refuse_marks(system: str, x: Floats, times: Ints, where: str, cost: bool) -> None:
    """Refuse -999 and the like among scores from 0 to 1; a cost may be 99, but not below zero."""
    there = ~np.isnan(x)
    out = there & ((x < 0.0) | (x > 1.0))
    many = int(times[out].sum())
    if not 0 < many < RARE * times[there].sum():
        return
    marks = np.unique(x[out])
    if not np.isin(marks, MARKS[:4] if cost else MARKS).all():
        return
    shown = ", ".join(f"{mark:g}" for mark in marks)
    raise FormatError(
        f"{where}: scores of {system!r} are between 0 and 1, except for {many:,} of {shown}, as "
        "missing scores are marked: leave these cells blank; if they are scores, write all in a "
        "larger unit"
    )


def _mostly_beyond_one(x: Floats, times: Ints) -> bool:
    """Whether at least half of the numbers are more than 1, zeros aside."""
    return bool(2 * times[x > 1.0].sum() >= times[(x != 0.0) & ~np.isnan(x)].sum())


def _filled(x: Floats) -> Floats:
    return x[~np.isnan(x)]


def _by_unit(columns: Mapping[str, Floats]) -> list[list[str]]:
    """Shares from 0 to 1 apart from what is mostly beyond: a word error rate of 2 is possible."""
    unit = {n: x for n, x in columns.items() if x.min() >= 0 and x.max() <= 1}
    beyond = {
        n: x
        for n, x in columns.items()
        if n not in unit and (np.median(np.abs(x)) > 1 or (are_whole(x) and x.min() >= 1))
    }
    between = [n for n in columns if n not in unit and n not in beyond]
    return [[*unit, *between], [*beyond]] if unit else [[*columns]]


def _by_sign(columns: Mapping[str, Floats]) -> list[list[str]]:
    below = {n: x for n, x in columns.items() if x.max() <= 0}
    if not below or not any(x.min() >= 0 for x in columns.values()):
        return [[*columns]]
    return [[*below], [n for n in columns if n not in below]]


def _by_size(columns: Mapping[str, Floats]) -> list[list[str]]:
    """Split where the typical size jumps."""
    sizes = {n: float(np.median(np.abs(x[x != 0]))) for n, x in columns.items()}
    ordered = sorted(sizes, key=sizes.__getitem__)
    groups: list[list[str]] = [[]]
    for name in ordered:
        if groups[-1] and sizes[name] >= APART * sizes[groups[-1][-1]]:
            groups.append([])
        groups[-1].append(name)
    place = {name: k for k, name in enumerate(columns)}
    return [sorted(group, key=place.__getitem__) for group in groups]


def _by_fractions(columns: Mapping[str, Floats]) -> list[list[str]]:
    whole = {n: x for n, x in columns.items() if x.size >= ENOUGH and are_whole(x)}
    others = [n for n in columns if n not in whole]
    if not whole or not others:
        return [[*columns]]
    shares = [float(np.mean(columns[n] != np.rint(columns[n]))) for n in others]
    return [others, [*whole]] if min(shares) > FRACTIONAL else [[*columns]]


def _range(columns: "Mapping[str, pl.Series]", kind: Sequence[str]) -> str:
    every: NDArray[np.float64] = np.concatenate([present(columns[n]) for n in kind])
    what = "whole numbers " if are_whole(every) else ""
    return f"{what}from {every.min():g} to {every.max():g}"


def key_of_cells(frame: "pl.DataFrame", name: str, keys: Sequence[str]) -> bool:
    """Whether a column, together with the keys, tells all rows apart."""
    column = frame[name]
    if column.null_count() or column.dtype.is_nested() or column.dtype.is_object():
        return False
    if column.dtype.is_float() and not are_whole(column.to_numpy()):
        return False
    if "unnamed" in suggested(name) and keys and column.n_unique() == len(frame) > 1:
        return False  # numbers of the rows, of all systems
    return frame.select([name, *keys]).n_unique() == len(frame)
