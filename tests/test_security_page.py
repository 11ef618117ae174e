"""The page on security names the tests that hold it to its word: they exist, and are tests."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+) \| (.+) \| (`tests/.+`) \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_what_was_tried_has_its_tests(row: tuple[str, str, str]) -> None:
    named = re.findall(r"`(tests/\S+\.py)::(\w+)`", row[2])
    assert len(named) == row[2].count("::") > 0
    for file, name in named:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert name.startswith("test_")


def test_every_row_is_read() -> None:
    section = PAGE.partition("## What was tried")[2].partition("\n## ")[0]
    assert len(ROWS) == section.count("\n|") - 2 >= 35
