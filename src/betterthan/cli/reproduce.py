"""``betterthan reproduce``: the tables and figures of five papers, next to what they printed."""

from typing import Any

from betterthan.cli.command import Options, command
from betterthan.cli.output import Output, expanded
from betterthan.cli.screen import busy, say
from betterthan.errors import UsageError, how_many

UNREPRODUCED = 5
"""Exit code: a claim of a paper does not hold, or a number differs without a reason."""


@command("[PAPER] [TABLE]... data all@reproduce quick seed output@folder format")
def reproduce(options: Options) -> int:
    """Regenerate the tables and figures of five papers.

    betterthan reproduce permutation-2022 'Table 1'
    """
    from betterthan.papers import PAPERS
    from betterthan.papers import reproduce as run
    from betterthan.render.papers import list_of_papers, write_pages

    output = Output({name: options[name] for name in ("format",) if name in options})
    if not options.keys() & {"paper", "all"}:
        print(list_of_papers())
        return 0
    folder = expanded(options["output"]) if "output" in options else None
    if folder is not None:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder} is a file: name a folder, for pages and figures")
        folder.mkdir(parents=True, exist_ok=True)  # it fails now, not after hours of work
    failed = []
    for key in [options["paper"]] if "paper" in options else PAPERS:
        further: Any = {"quick": "quick" in options, "rng": options.get("rng", 0), "workers": 2}
        further["data"] = expanded(options["data"]) if "data" in options else None
        kept = None if folder is None else folder / ".done" / key
        with busy(key) as update:

            def progress(name: str, done: int, total: int, show: Any = update) -> None:
                if show is not None:
                    show(done, total)
                elif done == total:  # a log has a line for each exhibit
                    say(f"{name}: {how_many(total, 'job')} done")

            result = run(key, options.get("table"), progress=progress, folder=kept, **further)
        output.emit(result)
        for path in [] if folder is None else write_pages(result, folder):
            say(f"Wrote {path}")
        failed += [] if result.holds else [key]
    if failed:
        say(f"Not reproduced: {', '.join(failed)}.")
    return UNREPRODUCED if failed else 0
