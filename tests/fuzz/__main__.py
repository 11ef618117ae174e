"""Run a campaign: ``python -m fuzz --seconds 600 --seed 1 csv helm``, with ``tests`` on the path.

What is found, or was being read when the process died, is kept in ``tests/fuzz/found``.
"""

import argparse
import sys

from fuzz.campaign import FOUND, Findings, campaign


def main() -> int:
    """Run a campaign from the command line; 1 if anything was found."""
    arguments = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    arguments.add_argument("only", nargs="*", help="formats; all by default")
    arguments.add_argument("--seconds", type=float, default=600.0)
    arguments.add_argument("--seed", type=int, required=True)
    options = arguments.parse_args()
    findings = Findings(FOUND, str(options.seed))
    done = campaign(options.seconds, options.seed, findings, options.only)
    print(f"seed {options.seed}: {done.total():,} executions, {len(findings.traces)} findings")
    return 1 if findings.traces else 0


if __name__ == "__main__":
    sys.exit(main())
