"""``betterthan reproduce``: the tables and figures of the five papers, beside what they printed."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from betterthan.cli import panels as opt
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import say
from betterthan.cli.progress import progress_bar
from betterthan.cli.workers import Scheduler, cluster
from betterthan.errors import UsageError

if TYPE_CHECKING:
    from betterthan.papers.runner import JobProgress

UNREPRODUCED = 5
"""Exit code: a claim of a paper does not hold, or a number differs and nobody knows why."""


@grouped
def reproduce(
    paper: Annotated[str | None, typer.Argument(help="A paper; --list names them.")] = None,
    exhibits: Annotated[
        list[str] | None, typer.Argument(help="Some of its tables and figures: 'Table 2' ...")
    ] = None,
    every: Annotated[bool, opt.question("All papers.", "--all")] = False,
    listed: Annotated[bool, opt.question("Say what can be regenerated.", "--list")] = False,
    quick: Annotated[bool, opt.testing("Smaller sizes, fewer draws: minutes.")] = False,
    workers: Annotated[int, opt.testing("Processes.", min=1, max=256)] = 2,
    scheduler: Scheduler = None,
    seed: opt.Seed = 0,
    output: Annotated[
        Path | None,
        opt.writing(
            "Folder for pages and figures, and for finished work: a run that was stopped goes on.",
            "--output",
            "-o",
        ),
    ] = None,
) -> None:
    """Regenerate the tables and figures of the five papers, published numbers beside ours."""
    from betterthan.papers import PAPERS
    from betterthan.papers import reproduce as run
    from betterthan.papers.runner import Runner
    from betterthan.render.papers import list_of_papers, write_pages

    if listed:
        print(list_of_papers())
        return
    if (paper is None) is not every:
        raise UsageError(f"say which paper ({', '.join(PAPERS)}), or --all, or --list")
    if output is not None and output.exists() and not output.is_dir():
        raise UsageError(f"{output} is a file: --output names a folder, for pages and figures")
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)  # it fails now, not after hours of work
    failed = []
    for key in PAPERS if paper is None else [paper]:
        kept = None if output is None else output / ".done" / key
        try:
            with progress_bar(key) as bar, cluster(scheduler) as executor:
                runner = Runner(quick, seed, workers, kept, _told(bar), executor)
                found = run(key, exhibits, runner=runner)
        except KeyboardInterrupt:
            if kept is not None:
                say("What is done is kept: the same command goes on from there.")
            raise
        print(found, flush=True)
        if output is not None:
            for path in write_pages(found, output):
                say(f"Wrote {path}")
        failed += [] if found.holds else [key]
    if failed:
        say(f"Not reproduced: {', '.join(failed)}.")
        raise typer.Exit(UNREPRODUCED)


def _told(bar: object) -> "JobProgress":
    """Tell a terminal by its bar, and a log by one line per exhibit."""

    def tell(name: str, done: int, total: int) -> None:
        if callable(bar):
            bar(done, total)
        elif done == total:
            print(f"{name}: {total} jobs done", file=sys.stderr)

    return tell
