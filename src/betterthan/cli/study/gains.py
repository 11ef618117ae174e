"""``betterthan study gains``: the gain that is usually significant."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from betterthan.cli import panels as opt
from betterthan.cli.input import Files, Input, OutputsInput
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import DrawnOutput
from betterthan.cli.workers import Workers

if TYPE_CHECKING:
    from betterthan.data.scores import Scores
    from betterthan.design import system_groups
    from betterthan.readers.files import PathName

Band = Annotated[
    list[float] | None,
    opt.numbers(float, "P-values that are just significant: .04,.06 by default.", "--band"),
]


@dataclass(frozen=True, kw_only=True)
class StudyTestOptions:
    """How the pairs of a study are tested."""

    test: Annotated[
        str, opt.testing("bootstrap (as published), permutation, wilcoxon, sign, t ...", "--test")
    ] = "bootstrap"
    method: Annotated[
        str, opt.testing("sample: draw resamples for all pairs, as published; ideal; auto.")
    ] = "auto"
    variant: opt.Variant = "shift"
    recentre: opt.Recentre = False
    strict: opt.Strict = False
    resamples: opt.Resamples = None
    seed: opt.Seed = 0

    @property
    def options(self) -> dict[str, Any]:
        """What studies are told."""
        said = dict(vars(self))
        return said | {"rng": said.pop("seed")}


def asked_band(given: Sequence[float] | None) -> dict[str, Any]:
    """Return the band of p-values, where one was asked for."""
    from betterthan.errors import UsageError

    if given is None:
        return {}
    if len(given) != 2:
        raise UsageError(f"--band takes two p-values, such as .04,.06, not {len(given)}")
    return {"band": (given[0], given[1])}


@dataclass(frozen=True, kw_only=True)
class GroupOptions:
    """Where each system's group stands."""

    groups: Annotated[
        Path | None,
        opt.question(
            "Table with a line per system: its name, its lab or base model; in a third column the "
            "class of special ones (combination)."
        ),
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
    ) -> "system_groups.Groups | None":
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
    source: OutputsInput,
    metric: opt.Metric = None,
    groups: GroupOptions,
    by: Annotated[
        str | None, opt.question("Within the domains of a column, of equal size.")
    ] = None,
    sizes: Annotated[
        list[int] | None,
        opt.numbers(int, "Also on so many items; several by commas, or repeated.", "--size"),
    ] = None,
    segments: Annotated[
        Literal["prefix", "subsample"], opt.question("First items, or random ones.")
    ] = "prefix",
    band: Band = None,
    percentile: Annotated[
        float, opt.question("Of the gains of pairs in the band: the threshold.")
    ] = 95.0,
    asked: StudyTestOptions,
    shared: Workers,
    output: DrawnOutput,
) -> None:
    """Set gains against confidence over all pairs: find the gain that is usually significant.

    The study of Berg-Kirkpatrick, Burkett & Klein (2012); --size and --by are their section 4.1:

        betterthan study gains runs.csv --groups labs.csv --plot gains.png
        betterthan study gains runs.csv --size 200 --size 800 --size 3200
        betterthan study gains --metric bleu --ref ref.txt outputs/*.txt --method sample
    """
    from betterthan.design import thresholds, thresholds_by_domain, thresholds_by_size
    from betterthan.errors import UsageError
    from betterthan.readers.files import expand_paths
    from betterthan.results.protocol import Result

    if sizes and by:
        raise UsageError("--size and --by are two studies: run them one after the other")
    read = expand_paths(files)  # once: they may be pipes, and groups are read from them as well
    scores = source.read(read, metric, by=by)
    options: dict[str, Any] = {
        "metric": metric,
        "groups": groups.of(scores, read, source),
        "percentile": percentile,
        **asked_band(band),
        **asked.options,
    }
    found: Result
    with shared.options() as workers:
        if sizes:
            found = thresholds_by_size(scores, sizes, how=segments, **options, **workers)
        elif by:
            found = thresholds_by_domain(scores, by, **options, **workers)
        else:
            found = thresholds(scores, **options, **workers)
    output.emit(found)
