"""Why a gate rules as it does, what an interval or a power says, in plain words."""

from betterthan.comparison.scoring import SystemScores
from betterthan.design.allocation import Allocations
from betterthan.design.checks import CheckResult, GateResult
from betterthan.design.powers import Powers
from betterthan.responses import ResponseComparison
from betterthan.results.number_format import CORRECTIONS, amount, scale, share

_WORTH = {
    "exact": "The bounds keep their level, whatever the data",
    "certified": "The bounds keep their level, up to a rounding that is accounted for",
    "bounded": "The bounds hold for all scores within their limits, however few items",
    "assumed": "The bounds are worth as much as the model that you asked for",
    "sampled": "The bounds rest on random draws, and hold as nearly as these are many",
    "asymptotic": "The bounds come from a formula that is right with many items",
}
_INDEPENDENT = (
    "{units} are independent of one another, and were chosen before the results were seen."
)
_CLUSTER = " If items share a document or a user, name that column as the cluster."


def _units(n: int, clusters: int | None) -> str:
    return f"the {n:,} items" if clusters is None else f"the {clusters:,} clusters of items"


def _assumed(n: int, clusters: int | None) -> str:
    said = _INDEPENDENT.format(units=_units(n, clusters))
    return f"What it assumes: {said}{'' if clusters is not None else _CLUSTER}"


def of_gate(found: GateResult) -> tuple[str, ...]:
    """Explain the ruling of a gate, a paragraph each."""
    c = max(found.checks, key=lambda c: c.n)
    level = f"{100 * (1 - found.alpha):g} %"
    several = (
        (
            f"Several checks: all {len(found.checks)} must pass, so none is adjusted for passing; "
            "for a regression one would be enough, so their p-values are adjusted "
            f"({CORRECTIONS.get(found.correction, 'not at all, as you asked')}).",
        )
        if len(found.checks) > 1
        else ()
    )
    return (
        f"Why this way: {_why(c)} Two bounds are drawn around the observed difference; each "
        f"is on the right side of the true one in {level} of evaluations. "
        f"{_WORTH[c.kind]} ({c.interval.method}).",
        f"The three rulings: PASS, if that is shown{_first(c)}. REGRESSION, if it is not, and the "
        "candidate is shown to be worse at all. CAN'T TELL, if neither is: that is no permission, "
        "and no accusation either.",
        *several,
        _assumed(c.n, c.clusters),
        f"What would change it: more {'items' if c.clusters is None else 'clusters'}, which draw "
        "the bounds together; a wider margin, if it was chosen before the results were seen"
        + ("" if c.clusters is not None else "; items that turn out to belong together (a cluster)")
        + ".",
        "What it does not say: that the systems are equal, or that a PASS on these items is one on "
        "others.",
    )


def _first(c: CheckResult) -> str:
    """That PASS has precedence, where a candidate that is worse can have one."""
    if c.goal == "superior" or not c.margin:
        return ""
    return ", also of a candidate that is worse, but shown to be so by less than the margin"


def _why(c: CheckResult) -> str:
    margin = amount(f"{c.margin * scale(c.percent):g}", c.percent)
    return {
        "non-inferior": f"a release may lose a little, here {margin}, but no more: that is what "
        "has to be shown, not that nothing was found.",
        "superior": f"the candidate has to gain more than {margin}: that has to be shown.",
        "equivalent": f"the candidate may differ by {margin} either way and no more: both sides "
        "have to be shown (two one-sided tests).",
    }[c.goal]


def of_scores(found: SystemScores) -> tuple[str, ...]:
    """Explain intervals of scores, a paragraph each."""
    e = max(found, key=lambda e: e.n)
    level = f"{100 * (1 - found.alpha):.4g} %"
    units = "items" if e.clusters is None else "clusters"
    return (
        "What the interval is: these items stand for many others. The score on all of them lies in "
        f"an interval made this way ({e.interval.method}) in {level} of evaluations; in about as "
        "many, where the way is a formula for many items or draws at random.",
        _assumed(e.n, e.clusters),
        f"What would change it: more {units} (four times as many halve it), another level, and, "
        "for scores that are not 0 or 1, limits of what a single score can be.",
        "What it does not say: whether one system is better than another. Intervals may overlap "
        "although the systems differ on the very same items: compare them.",
    )


def of_powers(made: Powers) -> tuple[str, ...]:
    """Explain the power of a design, a paragraph each."""
    p = made[0]
    effect = amount(f"{scale(p.percent) * abs(p.effect):.3g}", p.percent)
    return (
        f"What power is: if one system truly were better by {effect}, {p.items:,} items would show "
        f"it in {share(p.power)} of evaluations; in the others the verdict would be CAN'T TELL.",
        "Wrong sign: of the verdicts that are given, how many name the worse system. Exaggeration: "
        "how many times too large the observed difference is, on average, where it is found.",
        f"What it assumes: {p.given}. Look at a pilot before you trust it: how often two systems "
        "disagree decides more than how good they are.",
        "What would change it: more items; a larger effect to look for; fewer comparisons that "
        "share alpha; systems that disagree less often.",
    )


def of_allocations(made: Allocations) -> tuple[str, ...]:
    """Explain ways to spend a budget, a paragraph each."""
    best = made[0]
    return (
        "What is traded: a rating more is one of a new item, of another response of the systems to "
        "an old item, or of another rater. All rows cost about the same; the first, "
        f"{best.items:,} items, finds the effect most often.",
        "Why items mostly win: repeats and raters take away the noise within an item, and items "
        "differ from one another as well. Where a new item costs more than a rating, say so: that "
        "changes the answer.",
        "What it assumes: the spreads that were given or seen in the pilot, and items, responses "
        "and raters that are independent of one another.",
    )


def of_responses(found: ResponseComparison) -> tuple[str, ...]:
    """Explain a test of items and responses, a paragraph each."""
    test = found.test
    idea = {
        "calibrated": "whether one system agrees better with the gold responses over items like "
        "these: raters are noise within an item, and items are what is exchanged, which takes as "
        "many responses of either system to an item",
        "published": "how far the laws of both systems' scores overlap when items and responses "
        "are drawn anew (Wein et al., 2023); its p runs small or large with the sampling you chose",
        "sharp": "whether the two systems answer alike on every single item, which is more than "
        "being equally good",
    }[test.test.removesuffix(" response")]
    return (
        f"Why this test: it asks {idea}.",
        f"What it assumes: the {test.n:,} items are independent of one another, and so are the "
        "responses to an item.",
        "What would change it: more items rather than more responses to each, unless raters "
        "disagree a lot; another metric, which asks another question.",
        "What it does not say: CAN'T TELL does not mean that systems are equally good.",
    )
