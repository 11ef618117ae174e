"""What reading a shuffled long table, and scanning a wide one, are made of: measured shares.

The floors of both do less than the job: ``polars.read_csv`` pairs no rows, and a group-by of two
columns reads no ids.
"""

import resource
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import betterthan as bt
from bench.growth import Work, long_csv, seconds, wide_parquet
from betterthan.data.frames import numbering
from betterthan.readers.tables.delimited import read_delimited

SIZES = (1_000_000, 10_000_000)


def kernel_seconds(work: Work) -> float:
    """Processor time of the kernel, the middle one of five runs."""
    times = []
    for _ in range(5):
        start = resource.getrusage(resource.RUSAGE_SELF).ru_stime
        work()
        times.append(resource.getrusage(resource.RUSAGE_SELF).ru_stime - start)
    return sorted(times)[2]


def reading(path: Path) -> Iterator[tuple[str, float]]:
    data = path.read_bytes()
    frame, *_ = read_delimited(data, "csv", path.name, lambda _: {"score"})
    item, system = frame["item"], frame["system"]
    coded, values = numbering.codes(item)
    block, run = np.empty(len(frame)), 2 * coded + numbering.codes(system)[0]
    score = frame["score"].to_numpy()

    def checked() -> bool:
        return bool(values.gather(coded).eq_missing(item).all())

    def filled() -> None:
        np.bincount(run)
        block[run] = score

    look_up, again = seconds(lambda: numbering.codes(item)), seconds(checked)
    yield (
        "bytes of the file to columns",
        seconds(lambda: read_delimited(path.read_bytes(), "csv", path.name, lambda _: {"score"})),
    )
    yield "which rows have the same id", look_up - again
    yield "every id compared with the one it was taken for", again
    yield "which rows are of which system", seconds(lambda: numbering.codes(system))
    yield "no place taken twice, scores put into theirs", seconds(filled)
    yield "all of it", seconds(lambda: bt.read(path))
    yield "of that in the kernel: memory handed out", kernel_seconds(lambda: bt.read(path))
    yield "beside it: polars.read_csv", seconds(lambda: pl.read_csv(path))
    yield "beside it: the first row of every id, by polars", seconds(item.arg_unique)
    yield (
        "beside it: polars.read_csv and pivot",
        seconds(lambda: pl.read_csv(path).pivot(on="system", index="item", values="score")),
    )


def scanning(path: Path) -> Iterator[tuple[str, float]]:
    lazy = pl.scan_parquet(path)
    bt.compare(bt.scan(path), "base", "new")  # imports are not counted
    yield (
        "two columns grouped and counted",
        seconds(lambda: lazy.group_by("base", "new").len().collect(engine="streaming")),
    )
    yield (
        "ids decoded",
        seconds(lambda: list(lazy.select("item").collect_batches(maintain_order=True))),
    )
    yield "all of it, to the verdict", seconds(lambda: bt.compare(bt.scan(path), "base", "new"))


def run() -> None:
    """Print a table of parts and their processor seconds."""
    print(f"| part | {' | '.join(f'{size:,} rows' for size in SIZES)} |")
    print(f"|---|{'---:|' * len(SIZES)}")
    jobs = (("shuffled long CSV", reading, long_csv), ("wide Parquet", scanning, wide_parquet))
    for name, parts, make in jobs:
        columns = [dict(parts(make(size))) for size in SIZES]
        for part in columns[0]:
            print(f"| {name}: {part} | {' | '.join(f'{c[part]:.3f}' for c in columns)} |")
