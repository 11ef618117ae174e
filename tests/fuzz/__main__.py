"""Run a campaign: ``python -m fuzz --seconds 600 --seed 1 csv helm``, ``tests`` on the path.

``--hypothesis`` lets Hypothesis choose the changes, ``--grown`` reads valid files of a megabyte,
``--atheris`` follows the coverage of one format. What is found is kept in ``tests/fuzz/found``, at
once and then made smaller, where `tests/test_fuzz.py` tries it from then on. The files are read in
a second process; if that one dies, what it was reading is kept as well.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from fuzz.keeping import FOUND, Finding, Shelf, left_behind


def main() -> int:
    """Run a campaign from the command line."""
    arguments = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    arguments.add_argument("only", nargs="*", help="formats; all by default")
    arguments.add_argument("--seconds", type=float, default=600.0)
    arguments.add_argument("--seed", type=int, help="a new one by default")
    arguments.add_argument("--keep", type=Path, default=FOUND)
    how = arguments.add_mutually_exclusive_group()
    for way in ("grown", "hypothesis", "atheris"):
        how.add_argument(f"--{way}", dest="way", action="store_const", const=way)
    arguments.add_argument("--place", type=Path, help=argparse.SUPPRESS)  # of the second process
    asked = arguments.parse_args()
    if asked.way == "atheris" and len(asked.only) > 1:
        arguments.exit(2, "atheris follows the coverage of one format at a time\n")
    if asked.way == "atheris" and not find_spec("atheris"):
        arguments.exit(2, "atheris is not installed: pip install atheris, on Python 3.11 or 3.12\n")
    if asked.place is None:
        return watched(asked)
    try:
        return worked(asked)
    except LookupError as unknown:
        arguments.exit(2, f"{unknown}\n")


def watched(asked: argparse.Namespace) -> int:
    """Run the campaign in a second process, and keep what it was reading if it dies."""
    seed = random.SystemRandom().randrange(10**6) if asked.seed is None else asked.seed
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as place:
        words = [sys.executable, "-m", "fuzz", *sys.argv[1:], f"--seed={seed}", f"--place={place}"]
        with subprocess.Popen(words) as process:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # it says what it has, and ends
            code = process.wait()
        if code in (0, 1, 2) or not Path(place, "now").exists():
            return abs(code)
        shelf = Shelf(asked.keep, str(seed))
        name, content = left_behind(Path(place))
        shelf.put(Finding(name, "crash", content, f"the process ended with {code}"))
    return 1


def worked(asked: argparse.Namespace) -> int:
    """Run the campaign in this process, and say what was done."""
    if asked.way == "atheris":  # before anything of ours is imported
        from fuzz.guided import guided

        guided(asked.seconds, asked.seed, asked.only, asked.place, asked.keep)
    from fuzz.campaign import campaign
    from fuzz.grown import grown
    from fuzz.shrinking import shrinking

    shelf = Shelf(asked.keep, "grown" if asked.way == "grown" else str(asked.seed))
    if asked.way == "grown":
        done = grown(asked.only, asked.place, shelf)
    else:
        run = shrinking if asked.way == "hypothesis" else campaign
        done = run(asked.seconds, asked.seed, asked.only, asked.place, shelf)
    for name, count in sorted(done.items()):
        print(f"{name:20} {count:>8,}")
    print(f"{'all':20} {done.total():>8,} executions, {len(shelf.findings)} findings")
    return 1 if shelf.findings else 0


if __name__ == "__main__":
    sys.exit(main())
