"""Rows that sum up the others, as spreadsheets and reports have them: they are no items."""

import re
from collections.abc import Collection, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from betterthan.data.frames import cells
from betterthan.data.frames.evidence import ENOUGH, FEW, are_whole, present
from betterthan.data.frames.roles import IDS, Roles, plain, suggested
from betterthan.errors import FormatError
from betterthan.numeric import Floats

if TYPE_CHECKING:
    import polars as pl

EDGE = 4  # rows at either end of a table that may sum up the others
FAR = 4.0  # how many times larger than all others a sum is that has no name

# Rows below the items, or above them, as they are called in spreadsheets.
_SUMS = (
    "mean|means|average|averages|avg|total|totals|sum|sums|overall|aggregate|subtotal|subtotals|"
    "median|gesamt|gesamtergebnis|insgesamt|summe|durchschnitt|mittelwert|mittel|moyenne|somme|"
    "promedio|suma|totale|média|soma|平均|平均值|平均分|合计|合計|总计|總計|総計|总和|평균|합계"
)
_SUMMED = "items?|questions?|rows?|examples?|tasks?|rates?|values?|results?|points?|scores?"
_EVERYTHING = rf"(all|alle|everything)(_({_SUMMED}))?"
_SUMMARY = re.compile(
    rf"((grand|macro|micro|weighted|unweighted|overall|column|sub)_?)*({_SUMS})"
    rf"(_+(of|the|all|and|std|sd|acc|accuracy|f1|correct|count|performance|{_SUMMED}))*|"
    rf"sub_?totals?_.*|std|count|{_EVERYTHING}"
)
_HINT = re.compile(rf"{_SUMS}|std|count|all|everything", re.IGNORECASE)
_NOTE = re.compile(r"[(\[][^()\[\]]*[)\]]$")  # (n=40)
_DIGIT = re.compile(r"\d")
# Rows that sum up a part of a table stand between its items; two words beside them at the most.
_PART = re.compile(r"(sub_?totals?|grand_?totals?)")
_PART_OF = re.compile(r"([^_]+_){1,2}sub_?totals?|sub_?totals?(_[^_]+){1,2}")
_PART_HINT = r"(?i)sub[-_ ]?total|grand[-_ ]?total"
_OTHERWISE = re.compile(r"std|sd|count|median|all|alle|everything|totals?_.*|sub_?totals?.*")
SOME_PARTS = 100  # rows of such names that are looked at; of more, the first tell
TELLING = 0.005  # how far a mean of zeros and ones may be off, which nobody rounds to a whole one


def summarises(item: str) -> bool:
    """Whether an id is the name of a line below the items, such as their mean.

    >>> summarises("Macro Avg"), summarises("Mean (n=40)"), summarises("q17"), summarises("sum_3")
    (True, True, False, False)
    """
    return _SUMMARY.fullmatch(_spelled(item)) is not None


def _spelled(item: str) -> str:
    return _NOTE.sub("", plain(item)).strip("_.:=*")


def refuse_sums(frame: "pl.DataFrame", roles: Roles, where: str) -> None:
    """Refuse rows that sum up the others: by their names, and by their numbers.

    Only the ends of a table are looked at. The first row and the last are refused by what they are
    called; those next to them, and names of which it is only known that they are unlike the others
    (no number among numbers), if they hold the sum or the mean of the others as well. Rows without
    names have to be far from the others to be told by their numbers.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    n = len(frame)
    if n <= FEW:
        return
    first = {str(item) for item in (frame[roles.item[0]][:FEW] if roles.item else ())}
    if first == {"count", "mean", "std"}:
        raise FormatError(
            f"{where}: rows 'count', 'mean' and 'std' describe scores (describe() in pandas), and "
            "there are no items: give every system's score on every item"
        )
    ends = sorted({*range(EDGE), *range(n - EDGE, n)})  # of more than FEW rows: all are there
    texts = [c.name for c in frame.get_columns() if c.dtype == pl.String]
    keys = roles.keys
    labels = [name for name in texts if name not in keys]
    for name in (*roles.item, *labels):
        at = frame[name].gather(ends).to_list()
        words = {row: "" if at[k] is None else str(at[k]) for k, row in enumerate(ends)}
        hinted = _HINT.search("\n".join(words.values()))  # as a rule there is nothing to look into
        sums = {row for row in ends if summarises(words[row])} if hinted else set()
        odd = _standing_out(words) if name in roles.item else set()
        for row in sorted({*sums, *odd}, reverse=True):
            told = row in sums and row in (0, n - 1)
            if name in labels:  # a category may be called so
                told = told and not roles.item and int((frame[name] == words[row]).sum()) == 1
            elif row == 0 and re.fullmatch(_EVERYTHING, _spelled(words[row])):
                told = False  # as words in a list may begin
            told = told and not _is_item(frame, roles, name, words[row], ())
            beyond = range(row, n) if 2 * row >= n else range(row + 1)  # what it does not sum up
            if not told and not _sums_up(frame, roles, row, {*sums, *beyond}):
                continue
            if name in roles.item:
                _refuse_called({0: "first", n - 1: "last"}.get(row, ""), words[row], where)
            raise FormatError(
                f"{where}: row {row + 1:,} has {words[row]!r} in column {name!r}, as a row that "
                "sums up the others has: delete that row, or write something else there"
            )
    _refuse_parts(frame, roles, labels, where)
    for row in (0, n - 1) if not roles.item else ():
        if _sums_up(frame, roles, row, {row}, far=True):
            raise FormatError(
                f"{where}: row {row + 1:,} holds the sum or the mean of the others in every column "
                "of scores: delete that row, or add a column of ids if it is an item"
            )


def _refuse_parts(frame: "pl.DataFrame", roles: Roles, labels: Sequence[str], where: str) -> None:
    """Refuse subtotals wherever they stand: no item is called so, but for a word among words.

    A name with more to it, ``compute subtotal``, may be an item's, and is one if it was scored as
    the others are. Many rows of one label are a category.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    for name in (*roles.item, *(() if roles.item else labels)):
        column = frame[name]
        if column.dtype != pl.String:
            continue
        hinted = column.str.contains(_PART_HINT).fill_null(False).arg_true().to_list()
        for row in hinted[:SOME_PARTS]:
            word = column[row]
            spelled = _spelled(word)
            part = _PART.fullmatch(spelled) is not None
            some = " " in word.strip() and _PART_OF.fullmatch(spelled) is not None
            if not (part or (some and not _is_item(frame, roles, name, word, hinted))):
                continue
            if name in roles.item:
                _refuse_called("", word, where)
            if int((column == word).sum()) == 1:
                raise FormatError(
                    f"{where}: row {row + 1:,} has {word!r} in column {name!r}, as a row that sums "
                    "up others has: delete that row, or write something else there"
                )


def _is_item(
    frame: "pl.DataFrame", roles: Roles, name: str, word: str, others: Collection[int]
) -> bool:
    """Whether rows of this name are clearly no sums or means, whatever it says.

    Only whole numbers among whole numbers tell: averages may be weighted, or of other rows, and are
    then no number's mean here. Where any system's number may be one, the name counts. ``others``
    are rows that may be sums as well.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    if _OTHERWISE.fullmatch(_spelled(word)) and not _PART_OF.fullmatch(_spelled(word)):
        return False
    texts = (c for c in frame.get_columns() if c.dtype == pl.String and c.name not in roles.keys)
    if not all(map(cells.are_labels, texts)):
        return False  # numbers with blanks or marks among them are yet to be read
    rows = (frame[name] == word).fill_null(False).arg_true().to_list()
    for row in rows:
        found = _beside(frame, roles, row, {*rows, *others})
        if not found or not all(value is not None and _neither(value, x) for value, x in found):
            return False
    return True


def _neither(value: float, x: Floats) -> bool:
    """Whether a whole number is like the others, and neither their sum nor their mean."""
    if x.size < ENOUGH or not x.min() < x.max() or not are_whole(np.append(x, value)):
        return False
    truth = bool(((x == 0) | (x == 1)).all())
    near = TELLING if truth else _nearness(value, x)
    apart = min(abs(value - float(x.sum())), abs(value - float(x.mean())))
    return bool(x.min() <= value <= x.max()) and apart > near


def _refuse_called(place: str, item: str, where: str) -> None:
    what = f"the {place} item" if place else "an item"
    raise FormatError(
        f"{where}: {what} is called {item!r}, as a row that sums up the others is: "
        "delete that row, or give the item another name"
    )


def _standing_out(words: Mapping[int, str]) -> set[int]:
    """Row whose id has no number in it, where all others at both ends of the table have one."""
    bare = {row for row, word in words.items() if not _DIGIT.search(word)}
    return bare if len(bare) == 1 and all(words[row] for row in bare) else set()


def _sums_up(
    frame: "pl.DataFrame", roles: Roles, row: int, aside: Collection[int], *, far: bool = False
) -> bool:
    """Whether a row's numbers are the sums of the others', or their means, in all columns."""
    beside = _beside(frame, roles, row, aside)
    found = [(value, x) for value, x in beside if value is not None]
    if not found or min(x.size for _, x in found) < (ENOUGH if far else FEW):
        return False
    with np.errstate(over="ignore"):  # of the largest floats; infinity is nobody's sum
        return _are_sums(found, far) or _are_means(found, far)


def _beside(
    frame: "pl.DataFrame", roles: Roles, row: int, aside: Collection[int]
) -> list[tuple[float | None, Floats]]:
    """A row's number in each column of scores, if it has one, and those that it may sum up."""
    keep = np.ones(len(frame), dtype=bool)
    keep[[*aside]] = False
    for key in (roles.system, roles.metric, roles.response):
        if key is not None:
            keep &= frame[key].eq_missing(frame[key][row]).to_numpy()
    found: list[tuple[float | None, Floats]] = []
    for column in frame.get_columns():
        apart = {"property", "unnamed", *IDS} & suggested(column.name)
        if not column.dtype.is_numeric() or column.name in roles.keys or apart:
            continue
        value = column[row]
        known = value is not None and isfinite(value)
        x = present(column.cast(float).filter(keep)) if known else np.empty(0)
        found.append((float(value) if known else None, x))
    return found


def _are_sums(columns: Sequence[tuple[float, Floats]], far: bool) -> bool:
    """Whether numbers are sums, and beyond what is summed: of zeros, zero tells nothing."""
    if any(abs(value - float(x.sum())) > _nearness(value, x) for value, x in columns):
        return False
    told = [abs(value) > (FAR if far else 1) * np.abs(x).max() for value, x in columns if x.any()]
    return bool(told) and (all if far else any)(told)


def _are_means(columns: Sequence[tuple[float, Floats]], far: bool) -> bool:
    """Whether numbers are means that need not have been near, and if far, fractions of counts."""
    if any(abs(value - float(x.mean())) > _nearness(value, x) for value, x in columns):
        return False
    varied = [(value, x) for value, x in columns if x.min() < x.max()]
    told = [bool(10 * _nearness(value, x) < np.ptp(x)) for value, x in varied]
    if not far:
        return any(told)
    exact = any(round(value, 1) != value for value, _ in varied)
    return exact and all(told) and all(are_whole(x) for _, x in varied)


def _nearness(value: float, x: Floats) -> float:
    """How far a number may be off by the decimals that it was written with, and by rounding."""
    decimals = next((d for d in range(12) if round(value, d) == value), 12)
    return float(0.5 * 10.0**-decimals + 1e-9 * np.abs(x).max())
