"""Fit a population to gold responses: section 6 and Appendix B of Wein et al. (2023).

The laws of the items' means and standard deviations are chosen, family and parameters, so that the
bars of their histograms are as close to the observed ones as possible, by mean absolute error. The
expected bars come from distribution functions, not from samples.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from betterthan.errors import DataError, UsageError
from betterthan.numeric import Floats
from betterthan.responses import response_laws as laws
from betterthan.responses.distances import item_means
from betterthan.responses.response_laws import ItemLaw, ResponseLaw
from betterthan.responses.simulator import Population
from betterthan.responses.trio import RawResponses, as_responses

Make = Callable[..., ItemLaw]
MOST_LEVELS = 11


@dataclass(frozen=True, slots=True, eq=False)
class FittedLaw:
    """A law and the histogram it was fitted to.

    ``error`` is the mean absolute difference of the bars, ``observed`` and ``expected`` are the
    shares of the items between the ``edges``.
    """

    law: ItemLaw
    error: float
    edges: Floats
    observed: Floats
    expected: Floats


@dataclass(frozen=True, slots=True, eq=False)
class FittedPopulation:
    """Laws of item means and standard deviations, and the law of responses around them."""

    means: FittedLaw
    sds: FittedLaw
    response: ResponseLaw

    def population(self, eps_a: float = 0.1, eps_b: float = 0.0) -> Population:
        """Return the population that these laws make, means clamped to [0, 1] as in Appendix B."""
        return Population(
            means=self.means.law,
            sds=self.sds.law,
            response=self.response,
            eps_a=eps_a,
            eps_b=eps_b,
            clamp=True,
        )


def fit_population(
    gold: RawResponses,
    *,
    bins: int = 20,
    response: ResponseLaw | None = None,
) -> FittedPopulation:
    """Fit the laws of items and responses to gold responses between 0 and 1.

    Parameters
    ----------
    gold : array_like
        Items x responses, scaled to [0, 1]; ragged as in :func:`p_value`.
    bins : int
        Bars of the histograms.
    response : ResponseLaw, optional
        Law of the responses. By default ``Likert(m, nearest=True)`` if all responses are multiples
        of ``1/m`` below 1 for a small m; ``Likert(m, nearest=True, closed=True)`` if they are
        multiples of ``1/(m - 1)`` up to 1; ``Categorical(2)`` if they are 0 and 1; else
        ``Normal()``.

    Examples
    --------
    >>> from betterthan.responses import FoldedNormal, Likert, simulate
    >>> made = simulate(2000, means=FoldedNormal(0, 0.28), response=Likert(5), rng=0)
    >>> fit_population(made.gold).response
    Likert(levels=5, nearest=True, closed=False)
    """
    data = as_responses(gold, "gold")
    values = data.values[~np.isnan(data.values)]
    if values.min() < 0.0 or values.max() > 1.0:
        raise DataError(
            f"gold responses run from {values.min():g} to {values.max():g}: scale them to [0, 1] "
            "before fitting"
        )
    several = data.counts > 1
    if not several.any():
        raise DataError(
            "gold has one response per item, so the spread of responses cannot be fitted: collect "
            "a second response to some of the items"
        )
    if bins < 2:
        raise UsageError(f"bins must be at least 2, not {bins}")
    response = response or _response_law(values)
    # Means of k responses in steps of 1/m are multiples of 1/(m k): bars hold equally many of them.
    step = 0.0
    if isinstance(response, laws.Likert | laws.Categorical):
        step = 1.0 / (response.steps * data.most)
    return FittedPopulation(
        means=fit_law(item_means(data.values), _MEANS, _edges(bins, step)),
        sds=fit_law(data.sds[several], _SDS, _edges(bins)),
        response=response,
    )


def fit_law(
    values: Floats, families: Sequence[tuple[Make, Sequence[Floats]]], edges: Floats
) -> FittedLaw:
    """Choose the family and the parameters whose histogram is closest to that of ``values``.

    A family is a function that makes a law and a grid for each of its parameters; the best point of
    the grid is polished by the simplex method (Nelder & Mead, 1965).
    """
    from scipy.optimize import minimize  # noqa: PLC0415 (slow to import)

    observed = np.histogram(values, edges)[0] / values.size

    def expected(law: ItemLaw) -> Floats:
        below = law.cdf(edges)
        below[0] = 0.0  # what sits at the lower edge belongs to the first bar
        below[-1] = 1.0
        return np.diff(below)

    def error_of(make: Make, parameters: Sequence[float]) -> float:
        try:
            law = make(*parameters)
        except UsageError:  # outside the family
            return 1.0
        return float(np.abs(expected(law) - observed).mean())

    best: tuple[float, ItemLaw] | None = None
    for make, grid in families:
        start = min(product(*grid), key=lambda point: error_of(make, point))
        polished = minimize(
            lambda point, make=make: error_of(make, point),
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-4, "fatol": 1e-7},
        )
        found = (float(polished.fun), make(*(round(float(x), 4) for x in polished.x)))
        if best is None or found[0] < best[0]:
            best = found
    if best is None:
        raise UsageError("families is empty: there is nothing to choose from")
    law = best[1]
    bars = expected(law)
    return FittedLaw(law, float(np.abs(bars - observed).mean()), edges, observed, bars)


def _edges(bins: int, step: float = 0.0) -> Floats:
    """Ends of about ``bins`` bars over [0, 1], halfway between multiples of ``step``."""
    if step == 0.0:
        return np.linspace(0.0, 1.0, bins + 1)
    width = step * max(1, round(1.0 / (bins * step)))
    return width * np.arange(np.ceil((1.0 + step / 2) / width) + 1) - step / 2


def _folded(mean: float, sd: float, most: float) -> ItemLaw:
    return laws.FoldedNormal(abs(mean), sd, min(most, 1.0))


_UNIT = np.linspace(0.0, 1.0, 11)
_MEANS: tuple[tuple[Make, tuple[Floats, ...]], ...] = (
    (_folded, (_UNIT, np.linspace(0.05, 0.6, 12), np.array([0.8, 1.0]))),
    (laws.Uniform, (_UNIT[:-1], _UNIT[1:])),
    (laws.Beta, (np.geomspace(0.3, 10.0, 10), np.geomspace(0.3, 10.0, 10))),
)
_SDS: tuple[tuple[Make, tuple[Floats, ...]], ...] = (
    (
        laws.Triangular,
        (np.linspace(-0.2, 0.2, 9), np.linspace(0.0, 0.4, 9), np.linspace(0.1, 0.8, 8)),
    ),
    (laws.Uniform, (_UNIT[:-1] / 2.0, _UNIT[1:] / 2.0)),
    (_folded, (np.linspace(0.0, 0.4, 9), np.linspace(0.05, 0.4, 8), np.array([1.0]))),
)


def _response_law(values: Floats) -> ResponseLaw:
    # The laws are fitted to observed means, which flooring would lower a second time.
    closed = bool(values.max() > 1.0 - 1e-9)
    for levels in range(2, MOST_LEVELS + 1):
        law = laws.Likert(levels, nearest=True, closed=closed)
        level = values * law.steps
        if level.max() <= levels - 0.5 and np.abs(level - np.round(level)).max() < 1e-9:
            return laws.Categorical(2) if law.steps == 1 else law
    return laws.Normal()
