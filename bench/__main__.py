"""Run all benchmarks or those named, and write the page: ``python -m bench accuracy f1``."""

import argparse
import sys

from bench import boards, bootstrap, exact, files, page, peers, responses
from bench.runner import Row, line, measured

TABLE = (
    *exact.BENCHMARKS,
    *bootstrap.BENCHMARKS,
    *boards.BENCHMARKS,
    *files.BENCHMARKS,
    *responses.BENCHMARKS,
    *peers.BENCHMARKS,
)


def main() -> None:
    """Run the benchmarks of the groups named."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(page.GROUPS)}; by default all")
    parser.add_argument("--quick", action="store_true", help="small sizes, printed and not kept")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in page.GROUPS]:
        sys.exit(f"there is no benchmark {unknown[0]!r}; there are {', '.join(page.GROUPS)}")
    rows: list[Row] = []
    print(f"{'seconds':<52} {'size':>11} {'ours':>9} {'theirs':>9} {'ratio':>10}  other")
    for benchmark in TABLE:
        if not options.names or benchmark.group in options.names:
            for row in measured(benchmark, quick=options.quick):
                rows.append(row)
                print(line(row), flush=True)
    if not options.quick:
        page.write(rows)


if __name__ == "__main__":
    main()
