"""Batches of replicates, kept on disk as they are done, so that a run can be taken up again.

What is kept counts for the code that made it: a file of JSON lines for each state of the code.
"""

import hashlib
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np

import betterthan
from calibrate.cell import Cell
from calibrate.table import WHAT

BATCH = 100
PACKAGES = "metrics data exact resampling testing intervals comparison ranking design".split()
MODULES = ("boards", "cell", "decisions", "intervals", "populations", "worlds")
Sums = dict[str, tuple[float, float, int]]
"""Of each answer its sum, the sum of its squares, and how often it was given."""


def run_batch(cell: Cell, batch: int) -> Sums:
    """Replicates of one batch; they depend on the cell and the number of the batch alone."""
    rng = np.random.default_rng([zlib.crc32(repr(cell).encode()), batch])
    sums: Sums = defaultdict(lambda: (0.0, 0.0, 0))
    for _ in range(BATCH):
        for name, answer in WHAT[cell.what](cell, rng).items():
            value = float(answer or 0.0)
            total, squares, number = sums[name]
            sums[name] = (total + value, squares + value**2, number + (answer is not None))
    return dict(sums)


def run_job(job: tuple[Cell, int]) -> Sums:
    """A cell and the number of its batch, as other processes are asked for them."""
    return run_batch(*job)


def added(batches: Iterable[Sums]) -> Sums:
    """All batches of a cell together."""
    totals: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0])
    for sums in batches:
        for name, values in sums.items():
            totals[name] = [x + y for x, y in zip(totals[name], values, strict=True)]
    return {name: (total, squares, int(n)) for name, (total, squares, n) in totals.items()}


@cache
def state_of_the_code() -> str:
    """Eight digits that change with the code that is measured, or with what is simulated."""
    source, here = Path(betterthan.__file__).parent, Path(__file__).parent
    files = [path for name in PACKAGES for path in sorted((source / name).rglob("*.py"))]
    files += [source / "numeric.py", *(here / f"{name}.py" for name in MODULES)]
    return hashlib.blake2b(b"".join(map(Path.read_bytes, files)), digest_size=4).hexdigest()


class Store:
    """What is done already with the present code, by cell and number of the batch."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{state_of_the_code()}.jsonl"
        self.batches: dict[str, dict[int, Sums]] = defaultdict(dict)
        for line in self.path.read_text("utf-8").splitlines() if self.path.exists() else ():
            row = json.loads(line)
            sums = {name: (total, squares, n) for name, (total, squares, n) in row["sums"].items()}
            self.batches[row["cell"]][row["batch"]] = sums

    def add(self, cell: Cell, batch: int, sums: Sums) -> None:
        """Keep a batch."""
        self.batches[repr(cell)][batch] = sums
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"cell": repr(cell), "batch": batch, "sums": sums}) + "\n")
