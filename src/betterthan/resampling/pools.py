"""Threads and processes that share work: however a program ends, none of them stays behind."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait


@contextmanager
def left_at_once(pool: Executor) -> Iterator[Executor]:
    """Close a pool when its work is done; whoever interrupts it does not wait for the rest."""
    wait_for_all = True
    try:
        yield pool
    except KeyboardInterrupt:
        wait_for_all = False
        raise
    finally:
        pool.shutdown(wait=wait_for_all, cancel_futures=True)


@contextmanager
def processes(workers: int) -> Iterator[Executor]:
    """Share work among processes, which end with it: done, failed, interrupted or killed."""
    before = active_children()
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_serve)
    try:
        yield pool
    except BaseException:  # nobody wants the rest
        for worker in active_children():
            if worker not in before:
                worker.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _serve() -> None:
    """Make this process a worker, which lives as long as the program that started it."""
    # Whoever interrupts means the program: it is the one to end its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A program that is killed cannot, and its workers would wait for work for ever.
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
