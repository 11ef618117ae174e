"""``betterthan study gains``: the gain that is usually significant."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from betterthan.cli import panels as opt
from betterthan.cli.commas import numbers_by_commas
from betterthan.cli.input import Files, Input
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import Drawn

if TYPE_CHECKING:
    from betterthan.data.scores import Scores
    from betterthan.readers.files import PathName

Test = Annotated[
    str, opt.testing("bootstrap (as published), permutation, wilcoxon, sign, t ...", "--test")
]


@dataclass(frozen=True, kw_only=True)
class Groups:
    """Where each system's group stands."""

    groups: Annotated[
        Path | None, opt.question("Table with a line per system: its name, its lab or base model.")
    ] = None
    group_by: Annotated[
        str | None, opt.question("Expression that finds the group in a system's name.")
    ] = None
    group_column: Annotated[str | None, opt.question("Column of a long table with it.")] = None

    def __post_init__(self) -> None:
        from betterthan.errors import UsageError

        if list(vars(self).values()).count(None) < 2:
            raise UsageError("give one of --groups, --group-by and --group-column")

    def of(
        self, scores: "Scores", files: "Sequence[PathName]", source: Input
    ) -> dict[str, str] | None:
        """Each system's group, where any were asked for."""
        from betterthan.design import system_groups

        if self.groups is not None:
            return system_groups.read_groups(self.groups)
        if self.group_by is not None:
            return system_groups.groups_by_name(scores.systems, self.group_by)
        if self.group_column is not None:
            return system_groups.groups_by_column(files, self.group_column, source.system)
        return None


@grouped
def gains(
    files: Files,
    *,
    source: Input,
    metric: opt.Metric = None,
    groups: Groups,
    by: Annotated[
        str | None, opt.question("Within the domains of a column, of equal size.")
    ] = None,
    sizes: Annotated[
        list[int] | None,
        opt.question(
            "Also on so many items; several by commas, or repeated.",
            "--size",
            **numbers_by_commas(int),
        ),
    ] = None,
    segments: Annotated[
        Literal["prefix", "subsample"], opt.question("First items, or random ones.")
    ] = "prefix",
    test: Test = "bootstrap",
    resamples: opt.Resamples = None,
    seed: opt.Seed = 0,
    output: Drawn,
) -> None:
    """Set gains against confidence over all pairs: find the gain that is usually significant.

    The study of Berg-Kirkpatrick, Burkett & Klein (2012); --size and --by are their section 4.1:

        betterthan study gains runs.csv --groups labs.csv --plot gains.png
        betterthan study gains runs.csv --size 200 --size 800 --size 3200
    """
    from betterthan.design import thresholds, thresholds_by_domain, thresholds_by_size
    from betterthan.errors import UsageError
    from betterthan.readers.files import expand_paths
    from betterthan.results.protocol import Result

    if sizes and by:
        raise UsageError("--size and --by are two studies: run them one after the other")
    read = expand_paths(files)  # once: they may be pipes, and groups are read from them as well
    scores = source.read(read, metric, by=by)
    asked: dict[str, Any] = {
        "metric": metric,
        "groups": groups.of(scores, read, source),
        "test": test,
        "resamples": resamples,
        "rng": seed,
    }
    found: Result
    if sizes:
        found = thresholds_by_size(scores, sizes, how=segments, **asked)
    elif by:
        found = thresholds_by_domain(scores, by, **asked)
    else:
        found = thresholds(scores, **asked)
    output.emit(found)
