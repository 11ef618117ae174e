"""Defaults of options from ``betterthan.toml``: a table for each command.

::

    [compare]
    cluster = "document"
    alpha = 0.01

    [study.gains]
    percentile = 90

What is typed counts more. The table ``[gate]`` is a plan (:mod:`betterthan.design.plan`), and no
defaults. A file that lies in the working folder and was not named may be anyone's: it may name no
files and no code.
"""

from collections.abc import Collection
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from cyclopts import Token

from betterthan.cli.options import TABLE
from betterthan.errors import Remedy, UsageError, Where, closest, quote

FILE = "betterthan.toml"
CONFIG: ContextVar[Path | None] = ContextVar("config", default=None)
"""The file that was named."""
_WITHOUT = ("gate", "demo")  # a gate has a plan instead


class Defaults:
    """Options that a file sets; cyclopts asks for those of a command."""

    def __init__(self, path: Path | None, commands: Collection[str]) -> None:
        self.named = path is not None
        self.path = Path(FILE) if path is None else path
        self.commands = commands

    def __call__(self, app: Any, commands: tuple[str, ...], arguments: Any) -> None:
        """Hand the values of a command to cyclopts, as if they had been typed first."""
        words = commands[1:] if commands[:1] == ("betterthan",) else commands
        if not words or words[0] in _WITHOUT or not (self.named or self.path.is_file()):
            return
        source = f"{self.path}: [{'.'.join(words)}]"
        flags = {name: each for each in arguments for name in each.names if name[:2] == "--"}
        for key, value in self._table(words).items():
            flag = f"--{key.replace('_', '-')}"
            if flag not in flags:
                raise _unknown(f"{source} has no option {quote(key)}", flag, flags, self.path)
            values = value if isinstance(value, list) else [value]
            self._check_trust(flag, key, values)
            if flags[flag].tokens:  # typed
                continue
            switch = flag not in TABLE or not TABLE[flag].takes
            for one in values:
                if isinstance(one, dict | list) or isinstance(one, bool) != switch:
                    kind = "true or false" if switch else "text or a number"
                    message = f"{source} {key} must be {kind}, not {quote(one)}"
                    raise UsageError(message, where=Where(self.path))
                switched = one is (flag in TABLE)  # the other way for --higher-is-better
                typed: Any = {"implicit_value": switched} if switch else {"value": str(one)}
                flags[flag].append(Token(keyword=flag, source=source, **typed))

    def _table(self, words: tuple[str, ...]) -> dict[str, Any]:
        from betterthan.readers.toml_files import parsed_toml, toml_text

        table: Any = parsed_toml(toml_text(self.path), self.path)
        for key in table:
            if key not in self.commands:
                message = f"{self.path} has {quote(key)}, but there is no such command"
                raise _unknown(message, key, self.commands, self.path)
        for word in words:
            table = table.get(word, {}) if isinstance(table, dict) else None
        if not isinstance(table, dict):
            raise UsageError(f"{self.path}: [{'.'.join(words)}] must be a table of options")
        return table

    def _check_trust(self, flag: str, key: str, values: list[Any]) -> None:
        from betterthan.metrics.parsing import is_imported

        texts = [str(value) for value in values]
        code = flag == "--metric" and any(map(is_imported, texts))
        files = flag in TABLE and TABLE[flag].names_files
        files |= flag in ("--columns", "--cluster") and "@" in "".join(texts)
        if not self.named and (code or files):
            raise UsageError(
                f"{self.path}, which lies in this folder, sets {key} = {quote(values)}; a file "
                "that is not named may set no files and no code",
                Remedy("if you trust it", "config", str(self.path)),
            )


def _unknown(message: str, word: str, known: Collection[str], path: Path) -> UsageError:
    near = closest(word, known)
    hint = f" (did you mean {near.removeprefix('--')}?)" if near else ""
    return UsageError(f"{message}{hint}", where=Where(path))
