"""``betterthan demo``: the whole tour on one screen, offline."""

import os
import shlex
from contextlib import chdir
from importlib.resources import as_file, files
from pathlib import Path
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
        if save is not None:
            _copy(folder, save)
        for number, (story, command) in enumerate(TOUR, start=1):
            print(f"\n{number}. {story}\n$ betterthan {command}", flush=True)
            with chdir(folder):  # where no betterthan.toml of the user's is
                code = app.main(shlex.split(command), standalone_mode=False)
            if code == INTERRUPTED:
                raise KeyboardInterrupt
        if save is not None:
            say(f"Wrote the demonstration files to {save}")
        else:
            say("Next: betterthan demo --save DIR copies these files; then try your own.")


def _copy(folder: Path, save: Path) -> None:
    """Copy the files where none of the same name is another's; before that, nothing is written."""
    from betterthan.errors import UsageError
    from betterthan.results.whole_files import write_whole

    if save.exists() and not save.is_dir():
        raise UsageError(f"{save} is a file: --save names a folder")
    new = []
    for source in sorted(folder.rglob("*")):
        target = save / source.relative_to(folder)
        there = os.path.lexists(target)
        if source.is_dir():
            kept = target.is_dir()
        else:
            kept = target.is_file() and target.read_bytes() == source.read_bytes()
            new += [] if there else [(source, target)]
        if there and not kept:
            raise UsageError(
                f"{target} is there already, and is not the demonstration's: nothing was written; "
                "name a new folder, or move it away"
            )
    for source, target in new:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, source.read_bytes())
