"""The gate: may this candidate be released? Non-inferiority with a margin, for automated jobs.

The rule for one metric: PASS if the lower one-sided ``1 - alpha`` bound of the difference lies
above minus the margin; else REGRESSION if the upper one-sided bound lies below zero; else CAN'T
TELL. It is one-sided by design: a gate asks whether the candidate is worse, not whether it differs.

Over several metrics, or parts of the items, the gate passes if all pass. Each is tested at alpha
for that: claiming all of them is an intersection-union test, whose error is at most alpha without
adjustment (Berger, 1982).
A regression in any one closes the gate, so the regression p-values are adjusted for their number.

A PASS holds whatever the law of the scores, which takes bounds of them. Where neither the metric
nor the user gives any, and no model is assumed, the gate can't tell.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Unpack

from scipy.special import ndtri

from betterthan.blame import blames_arguments
from betterthan.comparison.effect import POWER
from betterthan.comparison.multiplicity import adjust
from betterthan.comparison.over_tasks import is_among
from betterthan.data.accepted import Frame, as_rows
from betterthan.data.arguments import check_level
from betterthan.data.pair import Pair
from betterthan.data.scores import Scores
from betterthan.data.tallied import Tallied
from betterthan.design.checks import Check, CheckResult, GateResult, Goal, Ruling
from betterthan.design.system_pairs import two_systems
from betterthan.errors import UsageError, quote
from betterthan.intervals.bounded import Bounds, as_in_all, spans_in
from betterthan.intervals.jackknife import standard_error
from betterthan.intervals.margins import MarginAssumption, MarginTest, margin_tests
from betterthan.resampling.generator import Rng, check_rng
from betterthan.resampling.work import Sharing, Work
from betterthan.results.interval import Interval
from betterthan.results.signature import signature
from betterthan.testing.swaps import Swaps

GATE_CORRECTIONS = ("holm", "bonferroni", "none")
TRUSTED_UNITS = 20  # units below which approximations are not trusted without a word
LARGE_MARGIN = 0.1  # a margin, of scores between 0 and 1, that may have been meant in points
BEYOND = 1e6  # margins in a standard error or a difference: no number of items would do

UNBOUNDED = (
    "no PASS is possible yet: a loss too rare to have come up may be of any size. Say what the "
    "least and the largest score of an item can be (bounds=), or what may be assumed (assume=)"
)
SAMPLED = "whether the candidate is worse is sampled: p is the upper end of its 99 % interval"
ASSUMED = {
    "shift": "assumed: differences are symmetric about their mean; rare large losses break that",
    "large-sample": "assumed: the sample is large enough for t and the bootstrap to be right",
}


@blames_arguments
def gate(
    scores: Scores | Tallied | Frame,
    baseline: str | None = None,
    candidate: str | None = None,
    *,
    margin: float | None = None,
    checks: Sequence[Check] | None = None,
    goal: Goal = "non-inferior",
    bounds: Bounds | None = None,
    assume: MarginAssumption | None = None,
    by: str | None = None,
    alpha: float = 0.05,
    correction: str = "holm",
    plan: str | None = None,
    rng: Rng = 0,
    **shared: Unpack[Sharing],
) -> GateResult:
    """Decide whether a candidate may replace the baseline.

    Parameters
    ----------
    scores, baseline, candidate
        As in :func:`betterthan.compare`, but that the baseline of a long table has to be named:
        the order of its rows must not decide who is released.
    margin : float, optional
        Loss that is tolerated in the only metric, in the unit in which it is printed: points for
        rates. Or give ``checks``.
    checks : sequence of Check, optional
        Several metrics, each with a margin of its own.
    goal : {"non-inferior", "superior", "equivalent"}
        What must be shown of the only metric: no loss beyond the margin, a gain beyond it, or
        neither loss nor gain beyond it (two one-sided tests; Schuirmann, 1987).
    bounds : (float, float), optional
        Least and largest score that a single item can have, as printed: ``(1, 5)`` for ratings.
        Rates have bounds by themselves.
    assume : {"shift", "large-sample"}, optional
        A model instead of bounds: differences that are symmetric about their mean, or so many items
        that t and the bootstrap are right. A PASS is then worth as much as the model.
    by : str, optional
        Label column: every part of the items must pass by itself, as every metric must. Tasks that
        have metrics of their own are checked by those that they have.
    alpha : float
        Error allowed on each side.
    correction : {"holm", "bonferroni", "none"}
        Adjustment of the regression p-values of several metrics and parts.
    plan : str, optional
        Hash of the plan that fixed all this beforehand; it becomes part of the signature.
    rng : None, int or Generator
        Seed, should anything have to be sampled.
    **shared
        ``workers`` and ``executor``, who draw that, as in :func:`betterthan.bootstrap_test`.

    Examples
    --------
    >>> base = [1] * 170 + [0] * 30
    >>> new = [1] * 168 + [0] * 2 + [1] * 3 + [0] * 27
    >>> result = gate(Scores.from_arrays({"base": base, "new": new}), margin=3)
    >>> result.ruling, result.exit_code
    ('PASS', 0)
    """
    work = Work.of(shared)
    check_level(alpha, most=0.5)
    check_rng(rng)
    if correction not in GATE_CORRECTIONS:
        raise UsageError(f"correction is one of {', '.join(GATE_CORRECTIONS)}, not {correction!r}")
    if not isinstance(plan, str | None):
        raise UsageError(f"plan is the hash of a plan, as text, not {quote(plan)}")
    if checks is None:
        if margin is None:
            raise UsageError("a gate needs a margin: the loss that you are ready to accept")
        checks = (Check(None, margin, goal, bounds, assume),)
    elif not checks or margin is not None or bounds is not None or assume is not None:
        raise UsageError("give either a margin, with its bounds, or one or more checks")
    named = [check.metric for check in checks if check.metric is not None]
    scores = as_rows(scores, systems=(baseline, candidate), label=by, metric=named or None)
    if candidate is None and len(scores.systems) > 2:
        first = scores.baseline(baseline, whatever_rows=True)
        listed = " or ".join(f'candidate="{s}"' for s in scores.systems[:5] if s != first)
        raise UsageError(
            f"there are {len(scores.systems)} systems: name the candidate to be released, {listed}"
        )
    first, second = two_systems(scores, baseline, candidate, "a gate", whatever_rows=True)
    span_in_all = spans_in(scores)
    made = [
        _tested(name, pair if check.bounds else as_in_all(pair, span_in_all), check, rng, work)
        for name, part in _parts(scores, by)
        for check in _checks_of(name, part, checks)
        for pair in [part.pair(first, second, check.metric)]
    ]
    if len({(m.part, m.pair.metric) for m in made}) < len(made):
        raise UsageError("a metric is checked twice: give each metric one margin")
    unused = [check for check in checks if all(m.check is not check for m in made)]
    if unused:
        raise UsageError(f"no part is measured by {unused[0].metric!r}: leave it out")
    worse = [m.backward.above(0.0) for m in made]
    adjusted = adjust(worse, correction if len(made) > 1 else "none").tolist()
    bounds_of_p = (p for m, p in zip(made, worse, strict=True) if p <= m.backward.least)
    least_bound = min(bounds_of_p, default=math.inf)
    found = tuple(
        _ruled(m, alpha, p, q, least_bound <= p)
        for m, p, q in zip(made, worse, adjusted, strict=True)
    )
    rulings = {c.ruling for c in found}
    ruling: Ruling = (
        "REGRESSION" if "REGRESSION" in rulings else "PASS" if rulings == {"PASS"} else "CAN'T TELL"
    )
    applied = correction if len(found) > 1 else "none"
    notes = scores.notes
    if isinstance(scores, Scores):
        notes += scores.response_notes((first, second))
    if isinstance(scores, Scores) and scores.tasks is not None and by is None:
        notes += (
            f'tasks together, their items alike: a loss on one may hide -> by="{scores.tasks}"',
        )
    return GateResult(
        baseline=first,
        candidate=second,
        checks=found,
        ruling=ruling,
        alpha=alpha,
        correction=applied,
        source=scores.source,
        notes=notes,
        signature=_signature(made, found, alpha, applied, {"by": by, "plan": plan or "none"}),
    )


def _parts(
    scores: Scores | Tallied, by: str | None
) -> Iterable[tuple[str | None, Scores | Tallied]]:
    """What is checked by itself: all items, or those of each part."""
    if isinstance(scores, Tallied):
        if by is None:
            return [(None, scores)]
        return [(f"{by}={label}", part) for label, part in scores.parts(by)]
    if by is None:
        if scores.unmeasured.any():
            raise UsageError(
                "tasks have metrics of their own, and there is no gate of all together: check "
                f'every task, by="{scores.tasks}", or only some (task=...)'
            )
        return [(None, scores)]
    parts = scores.by_task().items() if by == scores.tasks else scores.parts(by)
    return [(f"{by}={label}", part) for label, part in parts]


def _checks_of(
    name: str | None, part: Scores | Tallied, checks: Sequence[Check]
) -> Sequence[Check]:
    """Checks whose metrics a part has; all of them where there are no parts."""
    if name is None:
        return checks
    known = [c for c in checks if c.metric is None or is_among(c.metric, part.columns)]
    if not known:
        raise UsageError(
            f"{name} is measured by {', '.join(part.columns)}, and no check is: give it a margin"
        )
    return known


@dataclass(frozen=True, slots=True, eq=False)
class _Tested:
    """A metric with its tests, both ways round."""

    pair: Pair
    check: Check
    margin: float
    forward: MarginTest
    backward: MarginTest
    part: str | None


def _tested(part: str | None, made: Pair, check: Check, rng: Rng, work: Work) -> _Tested:
    _check_margin(check, made)
    scale = 100.0 if made.rate else 1.0
    bounds = None if check.bounds is None else (check.bounds[0] / scale, check.bounds[1] / scale)
    forward, backward = margin_tests(made, bounds=bounds, assume=check.assume, rng=rng, work=work)
    margin = check.margin / scale
    return _Tested(made, check, margin, forward, backward, part)


def _check_margin(check: Check, made: Pair) -> None:
    margin, metric = check.margin, made.metric
    if made.rate and margin >= 100.0:
        raise UsageError(
            f"{metric!r} is a rate, in points: a margin of {margin:g} accepts anything"
        )
    if made.rate and 0.0 < margin <= LARGE_MARGIN and margin < 100.0 / made.n:
        raise UsageError(
            f"{metric!r} is a rate, in points, and a margin of {margin:g} points is less than one "
            f"of {made.n:,} items makes: did you mean {100 * margin:g} points?"
        )
    if not made.rate and metric.form == "mean":
        low, high = check.bounds or made.span
        if margin >= high - low > 0.0:
            likely = margin / 100.0 * (high - low)
            raise UsageError(
                f"a margin of {margin:g} is as wide as all scores ({low:g} to {high:g}): "
                f"{metric!r} is printed in its own unit, not in points; {margin:g} % of that range "
                f"is margin={likely:.2g}, and bounds=(LOW, HIGH) says how far scores can go"
            )


def _ruled(m: _Tested, alpha: float, worse: float, adjusted: float, bounded: bool) -> CheckResult:
    """Rule on one check; ``bounded`` says that p, or a smaller one that it follows, is a bound."""
    border = {"non-inferior": -m.margin, "superior": m.margin, "equivalent": -m.margin}[
        m.check.goal
    ]
    p = m.forward.above(border)
    low = m.forward.lower(alpha, border)
    other = -m.margin if m.check.goal == "equivalent" else 0.0
    high = -m.backward.lower(alpha, other)
    if m.check.goal == "equivalent":
        p = max(p, m.backward.above(-m.margin))
    shown = m.backward if m.forward.open else m.forward
    method = shown.method
    if m.backward.method not in (method, m.forward.method) and m.check.goal != "equivalent":
        method += f", upper end by the {m.backward.method}"
    ruling: Ruling = "PASS" if p <= alpha else "REGRESSION" if adjusted <= alpha else "CAN'T TELL"
    return CheckResult(
        metric=repr(m.pair.metric),
        margin=m.margin,
        goal=m.check.goal,
        n=m.pair.n,
        clusters=m.pair.clusters,
        score_baseline=m.pair.scores[0],
        score_candidate=m.pair.scores[1],
        delta=m.forward.delta,
        interval=Interval(low, high, 1.0 - 2.0 * alpha, method),
        pvalue=p,
        pvalue_regression=worse,
        pvalue_regression_adjusted=adjusted,
        pvalue_is_bound=p <= m.forward.least,
        regression_is_bound=bounded,
        kind=shown.kind,
        ruling=ruling,
        items_needed=None if ruling == "PASS" else _items_needed(m, alpha),
        percent=m.pair.rate,
        notes=_notes(m, ruling, adjusted, alpha, low),
        part=m.part,
    )


def _notes(m: _Tested, ruling: Ruling, worse: float, alpha: float, low: float) -> tuple[str, ...]:
    notes = []
    if m.forward.open:
        notes.append(UNBOUNDED)
    if m.backward.kind == "sampled":
        notes.append(SAMPLED)
    if m.check.assume is not None:
        notes.append(ASSUMED[m.check.assume])
    unit_scores = m.pair.metric.form == "mean" and m.pair.within_one
    if unit_scores and not m.pair.rate and m.margin >= LARGE_MARGIN:
        notes.append(
            "scores between 0 and 1 that are not all 0 or 1 are in their own unit, not in points: "
            f"a margin of {m.margin:g} is {100 * m.margin:g} points"
        )
    if m.pair.rate and 0.0 < m.check.margin <= LARGE_MARGIN:
        points = m.check.margin
        notes.append(f"the margin is {points:g} points: did you mean {100 * points:g} points?")
    sizes = m.pair.sizes
    if ruling == "PASS" and m.pair.clusters is not None and sizes.min() < sizes.max():
        notes.append(
            f"clusters of {sizes.min():g} to {sizes.max():g} items: none is taken to be larger, "
            "and of few clusters a large one that is rare may not have come up"
        )
    if ruling == "PASS" and worse <= alpha:
        notes.append("the candidate is worse, but shown to be so by less than the margin")
    if m.check.goal == "equivalent" and low > m.margin:
        notes.append("not equivalent: the candidate is better by more than the margin")
    differing = Swaps.of(m.pair).shape.units
    if differing < TRUSTED_UNITS and m.check.assume is not None:
        notes.append(
            f"only {differing} of {m.pair.units:,} units differ: these bounds cannot see a "
            "loss too rare to have come up"
        )
    return tuple(notes)


def _items_needed(m: _Tested, alpha: float) -> int | None:
    """Items that show the goal with 80 % power if the systems are equal, by the normal formula."""
    if m.margin == 0.0 or m.check.goal == "superior":
        return None
    units, error = m.pair.units, (standard_error(m.pair) or 0.0) / m.margin
    delta = m.forward.delta / m.margin
    if error == 0.0 or max(error, abs(delta)) > BEYOND:
        return None
    spread = units * ((units - 1) / units * error**2 + delta**2 / units)
    # An equivalence test fails on either side: the power of each is that of both, halfway to one.
    power = (1.0 + POWER) / 2.0 if m.check.goal == "equivalent" else POWER
    reach = float(ndtri(1.0 - alpha) + ndtri(power))
    return math.ceil(reach**2 * spread * m.pair.n / units)


def _signature(
    made: Sequence[_Tested],
    found: Sequence[CheckResult],
    alpha: float,
    correction: str,
    further: dict[str, str | None],
) -> str:
    checks = "+".join(dict.fromkeys(f"{c.metric}:{c.goal}:{c.margin:.6g}" for c in found))
    return signature(
        f"gate-{'+'.join(sorted({c.kind for c in found}))}",
        metric=checks,
        n=sum({c.part: c.n for c in found}.values()),
        clusters=found[0].clusters,
        further=further,
        alpha=alpha,
        alternative="one-sided",
        correction=correction,
        data=[array for m in made for array in m.pair.hashed],
    )
