"""Run a campaign: ``python -m fuzz --seconds 600 --seed 1 csv helm``, ``tests`` on the path.

``--grown`` reads valid files of a megabyte instead. What is found is kept in ``tests/fuzz/found``,
where `tests/test_fuzz.py` tries it from then on.
"""

import argparse
import sys
from pathlib import Path

from fuzz.campaign import FOUND, campaign
from fuzz.grown import grown


def main() -> int:
    """Run a campaign from the command line."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("only", nargs="*", help="formats; all by default")
    arguments.add_argument("--seconds", type=float, default=600.0)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--keep", type=Path, default=FOUND)
    arguments.add_argument("--grown", action="store_true")
    asked = arguments.parse_args()
    done, findings = (
        grown(asked.only) if asked.grown else campaign(asked.seconds, asked.seed, asked.only)
    )
    for name, count in sorted(done.items()):
        print(f"{name:16} {count:>8,}")
    print(f"{'all':16} {done.total():>8,} executions, {len(findings)} findings, seed {asked.seed}")
    for number, finding in enumerate(findings):
        home = asked.keep / finding.seed / f"{asked.seed}-{number}"
        for name, data in finding.content.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes(data)
        print(f"\n{finding.seed}: {finding.what} ({home})\n{finding.trace}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
