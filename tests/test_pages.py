"""Every command in the README and the docs is run, and prints what the page says.

A ``console`` block holds commands after ``$``; the lines that follow are what a terminal shows,
with ``...`` for anything. The bundled files are in the working folder.
"""

import doctest
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Run

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OUR_OWN = ("make", "git", "pip", "cd")


def examples(page: Path) -> list[tuple[str, str]]:
    """Commands of a page with the output they promise."""
    found = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command.partition("  #")[0].strip(), output))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_examples(
    page: Path,
    demo_folder: Path,
    betterthan: Callable[..., Run],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stderr", sys.stdout)  # a terminal shows both, in the order written
    checker = doctest.OutputChecker()
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    code = 0
    for command, expected in examples(page):
        for part in command.split(" ; "):
            words = shlex.split(part)
            if words[0] in OUR_OWN:
                continue
            if words[0] == "echo":
                assert expected.rstrip().endswith(str(code)), part
                continue
            assert words[0] == "betterthan", f"{page.name}: cannot run {part!r}"
            run = betterthan(*words[1:])
            code = run.code
            assert code != 70, run.err
            shown = run.out
            if expected.strip() and " ; " not in command:
                assert checker.check_output(expected, shown, flags), f"{command}\n{shown}"


def test_the_readme_has_examples() -> None:
    assert len(examples(ROOT / "README.md")) >= 3
