"""``bench/README.md`` and its plot, written from a run: ``python -m bench``."""

import contextlib
import io
import os
import platform
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from math import log
from pathlib import Path

from bench.growth import Timing, timings

HERE = Path(__file__).parent
PAGE, PICTURE = HERE / "README.md", HERE / "growth.svg"
OTHERS = ("boards", "peers")
PEERS = ("scipy", "evalica", "sacrebleu", "statsmodels", "mlxtend", "ranx", "deepsig")

INTRODUCTION = """\
# How fast, and how it grows

Written by `make bench`, which is `python -m bench` ({when}, Python {python}, numpy {numpy}, {cores}
cores, {machine}). **The machine was shared** with other work: all times are processor seconds of
the process, not those of a clock, and the last digit means nothing. Other tools are called as their
documentation shows, those that are installed: {peers}. `python -m bench NAME` runs one of {names}.

The *floor* is the least that any program has to do with the data: one sum, one group-by, one matrix
product, one reading of the file. *Growth* is the exponent of time between the two largest sizes: 1
is proportional to the data.

## Growth

![Processor seconds by size, both logarithmic; floors dotted](growth.svg)

| job | size | ours, s | floor, s | floor is | peer, s | peer is | growth |
|---|---:|---:|---:|---|---:|---|---:|
"""

HEADINGS = {
    "boards": "## Boards of published sizes (memory: the most that the run had taken by then)",
    "peers": "## Other tools' paired tests (p-values of cases whose exact p is known)",
}


def write(*, quick: bool = False) -> None:
    """Run the benchmarks and write the page; a quick run prints it and writes nothing."""
    measured = []
    for one in timings(quick=quick):
        measured.append(one)
        print(f"{one.job.name}, {one.size:,}: {one.ours:.3g} s", file=sys.stderr, flush=True)
    text = _introduction() + "\n".join(_rows(measured)) + "\n"
    for name in () if quick else OTHERS:
        print(name, file=sys.stderr, flush=True)
        text += f"\n{HEADINGS[name]}\n\n{_output(name)}\n"
    if quick:
        print(text)
        return
    _draw(measured)
    PAGE.write_text(text, encoding="utf-8")


def _introduction() -> str:
    modules = sorted(p.stem for p in HERE.glob("*.py") if not p.stem.startswith("_"))
    return INTRODUCTION.format(
        when=f"{datetime.now(UTC):%Y-%m-%d}",
        python=platform.python_version(),
        numpy=version("numpy"),
        cores=os.cpu_count(),
        machine=platform.machine(),
        peers=", ".join(f"{name} {found}" for name in PEERS if (found := _version(name))),
        names=", ".join(f"`{name}`" for name in modules if name != "page"),
    )


def _version(package: str) -> str:
    with contextlib.suppress(PackageNotFoundError):
        return version(package)
    return ""


def _rows(measured: Iterable[Timing]) -> Iterable[str]:
    for _, group in groupby(measured, lambda one: one.job):
        some = list(group)
        for k, one in enumerate(some):
            last = k > 0 and one is some[-1]
            before = some[k - 1]
            grown = log(one.ours / before.ours) / log(one.size / before.size) if last else None
            cells = (
                one.job.name,
                f"{one.size:,}",
                f"{one.ours:.2g}",
                f"{one.floor:.2g}",
                one.job.floor,
                "" if one.peer is None else f"{one.peer:.2g}",
                "" if one.peer is None else one.job.peer,
                "" if grown is None else f"{grown:.2f}",
            )
            yield f"| {' | '.join(cells)} |"


def _output(name: str) -> str:
    """What a benchmark prints: as it is if that is a table of Markdown, else set as a block."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        import_module(f"bench.{name}").run()
    text = printed.getvalue().rstrip().strip("\n")
    return text if text.startswith("|") else f"```text\n{text}\n```"


def _draw(measured: Iterable[Timing]) -> None:
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(9, 5.5), layout="constrained")
    ax = figure.subplots()
    for number, (job, group) in enumerate(groupby(measured, lambda one: one.job)):
        some, colour = list(group), f"C{number}"
        sizes = [one.size for one in some]
        ax.loglog(sizes, [one.ours for one in some], "o-", color=colour, label=job.name)
        ax.loglog(sizes, [max(one.floor, 1e-7) for one in some], ":", color=colour, alpha=0.6)
    ax.set_xlabel("items, battles, rows or systems")
    ax.set_ylabel("processor seconds (dotted: the floor)")
    ax.grid(alpha=0.3)
    ax.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    with mpl.rc_context({"svg.hashsalt": "growth", "svg.fonttype": "none"}):
        figure.savefig(PICTURE, metadata={"Date": None})
