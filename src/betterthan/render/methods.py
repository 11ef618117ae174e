"""The paste-ready methods sentence, with its citations."""

from betterthan.comparison.comparing import Comparison, Comparisons

_TESTS = {
    "permutation": "paired permutation test",
    "bootstrap": "paired bootstrap test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "mcnemar": "McNemar test",
    "t": "paired t-test",
    "mood": "median test",
}
_CORRECTIONS = {
    "holm": "Holm's correction (Holm, 1979)",
    "bonferroni": "Bonferroni's correction",
    "hochberg": "Hochberg's correction (Hochberg, 1988)",
    "sidak": "Sidak's correction (Sidak, 1967)",
    "bh": "the false-discovery-rate correction of Benjamini and Hochberg (1995)",
    "by": "the false-discovery-rate correction of Benjamini and Yekutieli (2001)",
    "max-t": "step-down max-T correction (Westfall and Young, 1993)",
}
_CITATIONS = {
    "permutation": "Zmigrod et al., 2022",
    "bootstrap": "Berg-Kirkpatrick et al., 2012",
    "wilcoxon": "Wilcoxon, 1945",
    "mcnemar": "McNemar, 1947",
    "mood": "Mood, 1950",
}


def test_phrase(c: Comparison) -> str:
    """Name the test, what its p is worth, and why it was made that way."""
    draws = f", {c.test.resamples or 0:,} draws"
    worth = {
        "exact": ", no sampling",
        "certified": f", p surely within {c.pvalue_low:.4g} to {c.pvalue_high:.4g}",
        "sampled": (
            f"{draws}, none as far out: p below {c.pvalue_high:#.2g} (99 %)"
            if c.test.floor
            else f"{draws}, p within {c.pvalue_low:#.2g} to {c.pvalue_high:#.2g} (99 %)"
        ),
        "asymptotic": "",
    }[c.kind]
    # The ideal bootstrap's p is computed exactly, but its level is not exact.
    kind = "ideal" if c.kind == "exact" and c.test.test == "bootstrap" else c.kind
    return f"{kind} {_TESTS[c.test.test]}{worth}: {c.reason}"


def largest(found: Comparisons) -> Comparison:
    """The comparison on most items: of tasks that are counted, none is the largest."""
    return max(found.comparisons, key=lambda c: c.n)


def counted(found: Comparisons) -> str:
    """How many comparisons there are; those in subsets are a family for themselves."""
    parts = sum(c.subset is not None for c in found.comparisons)
    whole = len(found.comparisons) - parts
    said = f"{whole} comparison{'s' * (whole != 1)}"
    return f"{said} and {parts} in subsets, each family for itself" if parts else said


def interval_sentence(found: Comparisons) -> str:
    """What the intervals are."""
    each = f"{100 * largest(found).interval.confidence:.4g} %"
    ways = list(dict.fromkeys(c.interval.method for c in found.comparisons))
    how = "; ".join(ways) if len(ways) < 3 else f"{ways[0]} and {len(ways) - 1} other methods"
    if found.correction == "none":
        return f"intervals are at {each} ({how})"
    together = f"{100 * (1 - found.alpha):g} %"
    return f"intervals hold together at {together} ({each} each, {how})"


def methods_sentence(found: Comparisons, *, cite: bool = True, intervals: bool = True) -> str:
    """Write what was done in one or two sentences for a paper."""
    first = largest(found)
    sides = {"two-sided": "two-sided", "greater": "one-sided", "less": "one-sided"}
    name = _TESTS[first.test.test]
    source = _CITATIONS.get(first.test.test)
    kinds = {c.kind for c in found.comparisons}
    draws = max(c.test.resamples or 0 for c in found.comparisons)
    worth = (
        "p-values from all resamples"
        if kinds <= {"exact"} and first.test.test == "bootstrap"
        else "exact p-values"
        if kinds <= {"exact"}
        else "certified p-values"
        if kinds <= {"exact", "certified"}
        else f"p-values from {draws:,} random draws"
        if draws
        else "asymptotic p-values"
    )
    units = f"{first.n:,} paired items"
    if first.clusters is not None:
        moved = "resampled" if first.test.test == "bootstrap" else "swapped"
        units += f" in {first.clusters:,} clusters, {moved} as one"
    cited = f" ({source})" if cite and source else ""
    text = (
        f"Differences were tested with a {sides[first.alternative]} {name}{cited} on {units} "
        f"({worth}, alpha = {found.alpha:g})"
    )
    if found.correction != "none":
        text += f", with {_CORRECTIONS[found.correction]} for {counted(found)}"
    over = next((c.metric for c in found.comparisons if c.metric.startswith("mean over")), None)
    if over:
        text += f"; overall is the {over}, items being swapped within tasks"
    return f"{text}; {interval_sentence(found)}." if intervals else f"{text}."
