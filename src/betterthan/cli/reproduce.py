"""``betterthan reproduce``: the tables and figures of five papers, next to what they printed."""

from typing import Annotated, Any

from cyclopts import App

from betterthan.cli import options as opt
from betterthan.cli.output import Output, expanded
from betterthan.cli.screen import busy, say
from betterthan.errors import UsageError, how_many

app = App()
UNREPRODUCED = 5
"""Exit code: a claim of a paper does not hold, or a number differs without a reason."""


@app.default
def reproduce(
    paper: Annotated[
        str | None, opt.positional("PAPER", "Which; without it, they are listed.")
    ] = None,
    tables: Annotated[
        list[str] | None, opt.positional("TABLE", "Some of its tables and figures: 'Table 2' ...")
    ] = None,
    /,
    *,
    every: Annotated[bool, opt.option("--all@reproduce")] = False,
    quick: Annotated[bool, opt.option("--quick")] = False,
    seed: Annotated[int, opt.option("--seed")] = 0,
    output: Annotated[str | None, opt.option("--output@folder")] = None,
    format: Annotated[str | None, opt.option("--format")] = None,
) -> int:
    """Regenerate the tables and figures of five papers.

    betterthan reproduce permutation-2022 'Table 1'
    """
    from betterthan.papers import PAPERS
    from betterthan.papers import reproduce as run
    from betterthan.render.papers import list_of_papers, write_pages

    screen = Output(format=format)
    screen.check()
    if paper is None and not every:
        print(list_of_papers())
        return 0
    folder = None if output is None else expanded(output)
    if folder is not None and folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file: name a folder, for pages and figures")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)  # it fails now, not after hours of work
    failed = []
    for key in PAPERS if paper is None else [paper]:
        kept = None if folder is None else folder / ".done" / key
        with busy(key) as update:

            def progress(name: str, done: int, total: int, show: Any = update) -> None:
                if show is not None:
                    show(done, total)
                elif done == total:  # a log has a line for each exhibit
                    say(f"{name}: {how_many(total, 'job')} done")

            result = run(
                key,
                tables or None,
                quick=quick,
                rng=seed,
                workers=2,
                progress=progress,
                folder=kept,
            )
        screen.emit(result)
        for path in [] if folder is None else write_pages(result, folder):
            say(f"Wrote {path}")
        failed += [] if result.holds else [key]
    if failed:
        say(f"Not reproduced: {', '.join(failed)}.")
    return UNREPRODUCED if failed else 0
