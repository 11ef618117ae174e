"""Who does what is sampled: ``--workers``, or an existing Dask cluster, ``--scheduler``."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Annotated, Any

from betterthan.cli import panels as opt
from betterthan.errors import UsageError

PATIENCE = 10
"""Seconds in which a cluster has to answer."""

Scheduler = Annotated[
    str | None,
    opt.testing("A Dask cluster that does it instead, such as tcp://host:8786.", "--scheduler"),
]


@dataclass(frozen=True, kw_only=True)
class Workers:
    """Threads, or a cluster; neither changes a digit."""

    workers: Annotated[
        int | None,
        opt.testing("Threads that draw; as many as processors by default.", min=1, max=256),
    ] = None
    scheduler: Scheduler = None

    @contextmanager
    def options(self) -> Iterator[dict[str, Any]]:
        """Yield what functions are told, while the cluster is connected."""
        with cluster(self.scheduler) as executor:
            threads = {} if self.workers is None else {"workers": self.workers}
            yield {**threads, "executor": executor}


def cluster(address: str | None) -> AbstractContextManager[Any]:
    """Connect to an existing Dask cluster; None where there is no address."""
    if address is None:
        return nullcontext()
    if not re.fullmatch(r".+:\d+", address):
        raise UsageError(
            f"--scheduler takes an address with a port, tcp://host:8786, not {address}"
        )
    try:
        import distributed
    except ImportError as error:
        raise UsageError("--scheduler needs dask.distributed: pip install distributed") from error
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(
            f"no Dask scheduler answers at {address} ({reason}): start one with `dask scheduler`, "
            "or leave out --scheduler"
        ) from error
    connected: AbstractContextManager[Any] = client
    return connected
