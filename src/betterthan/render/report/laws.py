"""The law of a test as bars that the page's script draws."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan.errors import BetterthanError
from betterthan.exact.probability import BudgetExceededError
from betterthan.numeric import Floats
from betterthan.plots.laws import law_bars, law_unit
from betterthan.results.tests import TestResult

LAWS = 200
"""Most pairs whose null law is worked out; any number where it is binomial."""
BARS = 80
"""Bars of a null law."""


def law_record(test: TestResult, *, percent: bool) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """The null law as bars; or None, and what to say of it."""
    try:
        law = test.law
        if law is None:
            return None, ()
        bars = law_bars(test, BARS)
    except (BetterthanError, BudgetExceededError) as error:
        return None, (f"the null law is not shown: {getattr(error, 'message', error)}",)
    k, points = law_unit(law.name, percent=percent)
    return {
        "name": law.name,
        "unit": points,
        "observed": k * law.observed,
        "resampled": test.test == "bootstrap",
        "both": test.alternative == "two-sided",
        "width": k * bars.width,
        "at": _short(k * bars.centres),
        "rest": _short(bars.rest),
        "tail": _short(bars.tail),
    }, ()


def _short(values: Floats) -> list[float]:
    """Five digits are more than a picture shows."""
    return [float(f"{x:.5g}") for x in values.tolist()]


def finite(values: Sequence[Any]) -> list[float | None]:
    """Numbers that JSON has; None for others."""
    return [float(x) if np.isfinite(x) else None for x in values]
