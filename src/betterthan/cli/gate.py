"""``betterthan gate``: may the candidate be released? For continuous integration."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from betterthan.cli import panels as opt
from betterthan.cli.commas import by_commas, low_and_high
from betterthan.cli.flags import as_flags, with_flags
from betterthan.cli.input import FilesOrNone, Input, Scan, held, read_rows
from betterthan.cli.option_groups import grouped, whole_plan
from betterthan.cli.output import Explained, say
from betterthan.cli.shell import Ruled
from betterthan.cli.workers import Workers
from betterthan.errors import UsageError
from betterthan.results.protocol import STYLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from betterthan.data.scores import Scores
    from betterthan.data.tallied import Tallied
    from betterthan.design.checks import GateResult
    from betterthan.design.plan import Plan
    from betterthan.readers.files import PathName


@dataclass(frozen=True, kw_only=True)
class GateOutput(Explained):
    """Rulings are also written for programs that run tests."""

    items: opt.ListedItems = 0

    texts: ClassVar[dict[str, str]] = STYLES

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.items and (not self.is_text or self.style in ("junit", "csv")):
            raise UsageError(
                "--items lists items, and this format has a row for each check or none: choose "
                "--format table, md, latex, json or html"
            )


@dataclass(frozen=True, kw_only=True)
class Checks:
    """What is checked, where no plan says it; None is what a plan would have by default."""

    margin: Annotated[
        list[str] | None,
        opt.question(
            "Tolerated loss, as printed (points for rates); one for all metrics, or for each.",
            "--margin",
            callback=by_commas,
        ),
    ] = None
    metric: opt.Metrics = None
    goal: Annotated[
        Literal["non-inferior", "superior", "equivalent"] | None,
        opt.question("What has to be shown; equivalent: two one-sided tests."),
    ] = None
    bound: Annotated[
        list[str] | None,
        opt.question("LOW,HIGH: what a single score can be, as printed; for all, or each metric."),
    ] = None
    assume: Annotated[
        Literal["shift", "large-sample"] | None,
        opt.question("A model instead of bounds; a PASS is worth as much as it is."),
    ] = None
    alpha: Annotated[float | None, opt.testing("Error allowed on each side; 0.05.")] = None
    correction: Annotated[
        Literal["holm", "bonferroni", "none"] | None,
        opt.testing("Adjustment of regressions in several metrics; holm."),
    ] = None

    def planned(self, *, lower_is_better: bool) -> "Plan":
        """The same as a plan."""
        from betterthan.design.checks import Check
        from betterthan.design.plan import Plan

        names: list[str | None] = [*self.metric] if self.metric else [None]
        if not self.margin:
            raise UsageError(
                "a gate needs a margin: --margin, the loss that you are ready to accept (2 means "
                "two points of a rate)"
            )
        if len(self.margin) not in (1, len(names)):
            raise UsageError(f"give one margin, or one for each of the {len(names)} metrics")
        try:
            margins = [float(margin) for margin in self.margin]
        except ValueError as error:
            raise UsageError(f"--margin takes numbers, not {', '.join(self.margin)}") from error
        margins = margins * len(names) if len(margins) == 1 else margins
        bounds: list[tuple[float, float] | None] = [low_and_high(b) for b in self.bound or ()]
        bounds = bounds or [None]
        if len(bounds) not in (1, len(names)):
            raise UsageError(f"give one bound, or one for each of the {len(names)} metrics")
        bounds = bounds * len(names) if len(bounds) == 1 else bounds
        goal = self.goal or "non-inferior"
        said = {"alpha": self.alpha, "correction": self.correction}
        given: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
        return Plan(
            tuple(
                Check(n, m, goal, b, self.assume)
                for n, m, b in zip(names, margins, bounds, strict=True)
            ),
            lower_is_better=lower_is_better,
            **given,
        )


def _refuse_changes(plan: "Plan", path: Path, asked: dict[str, str | None]) -> None:
    """Refuse options that say otherwise than the plan; systems may be left open by it."""
    for name, value in asked.items():
        fixed = getattr(plan, name)
        left_open = fixed is None and name in ("baseline", "candidate")
        if value is not None and value != fixed and not left_open:
            raise UsageError(
                f"{path} says {name} = {fixed or 'none'}, and --{name} {value} would change it: "
                "change the plan, or work in a folder without one"
            )


def _with_items(
    found: "GateResult",
    scores: "Scores | Tallied",
    files: "Sequence[PathName]",
    source: Input,
    most: int,
) -> "GateResult":
    """List the items that got worse and better, by every metric that was checked."""
    from betterthan.cli.item_texts import texts_of_items
    from betterthan.comparison.item_by_item import item_by_item
    from betterthan.data.scores import Scores

    if not most:
        return found
    if not isinstance(scores, Scores):
        raise UsageError("--items needs single items, and a tally or --scan has none")
    names = dict.fromkeys(check.metric for check in found.checks)
    single = tuple(item_by_item(scores, found.baseline, found.candidate, name) for name in names)
    said = partial(texts_of_items, files, source, ())
    return replace(found, items=most, single=single, texts_of=said)


@grouped
def gate(
    files: FilesOrNone = None,
    *,
    source: Input,
    scan: Scan = False,
    baseline: opt.Baseline = None,
    candidate: opt.Candidate = None,
    by: Annotated[
        str | None, opt.question("Every part must pass: each value of a column (task, domain ...).")
    ] = None,
    checks: Checks,
    plan: Annotated[
        Path | None,
        opt.question("The plan; betterthan.toml where there is one.", callback=whole_plan),
    ] = None,
    plan_hash: Annotated[str | None, opt.question("Refuse any other plan than this.")] = None,
    seal: Annotated[
        bool, opt.question("Write the plan's hash into it, and do nothing else.", "--seal")
    ] = False,
    seed: opt.Seed = 0,
    shared: Workers,
    output: GateOutput,
) -> None:
    """Pass (exit 0), stop a regression (1), or say that nothing is shown (3).

    PASS if the lower one-sided bound of the difference is above minus the margin; else REGRESSION
    if the upper one is below zero. -o results.xml writes JUnit XML; job summaries get Markdown:

        betterthan gate base.jsonl new.jsonl --margin 2
        betterthan gate runs.csv --baseline crf --metric f1 --margin 1 -o results.xml
        betterthan gate results/ --baseline base --by task --margin 2
    """
    from betterthan.design.gate import gate as decide
    from betterthan.design.plan import FILE, check_hash, has_plan, read_plan, refuse_imports
    from betterthan.design.plan import seal as seal_plan

    found_here = plan is None and has_plan()
    path = Path(FILE) if found_here else plan
    if seal:
        given = {
            "the files": files,
            "--plan-hash": plan_hash,
            **{f"--{k}": v for k, v in vars(checks).items()},
        }
        if told := [name for name, value in given.items() if value]:
            raise UsageError(
                f"--seal writes the plan's hash into it and rules on nothing: leave out {told[0]}, "
                "or leave out --seal to have a ruling"
            )
        say(f"Sealed {path or FILE}: {seal_plan(path or FILE)}")
        return
    if not files:
        raise UsageError("name the files with the results: betterthan gate BASELINE CANDIDATE")
    if path is None:
        planned = checks.planned(lower_is_better=source.lower_is_better)
    else:
        said = vars(checks) | {"lower-is-better": source.lower_is_better or None}
        for name, value in said.items():
            if value is not None and value != []:
                raise UsageError(
                    f"{path} already says what is checked, and --{name} would change it: change "
                    "the plan, or work in a folder without one"
                )
        planned = read_plan(path)
        if found_here:
            refuse_imports(planned, FILE)
        missing = None if source.missing == "error" else source.missing
        task = ",".join(source.task) if source.task else None
        asked = {"cluster": source.cluster, "missing": missing, "by": by, "task": task}
        _refuse_changes(planned, path, asked | {"baseline": baseline, "candidate": candidate})
        fixed: Any = {"cluster": planned.cluster, "missing": planned.missing}
        source = replace(source, **fixed, task=[planned.task] if planned.task else None)
        by = planned.by
        baseline, candidate = baseline or planned.baseline, candidate or planned.candidate
        say(f"Plan {path}: {planned.hash}")
    check_hash(planned, plan_hash)
    kept = held(files) if output.items and not scan else files  # what they say is read once more
    scores = read_rows(
        replace(source, lower_is_better=planned.lower_is_better),
        kept,
        [check.metric for check in planned.checks if check.metric is not None],
        baseline=baseline,
        candidates=[candidate] if candidate else None,
        by=by,
        tasks=by,
        drop_by_pair=True,
        scan=scan,
    )
    with shared.options() as workers:
        found = decide(
            scores,
            baseline,
            candidate,
            checks=planned.checks,
            by=by,
            alpha=planned.alpha,
            correction=planned.correction,
            plan=planned.hash,
            **workers,
            rng=seed,
        )
    checked = tuple(replace(c, notes=tuple(map(as_flags, c.notes))) for c in found.checks)
    found = with_flags(replace(found, checks=checked))
    found = _with_items(found, scores, kept, source, output.items)
    output.emit(found)
    if output.output is not None:
        say(f"{found.ruling} (exit {found.exit_code})")
    if found.exit_code:
        raise Ruled(found.exit_code)
