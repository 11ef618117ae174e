"""The A/A check: how often a test raises a false alarm on data like these.

Null data are made from the user's own: items are drawn anew, and on each of them the two systems'
results change places by a fair coin; or two responses of one system, to the same items, play the
two systems. Whatever the test then finds is a false alarm.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Literal, Unpack, get_args, overload

import numpy as np

from betterthan.checks import check_level, check_whole, several
from betterthan.data.items import Items
from betterthan.data.pairing import joint_of
from betterthan.data.scores import Scores
from betterthan.design.drawn_sets import UnitDraws, units_for
from betterthan.design.system_pairs import two_systems
from betterthan.errors import COLUMN, Remedy, UsageError, not_one_of
from betterthan.metrics import Metric
from betterthan.numeric import Alternative, Floats, Numbers
from betterthan.resampling.generator import Rng, affordable, clopper_pearson, seeds
from betterthan.resampling.work import Sampling, Work
from betterthan.results.protocol import Result, Several
from betterthan.results.signature import signature
from betterthan.tables.accepted import Frame, as_scores
from betterthan.testing.by_name import run_tests
from betterthan.testing.request import Request
from betterthan.testing.values import PairedTest, as_test

NULL_SIMULATIONS = 1000
NULL_RESAMPLES = 1000
NullData = Literal["swap", "seeds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NullCheck(Result):
    """False alarms of a test on null data.

    ``rate`` of the ``simulations`` gave a p-value of at most ``alpha``; ``low`` and ``high`` bound
    the true rate at 95 % confidence. ``pvalues`` are all of them.

    Plots: ``pvalues``, their histogram.
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
    null: NullData
    metric: str
    pvalues: Floats = field(compare=False)
    signature: str

    @property
    def verdict(self) -> str:
        """What the interval says about the promise."""
        if self.low > self.alpha:
            return "too many false alarms"
        if self.high < self.alpha:
            return "fewer false alarms than promised: conservative"
        return "as promised"


@dataclass(frozen=True, slots=True)
class NullChecks(Several[NullCheck]):
    """False alarms of several tests on the same kind of null data.

    Plots: ``pvalues``, a histogram of each test's p-values.
    """


class _Options(Sampling, total=False):
    """Options of a check, except for the tests."""

    metric: str | Metric | None
    alternative: Alternative
    alpha: float
    simulations: int
    null: NullData
    rng: Rng


@overload
def aa_check(  # type: ignore[overload-overlap]  # text is a sequence of text
    data: Scores | Frame,
    baseline: str | None = None,
    candidate: str | None = None,
    *,
    test: str | PairedTest = "permutation",
    sizes: int | None = None,
    **options: Unpack[_Options],
) -> NullCheck: ...


@overload
def aa_check(
    data: Scores | Frame,
    baseline: str | None = None,
    candidate: str | None = None,
    *,
    test: Sequence[str | PairedTest],
    sizes: int | Sequence[int] | None = None,
    **options: Unpack[_Options],
) -> NullChecks: ...


def aa_check(
    data: Scores | Frame,
    baseline: str | None = None,
    candidate: str | None = None,
    *,
    metric: str | Metric | None = None,
    test: str | PairedTest | Sequence[str | PairedTest] = "permutation",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    sizes: int | Sequence[int] | None = None,
    simulations: int = NULL_SIMULATIONS,
    null: NullData = "swap",
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> NullCheck | NullChecks:
    """Measure the type I error of a test on null data made from your own.

    There every rejection is a false alarm, and of a valid test no more than ``alpha`` are.

    Parameters
    ----------
    data : Scores or data frame
        Aligned per-item results.
    baseline, candidate : str, optional
        The pair that null data are made of; the first two systems by default. With
        ``null="seeds"`` only the first is used.
    metric : str or Metric, optional
        What is compared.
    test : str, a value of ``betterthan.tests``, or a sequence of these
        Which test, or several.
    alternative, alpha
        Of the test.
    sizes : int or sequence of int, optional
        Items of a null test set; as many as there are by default.
    simulations : int
        Null test sets.
    null : {"swap", "seeds"}
        Exchange the systems' results at random, or take two responses of one system.
    rng : None, int or Generator
        Seed.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`; ``resamples`` are those of a sampled
        test on each null test set, 1,000 by default.

    Returns
    -------
    NullCheck or NullChecks
        Several of several tests or sizes.

    Examples
    --------
    >>> scores = Scores.from_arrays({"a": [0, 1] * 40, "b": [0, 1, 1, 1] * 20})
    >>> aa_check(scores).verdict  # few items differ, so exact tests are coarse
    'fewer false alarms than promised: conservative'
    """
    work = Work.of(sampling)
    check_level(alpha)
    check_whole(simulations, "simulations")
    if null not in get_args(NullData):
        raise not_one_of("null", null, get_args(NullData))
    scores = as_scores(data, systems=(baseline, candidate), metric=metric)
    chosen = scores.measured(metric)
    if null == "seeds":
        joint = scores.joint([scores.baseline(baseline)], chosen)
        responses = _responses(scores, joint.systems[0], chosen)
        rows = (responses.reshape(scores.n, -1),)
        items = Items(rows, joint.known_items.codes).ordered()
        responses = items.values[0].reshape(responses.shape)
        hashed: tuple[Numbers, ...] = (responses, *joint.hashed)
    else:
        joint = scores.joint(
            two_systems(scores, baseline, candidate, "a false-alarm check"), chosen
        )
        items, hashed = joint.ordered_items, joint.hashed
    urn = UnitDraws.of(items)

    def checked(paired: PairedTest, size: int) -> NullCheck:
        check_whole(size, "sizes")
        affordable(1e10, simulations=simulations, sizes=size)
        null_set = _NullSet(
            urn,
            units_for(joint, size),
            responses if null == "seeds" else None,
            chosen,
            paired,
            alternative,
            sampling.get("resamples") or NULL_RESAMPLES,
        )
        pvalues = np.array(list(work.map(null_set, seeds(simulations, rng), simulations)))
        alarms = int((pvalues <= alpha).sum())
        low, high = clopper_pearson(alarms, simulations, 0.95)
        return NullCheck(
            test=repr(paired),
            alternative=alternative,
            alpha=alpha,
            simulations=simulations,
            alarms=alarms,
            rate=alarms / simulations,
            low=low,
            high=high,
            n=size,
            null=null,
            metric=repr(chosen),
            pvalues=pvalues,
            signature=signature(
                f"aa-{null}-{paired!r}",
                metric=chosen,
                n=size,
                further={"sets": simulations},
                alpha=alpha,
                alternative=alternative,
                data=hashed,
            ),
        )

    single = isinstance(test, str | PairedTest)
    tests = [as_test(one) for one in ([test] if single else several("test", test))]  # type: ignore[arg-type]
    counts = [scores.n] if sizes is None else several("sizes", sizes)
    checks = [checked(paired, size) for paired in tests for size in counts]
    one_size = sizes is None or isinstance(sizes, Real)
    return checks[0] if single and one_size else NullChecks(tuple(checks))


@dataclass(frozen=True, slots=True, eq=False)
class _NullSet:
    """Draws a null test set from its seed, and tests it."""

    urn: UnitDraws
    units: int
    responses: Floats | None
    metric: Metric
    test: PairedTest
    alternative: Alternative
    resamples: int

    def __call__(self, seed: np.random.SeedSequence) -> float:
        generator = np.random.default_rng(seed)
        if self.responses is not None:
            rows, codes = self.urn.draw(self.units, generator)
            left, right = _two_of(self.responses[rows], generator)
        else:
            left, right, codes = self.urn.swapped(self.units, 0.5, generator)
        joint = joint_of({"a": left, "b": right}, self.metric, codes)
        request = Request(alternative=self.alternative, resamples=self.resamples, rng=generator)
        (result,) = run_tests(joint, [(0, 1)], self.test, request)
        return result.pvalue


def _responses(scores: Scores, system: str, metric: Metric) -> Floats:
    """Responses of one system, ``(items, columns, responses)``, each item's in order of size.

    Absent ones are infinite.
    """
    if scores.responses is None:
        raise UsageError(
            "null data of seeds take several responses of a system per item",
            Remedy("", "columns", {"response": COLUMN}),
            Remedy("exchange two systems instead", "null", "swap"),
        )
    places = [scores.columns.index(c) for c in metric.columns]
    block: Floats = scores.responses[:, scores.position(system)][:, places]
    enough = (~np.isnan(block[:, 0])).sum(axis=1) >= 2
    if not enough.all():
        lacking = scores.item_names(np.flatnonzero(~enough))[0]
        raise UsageError(
            f"{system!r} has fewer than two responses to item {lacking!r}",
            Remedy("exchange two systems instead", "null", "swap"),
        )
    block = np.where(np.isnan(block), np.inf, block)
    order = np.lexsort(np.moveaxis(block, 1, 0)[::-1])
    return np.take_along_axis(block, order[:, None], axis=2)


def _two_of(responses: Floats, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Two different responses of every item, at random."""
    keys = generator.random((len(responses), responses.shape[2]))
    keys[np.isinf(responses[:, 0])] = np.inf  # absent responses come last
    first, second = np.argsort(keys, axis=1)[:, :2].T
    rows = np.arange(len(responses))
    return responses[rows, :, first], responses[rows, :, second]
