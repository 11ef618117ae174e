"""The page: tables and plots of what was measured, between two marks in ``docs/calibration.md``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from betterthan.errors import UsageError
from betterthan.plots.look import BASELINE, COLOURS, FAINT, axes, bare, dashed, named, title
from calibrate.cells import Cell, Pairs
from calibrate.judging import PROMISES, Measured, exempt, of_measure

BEGIN = "<!-- measured: what follows is written by python -m calibrate -->"
END = "<!-- measured: end -->"


class Section(NamedTuple):
    """A measure's heading, and what its table shows."""

    measure: str
    heading: str
    text: str


SECTIONS = (
    Section(
        "type I",
        "Tests: false rejections",
        "Both systems follow one law, so that every rejection is wrong; nominal 5 %, two-sided. "
        "Bootstrap: the shift variant with 999 resamples.",
    ),
    Section(
        "one-sided",
        "Tests: false rejections in favour of the candidate",
        "As before, one-sided; with the bootstrap that counts signs.",
    ),
    Section(
        "ideal",
        "The ideal bootstrap of reals: false rejections",
        "Scores in all their digits, so that the law of all resamples is certified; nominal 5 %.",
    ),
    Section(
        "ideal interval",
        "The ideal bootstrap of reals: intervals",
        "Of a difference that is zero; nominal 95 %, no promise, as of other intervals by name.",
    ),
    Section("power", "Tests: true rejections", "The same systems, one of them ahead."),
    Section(
        "coverage",
        "Intervals of a difference",
        "How often the interval that `compare` prints holds the true difference; nominal 95 %, at "
        "least 93 % is asked for.",
    ),
    Section(
        "by name",
        "Intervals asked for by name",
        "`bootstrap_interval` with 999 resamples and Student's t, of a difference that is zero; "
        "nominal 95 %, no promise: `compare` takes them only where they cover.",
    ),
    Section(
        "score",
        "Intervals of one system",
        "How often the interval of `score` holds the true score; nominal 95 %, at least 93 % is "
        "asked for. *With bounds*: those of the scores were declared.",
    ),
    Section(
        "false PASS",
        "Gates: false PASS",
        "The candidate lies exactly at the border of each goal, so that every PASS is wrong; "
        "nominal 5 %. Bounds of ratings and seconds are declared.",
    ),
    Section(
        "assumed PASS",
        "Gates: false PASS under a model",
        "The same where a model is assumed instead of bounds, in so many words; nominal 5 %, and "
        "no promise: these worlds break the models.",
    ),
    Section(
        "true PASS",
        "Gates: true PASS",
        "Equal systems, and a margin as large as the loss in the table before.",
    ),
    Section(
        "joint ranks",
        "Rank sets",
        "How often all true ranks lie in their sets together; nominal 95 %, at least 93 % is asked "
        "for.",
    ),
    Section(
        "ratings",
        "Intervals of ratings",
        "How often a board's interval of one rating holds the true one; nominal 95 %, at least "
        "93 % is asked for.",
    ),
    Section(
        "thresholds",
        "Thresholds",
        "How often the interval that `thresholds` gives holds what studies of so many systems and "
        "items find on average; nominal 95 %, at least 93 % is asked for. Systems differ in skill "
        "and in their own noise; *unlike* ones have noise of lognormal size, and *unlike* items "
        "heavy-tailed noise of lognormal size. Of few pairs just significant no interval is given.",
    ),
    Section(
        "family",
        "Several comparisons: any false verdict",
        "Four systems against a baseline, all of one law; nominal 5 %.",
    ),
    Section(
        "joint intervals",
        "Several comparisons: all intervals together",
        "How often the four intervals hold together; nominal 95 %.",
    ),
    Section(
        "bracket",
        "Sampled p-values",
        "How often the bracket of 999 random swaps holds the exact p-value, and that of 999 "
        "resamples the ideal one; nominal 99 %.",
    ),
    Section(
        "detects",
        "The smallest effect that is detected",
        "How often the exact test rejects where the true effect is what `compare` says that a test "
        "set detects; said to be 80 %, approximately.",
    ),
)
WORLDS_IN_WORDS = """\
| world | scores |
|---|---|
| 0/1 | right or wrong, 74 % right; or the same with 95 % of the answers alike |
| ratings 1-5 | half of them alike; *rare losses*: 90 % alike, and one in fifty drops to 1 |
| bounded 0-1 | shares with two decimals; *rare losses*: all close, and one in fifty drops to 0 |
| real | heavy tails (t with three degrees of freedom), one decimal |
| seconds | lognormal up to a timeout of 30, skewed, lower is better |
| F1 | sentences of 0 to 4 entities, 70 % tagged alike; *rare losses*: one in fifty is lost |
| BLEU | sentences of 5 to 40 words, n-gram matches of chance |

Items have an ease that both systems share, and that items of a cluster share in part; systems
differ on items and on clusters. *Unequal* clusters have lognormal sizes from 1 to 231 items."""


def write_page(found: Sequence[Measured], path: Path) -> None:
    """Write the tables between the marks of the page, and the plots beside it."""
    text = path.read_text(encoding="utf-8")
    before, begun, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not begun or not ended:
        raise UsageError(f"{path} has no place for what was measured: {BEGIN} ... {END}")
    path.write_text(f"{before}{BEGIN}\n\n{measured(found)}\n\n{END}{after}", encoding="utf-8")
    figures = path.parent / "figures"
    _draw(of_measure(found, "type I"), figures / "calibration-tests.svg", "False rejections, %")
    coverage = [*of_measure(found, "coverage"), *of_measure(found, "score")]
    _draw(coverage, figures / "calibration-intervals.svg", "Coverage, %")


def measured(found: Sequence[Measured]) -> str:
    """Everything that was measured, in Markdown."""
    judged, broken = [one for one in found if one.judged], [one for one in found if one.broken]
    replicates = [one.given for one in judged]
    parts = [
        f"{len(found):,} measurements, of which {len(judged):,} are promises, from "
        f"{min(replicates):,} to {max(replicates):,} replicates each. Shares in per cent with "
        "their standard errors; a promise is broken where simultaneous limits say so (Clopper and "
        f"Pearson, at 5 % over all {len(judged):,} promises). A share in parentheses was promised "
        "nothing, a share *of* so many says that no more were given an answer, and *none* that "
        "none was: a test refused, or an interval had no ends.",
        "No promise is broken."
        if not broken
        else "**Broken promises:**\n\n" + "\n".join(f"- {one}" for one in broken),
        *(
            ["† Measured before the code that it depends on was last changed."]
            if any(one.earlier for one in found)
            else []
        ),
        WORLDS_IN_WORDS,
        "![False rejections of every test](figures/calibration-tests.svg)",
        "![Coverage of intervals](figures/calibration-intervals.svg)",
    ]
    for section in SECTIONS:
        rows = of_measure(found, section.measure)
        if rows:
            parts += [f"### {section.heading}", section.text, _table(rows)]
            parts += sorted({f"In parentheses: {why}." for one in rows if (why := exempt(one))})
    return "\n\n".join(parts)


def _table(rows: Sequence[Measured]) -> str:
    methods = list(dict.fromkeys(one.method for one in rows))
    cells = list(dict.fromkeys(one.cell for one in rows))
    by_place = {(one.cell, one.method): one for one in rows}
    lines = [
        f"| world | units | {' | '.join(methods)} | replicates |",
        f"|---|---|{'---:|' * (len(methods) + 1)}",
    ]
    for cell in cells:
        mine = [by_place.get((cell, method)) for method in methods]
        most = max(one.given for one in mine if one is not None)
        shown = [_entry(one, most) for one in mine]
        mark = " †" if any(one is not None and one.earlier for one in mine) else ""
        lines.append(f"| {_world(cell)} | {_units(cell)} | {' | '.join(shown)} | {most:,}{mark} |")
    return "\n".join(lines)


def _entry(one: Measured | None, most: int) -> str:
    if one is None:
        return ""
    if not one.given:
        return "none"
    share = f"{100 * one.share:.1f}"
    if 0 < one.true < one.given:
        share += f" ± {100 * one.error:.1f}"
    if one.given < most:
        share += f" of {one.given:,}"
    if one.broken:
        return f"**{share}**"
    return share if one.judged or not PROMISES[one.measure].judged else f"({share})"


def _world(cell: Cell) -> str:
    facts = vars(cell)
    if "study" in facts:
        study = facts["study"]
        ahead = ", half ahead" if study.lead else ""
        return f"{study.kind}, {study.systems} systems{ahead}"
    if "world" not in facts:
        return "real, 10 systems"
    if "systems" in facts:
        return f"{facts['world']}, {facts['systems']} systems"
    return str(facts["world"]) + (", one ahead" if isinstance(cell, Pairs) and cell.shift else "")


def _units(cell: Cell) -> str:
    facts = vars(cell)
    if "study" in facts:
        return f"{facts['study'].items} items"
    clusters = facts.get("clusters")
    if not clusters:
        return f"{facts['items']:,} items"
    return f"{clusters} {'unequal' if facts.get('unequal') else 'equal'} clusters"


def _draw(found: Sequence[Measured], path: Path, said: str) -> None:
    """Every measurement with its simultaneous limits, in the order of the table."""
    import matplotlib as mpl  # noqa: PLC0415 (slow to import)
    import matplotlib.pyplot as plt  # noqa: PLC0415

    judged = [one for one in found if one.judged]
    if not judged:
        return
    promise = judged[0].promise
    mpl.use("Agg")
    with mpl.rc_context({"svg.hashsalt": "betterthan", "svg.fonttype": "none"}):
        ax: Any = bare(axes(None, height=3.6), grid="y")
        ends = ([100 * one.low for one in judged], [100 * one.high for one in judged])
        ax.vlines(range(len(judged)), *ends, color=FAINT, linewidth=1.0)
        for broken, colour in ((False, COLOURS[0]), (True, BASELINE)):
            some = [(at, 100 * one.share) for at, one in enumerate(judged) if one.broken == broken]
            ax.plot([at for at, _ in some], [y for _, y in some], "o", color=colour, markersize=2.5)
        dashed(ax, 100 * (promise.nominal or 0.0))
        ax.set_xticks([])
        high = promise.nominal is not None and promise.nominal > 0.5
        ax.set_ylim(*((80, 101) if high else (0, 20)))
        named(ax, f"{len(judged)} cells and methods, in the order of the tables", said)
        title(ax, f"{said.partition(',')[0]}, with simultaneous limits; nominal dashed")
        path.parent.mkdir(exist_ok=True)
        ax.figure.savefig(path, metadata={"Date": None})
        plt.close(ax.figure)
