"""The page ``docs/calibration.md``: a summary between two marks, all rows as CSV, and two plots.

The limits of all promises are simultaneous: Clopper and Pearson's, each at ``0.05 / number of
promises`` (Bonferroni). A promise is broken where its limits say so.
"""

import csv
import math
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from betterthan.errors import UsageError
from betterthan.plots.look import BASELINE, COLOURS, FAINT, axes, bare, dashed, named, title
from betterthan.resampling.generator import binomial_ends
from calibrate.batches import Sums
from calibrate.cell import Cell
from calibrate.table import BINARY, COVERED, MEASURES, promise

BEGIN = "<!-- measured: what follows is written by python -m calibrate -->"
END = "<!-- measured: end -->"
COMPARED = ("compare", "Student's t", "BCa")
FEWEST = 50
"""Answers below which nothing is judged: a method that nearly always gives none."""


class Row(NamedTuple):
    """A line of the CSV: how often something came true, in per cent of the answers."""

    measure: str
    world: str
    units: str
    method: str
    percent: str
    error: str
    answers: int
    promise: str
    measured: str

    @property
    def key(self) -> tuple[str, ...]:
        """What is measured, without the numbers."""
        return self[:4]

    def limits(self, tail: float) -> tuple[float, float]:
        """Simultaneous limits in per cent."""
        share = float(self.percent) / 100.0
        if self.measure == "width":
            half = float(self.error) * statistics.NormalDist().inv_cdf(1.0 - tail)
            return 100.0 * share - half, 100.0 * share + half
        low, high = binomial_ends(round(share * self.answers), self.answers, tail)
        return 100.0 * low, 100.0 * high

    def broken(self, tail: float) -> bool:
        """Whether the promise is shown not to hold."""
        if not self.promise:
            return False
        (low, high), (sign, limit) = self.limits(tail), self.promise.split()
        return high < float(limit) if sign == ">=" else low > float(limit)


def rows_of(cell: Cell, sums: Sums, measured: str) -> Iterable[Row]:
    """The measurements of a cell."""
    for name, (total, squares, number) in sums.items():
        measure, _, method = name.partition("/")
        mean = total / max(number, 1)
        spread = math.sqrt(max(squares / max(number, 1) - mean**2, 0.0) / max(number, 1))
        percent, error = (f"{100 * mean:.2f}", f"{100 * spread:.1f}") if number else ("", "")
        promised = promise(cell, measure, method) if number >= FEWEST else ""
        place = (measure, cell.place, cell.units, method)
        yield Row(
            *place,
            percent=percent,
            error=error,
            answers=number,
            promise=promised,
            measured=measured,
        )


def read_rows(path: Path) -> list[Row]:
    """Measurements of an earlier run."""
    with path.open(encoding="utf-8", newline="") as stream:
        next(lines := csv.reader(stream))
        rows: list[Any] = list(lines)
    return [Row(*row)._replace(answers=int(row[6])) for row in rows]


def merged(earlier: Iterable[Row], rows: Iterable[Row]) -> list[Row]:
    """The latest row of everything that was measured, by measure."""
    latest = {row.key: row for row in (*earlier, *rows)}
    return sorted(latest.values(), key=lambda row: list(MEASURES).index(row.measure))


def tail_of(rows: Sequence[Row]) -> float:
    """The error of one limit, so that all of them hold together at 95 %."""
    return 0.05 / max(sum(bool(row.promise) for row in rows), 1) / 2.0


def broken(rows: Sequence[Row]) -> list[str]:
    """The promises that are shown not to hold, as sentences."""
    tail = tail_of(rows)
    return [
        f"{row.measure} of {row.method}, {row.world}, {row.units}: {row.percent} % "
        f"({row.answers:,} answers), promised {row.promise}"
        for row in rows
        if row.broken(tail)
    ]


def write_page(rows: Sequence[Row], path: Path) -> None:
    """Write the summary between the marks of the page, and the rows and plots next to it."""
    text = path.read_text(encoding="utf-8")
    before, begun, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not begun or not ended:
        raise UsageError(f"{path} has no place for what was measured: {BEGIN} ... {END}")
    path.write_text(f"{before}{BEGIN}\n\n{summary(rows)}\n\n{END}{after}", encoding="utf-8")
    write_rows(rows, path.with_suffix(".csv"))
    figures = path.parent / "figures"
    _draw(rows, ("type I",), figures / "calibration-tests.svg", "False rejections, %")
    _draw(rows, ("coverage", "score"), figures / "calibration-intervals.svg", "Coverage, %")


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Write all measurements as CSV."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows([Row._fields, *rows])


def summary(rows: Sequence[Row]) -> str:
    """A line for each measure, and what is broken, in Markdown."""
    promised = [row for row in rows if row.promise]
    answers = [row.answers for row in promised]
    lines = [
        f"{len(rows):,} measurements, of which {len(promised):,} are promises, with "
        f"{min(answers):,} to {max(answers):,} answers each. All of them, with standard errors: "
        "[calibration.csv](calibration.csv). The table has per cent: what is nominal, and the "
        "lowest, the median and the highest that were measured, of promises where there are any.",
        "\n".join(f"- Broken: {text}" for text in broken(rows)) or "No promise is broken.",
    ]
    table = [
        "|how often|nominal|lowest|median|highest|measured|",
        "|---|" + 5 * "---:|",
    ]
    for measure, (text, nominal, _) in MEASURES.items():
        some = [row for row in rows if row.measure == measure and row.percent]
        shares = [float(row.percent) for row in [row for row in some if row.promise] or some]
        if shares:
            ends = [f"{x:.1f}" for x in (min(shares), statistics.median(shares), max(shares))]
            cells = [text, "" if nominal is None else f"{nominal:g}", *ends, f"{len(shares):,}"]
            table.append(f"|{'|'.join(cells)}|")
    intervals = (
        "Coverage of 95 % intervals by `compare`/Student's t/BCa; of 0/1 the lowest of 15 cells:"
    )
    pictures = [
        "![False rejections of every test](figures/calibration-tests.svg)",
        "![Coverage of intervals](figures/calibration-intervals.svg)",
    ]
    return "\n\n".join([*lines, "\n".join(table), intervals, _by_size(rows), *pictures])


def _by_size(rows: Sequence[Row]) -> str:
    """Coverage next to that of other intervals, by population and number of items."""
    columns = [f"{size:,} items" for size in COVERED]
    cells: dict[str, dict[str, dict[str, float]]] = {}
    for row in rows:
        if row.measure == "coverage" and row.units in columns and row.method in COMPARED:
            name = row.world if row.world not in BINARY else "0/1"
            cell = cells.setdefault(name, {}).setdefault(row.units, {})
            cell[row.method] = min(float(row.percent), cell.get(row.method, 100.0))
    lines = [f"|items|{'|'.join(f'{size:,}' for size in COVERED)}|", "|---|" + 5 * "---:|"]
    for name, sizes in cells.items():
        texts = [
            "/".join(f"{cell[x]:.1f}" if x in cell else "-" for x in COMPARED)
            for cell in (sizes.get(column, {}) for column in columns)
        ]
        lines.append(f"|{name}|{'|'.join('' if x == '-/-/-' else x for x in texts)}|")
    return "\n".join(lines)


def _draw(rows: Sequence[Row], measures: Sequence[str], path: Path, label: str) -> None:
    """Every promise with its simultaneous limits, in the order of the rows."""
    import matplotlib as mpl  # noqa: PLC0415 (slow to import)
    import matplotlib.pyplot as plt  # noqa: PLC0415

    tail = tail_of(rows)
    judged = [row for row in rows if row.measure in measures and row.promise]
    if not judged:
        return
    nominal = MEASURES[judged[0].measure].nominal or 0.0
    mpl.use("Agg")
    with mpl.rc_context({"svg.hashsalt": "betterthan", "svg.fonttype": "none"}):
        ax: Any = bare(axes(None, height=3.6), grid="y")
        low, high = zip(*(row.limits(tail) for row in judged), strict=True)
        ax.vlines(range(len(judged)), low, high, color=FAINT, linewidth=1.0)
        for wrong, colour in ((False, COLOURS[0]), (True, BASELINE)):
            some = [(k, float(x.percent)) for k, x in enumerate(judged) if x.broken(tail) == wrong]
            ax.plot([k for k, _ in some], [y for _, y in some], "o", color=colour, markersize=2.5)
        dashed(ax, nominal)
        ax.set_xticks([])
        ax.set_ylim(*((80, 101) if nominal > 50 else (0, 20)))
        named(ax, f"{len(judged)} cells and methods, in the order of the table", label)
        title(ax, f"{label.partition(',')[0]}, with simultaneous limits; nominal dashed")
        path.parent.mkdir(exist_ok=True)
        ax.figure.savefig(path, metadata={"Date": None})
        plt.close(ax.figure)
