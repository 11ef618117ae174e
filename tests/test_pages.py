"""Every command and every session in the README and the docs is run, and gives what the page says.

A ``console`` block holds commands after ``$``; the lines that follow are what a terminal shows,
with ``...`` for anything. Sessions of Python follow ``>>>``. The bundled files are at hand.
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
DOCS = ROOT / "docs"
WRITTEN = sorted(page for page in DOCS.rglob("*.md") if page.parent.name != "papers")
PAGES = [ROOT / "README.md", *WRITTEN]
BLOCK = re.compile(r"^```console(?: picture)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
OUR_OWN = ("make", "git", "pip", "cd")


def examples(page: Path) -> list[tuple[str, str]]:
    """Commands of a page with the output they promise."""
    found = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command.partition("  #")[0].strip(), output))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_console_examples(
    page: Path,
    demo_folder: Path,
    betterthan: Callable[..., Run],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stderr", sys.stdout)  # a terminal shows both, in the order written
    checker = doctest.OutputChecker()
    code = 0
    for command, expected in examples(page):
        for part in command.split(" ; "):
            words = shlex.split(part)
            if words[0] in OUR_OWN:
                continue
            if words[0] == "echo":
                assert expected.rstrip().endswith(str(code)), part
                continue
            if words[0] == "head":
                _, _, count, name = words
                shown = "\n".join(Path(name).read_text(encoding="utf-8").splitlines()[: int(count)])
            else:
                assert words[0] == "betterthan", f"{page.name}: cannot run {part!r}"
                run = betterthan(*words[1:])
                code, shown = run.code, run.out
                assert code != 70, run.err
            if expected.strip() and " ; " not in command:
                assert checker.check_output(expected, shown, FLAGS), f"{command}\n{shown}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_sessions(page: Path, demo_folder: Path) -> None:
    text = page.read_text(encoding="utf-8")
    session = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    found: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(session, out=found.append)
    assert not found, "".join(found)


def test_what_the_readme_answers(demo_folder: Path, betterthan: Callable[..., Run]) -> None:
    commands = re.findall(r"\| `(betterthan .*?)` \|", (ROOT / "README.md").read_text("utf-8"))
    assert len(commands) >= 6
    for command in commands:
        run = betterthan(*shlex.split(command)[1:])
        assert run.code == 0, f"{command}\n{run.err}"
