"""Run the grid, write the page, fail where a promise is broken: ``python -m calibrate --quick``."""

import argparse
import sys
import time
from pathlib import Path

from betterthan.resampling.work import Work
from calibrate.cells import named
from calibrate.grid import grid
from calibrate.judging import judge
from calibrate.page import write_page
from calibrate.store import Store, run_job

ROOT = Path(__file__).parents[1]
FULL, QUICK = 10, 2  # batches of a cell


def main() -> None:
    """Read the options, do what is not done yet, and judge all that is."""
    parser = argparse.ArgumentParser(prog="python -m calibrate", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer cells and replicates")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--folder", type=Path, default=ROOT / ".calibrate", help="what is kept")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "calibration.md")
    parser.add_argument("--batches", type=int, help="batches of 100 replicates for each cell")
    parser.add_argument("--only", default="", help="cells whose name contains this")
    parser.add_argument("--seconds", type=float, help="stop after so long, with what is done")
    parser.add_argument(
        "--earlier", action="store_true", help="show what earlier code measured, too, and mark it"
    )
    asked = parser.parse_args()
    wanted = (QUICK if asked.quick else FULL) if asked.batches is None else asked.batches
    cells = [cell for cell in grid(quick=asked.quick) if asked.only in named(cell)]
    if not cells:
        sys.exit(f"no cell is called {asked.only!r}")
    store = Store(asked.folder)
    todo = [(c, b) for b in range(wanted) for c in cells if b not in store.batches(c)]
    start = time.monotonic()
    made = Work(asked.workers).jobs(run_job, todo)
    for done, ((cell, batch), counts) in enumerate(zip(todo, made, strict=True), 1):
        store.add(cell, batch, counts)
        spent = time.monotonic() - start
        print(f"{done}/{len(todo)} {spent:.0f} s  {named(cell)}", file=sys.stderr, flush=True)
        if asked.seconds is not None and spent > asked.seconds:
            break
    # Everything that is kept for this code counts, whichever grid it was made for.
    kept = [(cell, store.total(cell)) for cell in grid() if store.batches(cell)]
    older = [
        (cell, store.total(cell, earlier=True))
        for cell in grid()
        if asked.earlier and not store.batches(cell) and store.earlier(cell)
    ]
    order = {cell: at for at, cell in enumerate(grid())}
    kept = sorted(kept + older, key=lambda one: order[one[0]])
    found = judge(kept, {cell for cell, _ in older})
    if not asked.only:
        write_page(found, asked.page)
    broken = [one for one in found if one.broken]
    for one in broken:
        print(one, file=sys.stderr)
    print(f"{len(found)} measurements, {len(broken)} broken promises", file=sys.stderr)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
