"""One verdict, p-value and signature: from memory and from every engine, whatever happens to it."""

import os
import shutil
import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import betterthan as bt

N, PARTS = 6000, 8


def table() -> pl.DataFrame:
    draw = np.random.default_rng(11)
    base = draw.random(N) < 0.6
    return pl.DataFrame(
        {
            "id": np.arange(N),
            "document": draw.integers(N // 3, size=N),
            "base": base.astype(int),
            "new": np.where(draw.random(N) < 0.9, base, draw.random(N) < 0.7).astype(int),
            "grade": np.round(draw.random(N), 2),
            "graded": np.round(draw.random(N) * 1.02, 2),
            "real": draw.normal(size=N),
            "really": draw.normal(size=N) + 0.03,
        }
    )


PAIRS = {"binary": ("base", "new"), "decimals": ("grade", "graded"), "real": ("real", "really")}


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table in parts of unequal size, its rows mixed."""
    folder = tmp_path_factory.mktemp("parts")
    mixed = table().sample(fraction=1.0, shuffle=True, seed=3)
    ends = [0, *np.sort(np.random.default_rng(5).choice(N, PARTS - 1, replace=False)), N]
    for k, (start, end) in enumerate(pairwise(ends)):
        mixed[int(start) : int(end)].write_parquet(folder / f"{k}.parquet")
    return folder


def said(data: Any, kind: str) -> tuple[Any, ...]:
    found = bt.compare(data, *PAIRS[kind])
    return found.verdict, found.pvalue, found.delta, found.interval, found.signature


def expected(kind: str, clustered: bool) -> tuple[Any, ...]:
    columns = ["id", "document", *PAIRS[kind]]
    scores = bt.read(
        table().select(columns),
        columns={"item": "id", "cluster": "document" if clustered else None},
        systems=list(PAIRS[kind]),
    )
    return said(scores, kind)


def scanned(source: Any, kind: str, clustered: bool) -> tuple[Any, ...]:
    made = bt.read(
        source,
        columns={"item": "id", "cluster": "document" if clustered else None},
        items=False,
        systems=list(PAIRS[kind]),
    )
    return said(made, kind)


CASES = [("binary", False), ("binary", True), ("decimals", True), ("real", False)]


@pytest.mark.parametrize(("kind", "clustered"), CASES)
def test_files_in_parts_and_duckdb(parts: Path, kind: str, clustered: bool) -> None:
    from_memory = expected(kind, clustered)
    assert scanned(parts / "*.parquet", kind, clustered) == from_memory
    back = sorted(parts.glob("*.parquet"), reverse=True)
    assert scanned(pl.scan_parquet(back), kind, clustered) == from_memory
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    with duckdb.connect() as connection:
        for threads in (1, 3):
            connection.execute(f"set threads = {threads}")
            relation = connection.read_parquet(f"{parts}/*.parquet")
            assert scanned(relation, kind, clustered) == from_memory


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of DuckDB 2, by Ibis
@pytest.mark.parametrize(("kind", "clustered"), CASES)
def test_ibis(parts: Path, kind: str, clustered: bool) -> None:
    ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
    source = ibis.duckdb.connect().read_parquet(f"{parts}/*.parquet")
    assert scanned(source, kind, clustered) == expected(kind, clustered)


def _dies_once(part: Any, folder: str) -> Any:
    """Kill the worker that comes first to a certain part, in the midst of the work."""
    mark = Path(folder) / "died"
    if (part["id"] == 7).any() and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_dask_with_two_processes_of_which_one_is_killed(
    parts: Path, tmp_path: Path, dask_client: Any
) -> None:
    dask = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    frame = dask.read_parquet(f"{parts}/*.parquet")
    fragile = frame.map_partitions(_dies_once, str(tmp_path), meta=frame._meta)
    pids = set(dask_client.run(os.getpid).values())
    assert len(pids) == 2
    assert scanned(fragile, "binary", True) == expected("binary", True)
    assert (tmp_path / "died").exists()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")  # of pandas 3, by PySpark
def test_spark(parts: Path) -> None:
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("PySpark needs a Java runtime, and there is none")
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", 3).getOrCreate()
    frame = session.read.parquet(str(parts))
    for kind, clustered in (("binary", True), ("real", False)):
        assert scanned(frame, kind, clustered) == expected(kind, clustered)
