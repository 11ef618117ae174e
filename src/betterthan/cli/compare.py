"""``betterthan compare``: the second system against the first."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from betterthan.cli import panels as opt
from betterthan.cli.flags import as_flags, with_flags
from betterthan.cli.input import Files, OutputsInput, Scan, held, read_rows
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import PROSE, ExplainedAndDrawn, paragraphs, say
from betterthan.cli.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from betterthan.readers.files import PathName


@dataclass(frozen=True, kw_only=True)
class CompareOutput(ExplainedAndDrawn):
    """Comparisons also have a sentence for a paper."""

    methods: Annotated[
        bool, opt.writing("Add a sentence for the paper's methods section.", "--methods")
    ] = False
    items: opt.ListedItems = 0
    draw: Annotated[
        Literal["forest", "wins", "law", "differences", "scatter"],
        opt.writing("What --plot draws; the last three of a single comparison."),
    ] = "forest"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.methods:
            self.refuse_in_data("--methods", "latex")


@grouped
def compare(
    files: Files,
    *,
    source: OutputsInput,
    scan: Scan = False,
    baseline: opt.Baseline = None,
    candidate: Annotated[
        list[str] | None,
        opt.question("Only these against the baseline, as --systems.", "--candidate"),
    ] = None,
    every: Annotated[
        bool, opt.question("Every pair of systems; the earlier is the baseline.", "--all")
    ] = False,
    metric: opt.Metrics = None,
    by: opt.By = None,
    tasks: opt.Tasks = None,
    test: Annotated[
        str, opt.testing("permutation, bootstrap, wilcoxon, sign, mcnemar, t or mood (medians).")
    ] = "permutation",
    method: Annotated[
        str,
        opt.testing("Engine of the test; of the bootstrap: ideal or sample."),
    ] = "auto",
    variant: opt.Variant = "shift",
    recentre: opt.Recentre = False,
    strict: opt.Strict = False,
    resamples: opt.Resamples = None,
    alternative: opt.Alternative = "two-sided",
    alpha: opt.Alpha = 0.05,
    correction: Annotated[
        str, opt.testing("holm, max-t, bonferroni, hochberg, sidak, bh, by or none.")
    ] = "holm",
    seed: opt.Seed = 0,
    shared: Workers,
    output: CompareOutput,
) -> None:
    """Compare systems with a baseline, item by item, and say which is better.

    Give one table with a column per system, a long table, or one file per system:

        betterthan compare runs.csv
        betterthan compare base.csv new.csv --metric f1 --cluster document
        betterthan compare runs.csv --all --test bootstrap

    Or logs of an evaluation harness (betterthan formats):

        betterthan compare base.eval new.eval --cluster metadata.topic

    Or raw outputs, and what they should have been:

        betterthan compare --metric bleu --ref ref.txt base.txt new.txt
    """
    from betterthan.cli.estimate import instead_of_compare
    from betterthan.cli.hints import next_step
    from betterthan.cli.item_texts import texts_of_items
    from betterthan.cli.progress import progress_bar
    from betterthan.comparison.comparing import compare_all, compare_many
    from betterthan.data.frames.reader_options import names_given
    from betterthan.errors import UsageError
    from betterthan.metrics import expand_classes

    if every and baseline is not None:
        raise UsageError("--all compares every pair of systems: leave out --baseline")
    asked = [*(source.systems or ()), *(candidate or ())]
    kept: Sequence[PathName] = files
    if output.items and not scan:  # what they say is read once more
        kept = held(files)
        if source.ref:
            source = replace(source, ref=[*held(source.ref)])  # type: ignore[list-item]
    scores = read_rows(
        replace(source, systems=None),
        kept,
        metric,
        scan=scan,
        baseline=baseline,
        candidates=asked,
        by=by,
        tasks=tasks,
    )
    if len(scores.systems) == 1:
        raise UsageError(
            f"there is only one system, {scores.systems[0]!r}: give a second one to compare, or "
            f"take its score with an interval: {instead_of_compare()}"
        )
    systems = names_given(asked, scores.systems)
    ordered = not (every or baseline or scores.shuffled)
    if ordered and len(systems) > 1 and scores.systems[0] in systems:
        baseline = systems.pop(0)  # all that are compared were named
        if baseline != scores.systems[0]:
            raise UsageError(
                f"is the baseline {baseline!r}, which is named first, or {scores.systems[0]!r}, the"
                " first of the data? Say --baseline"
            )
    pairs = compare_all if every else partial(compare_many, baseline=baseline)
    with progress_bar("resampling") as progress, shared.options() as workers:
        found = pairs(
            scores,
            systems=systems or None,
            metrics=expand_classes(metric, scores.columns) if metric else None,
            by=by,
            tasks=tasks,
            test=test,  # type: ignore[arg-type]  # checked there, with a message that lists them
            method=method,
            alternative=alternative,
            alpha=alpha,
            correction=correction,
            variant=variant,
            recentre=recentre,
            strict=strict,
            resamples=resamples,
            progress=progress,
            rng=seed,
            **workers,
        )

    # Few notes of single comparisons recommend an option.
    single = tuple(
        replace(c, notes=tuple(map(as_flags, c.notes))) if "=" in "".join(c.notes) else c
        for c in found.comparisons
    )
    found = replace(with_flags(found), comparisons=single, items=output.items)
    if output.items and not scan:
        found = replace(found, texts_of=partial(texts_of_items, kept, source, metric or ()))

    def shown(style: str) -> str:
        asked = output.methods and style in (*PROSE, "latex")
        methods = paragraphs([f"Methods: {found.sheet().methods()}"], style) if asked else []
        return "".join([output.written(found, style), *methods])

    output.emit(found, shown)
    if output.style == "table" and output.output is None:
        hints = next_step(found, files, source, metric=metric, alternative=alternative, scan=scan)
        if hints:
            say(*hints)
