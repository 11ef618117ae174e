"""Sheets and pages of regenerated papers."""

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from betterthan.papers.catalogue import PAPERS
from betterthan.papers.exhibits import Curves, Exhibit, Picture
from betterthan.papers.printed_cells import Cell
from betterthan.papers.reproduction import CONFIDENCE, Reproduction
from betterthan.render.markdown import pipes
from betterthan.render.registry import sheet_of
from betterthan.results.atomic_write import write_whole
from betterthan.results.sheet import Sheet, Table, attributes, row_of

_HEADERS = ("exhibit", "number", "published", "ours", "error", "")
_LEFT = ("exhibit", "number", "")


@sheet_of.register
def _(found: Reproduction) -> Sheet:
    claims = [
        {"exhibit": exhibit.name, "claim": c.text, "holds": c.holds, "evidence": c.evidence}
        for exhibit, c in found.claims
    ]
    rows = [_row(found, exhibit.name, cell) for exhibit, cell in found.cells]
    return Sheet(
        title=f"{found.paper.title} ({found.paper.venue}), regenerated",
        kind="reproduction",
        rows=[_record(found, exhibit, cell) for exhibit, cell in found.cells],
        facts={
            **attributes(found.paper, "title", "unavailable"),
            **attributes(found, "quick", "seed", "holds"),
            "claims": claims,
        },
        headlines=(agreement_headline(found),),
        tables=(Table.of(_HEADERS, rows, left=_LEFT, caption=_allowance(found)),) if rows else (),
        remarks=(
            *(
                f"{'holds' if c.holds else 'FAILS'}: {c.text} ({c.evidence})"
                for _, c in found.claims
            ),
            *_reasons(found.exhibits, found.multiple),
            *(f"{name}: not available, {why}" for name, why in found.paper.unavailable.items()),
        ),
        layout="board",
    )


@sheet_of.register
def _(found: Curves) -> Sheet:
    records = [
        {"series": series.label, "x": x, "y": y}
        for series in found.series
        for x, y in zip(series.x, series.y, strict=True)
    ]
    rows = [tuple(_number(x) for x in record.values()) for record in records]
    return Sheet(
        title=found.title,
        kind="curves",
        rows=records,
        facts=attributes(found, "title", "x", "y"),
        tables=(Table.of(("series", found.x, found.y), rows, left=("series",)),),
        layout="plain",
    )


def agreement_headline(found: Reproduction) -> str:
    """Say how many numbers agree and whether the claims hold."""
    counts = found.counts()
    total = sum(counts.values())
    parts = [f"{counts['agrees']} of {total} numbers agree" if total else "no numbers to compare"]
    if counts["differs"]:
        parts.append(f"{counts['differs']} differ for a reason that is given")
    if counts["unexplained"]:
        parts.append(f"{counts['unexplained']} DIFFER AND NOBODY KNOWS WHY")
    if counts["not available"]:
        parts.append(f"{counts['not available']} are not available")
    held = sum(claim.holds for _, claim in found.claims)
    said = f"{held} of {len(found.claims)} claims hold" if found.claims else "no claims to check"
    return f"{found.paper.key}: {', '.join(parts)}; {said}."


def write_pages(found: Reproduction, folder: Path) -> list[Path]:
    """Write the page of a paper, with its figures in a folder beside it."""
    figures = folder / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    written = []
    for exhibit in found.exhibits:
        for at, shown in enumerate(exhibit.pictures):
            path = figures / _figure_name(found, exhibit, at)
            write_whole(path, _png(shown))
            written.append(path)
    path = folder / f"{found.paper.key}.md"
    write_whole(path, "\n".join(_page(found)) + "\n")
    return [path, *written]


def _page(found: Reproduction) -> Iterator[str]:
    paper = found.paper
    yield f"# {paper.title}\n"
    yield f"{paper.authors}, {paper.venue}. {agreement_headline(found)}\n"
    yield f"Written by `{_command(found)}`: {_run(found)}.\n"
    if found.cells:
        yield f"{_allowance(found)}\n"
    for exhibit in found.exhibits:
        yield f"## {exhibit.name}: {exhibit.title}\n"
        for remark in exhibit.remarks:
            yield f"{remark}\n"
        if exhibit.cells:
            rows = [_row(found, exhibit.name, cell)[1:] for cell in exhibit.cells]
            yield pipes(Table.of(_HEADERS[1:], rows, left=_LEFT)) + "\n"
        for line in _reasons((exhibit,), found.multiple):
            yield f"- {line}"
        yield ""
        for table in exhibit.tables:
            yield f"{table.caption}\n"
            yield pipes(table) + "\n"
        for at, shown in enumerate(exhibit.pictures):
            yield f"![{shown.caption}](figures/{_figure_name(found, exhibit, at)})\n"
            yield f"*{shown.caption}*\n"
        for claim in exhibit.claims:
            held = "Holds" if claim.holds else "Does not hold"
            yield f"- **{held}**: {claim.text} {claim.evidence}"
        yield ""
    if paper.unavailable:
        yield "## What cannot be regenerated offline\n"
        for name, why in paper.unavailable.items():
            yield f"- {name}: {why}"


def _command(found: Reproduction) -> str:
    """Spell the call that makes the same page again."""
    names = [exhibit.name for exhibit in found.exhibits]
    some = [] if names == list(found.paper.exhibits) else [f'"{name}"' for name in names]
    quick = ["--quick"] if found.quick else []
    return " ".join(
        ["betterthan reproduce", found.paper.key, *some, *quick, f"--seed {found.seed}"]
    )


def _run(found: Reproduction) -> str:
    if found.quick:
        return "a quick run, at smaller sizes and with fewer repeats than a full one"
    return "a full run"


def _allowance(found: Reproduction) -> str:
    said = (
        f"A number agrees if it lies within its rounding and {found.multiple:.2f} standard errors "
        f"of the difference ({100 * CONFIDENCE:.0f} %, jointly over all numbers of the paper)."
    )
    if found.typical is None:
        return said
    return (
        f"{said} The differences of those that agree are {found.typical:.2f} standard errors in "
        "the root mean square: 1 would be right, and much less mean that too much is allowed."
    )


def _reasons(exhibits: Sequence[Exhibit], multiple: float) -> Iterator[str]:
    """Say why numbers differ or are not there; a reason that several share is given once."""
    for exhibit in exhibits:
        shared: dict[tuple[str, str], list[str]] = {}
        for cell in exhibit.cells:
            ruling = cell.ruling(multiple)
            if ruling in ("differs", "not available"):
                shared.setdefault((ruling, cell.reason), []).append(cell.name)
        for (said, reason), names in shared.items():
            which = names[0] if len(names) == 1 else f"{len(names)} numbers"
            yield f"{exhibit.name}, {which} ({said}): {reason}"


def _record(found: Reproduction, exhibit: Exhibit, cell: Cell) -> dict[str, Any]:
    ruling = cell.ruling(found.multiple)
    return row_of(
        "reproduction",
        cell,
        paper=found.paper.key,
        exhibit=exhibit.name,
        cell=cell.name,
        printed=cell.published,
        tolerance=cell.allowed(found.multiple),
        agrees=ruling == "agrees",
        ruling=ruling,
        reason=cell.reason or None,
    )


def _row(found: Reproduction, name: str, cell: Cell) -> tuple[str, ...]:
    if cell.ours is None:
        return (name, cell.name, cell.published, "", "", "not available")
    ruling = cell.ruling(found.multiple)
    error = f"{cell.error:.2g}" if cell.error else ""
    return (name, cell.name, cell.published, f"{cell.ours:.4g}", error, ruling)


def _number(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float | int) else str(value)


def _figure_name(found: Reproduction, exhibit: Exhibit, at: int) -> str:
    return f"{found.paper.key}-{exhibit.slug}{f'-{at + 1}' if at else ''}.png"


def _png(shown: Picture) -> bytes:
    import matplotlib.pyplot as plt  # noqa: PLC0415 (slow to import)

    from betterthan.plots.papers import picture  # noqa: PLC0415 (slow to import)

    drawn, content = picture(shown), BytesIO()
    try:
        drawn.savefig(content, format="png", dpi=100, metadata={"Software": None})
    finally:
        plt.close(drawn)
    return content.getvalue()


def list_of_papers() -> str:
    """Say which papers there are and what of them is regenerated."""
    lines = []
    for paper in PAPERS.values():
        lines += [f"{paper.key}: {paper.title} ({paper.venue})", f"  {', '.join(paper.exhibits)}"]
        lines += [f"  not {name}: {why}" for name, why in paper.unavailable.items()]
    return "\n".join(lines)
