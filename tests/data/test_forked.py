"""A forked process lacks the threads of polars: it must not wait for them for ever."""

import multiprocessing
import sys
from pathlib import Path

import polars as pl
import pytest

import betterthan as bt
from betterthan.data.forked import refuse_after_fork
from betterthan.errors import UsageError

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="processes are not forked there"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # that is what is tried
]


def read_file(path: Path) -> int:
    return bt.read(path).n


def read_frame(_: Path) -> int:
    return bt.read(pl.DataFrame({"item": ["a", "b"], "base": [0, 1], "new": [1, 1]})).n


def write(path: Path) -> Path:
    path.write_text("item,base,new\na,0,1\nb,1,1\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("reads", [read_file, read_frame])
def test_a_forked_process_is_told(reads, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = write(tmp_path / "t.csv")
    assert reads(path) == 2
    with multiprocessing.get_context("fork").Pool(1) as pool:
        answer = pool.apply_async(reads, (path,))
        with pytest.raises(UsageError, match=r"before this process was forked.*spawn"):
            answer.get(timeout=60)


def test_a_spawned_process_reads(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv")
    refuse_after_fork()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply_async(bt.read, (path,)).get(timeout=120).n == 2
