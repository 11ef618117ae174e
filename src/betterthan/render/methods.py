"""The paste-ready methods sentence, with its citations."""

from collections.abc import Callable, Hashable

from betterthan.comparison.comparing import Comparison, Comparisons
from betterthan.errors import how_many
from betterthan.results.number_format import listed, p_ends
from betterthan.testing.values import KINDS

_CORRECTIONS = {
    "holm": "Holm's correction (Holm, 1979)",
    "bonferroni": "Bonferroni's correction",
    "hochberg": "Hochberg's correction (Hochberg, 1988)",
    "sidak": "Sidak's correction (Sidak, 1967)",
    "bh": "the false-discovery-rate correction of Benjamini and Hochberg (1995)",
    "by": "the false-discovery-rate correction of Benjamini and Yekutieli (2001)",
    "max-t": "step-down max-T correction (Westfall and Young, 1993)",
}
SIMULTANEOUS = ("bonferroni", "sidak", "max-t")
"""Corrections whose intervals hold all at once."""


def test_phrase(c: Comparison) -> str:
    """Name the test, what its p is worth, and why it was made that way."""
    worth = {
        "exact": ", no sampling",
        "certified": (
            f", p surely within {c.pvalue_low:.4g} to {c.pvalue_high:.4g}"
            if (c.pvalue_low, c.pvalue_high) != (0.0, 1.0)
            else ", its p left open by the rounding of the scores"
        ),
    }.get(c.kind, "")
    if c.kind == "sampled":
        low, high = p_ends(c.pvalue_low, c.pvalue_high, c.alpha)
        of_all = f"p of all {'resamples' if c.test.test == 'bootstrap' else 'swaps'}"
        told = f", none as far out; {of_all} below" if c.test.floor else f"; {of_all} {low} to"
        worth = f", {c.test.resamples or 0:,} draws{told} {high} (99 %)"
    # The ideal bootstrap's p is computed exactly, but its level is not exact.
    kind = "ideal" if c.kind == "exact" and c.test.test == "bootstrap" else c.kind
    return f"{kind} {KINDS[c.test.test].title}{worth}: {c.reason}"


def largest(found: Comparisons) -> Comparison:
    """The comparison on most items: of tasks that are counted, none is the largest."""
    return max(found.comparisons, key=lambda c: c.n)


def ways(
    found: Comparisons, way: Callable[[Comparison], Hashable]
) -> list[tuple[list[str], Comparison]]:
    """Metrics whose largest comparison went the same way, and the largest of these."""
    groups: dict[Hashable, list[Comparison]] = {}
    for metric in dict.fromkeys(c.metric for c in found.comparisons):
        c = max((c for c in found.comparisons if c.metric == metric), key=lambda c: c.n)
        groups.setdefault(way(c), []).append(c)
    return [([c.metric for c in group], max(group, key=lambda c: c.n)) for group in groups.values()]


def number_of_comparisons(found: Comparisons) -> str:
    """How many comparisons there are; those in subsets are a family for themselves."""
    parts = sum(c.subset is not None for c in found.comparisons)
    whole = len(found.comparisons) - parts
    said = f"{whole} comparison{'s' * (whole != 1)}"
    return f"{said} and {parts} in subsets, each family for itself" if parts else said


def levels(found: Comparisons) -> str:
    """Levels of the intervals.

    They differ where each has the level at which its own p was judged.
    """
    known = [c.interval.level for c in found.comparisons]
    low, high = (f"{100 * level:.3g}" for level in (min(known), max(known)))
    return f"{low} %" if low == high else f"{low} to {high} %"


def interval_sentence(found: Comparisons) -> str:
    """What the intervals are."""
    ways = list(dict.fromkeys(c.interval.method for c in found.comparisons))
    how = "; ".join(ways) if len(ways) < 3 else f"{ways[0]} and {len(ways) - 1} other methods"
    simultaneous = "simultaneous " * (found.correction in SIMULTANEOUS)
    return f"{simultaneous}intervals are at {levels(found)} ({how})"


def _worth(c: Comparison) -> str:
    if c.kind == "sampled":
        return f"p-values from {c.test.resamples or 0:,} random draws"
    if c.kind == "exact" and c.test.test == "bootstrap":
        return "p-values from all resamples"
    return f"{c.kind} p-values"


def joint_draws(found: Comparisons) -> str:
    """What max-T's p-values rest on, and how far sampling may have moved them."""
    drawn = [c for c in found.comparisons if c.resamples_adjusted is not None]
    if not drawn:
        return "of all swaps, none sampled"
    error = max(
        end
        for c in drawn
        for end in (
            c.pvalue_adjusted_high - c.pvalue_adjusted,
            c.pvalue_adjusted - c.pvalue_adjusted_low,
        )
    )
    draws = max(c.resamples_adjusted or 0 for c in drawn)
    return f"sampled, {draws:,} draws; p of all swaps within {error:.2g} of it (99 %)"


def methods_sentence(found: Comparisons, *, cite: bool = True, intervals: bool = True) -> str:
    """Write what was done in one or two sentences for a paper."""
    first = largest(found)
    sides = {"two-sided": "two-sided", "greater": "one-sided", "less": "one-sided"}
    named = KINDS[first.test.test]
    worths: dict[str, list[str]] = {}
    for c in found.comparisons:
        names = worths.setdefault(_worth(c), [])
        names += [c.metric] * (c.metric not in names)
    apart = len(worths) > 1 and len({c.metric for c in found.comparisons}) > 1
    worth = ", ".join(said + f" for {listed(of)}" * apart for said, of in worths.items())
    if first.resamples_adjusted is not None:
        worth += " before adjustment"
    units = f"{first.n:,} paired items"
    if first.clusters is not None:
        moved = "resampled" if first.test.test == "bootstrap" else "swapped"
        units += f" in {how_many(first.clusters, 'cluster')}, {moved} as one"
    cited = f" ({named.citation})" if cite and named.citation else ""
    text = (
        f"Differences were tested with a {sides[first.alternative]} {named.title}{cited} on "
        f"{units} ({worth}, alpha = {found.alpha:g})"
    )
    if found.correction != "none":
        text += f", with {_CORRECTIONS[found.correction]} for {number_of_comparisons(found)}"
    if found.correction == "max-t":
        text += f" (adjusted p {joint_draws(found)})"
    over = next((c.metric for c in found.comparisons if c.metric.startswith("mean over")), None)
    if over:
        text += f"; overall is the {over}, items being swapped within tasks"
    return f"{text}; {interval_sentence(found)}." if intervals else f"{text}."
