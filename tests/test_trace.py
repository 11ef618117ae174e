"""How many calls a command takes, and how many of them lead from one module into another.

Data are prepared once and carried: who parses a metric again, checks a pair twice or asks the same
property of every cell is found here, and not by anybody's watch. A call counts if its code lies in
a file of the package and nothing is being imported; lambdas, comprehensions and generator
expressions do not, each resumption of a generator does. It is a hop if the nearest caller within
the package lies in another file.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import betterthan
from betterthan.cli import main

PACKAGE = str(Path(betterthan.__file__).parent)


@pytest.mark.parametrize(("command", "calls", "hops"), [("compare", 703, 395), ("rank", 941, 480)])
def test_calls_and_hops(demo_folder: Path, command: str, calls: int, hops: int) -> None:
    words = [command, "qa.csv", "--cluster", "document"]
    screen = ("COLUMNS", "FORCE_COLOR", "GITHUB_STEP_SUMMARY", "BETTERTHAN_DEBUG")
    done = subprocess.run(  # a fresh interpreter: caches are empty, imports are still to come
        [sys.executable, __file__, *words],
        check=False,
        cwd=demo_folder,
        env={name: value for name, value in os.environ.items() if name not in screen},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    *printed, last = done.stdout.splitlines()
    assert any("signature: betterthan:" in line for line in printed)
    found = json.loads(last)
    assert 300 < found["calls"] <= calls, found["most"]
    assert 150 < found["hops"] <= hops, found["most"]


def traced(words: list[str]) -> dict[str, Any]:
    """Run a command under a profiler, and count."""
    counts: Counter[str] = Counter()
    hops = importing = 0

    def profile(frame: FrameType, event: str, _: Any) -> None:
        nonlocal hops, importing
        code = frame.f_code
        if code.co_name == "<module>":
            importing += {"call": 1, "return": -1}.get(event, 0)
        file = code.co_filename
        anonymous = code.co_name.startswith(("<", "__annotate__"))  # which Python 3.14 calls
        if event != "call" or importing or anonymous or not file.startswith(PACKAGE):
            return
        counts[f"{Path(file).relative_to(PACKAGE)}:{code.co_qualname}"] += 1
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(PACKAGE):
            caller = caller.f_back
        hops += caller is not None and caller.f_code.co_filename != file

    sys.argv = ["betterthan", *words]
    sys.setprofile(profile)
    with suppress(SystemExit):
        main()
    sys.setprofile(None)
    return {"calls": counts.total(), "hops": hops, "most": counts.most_common(20)}


if __name__ == "__main__":
    print(json.dumps(traced(sys.argv[1:])))
