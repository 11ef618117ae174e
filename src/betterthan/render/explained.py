"""Why this test, what it assumes and what would change it: for readers who are no statisticians."""

from betterthan.comparison.verdicts import Comparison, Comparisons
from betterthan.errors import how_many
from betterthan.render.methods import joint_draws, largest, levels, number_of_comparisons, ways
from betterthan.results.number_format import (
    CORRECTIONS,
    digits,
    listed,
    number,
    p_ends,
    p_text,
    scale,
    unit,
)
from betterthan.testing.values import KINDS


def of_comparisons(found: Comparisons) -> tuple[str, ...]:
    """Explain the test of comparisons in plain words, a paragraph each."""
    c = largest(found)
    return (
        f"Why this test: {_idea(c)}. {_worths(found)}",
        f"What it assumes: {_assumed(c)}",
        f"The interval: {_interval(found)}",
        *([_family(found)] if found.correction != "none" else []),
        f"What would change it: {_changes(c, alone=len(found) == 1)}",
        "What it does not say: CAN'T TELL does not mean that systems are equally good, and p is "
        "not the chance that the verdict is wrong.",
    )


def _idea(c: Comparison) -> str:
    idea = KINDS[c.test.test].idea
    if c.clusters is None:
        return idea.format(units="items")
    told = idea.format(units="clusters of items")
    return told if told != idea else f"{told}. All items of a cluster go to one side together"


def _worths(found: Comparisons) -> str:
    """What each way to p is worth, once, with the metrics that went it."""
    groups = ways(found, lambda c: (c.kind, c.reason))
    if len(groups) == 1:
        names, c = groups[0]
        return _worth(c, alone=len(names) == 1)
    told = ((names, _worth(c, alone=len(names) == 1)) for names, c in groups)
    return " ".join(f"For {listed(names)}: {said[:1].lower()}{said[1:]}" for names, said in told)


def _worth(c: Comparison, *, alone: bool) -> str:
    if c.kind == "exact":
        return f"Nothing was left to a random draw: {c.reason}."
    if c.kind == "sampled":
        low, high = p_ends(c.pvalue_low, c.pvalue_high, c.alpha)
        p = p_text(c.pvalue, c.log10_pvalue, floor=c.test.floor, alpha=c.alpha)
        drawn = (
            f"; none of them was as far out, so p {p}. Of all there are it would be below {high}"
            if c.test.floor
            else f"; p is {p} of these. Of all there are it would lie between {low} and {high}"
        )
        return (
            f"They are too many to look at all ({c.reason}), so {c.test.resamples or 0:,} were "
            f"drawn at random{f'{drawn}, with 99 % confidence' * alone}."
        )
    if c.kind == "asymptotic":
        return f"Its p is an approximation: {c.reason}."
    return f"p is known between {c.pvalue_low:.4g} and {c.pvalue_high:.4g} ({c.reason})."


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


def _interval(found: Comparisons) -> str:
    groups = ways(found, lambda c: c.interval.method)
    made = "; ".join(
        f"by {listed(names)}: {c.interval.method}" if len(groups) > 1 else c.interval.method
        for names, c in groups
    )
    return (
        f"the gain on items like these lies in it in {levels(found)} of evaluations ({made}). It "
        "holds the gains that the test does not reject: zero is outside exactly when there is a "
        "verdict."
    )


def _family(found: Comparisons) -> str:
    drawn = f"The adjusted p is {joint_draws(found)}. " if found.correction == "max-t" else ""
    return (
        "Several comparisons: the more one compares, the more is found by chance, so p was "
        f"adjusted ({CORRECTIONS[found.correction]}): {number_of_comparisons(found)}. {drawn}Fewer "
        "comparisons, planned beforehand, are adjusted less."
    )


def _changes(c: Comparison, *, alone: bool) -> str:
    said = []
    units = "items" if c.clusters is None else "clusters"
    if c.mde is not None and alone:
        k = scale(c.percent)
        size = f"{number(k * c.mde, digits(k * c.mde))}{unit(c.percent)}"
        said.append(
            f"more {units}. These find a true difference of {size} in 80 % of cases; four times "
            f"as many {units} find about half of it"
        )
    else:
        said.append(f"more {units}")
    if c.clusters is None:
        said.append("items that turn out to belong together (a cluster)")
    said.append(f"another level than alpha = {c.alpha:g}, if it was set beforehand")
    if alone and c.turned is not None:
        said.append(
            f"{how_many(c.turned, units[:-1])} would have to turn for the verdict to become CAN'T "
            "TELL"
        )
    return "; ".join(said) + "."
