"""The gate: may this candidate be released? Non-inferiority with a margin, for automated jobs.

The rule for one metric: PASS if the lower one-sided ``1 - alpha`` bound of the difference lies
above minus the margin; else REGRESSION if the upper one-sided bound lies below zero; else CAN'T
TELL. It is one-sided by design: a gate asks whether the candidate is worse, not whether it differs.

Over several metrics, or parts of the items, the gate passes if all pass. Each is tested at alpha
for that: claiming all of them is an intersection-union test, whose error is at most alpha without
adjustment (Berger, 1982).
A regression in any one closes the gate, so the regression p-values are adjusted for their number.

A PASS holds whatever the distribution of the scores, which takes bounds of them. Where neither the
metric nor the user gives any, and no model is assumed, the gate can't tell.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Unpack

from betterthan.checks import check_keywords, check_level
from betterthan.comparison.multiplicity import adjust
from betterthan.comparison.over_tasks import is_among
from betterthan.data.scores import Scores
from betterthan.design.checks import Check, CheckResult, GateResult, Goal, Ruling, same_checks
from betterthan.design.ruling import Tested, ruled
from betterthan.design.system_pairs import two_systems
from betterthan.errors import Choice, Note, Remedy, UsageError, not_one_of
from betterthan.intervals.bounded import Bounds, bounds_in_all
from betterthan.intervals.margins import MarginAssumption
from betterthan.metrics import Metric
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling
from betterthan.results.signature import signature
from betterthan.tables.accepted import Frame, as_rows
from betterthan.testing.request import Request

GATE_CORRECTIONS = ("holm", "bonferroni", "none")


def gate(
    data: Scores | Frame,
    baseline: str | None = None,
    candidate: str | None = None,
    *,
    margin: float | None = None,
    goal: Goal = "non-inferior",
    metric: str | Metric | Sequence[str | Metric] | None = None,
    by: str | None = None,
    bounds: Bounds | None = None,
    alpha: float = 0.05,
    correction: str = "holm",
    assume: MarginAssumption | None = None,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> GateResult:
    """Decide whether a candidate may replace the baseline.

    Several metrics with different margins are a :class:`betterthan.Plan`.

    Parameters
    ----------
    data, baseline, candidate
        As in :func:`betterthan.compare`, except that the baseline of a long table has to be named:
        the order of its rows must not decide who is released.
    margin : float
        The loss that is accepted, as the metric is measured: 0.02 is two points of a rate.
    goal : {"non-inferior", "superior", "equivalent"}
        What must be shown: no loss beyond the margin, a gain beyond it, or neither loss nor gain
        beyond it (two one-sided tests; Schuirmann, 1987).
    metric : str, Metric or sequence of these, optional
        What is compared; of several, all must pass with the same margin.
    by : str, optional
        Label column: every part of the items must pass, as every metric must. Tasks that have
        their own metrics are checked by those that they have.
    bounds : (float, float), optional
        Lowest and highest score that a single item can have: ``(1, 5)`` for ratings. Rates have
        bounds anyway.
    alpha : float
        Error allowed on each side.
    correction : {"holm", "bonferroni", "none"}
        Adjustment of the regression p-values of several metrics and parts.
    assume : {"shift", "large-sample"}, optional
        A model instead of bounds: differences that are symmetric about their mean, or so many items
        that Student's t is right. A PASS is then worth as much as the model.
    rng : None, int or Generator
        Seed, should anything have to be sampled.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`.

    Examples
    --------
    >>> base = [1] * 170 + [0] * 30
    >>> new = [1] * 168 + [0] * 2 + [1] * 3 + [0] * 27
    >>> result = gate(Scores.from_arrays({"base": base, "new": new}), margin=0.03)
    >>> result.ruling, result.exit_code
    ('PASS', 0)
    """
    return rule(
        data,
        (baseline, candidate),
        same_checks(margin, metric, goal, bounds, assume),
        by=by,
        alpha=alpha,
        correction=correction,
        rng=rng,
        sampling=sampling,
    )


def rule(
    data: Scores | Frame,
    systems: tuple[str | None, str | None],
    checks: Sequence[Check],
    *,
    by: str | None,
    alpha: float,
    correction: str,
    rng: Rng,
    sampling: Sampling,
    plan: str | None = None,
) -> GateResult:
    """Rule on checks of a baseline and a candidate.

    ``plan`` is the hash of the plan that fixed all this beforehand: it becomes part of the
    signature, and margins and bounds are in the unit in which they are printed.
    """
    check_keywords(sampling, Sampling)
    request = Request(rng=rng, **sampling)
    check_level(alpha, most=0.5)
    if correction not in GATE_CORRECTIONS:
        raise not_one_of("correction", correction, GATE_CORRECTIONS)
    named = [check.metric for check in checks if check.metric is not None]
    scores = as_rows(data, systems=systems, label=by, metric=named or None)
    first, second = two_systems(scores, *systems, "a gate", whatever_rows=True)
    bounded = bounds_in_all(scores)
    tested = [
        Tested.of(
            subset,
            pair if check.bounds else bounded(pair),
            check,
            request,
            printed=plan is not None,
        )
        for subset, part in _parts(scores, by)
        for check in _checks_of(subset, part, checks)
        for pair in [part.pair(first, second, check.metric)]
    ]
    if len({(t.subset, t.pair.metric) for t in tested}) < len(tested):
        raise UsageError("a metric is checked twice: each has one margin")
    unused = [check for check in checks if all(t.check is not check for t in tested)]
    if unused:
        raise UsageError(
            f"no part is measured by {unused[0].metric!r}", Remedy("leave it out of the checks")
        )
    worse = [t.backward.above(0.0) for t in tested]
    applied = correction if len(tested) > 1 else "none"
    adjusted = adjust(worse, applied).tolist()
    bounds_of_p = (p for t, p in zip(tested, worse, strict=True) if p <= t.backward.least)
    least_bound = min(bounds_of_p, default=math.inf)
    results = tuple(
        ruled(t, alpha, p, q, least_bound <= p)
        for t, p, q in zip(tested, worse, adjusted, strict=True)
    )
    rulings = {c.ruling for c in results}
    ruling: Ruling = (
        "REGRESSION" if "REGRESSION" in rulings else "PASS" if rulings == {"PASS"} else "CAN'T TELL"
    )
    notes = (*scores.notes, *scores.response_notes((first, second)))
    if scores.tasks is not None and by is None:
        together = "tasks are taken together, their items alike: a loss on one may hide"
        notes += (Note(together, Remedy("check each task", "by", scores.tasks)),)
    return GateResult(
        baseline=first,
        candidate=second,
        checks=results,
        ruling=ruling,
        alpha=alpha,
        correction=applied,
        source=scores.source,
        notes=notes,
        signature=_signature(tested, results, alpha, applied, {"by": by, "plan": plan or "none"}),
    )


def _parts(scores: Scores, by: str | None) -> Iterable[tuple[str | None, Scores]]:
    """What is checked: all items, or those of each part."""
    if by is not None:
        parts = scores.by_task().items() if by == scores.tasks else scores.parts(by)
        return [(f"{by}={label}", part) for label, part in parts]
    if scores.unmeasured.any():
        raise UsageError(
            "tasks have different metrics: there is no gate of all together",
            Remedy("check each task", "by", scores.tasks),
            Remedy("read one task", "where", {scores.tasks: Choice("TASK")}),
        )
    return [(None, scores)]


def _checks_of(subset: str | None, part: Scores, checks: Sequence[Check]) -> Sequence[Check]:
    """Checks whose metrics a part has; all of them where there are no parts."""
    if subset is None:
        return checks
    known = [c for c in checks if c.metric is None or is_among(c.metric, part.columns)]
    if not known:
        raise UsageError(
            f"{subset} is measured by {', '.join(part.columns)}, which no check is about",
            Remedy("check it as well", "metric", list(part.columns)),
        )
    return known


def _signature(
    tested: Sequence[Tested],
    results: Sequence[CheckResult],
    alpha: float,
    correction: str,
    further: dict[str, str | None],
) -> str:
    checks = "+".join(dict.fromkeys(f"{c.metric}:{c.goal}:{c.margin:.6g}" for c in results))
    return signature(
        f"gate-{'+'.join(sorted({c.kind for c in results}))}",
        metric=checks,
        n=sum({c.subset: c.n for c in results}.values()),
        clusters=results[0].clusters,
        further=further,
        alpha=alpha,
        alternative="one-sided",
        correction=correction,
        data=[array for t in tested for array in t.pair.hashed],
    )
