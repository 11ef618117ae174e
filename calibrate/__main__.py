"""Measure what is promised, write the page, and fail where a promise is broken."""

import argparse
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from betterthan.resampling.work import Work
from calibrate.batches import Store, added, run_job
from calibrate.page import broken, merged, read_rows, rows_of, write_page
from calibrate.table import cells

ROOT = Path(__file__).parents[1]
QUICK = 2  # batches of a cell


def main() -> None:
    """Read the options, measure what is not measured yet, and judge all of it."""
    parser = argparse.ArgumentParser(prog="python -m calibrate", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer cells and replicates")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--data", type=Path, help="folder of boards as CSV, which are resampled")
    parser.add_argument("--folder", type=Path, default=ROOT / ".calibrate", help="what is kept")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "calibration.md")
    parser.add_argument("--batches", type=int, help="batches of 100 replicates for each cell")
    parser.add_argument("--only", default="", help="cells whose description contains this")
    parser.add_argument("--seconds", type=float, help="stop after so long, with what is done")
    options = parser.parse_args()

    table = [c for c in cells(quick=options.quick, folder=options.data) if options.only in repr(c)]
    if not table:
        sys.exit(f"no cell has {options.only!r} in its description")
    store, start = Store(options.folder), time.monotonic()
    number = QUICK if options.quick else options.batches
    todo = [(c, b) for c in table for b in range(c.batches if number is None else number)]
    todo = sorted((job for job in todo if job[1] not in store.batches[repr(job[0])]), key=_batch)
    results = Work(options.workers).jobs(run_job, todo)
    for done, ((cell, batch), sums) in enumerate(zip(todo, results, strict=True), 1):
        store.add(cell, batch, sums)
        seconds = time.monotonic() - start
        print(f"{done}/{len(todo)} {seconds:.0f} s  {cell}", file=sys.stderr, flush=True)
        if options.seconds is not None and seconds > options.seconds:
            break

    today = f"{datetime.now(UTC):%Y-%m-%d}"
    measured = [(cell, added(store.batches[repr(cell)].values())) for cell in table]
    rows = [row for cell, sums in measured for row in rows_of(cell, sums, today)]
    if options.page.with_suffix(".csv").exists():
        everything = merged(read_rows(options.page.with_suffix(".csv")), rows)
    else:
        everything = merged([], rows)
    if not options.only:
        write_page(everything, options.page)
    for text in (failures := broken(rows)):
        print(text, file=sys.stderr)
    print(f"{len(rows)} measurements, {len(failures)} broken promises", file=sys.stderr)
    sys.exit(1 if failures else 0)


def _batch(job: tuple[object, int]) -> int:
    """The first batches of all cells come first."""
    return job[1]


if __name__ == "__main__":
    main()
