"""The gate: may this candidate be released? Non-inferiority with a margin, for automated jobs.

The rule for one metric: PASS if the lower one-sided ``1 - alpha`` bound of the difference lies
above minus the margin; else REGRESSION if the upper one-sided bound lies below zero; else CAN'T
TELL. It is one-sided by design: a gate asks whether the candidate is worse, not whether it differs.

Over several metrics the gate passes if all pass. Each is tested at alpha for that: claiming all of
them is an intersection-union test, whose error is at most alpha without adjustment (Berger, 1982).
A regression in any one closes the gate, so the regression p-values are adjusted for their number.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.special import ndtri

from betterthan.data import Scores
from betterthan.design.margins import MarginTest, margin_tests, within_one
from betterthan.effect import standard_error
from betterthan.errors import UsageError
from betterthan.intervals import Interval
from betterthan.metrics import Metric, default, resolve
from betterthan.multiplicity import adjust
from betterthan.pairs import Pair, pair
from betterthan.results import VERSION, Kind, fingerprint
from betterthan.sampling import Rng

Goal = Literal["non-inferior", "superior", "equivalent"]
Ruling = Literal["PASS", "REGRESSION", "CAN'T TELL"]
GOALS = get_args(Goal)
CORRECTIONS = ("holm", "bonferroni", "none")
EXIT_CODES: dict[str, int] = {"PASS": 0, "REGRESSION": 1, "CAN'T TELL": 3}
POWER = 0.8
FEW = 20  # units below which approximations are not trusted without a word
LARGE = 0.1  # a margin, of scores between 0 and 1, that may have been meant in points


@dataclass(frozen=True, slots=True)
class Check:
    """One metric that the gate looks at, and the loss in it that is tolerated.

    ``margin`` is in the unit in which the metric is printed: points for rates.
    """

    metric: str | None
    margin: float
    goal: Goal = "non-inferior"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What the gate found in one metric; differences are towards better.

    Attributes
    ----------
    metric : str
        What was compared.
    margin : float
        Tolerated loss, in the metric's own unit (0.02 for two points).
    goal : str
        What had to be shown.
    delta : float
        Candidate minus baseline.
    interval : Interval
        Both one-sided ``1 - alpha`` bounds: a ``1 - 2 alpha`` interval.
    pvalue : float
        Of the goal: the non-inferiority, superiority or equivalence p-value.
    pvalue_regression, pvalue_regression_adjusted : float
        Of the candidate being no worse at all, and adjusted for the number of metrics.
    ruling : {"PASS", "REGRESSION", "CAN'T TELL"}
        The verdict.
    items_needed : int or None
        About how many items would show the goal with 80 % power, if the systems were equal.
    """

    metric: str
    margin: float
    goal: Goal
    n: int
    clusters: int | None
    score_baseline: float
    score_candidate: float
    delta: float
    interval: Interval
    pvalue: float
    pvalue_regression: float
    pvalue_regression_adjusted: float
    kind: Kind
    ruling: Ruling
    items_needed: int | None
    percent: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The gate's ruling, and that of every metric."""

    baseline: str
    candidate: str
    checks: tuple[CheckResult, ...]
    ruling: Ruling
    alpha: float
    correction: str
    source: str
    notes: tuple[str, ...]
    signature: str

    @property
    def exit_code(self) -> int:
        """0 for a pass, 1 for a regression, 3 where neither is shown."""
        return EXIT_CODES[self.ruling]

    def __str__(self) -> str:
        lines = [
            f"{c.ruling}: {c.metric} {c.delta:+.4g} [{c.interval.low:+.4g}, {c.interval.high:+.4g}]"
            f" against a margin of {c.margin:g}, p = {c.pvalue:.3g}"
            for c in self.checks
        ]
        return "\n".join([f"{self.candidate} against {self.baseline}: {self.ruling}", *lines])


def gate(
    scores: Scores,
    baseline: str | None = None,
    candidate: str | None = None,
    *,
    margin: float | None = None,
    checks: Sequence[Check] | None = None,
    goal: Goal = "non-inferior",
    alpha: float = 0.05,
    correction: str = "holm",
    plan: str | None = None,
    rng: Rng = 0,
) -> GateResult:
    """Decide whether a candidate may replace the baseline.

    Parameters
    ----------
    scores : Scores
        Aligned per-item results.
    baseline, candidate : str, optional
        Names; the first and the second system when there are just two.
    margin : float, optional
        Loss that is tolerated in the only metric, in the unit in which it is printed: points for
        rates. Or give ``checks``.
    checks : sequence of Check, optional
        Several metrics, each with a margin of its own.
    goal : {"non-inferior", "superior", "equivalent"}
        What must be shown of the only metric: no loss beyond the margin, a gain beyond it, or
        neither loss nor gain beyond it (two one-sided tests; Schuirmann, 1987).
    alpha : float
        Error allowed on each side.
    correction : {"holm", "bonferroni", "none"}
        Adjustment of the regression p-values of several metrics.
    plan : str, optional
        Hash of the plan that fixed all this beforehand; it becomes part of the signature.
    rng : None, int or Generator
        Seed, should anything have to be sampled.

    Examples
    --------
    >>> base = [1] * 170 + [0] * 30
    >>> new = [1] * 168 + [0] * 2 + [1] * 3 + [0] * 27
    >>> result = gate(Scores.from_arrays({"base": base, "new": new}), margin=3)
    >>> result.ruling, result.exit_code
    ('PASS', 0)
    """
    if not 0.0 < alpha < 0.5:
        raise UsageError(f"alpha lies between 0 and one half, not {alpha!r}")
    if correction not in CORRECTIONS:
        raise UsageError(f"correction is one of {', '.join(CORRECTIONS)}, not {correction!r}")
    if checks is None:
        if margin is None:
            raise UsageError("a gate needs a margin: the loss that you are ready to accept")
        checks = (Check(None, margin, goal),)
    elif not checks or margin is not None:
        raise UsageError("give either a margin or one or more checks")
    first, second = _pair_of(scores, baseline, candidate)
    made = [_tested(scores, first, second, check, rng) for check in checks]
    if len({m.metric for m in made}) < len(made):
        raise UsageError("a metric is checked twice: give each metric one margin")
    worse = [m.backward.above(0.0) for m in made]
    adjusted = adjust(worse, correction if len(made) > 1 else "none").tolist()
    found = tuple(_ruled(m, alpha, p, q) for m, p, q in zip(made, worse, adjusted, strict=True))
    rulings = {c.ruling for c in found}
    ruling: Ruling = (
        "REGRESSION" if "REGRESSION" in rulings else "PASS" if rulings == {"PASS"} else "CAN'T TELL"
    )
    applied = correction if len(found) > 1 else "none"
    return GateResult(
        baseline=first,
        candidate=second,
        checks=found,
        ruling=ruling,
        alpha=alpha,
        correction=applied,
        source=scores.source,
        notes=scores.notes
        + ("several responses an item: their means are compared, items are the units",)
        * (scores.responses is not None),
        signature=_signature(scores, found, alpha, applied, plan),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Tested:
    """A metric with its tests, both ways round."""

    metric: Metric
    pair: Pair
    check: Check
    margin: float
    percent: bool
    forward: MarginTest
    backward: MarginTest


def _pair_of(scores: Scores, baseline: str | None, candidate: str | None) -> tuple[str, str]:
    first = baseline or scores.systems[0]
    scores.position(first)
    others = [name for name in scores.systems if name != first]
    if not others:
        raise UsageError(f"there is only one system, {first!r}: give its candidate's results too")
    if candidate is None and len(others) != 1:
        raise UsageError(
            f"there are {len(others)} systems besides {first!r}: name the one to be released "
            "(--candidate)"
        )
    second = candidate or others[0]
    scores.position(second)
    if first == second:
        raise UsageError(f"{first!r} cannot be gated against itself: name two systems")
    return first, second


def _tested(scores: Scores, first: str, second: str, check: Check, rng: Rng) -> _Tested:
    metric = resolve(check.metric, scores.columns) if check.metric else default(scores.columns)
    metric = metric.lowered() if scores.lower_is_better else metric
    a, b = (scores.of(name, metric.columns) for name in (first, second))
    made = pair(a, b, metric, scores.clusters)
    percent = metric.percent or (metric.form == "mean" and made.is_binary)
    if check.goal not in GOALS:
        raise UsageError(f"a goal is one of {', '.join(GOALS)}, not {check.goal!r}")
    _check_margin(check, metric, made, percent)
    forward, backward = margin_tests(metric, made, rng=rng)
    margin = check.margin / (100.0 if percent else 1.0)
    return _Tested(metric, made, check, margin, percent, forward, backward)


def _check_margin(check: Check, metric: Metric, made: Pair, percent: bool) -> None:
    margin = check.margin
    if not math.isfinite(margin) or margin < 0.0:
        raise UsageError(
            f"a margin is the size of a tolerated loss and at least 0, not {margin!r}; to demand a "
            "gain choose the goal 'superior'"
        )
    if margin == 0.0 and check.goal != "superior":
        raise UsageError(
            "a margin of 0 leaves no room for a loss, so that an equal system never passes: give "
            "the loss you are ready to accept, or demand a gain with the goal 'superior'"
        )
    if percent and margin >= 100.0:
        raise UsageError(
            f"{metric!r} is a rate, in points: a margin of {margin:g} accepts anything"
        )
    if not percent and metric.form == "mean":
        values = np.concatenate([made.a[:, 0], made.b[:, 0]])
        spread = float(values.max() - values.min())
        if margin >= spread > 0.0:
            raise UsageError(
                f"a margin of {margin:g} is as wide as all scores ({values.min():g} to "
                f"{values.max():g}): {metric!r} is printed in its own unit, not in points"
            )


def _ruled(m: _Tested, alpha: float, worse: float, adjusted: float) -> CheckResult:
    border = {"non-inferior": -m.margin, "superior": m.margin, "equivalent": -m.margin}[
        m.check.goal
    ]
    p = m.forward.above(border)
    low = m.forward.lower(alpha, border)
    other = -m.margin if m.check.goal == "equivalent" else 0.0
    high = -m.backward.lower(alpha, other)
    if m.check.goal == "equivalent":
        p = max(p, m.backward.above(-m.margin))
    ruling: Ruling = "PASS" if p <= alpha else "REGRESSION" if adjusted <= alpha else "CAN'T TELL"
    return CheckResult(
        metric=repr(m.metric),
        margin=m.margin,
        goal=m.check.goal,
        n=m.pair.n,
        clusters=None if m.pair.clusters is None else m.pair.n_clusters,
        score_baseline=m.metric.score(m.pair.a),
        score_candidate=m.metric.score(m.pair.b),
        delta=m.forward.delta,
        interval=Interval(low, high, 1.0 - 2.0 * alpha, m.forward.method),
        pvalue=p,
        pvalue_regression=worse,
        pvalue_regression_adjusted=adjusted,
        kind=m.forward.kind,
        ruling=ruling,
        items_needed=_items_needed(m, alpha),
        percent=m.percent,
        notes=_notes(m, ruling, worse, alpha, low),
    )


def _notes(m: _Tested, ruling: Ruling, worse: float, alpha: float, low: float) -> tuple[str, ...]:
    notes = []
    if m.metric.form == "mean" and not m.percent and within_one(m.pair) and m.margin >= LARGE:
        notes.append(
            "scores between 0 and 1 that are not all 0 or 1 are in their own unit, not in points: "
            f"a margin of {m.margin:g} is {100 * m.margin:g} points"
        )
    if ruling == "PASS" and worse <= alpha:
        notes.append("the candidate is worse, but surely by less than the margin")
    if m.check.goal == "equivalent" and low > m.margin:
        notes.append("not equivalent: the candidate is better by more than the margin")
    differing = int((m.pair.per_unit((m.pair.a != m.pair.b).any(axis=1).astype(int)) > 0).sum())
    if differing < FEW and not (m.metric.form == "mean" and within_one(m.pair)):
        notes.append(
            f"only {differing} of {m.pair.n_clusters:,} units differ: these bounds cannot see a "
            "loss too rare to have come up"
        )
    if m.pair.clusters is not None and m.pair.n_clusters < FEW:
        notes.append(f"only {m.pair.n_clusters} clusters: the bounds are approximate")
    return tuple(notes)


def _items_needed(m: _Tested, alpha: float) -> int | None:
    """Items that show the goal with 80 % power if the systems are equal, by the normal formula."""
    if m.margin == 0.0 or m.check.goal == "superior":
        return None
    error = standard_error(m.metric, m.pair)
    if not error:
        return None
    units = m.pair.n_clusters
    spread = units * ((units - 1) / units * error**2 + m.forward.delta**2 / units)
    # An equivalence test fails on either side: the power of each is that of both, halfway to one.
    power = (1.0 + POWER) / 2.0 if m.check.goal == "equivalent" else POWER
    reach = float(ndtri(1.0 - alpha) + ndtri(power))
    return math.ceil(reach**2 * spread / m.margin**2 * m.pair.n / units)


def _signature(
    scores: Scores, found: Sequence[CheckResult], alpha: float, correction: str, plan: str | None
) -> str:
    checks = "+".join(f"{c.metric}:{c.goal}:{c.margin:.6g}" for c in found)
    clusters = found[0].clusters
    parts = [
        f"betterthan:{VERSION}",
        f"gate-{'+'.join(sorted({c.kind for c in found}))}",
        f"m:{checks}",
        f"n:{scores.n}",
        *([] if clusters is None else [f"c:{clusters}"]),
        f"a:{alpha:g}",
        "1s",
        f"adj:{correction}",
        f"plan:{plan or 'none'}",
        f"data:{fingerprint(scores.values)}",
    ]
    return "|".join(parts)
