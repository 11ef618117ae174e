"""Defaults of options from a file: ``betterthan.toml``, a table for each command.

::

    [compare]
    cluster = "document"
    alpha = 0.01

    [study.gains]
    percentile = 90

What is said on the command line counts more. The table of ``gate`` is its plan
(:mod:`betterthan.design.plan`), and no defaults. A file that lies in the working folder and was not
named may be anybody's: it sets nothing that runs code, calls other machines, reads or writes files,
or lifts a limit.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from betterthan.errors import BetterthanError, UsageError, did_you_mean, quote

FILE = "betterthan.toml"
_PLANNED = "gate"
_ONLY_WHEN_NAMED = {
    *("output", "plot", "ref", "docs", "text", "plan", "groups", "save", "gold"),
    *("max_memory", "unchecked", "scheduler"),
}


@dataclass(frozen=True)
class Defaults:
    """What a file sets for one command, by the names of parameters, and how it spells these."""

    where: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join(f"{self.keys[name]} = {v}" for name, v in self.values.items())

    def set_here(self, name: str) -> str:
        """Say where an option was set, as in ``betterthan.toml: [compare] alpha = 7``."""
        return f"{self.where} {self.keys[name]} = {quote(self.values[name])}"

    def blame(self, error: BetterthanError) -> None:
        """Name the file in an error about an option that was set there."""
        said = str(error)
        for name, value in self.values.items():
            several = [self.keys[name], *map(str, value if isinstance(value, list) else [value])]
            if any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) for word in several if word):
                error.args = (f"{said} ({self.set_here(name)})",)
                return


def defaults_of(
    words: list[str], options: dict[str, str], commands: Collection[str], path: Path | None
) -> Defaults:
    """Return what a file sets for the command of these words, by the names of its parameters.

    ``options`` are the command's, as they are spelled, each with the name of its parameter;
    ``commands`` are all that have tables.
    ``path`` is the file that was named, if any; else it is the one in the working folder, where
    there is one.
    """
    if words == [_PLANNED]:
        if path is None:
            return Defaults()
        raise UsageError(f'what a gate checks is its plan: name it with plan="{path}"')
    found = Path(FILE) if path is None else path
    if path is None and not found.is_file():
        return Defaults()
    table: Any = tables_in(found, commands, words[0])
    for word in words:
        table = table.get(word, {}) if isinstance(table, dict) else None
    where = f"{found}: [{'.'.join(words)}]"
    if not isinstance(table, dict):
        raise UsageError(f"{where} is a table of options, not {quote(table)}")
    made, keys = {}, {}
    for key, value in table.items():
        name = options.get(key.replace("_", "-"))
        if name is None:
            told = did_you_mean(key.replace("_", "-"), options)
            raise UsageError(f"{where} has {quote(key)}, which is no option here ({told})")
        if path is None and (name in _ONLY_WHEN_NAMED or _imports(name, value)):
            raise UsageError(
                f"{found}, found in this folder, sets {key} = {quote(value)}: if you trust it, "
                f'name the file with config="{found}"'
            )
        made[name], keys[name] = _taken(value, where, key), key
    return Defaults(where, made, keys)


def tables_in(path: Path, commands: Collection[str], command: str) -> dict[str, Any]:
    """Read a file; what belongs to no command is refused, lest it seem to have been heeded."""
    from betterthan.readers.toml_files import parsed_toml, toml_text

    tables = parsed_toml(toml_text(path), path)
    unknown = [key for key in tables if key not in commands]
    if commands and unknown:
        first = unknown[0]
        if isinstance(tables[first], dict):
            told = f"{path} has [{first}], which is no command ({did_you_mean(first, commands)})"
        else:
            told = (
                f"{path} sets {first} = {quote(tables[first])} outside of a table: write it below "
                f"the name of a command, such as [{command}]"
            )
        raise UsageError(told)
    return tables


def _imports(name: str, value: Any) -> bool:
    from betterthan.metrics.spelling import is_imported

    several = value if isinstance(value, list) else [value]
    return name == "metric" and any(is_imported(one) for one in several if isinstance(one, str))


def _taken(value: Any, where: str, key: str) -> Any:
    """A value as the command line would have it."""
    if isinstance(value, list):
        return [_taken(one, where, key) for one in value]
    if isinstance(value, str | int | float):
        return value
    raise UsageError(f"{where} {key} is a text, a number or true or false, not {quote(value)}")
