"""``betterthan demo``: the whole tour on one screen, offline."""

import shlex
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copytree
from typing import Annotated

import typer

from betterthan.cli import panels as opt
from betterthan.cli.option_groups import grouped
from betterthan.cli.shell import INTERRUPTED

TOUR: tuple[tuple[str, str], ...] = (
    (
        "Is atlas better than base? 480 questions, right or wrong; questions share documents.",
        "compare qa.csv --systems atlas --cluster document",
    ),
    (
        "Every system against the baseline: adjusted for their number.",
        "compare qa.csv --cluster document",
    ),
    (
        "F1 of entity taggers, from counts a sentence: exact as well, no sampling.",
        "compare ner.csv --metric f1 --baseline bilstm",
    ),
    (
        "Four raters an item: raters are averaged, items are what counts.",
        "compare ratings.csv",
    ),
    (
        "A leaderboard with the ranks each system may have.",
        "rank qa.csv --cluster document",
    ),
    (
        "A release gate on two logs of an evaluation harness: no loss beyond 2 points?",
        "gate logs/base.jsonl logs/new.jsonl --margin 2",
    ),
)


@grouped
def demo(
    context: typer.Context,
    save: Annotated[
        Path | None, opt.writing("Also copy the demonstration files to a folder.", "--save")
    ] = None,
) -> None:
    """Tour the command line on bundled data, offline."""
    from betterthan.cli.output import say

    app = context.find_root().command
    with as_file(files("betterthan") / "bundled") as folder:
        for number, (story, command) in enumerate(TOUR, start=1):
            print(f"\n{number}. {story}\n$ betterthan {command}", flush=True)
            words = [
                str(folder / word) if (folder / word).is_file() else word
                for word in shlex.split(command)
            ]
            if app.main(words, standalone_mode=False) == INTERRUPTED:
                raise KeyboardInterrupt
        if save is not None:
            copytree(folder, save, dirs_exist_ok=True)
            say(f"Wrote the demonstration files to {save}")
        else:
            say("Next: betterthan demo --save DIR copies these files; then try your own.")
