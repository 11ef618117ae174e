"""What errors advise is a keyword of ``bt.read``, and with it they are gone."""

from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
import test_bad_logs
import test_bad_tables
import test_door

import betterthan as bt
from betterthan.errors import BetterthanError, Choice, Remedy

KEYWORDS = {*signature(bt.read).parameters}
TABLES: dict[str, tuple[str, bytes]] = {
    case.name: (f"t{case.suffix}", case.text.encode() if isinstance(case.text, str) else case.text)
    for case in test_door.CASES
}
TABLES |= {
    f"{name} {content[:20]!r}": (name, content)
    for mark in vars(test_bad_tables.test_broken_files)["pytestmark"]
    for name, content, _ in mark.args[1]
}


def open_choice(value: object) -> bool:
    """Whether something is left for the reader to fill in."""
    if isinstance(value, Mapping):
        return any(map(open_choice, value.values()))
    return isinstance(value, Choice) or (isinstance(value, list) and any(map(open_choice, value)))


def check(*files: Path) -> None:
    """Follow every remedy of the error that files raise, if they do."""
    try:
        bt.read(*files)
    except BetterthanError as error:
        for remedy in error.remedies:
            assert remedy.parameter is None or remedy.parameter in KEYWORDS, remedy
            if remedy.parameter and not open_choice(remedy.value):
                follow(files, remedy, error.message)


def follow(files: tuple[Path, ...], remedy: Remedy, message: str) -> None:
    options: dict[str, Any] = {str(remedy.parameter): remedy.value}
    said = ""
    try:
        bt.read(*files, **options)
    except BetterthanError as error:  # another one, which the first kept from being seen
        said = error.message
    assert said != message, remedy


@pytest.mark.parametrize("name", TABLES)
def test_remedies_of_tables(name: str, tmp_path: Path) -> None:
    file, content = TABLES[name]
    path = tmp_path / file
    path.write_bytes(content)
    check(path)


@pytest.mark.parametrize("make", [make for make, *_ in test_bad_logs.FAULTS.values()])
def test_remedies_of_logs(make: Any, tmp_path: Path) -> None:
    check(*make(tmp_path))
