"""Why this test, what it assumes and what would change it: for readers who are no statisticians."""

import math

from betterthan.comparison.verdicts import Comparison, Comparisons
from betterthan.ranking.board import Leaderboard
from betterthan.ranking.decisions import JOINT
from betterthan.results.wording import CORRECTIONS, digits, number, p_text, scale, unit

_IDEAS = {
    "permutation": (
        "if the two systems were the same, it would not matter whose result is whose. So their "
        "results are swapped on some items and not on others, and p is the share of all such swaps "
        "that make a difference at least as large as the one you saw"
    ),
    "bootstrap": (
        "new test sets are drawn from your items, some of them twice, some not at all. p is the "
        "share of such sets in which the difference moves by as much as the one you saw"
    ),
    "wilcoxon": (
        "the differences on items are ranked by size, and p is the share of all ways to give them "
        "signs that favour one system as much as yours do. How large a difference is counts only "
        "through its rank"
    ),
    "sign": (
        "only who wins an item counts, not by how much. p is how often a fair coin would favour "
        "one side as much"
    ),
    "mcnemar": (
        "only the items that one system gets right and the other wrong count. p is how often a "
        "fair coin would split them as unevenly"
    ),
    "t": (
        "the mean difference is divided by its standard error and compared with Student's t "
        "distribution. It is a formula that is right with many items"
    ),
    "mood": (
        "scores above and below the common median are counted for both systems. It compares "
        "medians and does not pair the items"
    ),
}


def of_comparisons(found: Comparisons) -> tuple[str, ...]:
    """Explain the test of comparisons in plain words, a paragraph each."""
    c = max(found.comparisons, key=lambda c: c.n)
    return (
        f"Why this test: {_IDEAS[c.test.test]}. {_worth(c)}",
        f"What it assumes: {_assumed(c)}",
        f"The interval: {_interval(c)}",
        *([_family(found)] if found.correction != "none" else []),
        f"What would change it: {_changes(c, alone=len(found) == 1)}",
        "What it does not say: CAN'T TELL does not mean that systems are equally good, and p is "
        "not the chance that the verdict is wrong.",
    )


def _worth(c: Comparison) -> str:
    if c.kind == "exact":
        return f"Nothing was left to a random draw: {c.reason}."
    if c.kind == "sampled":
        low = "0" if c.test.floor else p_text(c.pvalue_low, _log10(c.pvalue_low))
        high = p_text(c.pvalue_high, _log10(c.pvalue_high))
        return (
            f"They are too many to look at all ({c.reason}), so {c.test.resamples or 0:,} were "
            f"drawn at random; p of all of them lies between {low} and {high} (99 %)."
        )
    if c.kind == "asymptotic":
        return f"Its p is an approximation: {c.reason}."
    return f"p is known between {c.pvalue_low:.4g} and {c.pvalue_high:.4g} ({c.reason})."


def _log10(p: float) -> float:
    return math.log10(p) if p > 0 else -300.0


def _assumed(c: Comparison) -> str:
    units = (
        f"the {c.n:,} items are independent of one another. If several share a document, a user or "
        "a template, name that column as the cluster: p will change, mostly upwards, and be right"
        if c.clusters is None
        else f"the {c.clusters:,} clusters are independent of one another; items within one may "
        "depend on each other as they like"
    )
    side = (
        ""
        if c.alternative == "two-sided"
        else f" You asked for one side only ({c.alternative}): that must have been decided before "
        "the results were seen."
    )
    return (
        f"{units}. Systems, metric and items were chosen before the results were seen; a system "
        f"picked because it did best on these very items looks better than it is.{side}"
    )


def _interval(c: Comparison) -> str:
    level = f"{100 * c.interval.confidence:.4g} %"
    return (
        f"the gain on items like these lies in it in {level} of evaluations ({c.interval.method}). "
        "It is made by another method than p, so at the border the two may disagree; the verdict "
        "follows p."
    )


def _family(found: Comparisons) -> str:
    return (
        "Several comparisons: the more one compares, the more is found by chance, so p was "
        f"adjusted for {len(found)} of them ({CORRECTIONS[found.correction]}). Fewer comparisons, "
        "planned beforehand, are adjusted less."
    )


def _changes(c: Comparison, *, alone: bool) -> str:
    said = []
    if c.mde is not None and alone:
        k = scale(c.percent)
        size = f"{number(k * c.mde, digits(k * c.mde))}{unit(c.percent)}"
        said.append(
            f"more items. These find a true difference of {size} in 80 % of cases; four times as "
            "many items find about half of it"
        )
    else:
        said.append("more items")
    if c.clusters is None:
        said.append("items that turn out to belong together (a cluster)")
    said.append(f"another level than alpha = {c.alpha:g}, if it was set beforehand")
    return "; ".join(said) + "."


def of_board(board: Leaderboard) -> tuple[str, ...]:
    """Explain a leaderboard in plain words, a paragraph each."""
    ranking, pairs = board.ranking, board.pairs
    level = f"{100 * (1 - pairs.alpha):g} %"
    how = (
        "the difference of the two ratings, which rest on all comparisons"
        if board.decided_by == "model"
        else f"a {board.decided_by} test on the items that both have"
    )
    joint = (
        f"In about {level} of evaluations no such claim on the whole board is wrong."
        if pairs.correction in JOINT
        else "Single claims may be wrong more often than the level says, since there are many."
    )
    return (
        f"Who beats whom: every two systems are compared by {how}. {joint}",
        "Ranks: a system ranks below all that beat it, and below those that beat these. What is "
        "left open is a range; a wide one means that the items do not tell, not that systems are "
        "equal.",
        "Tiers: a line is drawn where every system above beats every system below.",
        f"P(best): the share of {len(ranking.resamples):,} test sets, drawn from yours with "
        "repeats, in which a system came first. It is not the chance that it is the best.",
        f"What it assumes: the {ranking.units:,} {ranking.unit_name} are independent of one "
        "another."
        + (
            ""
            if ranking.unit_name == "clusters"
            else " If items share a document or a user, name that column as the cluster."
        ),
        "What would change it: more items; fewer systems, since every pair is adjusted for; and, "
        "for ratings, which other systems are on the board.",
    )
