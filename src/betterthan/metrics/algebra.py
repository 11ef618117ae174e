"""The metric algebra: every decomposable metric is ``finish(sum_i T_i)``.

``T_i`` are the per-item columns of one system. Declared once, a metric serves the exact test, Monte
Carlo, the bootstrap and the ranking alike. It is a frozen, hashable, picklable value whose ``repr``
is its command-line spelling.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import isfinite, lcm
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import UsageError

Floats = NDArray[np.float64]
Form = Literal["mean", "ratio", "sums", "blackbox"]
LOWER = "lower_is_better"
PLAIN = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)


@dataclass(frozen=True, slots=True, repr=False)
class Metric:
    """A metric over per-item columns; build it with :func:`mean`, :func:`ratio` and the like.

    Attributes
    ----------
    spelling : str
        How the command line writes it; also its ``repr``.
    columns : tuple of str
        The per-item columns it reads, in the order in which arrays hold them.
    form : {"mean", "ratio", "sums", "blackbox"}
        How it decomposes.
    numerator, denominator : tuple of int
        Integer coefficients of the columns (``mean`` and ``ratio``); a mean divides by the number
        of items and has no denominator.
    function : callable or None
        ``finish`` of a ``sums`` metric, or the whole score of a ``blackbox``.
    lower_is_better : bool
        The direction of better.
    percent : bool
        A rate between 0 and 1, printed in points (times 100).
    """

    spelling: str
    columns: tuple[str, ...]
    form: Form
    numerator: tuple[int, ...] = ()
    denominator: tuple[int, ...] = ()
    function: Callable[..., Any] | None = None
    lower_is_better: bool = False
    percent: bool = False

    def __repr__(self) -> str:
        return self.spelling

    @property
    def sign(self) -> float:
        """+1 where higher is better, -1 where lower is."""
        return -1.0 if self.lower_is_better else 1.0

    def lowered(self) -> Self:
        """Return the same metric with lower values better."""
        if self.lower_is_better:
            return self
        head, _, rest = self.spelling.partition("(")
        inside = f"{rest[:-1]}, {LOWER}" if rest else LOWER
        return replace(self, lower_is_better=True, spelling=f"{head}({inside})")

    def project(self, values: Floats) -> Floats:
        """Per-item (or summed) columns onto those that ``finish`` needs.

        A ratio lives in two dimensions, numerator and denominator, however many columns it is
        declared over; a mean in one.
        """
        if self.form == "mean":
            return values * float(self.numerator[0]) if self.numerator != (1,) else values
        if self.form == "ratio":
            return values @ np.array([self.numerator, self.denominator], dtype=np.float64).T
        return values

    def finish(self, sums: Floats, n: float | Floats) -> Floats:
        """Scores from projected sums of shape ``(..., j)`` over ``n`` items."""
        if self.form == "mean":
            return np.asarray(sums[..., 0] / n, dtype=np.float64)
        if self.form == "ratio":
            return divide(sums[..., 0], sums[..., 1])
        if self.form == "sums" and self.function is not None:
            return np.asarray(self.function(sums), dtype=np.float64)
        raise UsageError(f"{self!r} does not decompose into sums; it can only score whole systems")

    def score(self, values: Floats) -> float:
        """Score of one system from its ``(items, columns)`` array."""
        if self.form == "blackbox" and self.function is not None:
            return float(self.function(values[:, 0] if values.shape[1] == 1 else values))
        return float(self.finish(self.project(values).sum(axis=0), len(values)))


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """Ratio under the one convention for empty denominators: it is zero.

    F1 of a system that predicts nothing where there is nothing to find is 0, and so is the error
    rate of no tokens; scikit-learn and conlleval do the same.
    """
    empty = denominator == 0
    return np.asarray(
        np.where(empty, 0.0, numerator / np.where(empty, 1.0, denominator)), dtype=np.float64
    )


def mean(column: str = "score", *, lower_is_better: bool = False, percent: bool = False) -> Metric:
    """Average of one column over the items.

    >>> mean("correct")
    mean(correct)
    >>> mean("latency", lower_is_better=True)
    mean(latency, lower_is_better)
    """
    spelling = "mean" if column == "score" else f"mean({quote(column)})"
    metric = Metric(spelling, (column,), "mean", numerator=(1,), percent=percent)
    return metric.lowered() if lower_is_better else metric


def ratio(
    numerator: Mapping[str, float],
    denominator: Mapping[str, float],
    *,
    lower_is_better: bool = False,
    percent: bool = False,
    spelling: str | None = None,
) -> Metric:
    """Quotient of two weighted sums of columns; zero where the denominator is zero.

    >>> ratio({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1})
    ratio(2*tp / 2*tp + fp + fn)
    """
    if not numerator or not denominator:
        raise UsageError("a ratio needs at least one column above and one below the line")
    columns = tuple(dict.fromkeys([*numerator, *denominator]))
    above = [_fraction(numerator.get(c, 0)) for c in columns]
    below = [_fraction(denominator.get(c, 0)) for c in columns]
    # One common scale keeps the quotient and makes every coefficient an integer.
    scale = lcm(*(x.denominator for x in above + below))
    metric = Metric(
        spelling=spelling or f"ratio({_spell(numerator)} / {_spell(denominator)})",
        columns=columns,
        form="ratio",
        numerator=tuple(int(x * scale) for x in above),
        denominator=tuple(int(x * scale) for x in below),
        percent=percent,
    )
    if spelling:  # a named metric says its direction by its name
        return replace(metric, lower_is_better=lower_is_better)
    return metric.lowered() if lower_is_better else metric


def sums(
    columns: tuple[str, ...],
    finish: Callable[[Floats], Any],
    *,
    lower_is_better: bool = False,
    percent: bool = False,
    spelling: str | None = None,
) -> Metric:
    """Any function of column sums: ``finish`` maps ``(..., k)`` sums to ``(...)`` scores.

    Parameters
    ----------
    columns : tuple of str
        The per-item columns that are summed.
    finish : callable
        Vectorised over leading axes. A module-level function keeps the metric picklable and lets
        the command line spell it ``module:NAME``.
    lower_is_better, percent, spelling
        Direction, printing in points, and the name to print.
    """
    if not columns:
        raise UsageError("a sums metric needs at least one column")
    return Metric(
        spelling=spelling or f"{finish.__module__}:{finish.__qualname__}",
        columns=tuple(columns),
        form="sums",
        function=finish,
        lower_is_better=lower_is_better,
        percent=percent,
    )


def blackbox(
    score: Callable[[Floats], float],
    columns: tuple[str, ...] = ("score",),
    *,
    lower_is_better: bool = False,
    percent: bool = False,
    spelling: str | None = None,
) -> Metric:
    """Return a metric that does not decompose: it can be enumerated or sampled, nothing else.

    ``score`` gets one system's per-item values: ``(items,)`` for one column, else ``(items, k)``.
    """
    return Metric(
        spelling=spelling or f"{score.__module__}:{score.__qualname__}",
        columns=tuple(columns),
        form="blackbox",
        function=score,
        lower_is_better=lower_is_better,
        percent=percent,
    )


def quote(column: str) -> str:
    """Spell a column name, in double quotes where it is not a plain word.

    >>> quote("tp"), quote("a b"), quote('5" disk')
    ('tp', '"a b"', '"5"" disk"')
    """
    if PLAIN.fullmatch(column) and column != LOWER:
        return column
    return '"{}"'.format(column.replace('"', '""'))


def unquote(spelled: str) -> str:
    """Column name that was so spelled."""
    if len(spelled) > 1 and spelled.startswith('"') and spelled.endswith('"'):
        return spelled[1:-1].replace('""', '"')
    return spelled


def decimal(number: float) -> str:
    """Spell a number in full, without an exponent.

    >>> decimal(1234567), decimal(0.5), decimal(1e-7)
    ('1234567', '0.5', '0.0000001')
    """
    whole = isinstance(number, int) or float(number).is_integer()
    return str(int(number)) if whole else format(Decimal(str(number)), "f")


def _fraction(coefficient: float) -> Fraction:
    """Read 0.1 as one tenth, as it was written."""
    if not isfinite(coefficient):
        raise UsageError(f"a ratio's coefficients are finite numbers, not {coefficient!r}")
    return Fraction(str(coefficient))


def _spell(terms: Mapping[str, float]) -> str:
    parts = []
    for column, coefficient in terms.items():
        size = "" if abs(coefficient) == 1 else f"{decimal(abs(coefficient))}*"
        parts += ["-" if coefficient < 0 else "+", f"{size}{quote(column)}"]
    first = parts[1] if parts[0] == "+" else f"-{parts[1]}"
    return " ".join([first, *parts[2:]])
