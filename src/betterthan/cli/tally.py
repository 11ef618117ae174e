"""``betterthan tally``: distinct rows and counts, evidence without the items."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from betterthan.cli import panels as opt
from betterthan.cli.input import Files, Input, Scan, held, read_rows, scanned_judgments, told
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import as_shown, say
from betterthan.errors import how_many

if TYPE_CHECKING:
    from betterthan.readers.files import PathName


@dataclass(frozen=True, kw_only=True)
class TallyOutput:
    """Where the tally goes."""

    output: Annotated[
        Path | None,
        opt.writing("Write to a file: .parquet, .csv or .json; CSV is printed.", "--output", "-o"),
    ] = None


@grouped
def tally(
    files: Files,
    *,
    source: Input,
    metric: opt.Metrics = None,
    by: Annotated[str | None, opt.question("Also of each value of a column.")] = None,
    scan: Scan = False,
    output: TallyOutput,
) -> None:
    """Write distinct rows and how often each occurs: evidence without the items.

    compare, gate, power and rank read it, with the same verdict, p-value and signature as from the
    items; what needs single items (ids, medians, plots item by item) says so. Of judgments it is
    how often who won against whom, on which item:

        betterthan tally runs.csv -o tally.parquet
        betterthan compare tally.parquet
        betterthan tally 'runs/*.parquet' --scan --by domain -o tally.csv
        betterthan tally battles.jsonl -o battles.csv
    """
    from betterthan.data.tallied import Tallied
    from betterthan.errors import UsageError
    from betterthan.metrics import expand_classes
    from betterthan.readers.judgments.as_judgments import are_judgments
    from betterthan.readers.tally_files import SUFFIXES, encode_tally
    from betterthan.results.whole_files import write_whole

    path = output.output
    suffix = ".csv" if path is None else path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"a tally is written as {', '.join(SUFFIXES)}, not {suffix or 'so'}")
    given = files if scan else held(files)
    if source.input_format is None and are_judgments(given):
        _write_battles(given, source, path, suffix, scan=scan)
        return
    rows = read_rows(source, given, metric, scan=scan, by=by)
    if not isinstance(rows, Tallied):
        rows = Tallied.of(rows, expand_classes(metric, rows.columns) if metric else (), by=by)
    elif (metric or by) and not scan:
        raise UsageError(f"{files[0]} is a tally already, and --metric and --by are for items")
    data = encode_tally(rows, suffix)
    if path is None:
        print(as_shown(data.decode()), end="", flush=True)
        return
    write_whole(path, data)
    distinct = len(rows.rows.items.counts)
    say(
        f"Wrote {path}: {how_many(rows.n, 'item')} of {how_many(len(rows.systems), 'system')} in "
        f"{how_many(distinct, 'row')}"
    )


def _write_battles(
    files: "Sequence[PathName]", source: Input, path: Path | None, suffix: str, *, scan: bool
) -> None:
    """Write how often who won against whom: a table that `rank` reads as any judgments."""
    import polars as pl

    from betterthan.data.frames.writing import encode
    from betterthan.results.whole_files import write_whole

    if scan:
        judgments: Any = scanned_judgments(source, files)
    else:
        judgments = source.read_any(files)
        told(judgments)
    frame = pl.DataFrame(judgments.counted())
    data = frame.write_json().encode() if suffix == ".json" else encode(frame, suffix)
    if path is None:
        print(as_shown(data.decode()), end="", flush=True)
        return
    write_whole(path, data)
    say(f"Wrote {path}: {how_many(judgments.n, 'judgment')} in {how_many(len(frame), 'row')}")
