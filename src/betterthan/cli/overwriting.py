"""No output in the place of an input."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any

WRITTEN = ("output", "plot", "save")
READ = ("files", "gold", "ref", "docs", "text", "plan", "groups", "config")
# What harnesses write beside their logs, and is read with them.
BESIDE = re.compile(
    r"results_\d{4}-\d\d-\d\dT.*\.json|(run_spec|stats|per_instance_stats|scenario_state)\.json"
)
STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


def at_home(path: Path) -> Path:
    """Put the folder of a user for its ``~``, as shells do where nobody quotes it."""
    try:
        return path.expanduser()
    except RuntimeError as error:
        from betterthan.errors import UsageError

        raise UsageError(
            f"{path} means the folder of a user who does not exist: write to another place"
        ) from error


def refuse_overwriting(groups: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse to write to a file that is read, under whatever name, before anything is done."""
    said = {**given}
    for group in groups.values():
        said |= vars(group)
    named = (*(said.get(name) for name in WRITTEN), os.environ.get("GITHUB_STEP_SUMMARY") or None)
    written = [Path(name) for name in named if name is not None]
    if not written:
        return
    from betterthan.errors import UsageError

    if Path("-") in written:
        raise UsageError("- is no name for a file to write: leave it out to print, or name a file")
    for source in _read(said):
        for path in written:
            with suppress(OSError):
                if path.is_file() and os.path.samefile(source, path):
                    also = "" if source == path else f" (as {source})"
                    raise UsageError(
                        f"{path} is read{also}, and would be overwritten: write to another file"
                    )
                if path.is_file() and BESIDE.fullmatch(path.name) and _beside(source, path):
                    raise UsageError(
                        f"{path} belongs to {source}, and would be overwritten: write to another "
                        "file"
                    )
    for first, second in combinations(written, 2):
        there = first.exists() and second.exists()
        if os.path.samefile(first, second) if there else first.resolve() == second.resolve():
            raise UsageError(f"{first} is asked for twice: write to two files")


def _beside(source: Path, path: Path) -> bool:
    return source.is_file() and os.path.samefile(source.parent, path.parent)


def _read(said: Mapping[str, Any]) -> Iterator[Path]:
    """Files that are read; the one that a shell made standard input under a name of its own."""
    from betterthan.errors import FormatError
    from betterthan.readers.files import meant

    for name in READ:
        value = said.get(name)
        several = value if isinstance(value, list | tuple) else [value]
        for path in several:
            if isinstance(path, str | Path) and str(path) in STDIN:
                yield Path("/dev/stdin")
            elif isinstance(path, str | Path):
                with suppress(FormatError):  # reading will say so
                    yield from meant(path)
