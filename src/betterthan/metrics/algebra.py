"""The metric algebra: every decomposable metric is ``finish(sum_i T_i)``.

``T_i`` are the per-item columns of one system. Declared once, a metric serves the exact test, Monte
Carlo, the bootstrap and the ranking alike. It is a frozen, hashable, picklable value whose ``repr``
is how the command line writes it.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from math import isfinite, lcm
from typing import Any, Literal, Self

import numpy as np

from betterthan.checks import check_flag
from betterthan.errors import UsageError, quote
from betterthan.grammar import quoted
from betterthan.metrics.costs import is_cost
from betterthan.metrics.returned import as_returned
from betterthan.numeric import Floats, Numbers

Form = Literal["mean", "ratio", "sums", "blackbox"]
Holds = Literal["numbers", "counts", "0 or 1"]
LOWER, HIGHER = "lower_is_better", "higher_is_better"
LARGEST_SUM = 2**61
"""Whole numbers up to here can be doubled in 64 bits."""

LAST = "columns are on the last axis, any number of sums before it (write s[..., 0], not s[0])"

CHANCE = 1e-9
"""Scores of the same data that differ by more than this share depend on chance."""

SIMPLE = 1000
"""A coefficient is read as a fraction with a denominator up to here where it is that number."""

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
    stated : bool
        Whether the direction was declared, or is known from the name of the metric.
    percent : bool
        A rate between 0 and 1, printed in points (times 100).
    holds : {"numbers", "counts", "0 or 1"}
        What its columns may hold of an item; counts are integers of at least 0.
    parts : tuple of (str, str)
        Columns that are at most as large as another: a part and its whole.
    sign : float
        +1 where higher is better, -1 where lower is.
    """

    spelling: str
    columns: tuple[str, ...]
    form: Form
    numerator: tuple[int, ...] = ()
    denominator: tuple[int, ...] = ()
    function: Callable[..., Any] | None = None
    lower_is_better: bool = False
    percent: bool = False
    stated: bool = field(default=True, compare=False)
    holds: Holds = field(default="numbers", compare=False)
    parts: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    sign: float = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sign", -1.0 if self.lower_is_better else 1.0)

    def __repr__(self) -> str:
        return self.spelling

    def directed(
        self, lower_is_better: bool | None = None, lower: Collection[str] = ()
    ) -> "Metric":
        """Return the metric in the direction of better, as far as it does not state one itself.

        What is declared decides. Otherwise lower is better if the metric adds up known costs, or
        columns that the data list as ``lower``.

        >>> mean("latency").directed(), ratio({"score": 1}, {"cost": 1}).directed()
        (mean(latency, lower_is_better), ratio(score / cost))
        >>> mean("latency").directed(lower_is_better=False)
        mean(latency, higher_is_better)
        """
        if lower_is_better is None:
            above = self.numerator or (1,) * len(self.columns)
            weighed = zip(self.columns, above, strict=True)
            lower_is_better = not self.stated and any(
                weight > 0 and (is_cost(name) or name in lower) for name, weight in weighed
            )
            if not lower_is_better:
                return self
        if lower_is_better and self.lower_is_better:
            return self
        plain = re.sub(rf"\(({LOWER}|{HIGHER})\)$|, ({LOWER}|{HIGHER})(?=\)$)", "", self.spelling)
        head, _, rest = plain.partition("(")
        word = LOWER if lower_is_better else HIGHER
        spelling = f"{head}({rest[:-1]}, {word})" if rest else f"{head}({word})"
        return replace(self, lower_is_better=lower_is_better, stated=True, spelling=spelling)

    def counting(self, *parts: tuple[str, str]) -> Self:
        """Return the same metric over counts, some of which are parts of others."""
        return replace(self, holds="counts", parts=parts)

    def over_any_numbers(self) -> "Metric":
        """Return the mean or ratio of the same columns that does not say what they hold."""
        if self.form != "ratio":
            return mean(*self.columns[:1], lower_is_better=self.lower_is_better or None)
        above, below = (
            {c: k for c, k in zip(self.columns, some, strict=True) if k}
            for some in (self.numerator, self.denominator)
        )
        return ratio(above, below, lower_is_better=self.lower_is_better or None)

    def project(self, values: Numbers) -> Numbers:
        """Per-item (or summed) columns onto those that ``finish`` needs.

        A ratio lives in two dimensions, numerator and denominator, however many columns it is
        declared over; a mean in one.
        """
        if self.form == "ratio":
            dtype = values.dtype if self._summable(values) else np.float64
            weights = np.array([self.numerator, self.denominator], dtype=dtype)
            projected: Numbers = values @ weights.T
            return projected
        return values

    def _summable(self, values: Numbers) -> bool:
        """Whether weighted values can be summed and doubled in their own type."""
        if values.dtype.kind != "i" or not values.size:
            return True
        heaviest = max(sum(map(abs, side)) for side in (self.numerator, self.denominator))
        largest = max(int(values.max()), -int(values.min()))
        return largest * heaviest * len(values) <= LARGEST_SUM

    def finish(self, sums: Floats, n: float | Floats) -> Floats:
        """Scores from projected sums of shape ``(..., j)`` over ``n`` items."""
        if self.form == "mean":
            return np.asarray(sums[..., 0] / n, dtype=np.float64)
        if self.form == "ratio":
            return divide(sums[..., 0], sums[..., 1])
        if self.form == "sums" and self.function is not None:
            try:
                scores = self.function(sums)
            except (TypeError, ValueError, IndexError) as error:
                raise UsageError(f"{self!r} of {_shape(sums)} failed ({error}): {LAST}") from error
            return as_returned(scores, sums.shape[:-1], f"{self!r} of {_shape(sums)}", LAST)
        raise UsageError(f"{self!r} does not decompose into sums; it can only score whole systems")

    def score(self, values: Floats) -> float:
        """Score of one system from its ``(items, columns)`` array."""
        if self.form == "blackbox" and self.function is not None:
            score = self.function(values[:, 0] if values.shape[1] == 1 else values)
            return float(as_returned(score, (), repr(self), "write float(...) or .item()"))
        return float(self.finish(self.project(values).sum(axis=0), len(values)))

    def check_function(self, total: Floats) -> None:
        """Raise an error for a function that takes one total at a time, or depends on chance."""
        several = np.tile(total, (len(total) + 1, 1))  # no shape of its columns
        self.check_repeatable(*self.finish(several, 1).tolist())

    def check_repeatable(self, *scores: float) -> None:
        """Raise an error for a metric that gave the same data different scores."""
        if not np.allclose(scores, scores[0], rtol=CHANCE, atol=0.0, equal_nan=True):
            raise UsageError(
                f"{self!r} gives the same data {scores[0]!r} and {scores[-1]!r}: a metric may not "
                "depend on chance or on what it was called with before; fix its seed inside"
            )


def _shape(sums: Floats) -> str:
    return f"sums of shape {sums.shape}"


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """Ratio under the one convention for empty denominators: it is zero.

    F1 of a system that predicts nothing where there is nothing to find is 0, and so is the error
    rate of no tokens; scikit-learn and conlleval do the same.
    """
    empty = denominator == 0
    return np.asarray(
        np.where(empty, 0.0, numerator / np.where(empty, 1.0, denominator)), dtype=np.float64
    )


def mean(
    column: str = "score", *, lower_is_better: bool | None = None, percent: bool = False
) -> Metric:
    """Average of one column over the items; higher is better unless declared otherwise.

    >>> mean("correct")
    mean(correct)
    >>> mean("latency", lower_is_better=True)
    mean(latency, lower_is_better)
    """
    if not isinstance(column, str):
        raise UsageError(f"column is named by text, not by {quote(column)}")
    spelling = "mean" if column == "score" else f"mean({quote_column(column)})"
    stated = lower_is_better is not None
    metric = Metric(spelling, (column,), "mean", numerator=(1,), percent=percent, stated=stated)
    return _towards(metric, lower_is_better)


def ratio(
    numerator: Mapping[str, float],
    denominator: Mapping[str, float],
    *,
    lower_is_better: bool | None = None,
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
        spelling=spelling or f"ratio({_written(numerator)} / {_written(denominator)})",
        columns=columns,
        form="ratio",
        numerator=tuple(int(x * scale) for x in above),
        denominator=tuple(int(x * scale) for x in below),
        lower_is_better=bool(spelling and lower_is_better),
        percent=percent,
        stated=bool(spelling) or lower_is_better is not None,
    )
    # The name of a metric implies its direction.
    return metric if spelling else _towards(metric, lower_is_better)


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
        Vectorised over leading axes. A module-level function keeps the metric picklable; a
        module-level metric can be called ``module:NAME`` on the command line.
    lower_is_better, percent, spelling
        Direction, printing in points, and the name to print.

    Examples
    --------
    >>> sums(("x", "y"), lambda total: total[..., 0] / total[..., 1])
    sums(<lambda>)
    """
    if not columns:
        raise UsageError("a sums metric needs at least one column")
    metric = _of_function("sums", finish, columns, spelling)
    return replace(metric, lower_is_better=lower_is_better, percent=percent)


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
    metric = _of_function("blackbox", score, columns, spelling)
    return replace(metric, lower_is_better=lower_is_better, percent=percent)


def _towards(metric: Metric, lower_is_better: bool | None) -> Metric:
    """Return the metric with a direction: lower, higher, or higher by default."""
    if lower_is_better is not None:
        check_flag(lower_is_better, "lower_is_better")
    if lower_is_better or (lower_is_better is not None and any(map(is_cost, metric.columns))):
        return metric.directed(bool(lower_is_better))
    return metric  # that higher is better goes without saying


def _of_function(
    form: Form, function: Callable[..., Any], columns: tuple[str, ...], spelling: str | None
) -> Metric:
    name = spelling or f"{form}({getattr(function, '__name__', type(function).__name__)})"
    return Metric(name, tuple(columns), form, function=function)


def quote_column(column: str) -> str:
    """Write a column name, in double quotation marks where it is not a plain word.

    >>> quote_column("tp"), quote_column("a b"), quote_column('5" disk')
    ('tp', '"a b"', '"5"" disk"')
    """
    if PLAIN.fullmatch(column) and column not in (LOWER, HIGHER):
        return column
    return quoted(column)


def decimal(number: float) -> str:
    """Write a number in full, without an exponent.

    >>> decimal(1234567), decimal(0.5), decimal(1e-7)
    ('1234567', '0.5', '0.0000001')
    """
    whole = isinstance(number, int) or float(number).is_integer()
    return str(int(number)) if whole else format(Decimal(str(number)), "f")


def _fraction(coefficient: float) -> Fraction:
    """Read 0.1 as one tenth, as it was written, and 1 / 3 as one third."""
    if not isfinite(coefficient):
        raise UsageError(f"a ratio's coefficients are finite numbers, not {coefficient!r}")
    simple = Fraction(coefficient).limit_denominator(SIMPLE)
    return simple if float(simple) == float(coefficient) else Fraction(str(coefficient))


def _written(terms: Mapping[str, float]) -> str:
    parts = []
    for column, coefficient in terms.items():
        size = "" if abs(coefficient) == 1 else f"{decimal(abs(coefficient))}*"
        parts += ["-" if coefficient < 0 else "+", f"{size}{quote_column(column)}"]
    first = parts[1] if parts[0] == "+" else f"-{parts[1]}"
    return " ".join([first, *parts[2:]])
