"""Options: none is lost, each stands in a panel, and groups of them are put together rightly."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, get_args

import pytest
import typer
from typer.testing import CliRunner

from betterthan.cli.app import app
from betterthan.cli.option_groups import grouped
from betterthan.cli.rank import rank
from betterthan.comparison.multiplicity import CORRECTIONS
from betterthan.ranking.likelihood import TIE_RULES
from betterthan.ranking.result import AGGREGATIONS
from betterthan.testing.by_name import TESTS
from conftest import Run

Command = Callable[..., Run]
RECORDED = Path(__file__).with_name("options.txt")
PANELS = {"Input", "Question", "Test", "Output"}


def commands(command: Any, path: str = "betterthan") -> Iterator[tuple[str, Any]]:
    """Every command that can be run, with the words that run it."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{path} {name}")


COMMANDS = dict(commands(typer.main.get_command(app)))


def recorded() -> dict[str, dict[str, str]]:
    """The options that scripts rely on, and their defaults: add to the file, never take away."""
    found: dict[str, dict[str, str]] = {}
    for line in RECORDED.read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            options = found[line] = {}
        else:
            name, _, default = line.strip().partition(" ")
            options[name] = default
    return found


@pytest.mark.parametrize(("words", "options"), recorded().items())
def test_no_option_is_lost(words: str, options: dict[str, str]) -> None:
    there = {name: p for p in COMMANDS[words].params for name in p.opts}
    for spelled, default in options.items():
        for name in spelled.split("/"):
            assert name in there, f"{words} {name}"
            assert str(there[name].default) == (default or "None")


def test_help_names_all_there_is() -> None:
    helps = {p.name: p.help for p in COMMANDS["betterthan compare"].params}
    for option, known in (("test", TESTS), ("correction", CORRECTIONS)):
        assert set(re.findall(r"[a-z-]+", helps[option])) - {"or", "medians"} == {*known}
    taken = signature(rank).parameters
    for option, known in (("method", AGGREGATIONS), ("ties", TIE_RULES)):
        kind, _ = get_args(taken[option].annotation)
        named = {word for part in (kind, *get_args(kind)) for word in get_args(part)}
        assert {word for word in named if isinstance(word, str)} == {*known}


def test_every_option_of_data_stands_in_a_panel() -> None:
    for words, command in COMMANDS.items():
        options = [p for p in command.params if p.param_type_name == "option"]
        if len(options) > 1 and words != "betterthan":
            loose = [p.name for p in options if p.rich_help_panel not in PANELS]
            assert not loose, f"{words}: {loose}"


@dataclass(frozen=True)
class Colours:
    front: Annotated[str, typer.Option("--front")] = "black"
    back: Annotated[str | None, typer.Option("--back")] = None


def test_groups_become_options_and_objects() -> None:
    seen: list[tuple[list[str], Colours, bool]] = []
    small = typer.Typer()

    @small.command()
    @grouped
    def paint(
        files: Annotated[list[str], typer.Argument()],
        *,
        loud: Annotated[bool, typer.Option("--loud")] = False,
        colours: Colours,
    ) -> None:
        """Paint files."""
        seen.append((files, colours, loud))

    run = CliRunner()
    assert run.invoke(small, ["a", "b", "--back", "red", "--loud"]).exit_code == 0
    assert run.invoke(small, ["a"]).exit_code == 0
    assert run.invoke(small, []).exit_code == 2
    assert "Paint files." in run.invoke(small, ["--help"]).output
    assert seen == [(["a", "b"], Colours("black", "red"), True), (["a"], Colours(), False)]


def test_two_options_of_one_name_are_refused() -> None:
    def paint(*, front: Annotated[str, typer.Option("--front")] = "", colours: Colours) -> None: ...

    with pytest.raises(ValueError, match="duplicate parameter name: 'front'"):
        grouped(paint)


def test_more_than_eight_columns_make_up_an_item(demo_folder: Path, betterthan: Command) -> None:
    names = [f"k{i}" for i in range(10)]
    rows = [[*"abcdefgh", str(i % 2), str(i), s, str(i % 3)] for s in ("x", "y") for i in range(6)]
    lines = [",".join([*names, "system", "score"]), *(",".join(row) for row in rows)]
    Path("keys.csv").write_text("\n".join(lines), encoding="utf-8")
    run = betterthan("inspect", "keys.csv", "--item", ",".join(names))
    assert run.code == 0, run.err
    assert "a/b/c/d/e/f/g/h/0/0, a/b/c/d/e/f/g/h/1/1" in run.out


def test_options_of_other_commands_are_told(
    demo_folder: Path, betterthan: Callable[..., Run]
) -> None:
    run = betterthan("rank", "qa.csv", "--items", "3")
    assert run.code == 2
    assert run.err.startswith("betterthan: rank has no --items, which is an option of compare, ")
    assert "it has --item" in run.err
    run = betterthan("compare", "qa.csv", "--bounds", "0,1")
    assert "compare has no --bound, which is an option of estimate and gate" in run.err
    run = betterthan("compare", "qa.csv", "--nonsense")
    assert "--nonsense" in run.err


def told_commands() -> Iterator[tuple[str, str]]:
    """Commands that messages, docstrings and pages tell, and what stands behind them."""
    root = Path(__file__).parents[2]
    texts = [page.read_text(encoding="utf-8") for page in root.glob("docs/**/*.md")]
    for source in root.glob("src/**/*.py"):
        nodes = ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        texts += [str(node.value) for node in nodes if isinstance(node, ast.Constant)]
    for text in texts:
        for words, behind in re.findall(r"betterthan ([a-z]+(?: [a-z]+)?)\b([^`\n'\"|]*)", text):
            two, one = f"betterthan {words}", f"betterthan {words.split()[0]}"
            if found := next((name for name in (two, one) if name in COMMANDS), None):
                yield found, behind


def test_commands_that_are_told_have_their_options() -> None:
    told = list(told_commands())
    assert len(told) > 200
    for words, behind in told:
        there = {name for p in COMMANDS[words].params for name in p.opts} | {"--help"}
        unknown = {*re.findall(r"(?<![\w-])--[a-z][a-z-]*", behind)} - there
        assert not unknown, f"{words}{behind}"
