"""Run a campaign: ``python -m fuzz --seconds 600 --seed 1 csv helm``, with ``tests`` on the path.

What is found is kept in ``tests/fuzz/found``, where `tests/test_fuzz.py` tries it from then on; if
the process dies, what it was reading stays there.
"""

import argparse
import random
import sys
from pathlib import Path

from fuzz.campaign import FOUND, Findings, campaign


def main() -> int:
    """Run a campaign from the command line; 1 if anything was found."""
    arguments = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    arguments.add_argument("only", nargs="*", help="formats; all by default")
    arguments.add_argument("--seconds", type=float, default=600.0)
    arguments.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    arguments.add_argument("--keep", type=Path, default=FOUND)
    options = arguments.parse_args()
    print(f"seed {options.seed}", flush=True)
    findings = Findings(options.keep, str(options.seed))
    done = campaign(options.seconds, options.seed, findings, options.only)
    for name, count in sorted(done.items()):
        print(f"{name:20} {count:>8,}")
    print(f"{'all':20} {done.total():>8,} executions, {len(findings.traces)} findings")
    return 1 if findings.traces else 0


if __name__ == "__main__":
    sys.exit(main())
