"""``betterthan inspect``: what was understood of files, before anything is computed."""

from betterthan.cli import panels as opt
from betterthan.cli.flags import overview_lines
from betterthan.cli.input import Files, Logs
from betterthan.cli.option_groups import grouped
from betterthan.cli.screen import VOLUME, screen_width
from betterthan.results.wrapping import lines_of


@grouped
def inspect(
    files: Files, source: Logs, baseline: opt.Baseline = None, tasks: opt.Tasks = None
) -> None:
    """Show what was understood of files: systems, items, metrics, tasks, clusters, missing.

    betterthan inspect runs.csv
    betterthan inspect base.eval new.eval
    """
    from betterthan.data.overview import overview
    from betterthan.readers import read

    # What is missing is to be shown, not refused.
    found = (
        read(*files, **source.options, missing="pairwise", baseline=baseline, tasks=tasks)
        if baseline
        else source.read_any(files, missing="pairwise", tasks=tasks)
    )
    print(lines_of((f"Read {found.source}",), 0, screen_width()))
    if VOLUME.get() >= 0:
        told = overview_lines(overview(found))
        print(lines_of([line.strip() for line in told], 2, screen_width()))
