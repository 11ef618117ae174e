"""Batches of replicates on disk: a file of JSON lines for each cell, taken up where it was left.

A batch counts only for the code that made it: the cell's own, and that of the packages it uses.
What earlier code measured is kept beside it, and can be asked for.
"""

import ast
import hashlib
import json
import re
import sys
import zlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

import betterthan
from calibrate.cells import Cell, named

BATCH = 100
Counts = dict[str, tuple[int, int]]
"""How often a measure came true, and how often there was an answer."""

HOME = Path(__file__).parent
SOURCE = Path(betterthan.__file__).parent


def version(cell: Cell) -> str:
    """Eight digits that change with the code of its packages, or with what is simulated.

    Comments and docstrings are no part of it.
    """
    return _version(sys.modules[type(cell).__module__].__file__ or "", cell.packages)


@cache
def _version(own: str, packages: tuple[str, ...]) -> str:
    files = [HOME / "worlds.py", Path(own), HOME / "boards.py", SOURCE / "numeric.py"]
    files += [path for name in packages for path in sorted((SOURCE / name).glob("*.py"))]
    digest = hashlib.blake2b(digest_size=4)
    for path in files:
        digest.update(ast.dump(_bare(ast.parse(path.read_bytes()))).encode())
    return digest.hexdigest()


def _bare(tree: ast.Module) -> ast.Module:
    """Code without its docstrings."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            first.value.value = ""
    return tree


def run_job(job: tuple[Cell, int]) -> Counts:
    """A cell and the number of its batch, as other processes are asked for them."""
    return run_batch(*job)


def run_batch(cell: Cell, batch: int) -> Counts:
    """Replicates of one batch; they depend on the cell and the number of the batch alone."""
    rng = np.random.default_rng([zlib.crc32(named(cell).encode()), batch])
    counts: Counts = defaultdict(lambda: (0, 0))
    for _ in range(BATCH):
        for name, said in cell.trial(rng).items():
            true, given = counts[name]
            counts[name] = (true + bool(said), given + (said is not None))
    return dict(counts)


@dataclass
class Store:
    """The folder, and what is in it for the present code."""

    folder: Path
    _read: dict[str, dict[str, dict[int, Counts]]] = field(default_factory=dict)

    def batches(self, cell: Cell) -> dict[int, Counts]:
        """Batches that are done."""
        return self._versions(cell).setdefault(version(cell), {})

    def earlier(self, cell: Cell) -> dict[int, Counts]:
        """Batches of the last code that had any before this one."""
        now, others = version(cell), self._versions(cell)
        return next((others[one] for one in reversed(others) if one != now), {})

    def _versions(self, cell: Cell) -> dict[str, dict[int, Counts]]:
        """Batches by the code that made them, in the order of their last ones."""
        name, path = named(cell), self._path(cell)
        if name not in self._read:
            found: dict[str, dict[int, Counts]] = {}
            for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
                row = json.loads(line)
                if row["cell"] == name:
                    mine = found[row["version"]] = found.pop(row["version"], {})
                    mine[row["batch"]] = {key: (k, n) for key, (k, n) in row["counts"].items()}
            self._read[name] = found
        return self._read[name]

    def add(self, cell: Cell, batch: int, counts: Mapping[str, tuple[int, int]]) -> None:
        """Keep a batch."""
        self.batches(cell)[batch] = dict(counts)
        row = {
            "cell": named(cell),
            "version": version(cell),
            "batch": batch,
            "counts": counts,
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._path(cell).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")

    def total(self, cell: Cell, *, earlier: bool = False) -> Counts:
        """All batches of a cell together, or those that earlier code made."""
        total: Counts = {}
        for counts in (self.earlier(cell) if earlier else self.batches(cell)).values():
            for name, (true, given) in counts.items():
                before = total.get(name, (0, 0))
                total[name] = (before[0] + true, before[1] + given)
        return total

    def _path(self, cell: Cell) -> Path:
        name = named(cell)
        readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80]
        return self.folder / f"{readable}-{zlib.crc32(name.encode()):08x}.jsonl"
