"""No output in the place of an input."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any

WRITTEN = ("output", "plot")
READ = ("files", "gold", "ref", "docs", "text", "plan", "groups")


def refuse_overwriting(groups: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse to write to a file that is read, under whatever name, before anything is done."""
    said = {**given}
    for group in groups.values():
        said |= vars(group)
    named = (*(said.get(name) for name in WRITTEN), os.environ.get("GITHUB_STEP_SUMMARY") or None)
    written = [path for name in named if name is not None and (path := Path(name)).exists()]
    if not written:
        return
    from betterthan.errors import UsageError

    for source in _read(said):
        for path in written:
            with suppress(OSError):
                if os.path.samefile(source, path) and path.is_file():
                    also = "" if source == path else f" (as {source})"
                    raise UsageError(
                        f"{path} is read{also}, and would be overwritten: write to another file"
                    )
    for first, second in combinations(written, 2):
        if os.path.samefile(first, second):
            raise UsageError(f"{first} is asked for twice: write to two files")


def _read(said: Mapping[str, Any]) -> Iterator[Path]:
    from betterthan.errors import FormatError
    from betterthan.readers.files import meant

    for name in READ:
        value = said.get(name)
        several = value if isinstance(value, list | tuple) else [value]
        for path in several:
            if isinstance(path, str | Path) and str(path) != "-":
                with suppress(FormatError):  # reading will say so
                    yield from meant(path)
