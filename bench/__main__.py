"""Write ``bench/README.md``, or run the benchmarks named: ``python -m bench accuracy f1``."""

import argparse
import sys
import time
from importlib import import_module
from pathlib import Path

from bench import page

HERE = Path(__file__).parent


def main() -> None:
    """Run the named benchmarks, each under its own heading; or those of the page."""
    names = sorted(p.stem for p in HERE.glob("*.py") if not p.stem.startswith("_"))
    names.remove("page")
    asked = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    asked.add_argument("names", nargs="*", help=f"of {', '.join(names)}; the page by default")
    asked.add_argument("--quick", action="store_true", help="small sizes, printed and not kept")
    given = asked.parse_args()
    if not given.names:
        page.write(quick=given.quick)
    for name in given.names:
        if name not in names:
            sys.exit(f"there is no benchmark {name!r}; there are {', '.join(names)}")
        start = time.perf_counter()
        print(f"\n== {name} ==")
        import_module(f"bench.{name}").run()
        print(f"({time.perf_counter() - start:.0f} s)")


if __name__ == "__main__":
    main()
