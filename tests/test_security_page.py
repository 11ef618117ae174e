"""The page on security names the tests that hold it to its word: they are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/.]+)`", PAGE)


@pytest.mark.parametrize("name", NAMED)
def test_what_is_named_is_there(name: str) -> None:
    path = ROOT / name
    if path.suffix:
        assert "\ndef test_" in path.read_text(encoding="utf-8")
    else:
        assert any(path.iterdir())


def test_several_are_named() -> None:
    assert len(NAMED) >= 4
