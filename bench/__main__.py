"""Run every benchmark, or those named: ``python -m bench accuracy f1``."""

import sys
import time
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Run the benchmarks one after another, each under its own heading."""
    names = sorted(p.stem for p in HERE.glob("*.py") if not p.stem.startswith("_"))
    for name in sys.argv[1:] or names:
        if name not in names:
            sys.exit(f"there is no benchmark {name!r}; there are {', '.join(names)}")
        start = time.perf_counter()
        print(f"\n== {name} ==")
        import_module(f"bench.{name}").run()
        print(f"({time.perf_counter() - start:.0f} s)")


if __name__ == "__main__":
    main()
