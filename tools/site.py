"""What MkDocs cannot do by itself: pictures of real output, and the help of every command.

- A ``console picture`` block becomes a picture of a terminal: its command is run, and what it
  really prints is drawn. The text in the page is what the tests compare with the command.
- Blocks of ``gallery.md`` are run in order; axes that one ends in become the picture below it.
- ``commands.md`` gets the help of every command; ``example-report.html`` is a report.
"""

import ast
import os
import re
import subprocess
import sys
import tempfile
from contextlib import chdir, redirect_stdout, suppress
from functools import cache
from importlib.resources import as_file, files
from io import StringIO
from pathlib import Path
from shutil import copytree
from typing import Any
from unittest import mock

import matplotlib as mpl
from mkdocs.structure.files import File
from rich.console import Console
from rich.text import Text

from betterthan.cli import app

os.environ["COLUMNS"] = "100"
mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "betterthan"
REPORT = "rank qa.csv --cluster document -o"
TERMINAL = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>.{unique_id}-matrix {{ white-space: pre; font: {char_height}px
ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }} {styles}</style>
<defs>{lines}</defs>
<rect width="{width}" height="{height}" rx="10" fill="#16191f"/>
<g transform="translate(12, 24)">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""
CONSOLE = re.compile(r"^```console picture\n\$ (betterthan .*?)\n.*?^```$", re.DOTALL | re.M)
DOCTEST = re.compile(r"^```python\n(?=>>> )", re.M)
PLOT = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.M)
COMMANDS = (
    *("compare", "rank", "score", "gate", "power", "responses compare", "responses study"),
    *("responses simulate", "study gains", "study calibration", "study false-alarms"),
    *("study aggregation", "study published", "study training", "reproduce", "demo", "inspect"),
    "list",
)


@cache
def bundled() -> Path:
    """A folder with the bundled files, for as long as the process lives."""
    folder = Path(tempfile.mkdtemp(prefix="betterthan-site-"))
    with as_file(files("betterthan") / "bundled") as source:
        copytree(source, folder, dirs_exist_ok=True)
    return folder


@cache
def printed(command: str, colour: str = "") -> str:
    """What a command prints on a terminal."""
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=bundled(),
        env={**os.environ, "TERM": "xterm-256color", "FORCE_COLOR": colour},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return done.stdout


def terminal(command: str) -> str:
    """A picture of the terminal after a command."""
    console = Console(record=True, width=100, file=StringIO(), force_terminal=True)
    console.print(Text(f"$ {command}", style="bold"))
    console.print(Text.from_ansi(printed(command, colour="1")))
    return console.export_svg(code_format=TERMINAL, unique_id="terminal")


def drawn(code: str, names: dict[str, Any]) -> str:
    """Run a block of the gallery: axes that its last line gives, as SVG, or nothing."""
    *body, last = ast.parse(code).body
    with chdir(bundled()):
        exec(compile(ast.Module(body, []), "gallery.md", "exec"), names)
        if not isinstance(last, ast.Expr):
            exec(compile(ast.Module([last], []), "gallery.md", "exec"), names)
            return ""
        axes = eval(compile(ast.Expression(last.value), "gallery.md", "eval"), names)
    stream = StringIO()
    axes.figure.savefig(stream, format="svg", bbox_inches="tight", metadata={"Date": None})
    mpl.pyplot.close(axes.figure)
    return stream.getvalue()


def commands() -> str:
    """The help of every command."""
    parts = [
        "# Commands\n\nWhat `betterthan COMMAND --help` prints. Exit codes: 0 a result, 1 a "
        "regression is shown and 3 can't tell (`gate` alone), 2 usage, 4 the data cannot be read "
        "or paired.\n"
    ]
    for name in COMMANDS:
        text = re.sub(r" +$", "", help_of(name), flags=re.M).strip("\n")
        parts.append(f"## {name}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def help_of(command: str) -> str:
    """The help of a command; in this process, since there are many."""
    stream = StringIO()
    words = ["betterthan", *command.split(), "--help"]
    with redirect_stdout(stream), suppress(SystemExit), mock.patch.object(sys, "argv", words):
        app.main()
    return stream.getvalue()


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that commands write."""
    printed(f"betterthan {REPORT} example-report.html")
    report = (bundled() / "example-report.html").read_text(encoding="utf-8")
    files.append(File.generated(config, "example-report.html", content=report))
    files.append(File.generated(config, "commands.md", content=commands()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Draw what a page asks for, and colour its doctests as sessions."""
    made = 0

    def add(svg: str, kind: str) -> str:
        nonlocal made
        made += 1
        name = f"pictures/{kind}-{Path(page.file.src_uri).stem}-{made}.svg"
        files.append(File.generated(config, name, content=svg))
        return "../" * page.file.src_uri.count("/") + name

    def shown(block: re.Match[str]) -> str:
        where = add(terminal(block[1]), "terminal")
        return f"![What {block[1]} prints on a terminal]({where})"

    markdown = CONSOLE.sub(shown, markdown)
    if page.file.src_uri == "gallery.md":
        names: dict[str, Any] = {}

        def with_picture(block: re.Match[str]) -> str:
            svg = drawn(block[1], names)
            what = block[1].strip().splitlines()[-1]
            return block[0] + (f"\n\n![The plot of {what}]({add(svg, 'plot')})" if svg else "")

        markdown = PLOT.sub(with_picture, markdown)
    return DOCTEST.sub("```pycon\n", markdown)
