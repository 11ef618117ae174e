"""Checks of tables whose roles were inferred."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from betterthan.errors import BadValueError, FormatError, Remedy, quote
from betterthan.numeric import Floats
from betterthan.tables.cells import Place
from betterthan.tables.names import role_of

OTHERS = 5
"""Rows that one must sum up to be taken for a sum or mean of theirs."""
FEW, FAR_ABOVE_ONE = 3, 5
"""Items from which scales are compared, and a mean that no shares up to 1 have."""


def check_summary_row(items: pl.Series, scores: Mapping[str, pl.Series], place: "Place") -> None:
    """Raise an error for a last or first row that is the sum or the mean of all others.

    Its id is not of the others' kind, and it is called so or every number is the sum or the mean.
    """
    rows = len(items)
    for row, others, near in (
        (rows - 1, slice(0, -1), slice(-6, -1)),
        (0, slice(1, None), slice(1, 6)),
    ):
        kinds = {_kind(str(x)) for x in items[near]}
        if rows <= OTHERS or _kind(str(items[row])) in kinds:
            continue
        if role_of(str(items[row])) == "summary" or all(
            _summarises(column[row], column[others].drop_nulls()) for column in scores.values()
        ):
            raise FormatError(
                f"{place.name}: {place.row(row)} ({quote(items[row])}) is the sum or the mean of "
                "the other rows: delete that row"
            )


def _summarises(value: float | None, others: pl.Series) -> bool:
    if value is None or others.n_unique() < 2:
        return False
    mean, total = float(others.mean()), float(others.sum())  # type: ignore[arg-type]
    half = 0.5 * 10.0 ** -_decimals(float(value)) * (1 + 1e-9)
    return abs(value - mean) <= half or abs(value - total) <= half


def check_scale(systems: Sequence[str], values: Floats, where: str) -> None:
    """Raise an error where some systems have shares, such as 0.85, and others percentages."""
    if len(values) < FEW or not np.nanmax(values, initial=0) > FAR_ABOVE_ONE:
        return
    finite = np.where(np.isfinite(values), values, 0.0)
    low, high, mean = finite.min(axis=0), finite.max(axis=0), finite.mean(axis=0)
    shares = (low >= 0) & (high > 0.5) & (high <= 1)
    percentages = (low >= 0) & (high <= 100) & (mean > FAR_ABOVE_ONE)
    if shares.any() and percentages.any():
        one, other = (systems[int(np.argmax(x))] for x in (shares, percentages))
        raise BadValueError(
            f"{where}: {quote(one)} has shares up to 1, {quote(other)} percentages: write them on "
            "one scale",
            Remedy("they are on one scale", "systems", list(systems)),
        )


def _kind(text: str) -> str:
    """Write an id without its numbers: ``q17`` is of the kind ``q#``."""
    return re.sub(r"\d+", "#", text)


def _decimals(value: float) -> int:
    text = f"{value!r}"
    return 0 if "e" in text or text.endswith(".0") else len(text.partition(".")[2])
