"""Who samples changes nothing, and a cluster that is not there says so."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Run

Command = Callable[..., Run]
SAMPLED = ("--test", "bootstrap", "--method", "sample", "--resamples", "3000", "--format", "json")


def test_a_cluster_prints_what_threads_print(demo_folder: Path, betterthan: Command) -> None:
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    alone = betterthan("compare", "qa.csv", *SAMPLED, "--workers", "1")
    assert alone.code == 0
    with distributed.LocalCluster(
        n_workers=1, processes=False, protocol="tcp://", dashboard_address=":0"
    ) as cluster:
        assert (
            betterthan("compare", "qa.csv", *SAMPLED, "--scheduler", cluster.scheduler_address)
            == alone
        )


@pytest.mark.parametrize(
    "words",
    [
        ("estimate", "qa.csv"),
        ("gate", "qa.csv", "--margin", "2", "--candidate", "atlas"),
        ("rank", "qa.csv", "--method", "mean"),
        ("study", "published", "qa.csv", "--published", "60", "--candidate", "atlas"),
    ],
)
def test_threads_print_what_one_prints(
    demo_folder: Path, betterthan: Command, words: tuple[str, ...]
) -> None:
    alone = betterthan(*words, "--workers", "1")
    assert alone.out
    assert betterthan(*words, "--workers", "4") == alone


@pytest.mark.parametrize(
    ("address", "said"),
    [("nowhere", "an address with a port"), ("tcp://127.0.0.1:9", "no Dask scheduler answers")],
)
def test_no_cluster_says_so(
    demo_folder: Path, betterthan: Command, address: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    monkeypatch.setattr("betterthan.cli.workers.PATIENCE", 1)
    found = betterthan("compare", "qa.csv", "--scheduler", address)
    assert found.code == 2
    assert said in found.err
    assert "Traceback" not in found.err
