"""Fit a population to gold responses: section 6 and Appendix B of Wein et al. (2023).

The laws of the items' means and standard deviations are chosen, family and parameters, so that the
bars of two histograms are as close to the observed ones as possible, by mean absolute error, and so
are three moments: the mean, the spread of item means, and the mean spread within items.

The paper fits the laws of items to observed means and deviations as if they were the same. They are
not: the mean of a few responses scatters around the item's own, their deviation around (and below)
it, and levels round and clip both. So what is held against the observed bars are those of simulated
items with as many responses as the real ones, drawn by the laws in question and always from the
same random numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from betterthan.errors import DataError, UsageError
from betterthan.numeric import Floats
from betterthan.responses import response_laws as laws
from betterthan.responses.distances import item_means
from betterthan.responses.response_laws import ItemLaw, ResponseLaw
from betterthan.responses.simulator import Population
from betterthan.responses.trio import RawResponses, Responses, as_responses

Make = Callable[..., ItemLaw]
MOST_LEVELS = 11
DRAWN = 30_000
"""Simulated responses that a guess is judged by."""


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


def fit(
    gold: RawResponses,
    *,
    bins: int = 20,
    response: ResponseLaw | None = None,
) -> FittedPopulation:
    """Fit the laws of items and responses to gold responses on a scale from 0 to 1.

    Single responses may lie beyond both ends, as those of a normal law do, but not the means of the
    middle half of the items.

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
    >>> made = simulate(2000, means=FoldedNormal(0, 0.28), law=Likert(5), rng=0)
    >>> fit(made.gold).response
    Likert(levels=5, nearest=True, closed=False)
    """
    data = as_responses(gold, "gold")
    values = data.values[~np.isnan(data.values)]
    low, high = np.quantile(item_means(data.values), [0.25, 0.75])
    if low < 0.0 or high > 1.0:
        raise DataError(
            f"gold responses run from {values.min():g} to {values.max():g}: scale them to [0, 1]"
        )
    several = data.counts > 1
    if not several.any():
        raise DataError(
            "gold has one response per item, so the spread of responses cannot be fitted: collect "
            "a second response to some of the items"
        )
    if bins < 2:
        raise UsageError(f"bins must be at least 2, not {bins}")
    response = _response_law(values) if response is None else response
    # Means of k responses in steps of 1/m are multiples of 1/(m k): bars hold equally many of them.
    step = 0.0
    if isinstance(response, laws.Likert | laws.Categorical):
        step = 1.0 / (response.steps * data.most)
    seen = _Seen(data, response, _edges(bins, step), _edges(bins))
    return seen.closest()


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """Gold responses, and what items of given laws would look like in their place."""

    data: Responses
    response: ResponseLaw
    mean_edges: Floats
    sd_edges: Floats

    def closest(self) -> FittedPopulation:
        """Start all pairs of families where each fits what is seen; polish the best three."""
        several = self.data.counts > 1
        observed = self.described(item_means(self.data.values), self.data.sds[several])

        def error(
            pair: tuple[Make, Make], split: int, point: Floats, *, cells: int = DRAWN
        ) -> float:
            made = _made(pair, split, point)
            if made is None:
                return 9.0
            expected = self.expected(*made, cells)
            return sum(float(np.abs(x - y).mean()) for x, y in zip(expected, observed, strict=True))

        starts = []
        for (means, grid), (sds, other) in product(_MEANS, _SDS):
            first = _nearest(means, grid, observed[0], self.mean_edges)
            start = np.array([*first, *_nearest(sds, other, observed[1], self.sd_edges)])
            asked = partial(error, (means, sds), len(first))
            starts.append((asked(start), start, asked, partial(_made, (means, sds), len(first))))
        tried = [
            (*_polished(asked, start, 120), asked, make)
            for _, start, asked, make in sorted(starts, key=lambda found: found[0])[:3]
        ]
        _, start, asked, make = min(tried, key=lambda found: found[0])
        start = _polished(asked, start, 200)[1]
        point = _polished(partial(asked, cells=8 * DRAWN), start, 120)[1]
        made = make(np.round(point, 4)) or make(point)
        assert made is not None  # where it was polished to lies within the families
        mean_bars, sd_bars, _ = self.expected(*made, 20 * DRAWN)
        fitted = [
            FittedLaw(law, float(np.abs(bars - seen).mean()), edges, seen, bars)
            for law, bars, seen, edges in (
                (made[0], mean_bars, observed[0], self.mean_edges),
                (made[1], sd_bars, observed[1], self.sd_edges),
            )
        ]
        return FittedPopulation(fitted[0], fitted[1], self.response)

    def described(self, means: Floats, deviations: Floats) -> tuple[Floats, Floats, Floats]:
        """Bars of means and of deviations, and the moments that must be met."""
        moments = np.array([means.mean(), means.std(), deviations.mean()])
        return _bars(means, self.mean_edges), _bars(deviations, self.sd_edges), moments

    def expected(self, means: ItemLaw, sds: ItemLaw, cells: int) -> tuple[Floats, Floats, Floats]:
        """Describe so many simulated responses."""
        k = self.data.most
        n = max(cells // 10, cells // k)
        of_means, of_sds, of_responses = np.random.default_rng(0).spawn(3)
        drawn = Population(means=means, sds=sds, response=self.response).responses(
            np.clip(means.draw(n, of_means), 0.0, 1.0),
            np.maximum(sds.draw(n, of_sds), 0.0),
            k,
            of_responses,
        )
        counts = np.resize(self.data.counts, n)
        there = np.arange(k) < counts[:, None]
        # Where all gold responses lie within [0, 1], so do simulated ones, whatever their law.
        values = self.data.values
        if np.nanmin(values) >= 0.0 and np.nanmax(values) <= 1.0:
            drawn = np.clip(drawn, 0.0, 1.0)
        drawn = np.where(there, drawn, 0.0)
        average = drawn.sum(axis=1) / counts
        squares = np.where(there, (drawn - average[:, None]) ** 2, 0.0).sum(axis=1)
        several = counts > 1
        return self.described(average, np.sqrt(squares[several] / (counts[several] - 1)))


def _made(pair: tuple[Make, Make], split: int, point: Floats) -> tuple[ItemLaw, ItemLaw] | None:
    """Make the two laws; nothing where the parameters are outside their families."""
    try:
        return pair[0](*point[:split].tolist()), pair[1](*point[split:].tolist())
    except UsageError:
        return None


def _polished(error: Callable[[Floats], float], start: Floats, steps: int) -> tuple[float, Floats]:
    """Go downhill by the simplex method (Nelder & Mead, 1965)."""
    from scipy.optimize import minimize  # noqa: PLC0415 (slow to import)

    found = minimize(error, start, method="Nelder-Mead", options={"maxfev": steps, "xatol": 1e-4})
    return float(found.fun), found.x


def _nearest(
    make: Make, grid: Sequence[Floats], observed: Floats, edges: Floats
) -> tuple[float, ...]:
    """Return the point of a grid whose law itself is closest to the bars."""

    def error(point: tuple[float, ...]) -> float:
        try:
            below = make(*point).cdf(edges)
        except UsageError:
            return 2.0
        below[0], below[-1] = 0.0, 1.0  # what sits at the lower edge belongs to the first bar
        return float(np.abs(np.diff(below) - observed).mean())

    return min(product(*grid), key=error)


def _bars(values: Floats, edges: Floats) -> Floats:
    """Shares of the values between the edges; what lies beyond belongs to the last bars."""
    inside = np.clip(values, edges[0], edges[-1])
    return np.histogram(inside, edges)[0] / values.size


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
    if values.min() < 0.0:
        return laws.Normal()
    closed = bool(values.max() > 1.0 - 1e-9)
    for levels in range(2, MOST_LEVELS + 1):
        law = laws.Likert(levels, nearest=True, closed=closed)
        level = values * law.steps
        if level.max() <= levels - 0.5 and np.abs(level - np.round(level)).max() < 1e-9:
            return laws.Categorical(2) if law.steps == 1 else law
    return laws.Normal()
