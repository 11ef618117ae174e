"""Sheets and pages of regenerated papers."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO, StringIO
from itertools import islice
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
    rows = [_row(found, e.name, cell) for e, cell in found.cells if cell.ours is not None]
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
            *(f"{e.name}: made on {e.on}" for e in found.exhibits if e.on),
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
        parts.append(f"{counts['unexplained']} differ for no known reason")
    if counts["not available"]:
        parts.append(f"{counts['not available']} are not available")
    held = sum(claim.holds for _, claim in found.claims)
    said = f"{held} of {len(found.claims)} claims hold" if found.claims else "no claims to check"
    return f"{found.paper.key}: {', '.join(parts)}; {said}."


def write_pages(found: Reproduction, folder: Path) -> list[Path]:
    """Write the page of a paper, its numbers, notes and tables as CSV, and its figures."""
    figures = folder / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    key = found.paper.key
    contents = {
        folder / f"{key}.md": "\n".join(_page(found)) + "\n",
        folder / f"{key}.csv": _csv(_record(found, *pair) for pair in found.cells),
        folder / f"{key}-notes.csv": _csv(_notes(found)),
        folder / f"{key}-tables.csv": _csv(_tables(found)),
    }
    written = {path: text for path, text in contents.items() if text}
    for path, text in written.items():
        write_whole(path, text)
    drawn = {figures / name: shown for name, shown in _pictures(found)}
    for path, shown in drawn.items():
        write_whole(path, _png(shown))
    return [*written, *drawn]


def _pictures(found: Reproduction) -> Iterator[tuple[str, Picture]]:
    """Every picture, with its file name."""
    for exhibit in found.exhibits:
        for k, shown in enumerate(exhibit.pictures, 1):
            more = f"-{k}" if k > 1 else ""
            yield f"{found.paper.key}-{exhibit.slug}{more}.png", shown


def _csv(rows: Iterable[Mapping[str, object]]) -> str:
    """Write records of the same fields; nothing if there is none."""
    records, text = list(rows), StringIO()
    if records:
        writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    return text.getvalue()


def _notes(found: Reproduction) -> Iterator[dict[str, str]]:
    """Claims and whether they hold, and how each exhibit was made."""
    for exhibit in found.exhibits:
        for claim in exhibit.claims:
            kind = "holds" if claim.holds else "fails"
            yield {
                "exhibit": exhibit.name,
                "kind": kind,
                "text": claim.text,
                "evidence": claim.evidence,
            }
        for remark in exhibit.remarks:
            yield {"exhibit": exhibit.name, "kind": "remark", "text": remark, "evidence": ""}


def _tables(found: Reproduction) -> Iterator[dict[str, str]]:
    """Numbers of ours that have no published counterpart, a row for each."""
    for exhibit in found.exhibits:
        for table in exhibit.tables:
            for first, *rest in table.rows:
                for header, value in zip(table.headers[1:], rest, strict=True):
                    yield {
                        "exhibit": exhibit.name,
                        "table": table.caption,
                        "row": first,
                        "column": header,
                        "value": value,
                    }


def _page(found: Reproduction) -> Iterator[str]:
    """A summary: how many numbers agree and claims hold in each exhibit, and one picture."""
    paper = found.paper
    yield f"# {paper.title}\n"
    yield f"{paper.authors}, {paper.venue}. {agreement_headline(found)}\n"
    yield f"Written by `{_command(found)}`: {_run(found)}.\n"
    if found.cells:
        yield f"{_allowance(found)}\n"
    tables = f", [tables]({paper.key}-tables.csv)" if any(_tables(found)) else ""
    numbers = f"[numbers]({paper.key}.csv), " if found.cells else ""
    yield f"As CSV: {numbers}[claims and remarks]({paper.key}-notes.csv){tables}.\n"
    rows = []
    for exhibit in found.exhibits:
        rulings = [cell.ruling(found.multiple) for cell in exhibit.cells]
        compared = len(rulings) - rulings.count("not available")
        numbers = f"{rulings.count('agrees')}/{compared}" if compared else ""
        held = sum(claim.holds for claim in exhibit.claims)
        claims = f"{held}/{len(exhibit.claims)}" if exhibit.claims else ""
        rows.append((exhibit.name, exhibit.on, numbers, claims))
    headers = ("exhibit", "made on", "numbers that agree", "claims that hold")
    yield pipes(Table.of(headers, rows, left=headers[:2])) + "\n"
    for exhibit, claim in found.claims:
        if not claim.holds:
            yield f"- {exhibit.name} **does not hold**: {claim.text}\n"
    for name, shown in islice(_pictures(found), 1):
        yield f"![{shown.caption}](figures/{name})"


def _command(found: Reproduction) -> str:
    """Spell the call that writes the same page."""
    names = [exhibit.name for exhibit in found.exhibits]
    some = [] if names == list(found.paper.exhibits) else [f'"{name}"' for name in names]
    options = ["--data DIR"] * found.real + ["--quick"] * found.quick + [f"--seed {found.seed}"]
    return " ".join(["betterthan reproduce", found.paper.key, *some, *options])


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
    error = f"{cell.error:.2g}" if cell.error else ""
    ruling = cell.ruling(found.multiple)
    return (name, cell.name, cell.published, f"{cell.ours or 0.0:.4g}", error, ruling)


def _number(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float | int) else str(value)


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
