"""Processes that share work end with the program, however it ends."""

import operator
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from betterthan.resampling.pools import processes

PROGRAM = """
import os, signal, sys, time
from betterthan.resampling.pools import processes
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has it ignored
if __name__ == "__main__":
    with processes(2) as pool:
        first, second = (pool.submit(time.sleep, 600) for _ in range(2))
        while len(pool._processes) < 2 or not first.running():
            time.sleep(0.01)
        print(*pool._processes, flush=True)
        first.result()
"""


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    # Nobody may be there to take notice of a process that has ended.
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP])
def test_workers_end_with_the_program(end: signal.Signals) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    with program:
        assert program.stdout is not None
        workers = list(map(int, program.stdout.readline().split()))
        assert len(workers) == 2
        assert all(map(alive, workers))
        try:
            _end_by(program, end)
        finally:
            program.kill()
        for _ in range(200):
            if not any(map(alive, workers)):
                return
            time.sleep(0.1)
    raise AssertionError(f"{workers} are left behind by {end.name}")


def _end_by(program: "subprocess.Popen[str]", end: signal.Signals) -> None:
    """Send a signal, and again after a while: Python misses one that comes as it begins to wait."""
    for _ in range(6):
        program.send_signal(end)
        try:
            program.wait(10)
        except subprocess.TimeoutExpired:
            continue
        return
    raise AssertionError(f"{end.name} does not end the program")


def test_a_job_that_fails_ends_the_others() -> None:
    def fails() -> None:
        with processes(2) as pool:
            pool.submit(time.sleep, 600)
            pool.submit(operator.truediv, 1, 0).result()

    with pytest.raises(ZeroDivisionError):
        fails()
