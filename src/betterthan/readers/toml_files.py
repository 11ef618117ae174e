"""TOML files: the plan of a gate, and defaults of options."""

import tomllib
from pathlib import Path
from typing import Any

from betterthan.errors import FormatError
from betterthan.readers.files import all_bytes, expand_paths

MOST_DOTS = 500  # of a line


def toml_text(path: Path) -> str:
    """Read the text of a TOML file."""
    try:
        return all_bytes(expand_paths([path])[0]).decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not a TOML file: {error}") from error


def parsed_toml(text: str, path: Path) -> dict[str, Any]:
    """Parse the text of a file; ``path`` is for complaints."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MOST_DOTS:  # tables within tables, which take time by their square
            raise FormatError(f"{path}: line {number:,} is nested too deeply: write it again")
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except RecursionError as error:
        raise FormatError(f"{path} is nested too deeply: write it again") from error
    except ValueError as error:  # also of numbers beyond all limits
        raise FormatError(f"{path} is not a TOML file: {error}") from error
