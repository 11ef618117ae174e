"""The page ``docs/calibration.md``: a summary between two marks, all rows as CSV, and two plots."""

import csv
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from betterthan.errors import UsageError
from betterthan.plots.look import BASELINE, COLOURS, FAINT, axes, bare, dashed, named, title
from calibrate.cells import Cell, Pairs
from calibrate.judging import PROMISES, Measured, of_measure

BEGIN = "<!-- measured: what follows is written by python -m calibrate -->"
END = "<!-- measured: end -->"


class Row(NamedTuple):
    """A line of the CSV: how often something came true, in per cent of the answers."""

    measure: str
    world: str
    units: str
    method: str
    percent: str
    error: str
    answers: int
    promised: bool
    earlier: bool


MEASURES = {
    "type I": "a test rejects, two-sided, where both systems have one law",
    "one-sided": "the same in favour of the candidate",
    "ideal": "the ideal bootstrap of reals rejects",
    "ideal interval": "the ideal bootstrap's interval holds a difference of zero",
    "power": "a test rejects where one system is ahead",
    "coverage": "the interval of `compare` holds the difference",
    "by name": "`bootstrap_interval` or Student's t holds a difference of zero",
    "score": "the interval of `score` holds the score",
    "false PASS": "a gate passes a candidate at the border of its goal",
    "assumed PASS": "the same where a model is assumed instead of bounds",
    "true PASS": "a gate passes an equal system",
    "joint ranks": "all true ranks lie in their rank sets",
    "ratings": "a board's interval holds a rating",
    "thresholds": "the interval of a threshold holds the average of such studies",
    "family": "any of four verdicts is false",
    "joint intervals": "four intervals hold together",
    "bracket": "the bracket of a sampled p holds the exact one",
    "detects": "the exact test rejects at the effect that a comparison prints as detectable",
}


def write_page(found: Sequence[Measured], path: Path) -> None:
    """Write the summary between the marks of the page, and the rows and plots next to it."""
    text = path.read_text(encoding="utf-8")
    before, begun, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not begun or not ended:
        raise UsageError(f"{path} has no place for what was measured: {BEGIN} ... {END}")
    rows = [row_of(one) for one in found]
    broken = [str(one) for one in found if one.broken]
    path.write_text(f"{before}{BEGIN}\n\n{summary(rows, broken)}\n\n{END}{after}", encoding="utf-8")
    write_rows(rows, path.with_suffix(".csv"))
    figures = path.parent / "figures"
    _draw(of_measure(found, "type I"), figures / "calibration-tests.svg", "False rejections, %")
    coverage = [*of_measure(found, "coverage"), *of_measure(found, "score")]
    _draw(coverage, figures / "calibration-intervals.svg", "Coverage, %")


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Write all measurements as CSV."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(Row._fields)
        flags = {True: "yes", False: "no"}
        writer.writerows([*row[:-2], *(flags[flag] for flag in row[-2:])] for row in rows)


def row_of(one: Measured) -> Row:
    """A measurement as a line of the CSV."""
    percent, error = (f"{100 * value:.1f}" if one.given else "" for value in (one.share, one.error))
    place = (one.measure, _world(one.cell), _units(one.cell), one.method)
    return Row(*place, percent, error, one.given, one.judged, one.earlier)


def summary(rows: Sequence[Row], broken: Sequence[str]) -> str:
    """A line for each measure, and what is broken, in Markdown."""
    promised = [row for row in rows if row.promised]
    answers = [row.answers for row in promised]
    lines = [
        f"{len(rows):,} measurements, of which {len(promised):,} are promises, with "
        f"{min(answers):,} to {max(answers):,} answers each. All of them, with standard errors: "
        "[calibration.csv](calibration.csv). The table has per cent: the nominal share, and the "
        "lowest, the median and the highest that were measured, of promises where there are any.",
        "\n".join(f"- Broken: {one}" for one in broken) or "No promise is broken.",
    ]
    if earlier := sum(row.earlier for row in rows):
        lines.append(f"{earlier:,} were measured before their code was last changed.")
    table = [
        "| how often | nominal | lowest | median | highest | measured |",
        "|---|" + "---:|" * 5,
    ]
    for measure, text in MEASURES.items():
        found = [row for row in rows if row.measure == measure and row.percent]
        found = [row for row in found if row.promised] or found
        if found:
            nominal = PROMISES[measure].nominal
            shares = [float(row.percent) for row in found]
            cells = [min(shares), statistics.median(shares), max(shares)]
            table.append(
                f"| {text} | {'' if nominal is None else f'{100 * nominal:g}'} | "
                f"{' | '.join(f'{share:.1f}' for share in cells)} | {len(found):,} |"
            )
    pictures = [
        "![False rejections of every test](figures/calibration-tests.svg)",
        "![Coverage of intervals](figures/calibration-intervals.svg)",
    ]
    return "\n\n".join([*lines, "\n".join(table), *pictures])


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
