"""The same table in every library and engine that is there."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest


def duckdb_relation(frame: pl.DataFrame) -> Any:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    return duckdb.from_arrow(frame.to_arrow())


def ibis_table(frame: pl.DataFrame) -> Any:
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
    return ibis.memtable(frame.to_arrow())


def dask_frame(frame: pl.DataFrame) -> Any:
    dask = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    return dask.from_pandas(frame.to_pandas(), npartitions=3)


def spark_frame(frame: pl.DataFrame) -> Any:
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", 2).getOrCreate()
    return session.createDataFrame(frame.to_arrow())


ENGINES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": pl.DataFrame.lazy,
    "eager": lambda frame: frame,
    "pandas": pl.DataFrame.to_pandas,
    "pyarrow": pl.DataFrame.to_arrow,
    "duckdb": duckdb_relation,
    "ibis": ibis_table,
    "dask": dask_frame,
}
