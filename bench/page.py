"""``bench/README.md``, ``bench/results.csv`` and ``bench/growth.svg``, written from rows."""

import csv
import os
import platform
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from math import log
from pathlib import Path
from typing import Any

from bench.runner import Row

HERE = Path(__file__).parent
PAGE, RESULTS, PICTURE = HERE / "README.md", HERE / "results.csv", HERE / "growth.svg"
PEERS = ("scipy", "evalica", "sacrebleu", "statsmodels", "mlxtend", "ranx", "deepsig")
GROUPS = {
    "growth": "Growth",
    "boards": "Boards of published sizes",
    "ranking": "Bradley-Terry with errors",
    "accuracy": "The paper's test of accuracy",
    "f1": "F1 of two taggers",
    "real": "Certified p-values of sentence scores",
    "bootstrap": "The bootstrap",
    "responses": "Response tests, 10,000 draws",
    "logs": "Logs and tables",
    "tasks": "Metrics of text",
    "peers": "Other tools' paired tests (p-values of cases whose exact p is known)",
}
INTRODUCTION = """\
# How fast, and how it grows

Written by `make bench`, which is `python -m bench` ({when}, Python {python}, numpy {numpy}, {cores}
cores, {machine}). **The machine was shared** with other work: times are processor seconds of
the process, not those of a clock (except where workers share the work), and the last digit means
nothing. Other tools are called as their documentation shows, those that are installed: {peers}.
`python -m bench NAME` runs again one of {names}. [results.csv](results.csv) has all rows, with the
p-values that were found and the most memory that the run had taken by then.

The *floor* is the least that any program has to do with the data: one sum, one group-by, one matrix
product, one reading of the file. The *ratio* is how many times as long the other takes, *growth*
the exponent of our time between the two largest sizes: 1 is proportional to the data.
"""


def read_rows(path: Path = RESULTS) -> list[Row]:
    """Rows of earlier runs."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        next(lines := csv.reader(stream))
        values: list[Any] = list(lines)
    rows = [Row(*value) for value in values]
    return [
        row._replace(
            size=int(row.size),
            ours=float(row.ours),
            theirs=float(row.theirs) if row.theirs else None,
            megabytes=int(row.megabytes),
        )
        for row in rows
    ]


def write(rows: Sequence[Row]) -> None:
    """Replace the groups that were measured, and write everything again."""
    groups = {row.group for row in rows}
    everything = [*(row for row in read_rows() if row.group not in groups), *rows]
    everything.sort(key=lambda row: list(GROUPS).index(row.group))
    with RESULTS.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(Row._fields)
        for row in everything:
            theirs = "" if row.theirs is None else f"{row.theirs:.4g}"
            writer.writerow(row._replace(ours=f"{row.ours:.4g}", theirs=theirs))  # type: ignore[arg-type]
    PAGE.write_text(page(everything), encoding="utf-8")
    draw([row for row in everything if row.group == "growth"])


def page(rows: Sequence[Row]) -> str:
    """The page, in Markdown."""
    text = INTRODUCTION.format(
        when=f"{datetime.now(UTC):%Y-%m-%d}",
        python=platform.python_version(),
        numpy=version("numpy"),
        cores=os.cpu_count(),
        machine=platform.machine(),
        peers=", ".join(f"{name} {number}" for name in PEERS if (number := _version(name))),
        names=", ".join(f"`{name}`" for name in GROUPS),
    )
    for group, some in groupby(rows, lambda row: row.group):
        picture = "![Processor seconds by size, both logarithmic; floors dotted](growth.svg)\n\n"
        table = (_tools if group == "peers" else _table)(list(some))
        text += f"\n## {GROUPS[group]}\n\n{picture if group == 'growth' else ''}{table}\n"
    return text


def _version(package: str) -> str:
    with suppress(PackageNotFoundError):
        return version(package)
    return ""


def growth(rows: Sequence[Row]) -> dict[int, float]:
    """The exponent of our time between the two largest sizes of a job, by the largest."""
    ours = dict(sorted((row.size, row.ours) for row in rows))
    if len(ours) < 2:
        return {}
    small, large = list(ours)[-2:]
    return {large: log(ours[large] / ours[small]) / log(large / small)}


def _table(rows: Sequence[Row]) -> str:
    lines = [
        "| job | size | ours, s | other | its s | ratio | growth |",
        "|---|---:|---:|---|" + 3 * "---:|",
    ]
    for _, group in groupby(rows, lambda row: row.job):
        some = list(group)
        exponents = growth(some)
        for row in some:
            theirs = ["", ""] if row.theirs is None else [f"{row.theirs:.2g}", f"{row.ratio:.2g}"]
            exponent = exponents.pop(row.size, None)
            grown = "" if exponent is None else f"{exponent:.2f}"
            cells = (row.job, f"{row.size:,}", f"{row.ours:.2g}", row.other, *theirs, grown)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _tools(rows: Sequence[Row]) -> str:
    """A line for each tool, a column for each case."""
    cases = list(dict.fromkeys(row.job for row in rows))
    sizes = {row.job: f"{row.job}, {row.size:,} items" for row in rows}
    lines = [f"| tool | {' | '.join(sizes.values())} | seconds, last |", "|---|" + 6 * "---:|"]
    answers: dict[str, dict[str, str]] = {}
    taken: dict[str, float] = {}
    absent: list[str] = []
    for row in rows:
        answers.setdefault("betterthan", {})[row.job] = row.our_answer
        taken["betterthan"] = row.ours
        if row.their_answer == "ModuleNotFoundError":
            absent.append(row.other)
        else:
            answers.setdefault(row.other, {})[row.job] = row.their_answer
            taken[row.other] = row.theirs or 0.0
    for name, by_case in answers.items():
        shown = [_short(by_case[case]) for case in cases]
        lines.append(f"| {name} | {' | '.join(shown)} | {taken[name]:.2g} |")
    missing = ", ".join(dict.fromkeys(absent))
    return "\n".join(lines) + (f"\n\nNot installed: {missing}." if missing else "")


def _short(answer: str) -> str:
    with suppress(ValueError):
        return f"{float(answer):.2g}"
    return answer


def draw(rows: Iterable[Row]) -> None:
    """Time by size, with floors."""
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(9, 5.5), layout="constrained")
    ax: Any = figure.subplots()
    for number, (job, group) in enumerate(groupby(rows, lambda row: row.job)):
        some, colour = [row for row in group if row.is_floor], f"C{number}"
        sizes = [row.size for row in some]
        ax.loglog(sizes, [row.ours for row in some], "o-", color=colour, label=job)
        floors = [max(row.theirs or 0.0, 1e-7) for row in some]
        ax.loglog(sizes, floors, ":", color=colour, alpha=0.6)
    ax.set_xlabel("items, battles, rows or systems")
    ax.set_ylabel("processor seconds (dotted: the floor)")
    ax.grid(alpha=0.3)
    ax.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    with mpl.rc_context({"svg.hashsalt": "growth", "svg.fonttype": "none"}):
        figure.savefig(PICTURE, metadata={"Date": None})
