"""The A/A check: how often a test cries wolf on data like these.

Null data are made from the user's own: items are drawn anew, and on each of them the two systems'
results change places by a fair coin; or two responses of one system, to the same items, play the
two systems. Whatever the test then finds is a false alarm.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from betterthan.data import Scores
from betterthan.design.calibration import draw_items
from betterthan.design.pairtests import Floats, chosen_metric, pair_results
from betterthan.errors import UsageError
from betterthan.metrics import Metric
from betterthan.results import SIDES, VERSION, Alternative, fingerprint
from betterthan.sampling import Rng, as_generator, clopper_pearson

SIMULATIONS = 1000
RESAMPLES = 1000
Null = Literal["swap", "seeds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NullCheck:
    """False alarms of a test on null data.

    ``rate`` of the ``simulations`` gave a p-value of at most ``alpha``; ``low`` and ``high`` bound
    the true rate at 95 % confidence. ``pvalues`` are all of them.
    """

    test: str
    alternative: Alternative
    alpha: float
    simulations: int
    alarms: int
    rate: float
    low: float
    high: float
    n: int
    null: Null
    metric: str
    pvalues: Floats
    signature: str

    @property
    def verdict(self) -> str:
        """What the interval says about the promise."""
        if self.low > self.alpha:
            return "too many false alarms"
        if self.high < self.alpha:
            return "fewer false alarms than promised: conservative"
        return "as promised"

    def __str__(self) -> str:
        return (
            f"{self.test} test, {self.alternative}, at {self.alpha:g}: {self.alarms:,} false "
            f"alarms in {self.simulations:,} ({100 * self.rate:.1f} %, interval "
            f"{100 * self.low:.1f} to {100 * self.high:.1f} %): {self.verdict}"
        )


def aa_check(
    scores: Scores,
    baseline: str | None = None,
    system: str | None = None,
    *,
    metric: str | Metric | None = None,
    test: str = "permutation",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    size: int | None = None,
    simulations: int = SIMULATIONS,
    null: Null = "swap",
    resamples: int = RESAMPLES,
    rng: Rng = 0,
) -> NullCheck:
    """Measure the type I error of a test on null data made from one's own.

    Parameters
    ----------
    scores : Scores
        Aligned per-item results.
    baseline, system : str, optional
        The pair that null data are made of; the first two systems by default. With
        ``null="seeds"`` only the first is used.
    metric : str or Metric, optional
        What is compared.
    test : str
        ``"permutation"``, ``"bootstrap"``, ``"wilcoxon"``, ``"sign"``, ``"mcnemar"`` or ``"t"``.
    alternative, alpha
        Of the test.
    size : int, optional
        Items of a null test set; as many as there are by default.
    simulations : int
        Null test sets.
    null : {"swap", "seeds"}
        Exchange the systems' results at random, or take two responses of one system.
    resamples : int
        Draws of a sampled test, for each null test set.
    rng : None, int or Generator
        Seed.

    Examples
    --------
    >>> made = Scores.from_arrays({"a": [0, 1] * 40, "b": [0, 1, 1, 1] * 20})
    >>> aa_check(made, simulations=200).verdict  # few items differ, so exact tests are coarse
    'fewer false alarms than promised: conservative'
    """
    if not 0.0 < alpha < 1.0:
        raise UsageError(f"alpha lies between 0 and 1, not {alpha!r}")
    if simulations < 1 or (size is not None and size < 1):
        raise UsageError("give at least one simulation of at least one item")
    if null not in ("swap", "seeds"):
        raise UsageError(f"null is swap or seeds, not {null!r}")
    chosen = chosen_metric(scores, metric)
    first = baseline or scores.systems[0]
    others = [name for name in scores.systems if name != first]
    generator = as_generator(rng)
    n = scores.n if size is None else size
    if null == "seeds":
        responses = _responses(scores, first, chosen)
    elif not others and system is None:
        raise UsageError("the A/A check needs two systems whose results are exchanged")
    second = first if null == "seeds" else system or others[0]
    if null == "swap" and second == first:
        raise UsageError(f"{first!r} cannot be exchanged with itself: name two systems")
    a, b = (scores.of(name, chosen.columns) for name in (first, second))
    pvalues = np.empty(simulations)
    for k in range(simulations):
        rows, codes = draw_items(scores, n, generator)
        if null == "seeds":
            left, right = _two_of(responses[rows], generator)
        else:
            units = rows.size if codes is None else int(codes.max()) + 1
            coin = generator.random(units) < 0.5
            swap = (coin if codes is None else coin[codes])[:, None]
            left, right = np.where(swap, b[rows], a[rows]), np.where(swap, a[rows], b[rows])
        (result,) = pair_results(
            (left, right),
            [(0, 1)],
            chosen,
            test,
            alternative=alternative,
            clusters=codes,
            resamples=resamples,
            rng=generator,
        )
        pvalues[k] = result.pvalue
    alarms = int((pvalues <= alpha).sum())
    low, high = clopper_pearson(alarms, simulations, 0.95)
    return NullCheck(
        test=test,
        alternative=alternative,
        alpha=alpha,
        simulations=simulations,
        alarms=alarms,
        rate=alarms / simulations,
        low=low,
        high=high,
        n=n,
        null=null,
        metric=repr(chosen),
        pvalues=pvalues,
        signature=(
            f"betterthan:{VERSION}|aa-{null}-{test}|m:{chosen!r}|n:{n}|b:{simulations}|"
            f"a:{alpha:g}|{SIDES[alternative]}|data:{fingerprint(scores.values)}"
        ),
    )


def _responses(scores: Scores, system: str, metric: Metric) -> Floats:
    """Responses of one system, ``(items, columns, responses)``."""
    if scores.responses is None:
        raise UsageError(
            "null='seeds' needs several responses of a system to each item: name the column that "
            "tells them apart (--response COLUMN)"
        )
    at = [scores.columns.index(c) for c in metric.columns]
    block: Floats = scores.responses[:, scores.position(system)][:, at]
    enough = (~np.isnan(block[:, 0])).sum(axis=1) >= 2
    if not enough.all():
        lacking = scores.item_names(np.flatnonzero(~enough))[0]
        raise UsageError(f"{system!r} has fewer than two responses to item {lacking!r}")
    return block


def _two_of(responses: Floats, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Two different responses of every item, at random."""
    keys = generator.random((len(responses), responses.shape[2]))
    keys[np.isnan(responses[:, 0])] = np.inf  # absent responses come last
    first, second = np.argsort(keys, axis=1)[:, :2].T
    rows = np.arange(len(responses))
    return responses[rows, :, first], responses[rows, :, second]
