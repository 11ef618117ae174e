"""``betterthan gate``: may the candidate be released? For continuous integration."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from betterthan.cli import options as opt

if TYPE_CHECKING:
    from betterthan.design.plan import Plan


class Goal(StrEnum):
    """What has to be shown."""

    non_inferior = "non-inferior"
    superior = "superior"
    equivalent = "equivalent"


class GateCorrection(StrEnum):
    """What is done about regressions in several metrics."""

    holm = "holm"
    bonferroni = "bonferroni"
    none = "none"


def gate(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="A table, or baseline and candidate.", metavar="FILES"),
    ] = None,
    margin: Annotated[
        list[float] | None,
        typer.Option(
            "--margin",
            help="Tolerated loss, in the unit the metric is printed in (points for rates); one for "
            "all metrics, or one for each.",
        ),
    ] = None,
    metric: opt.Metrics = None,
    goal: Annotated[
        Goal | None,
        typer.Option("--goal", help="What has to be shown; equivalent: two one-sided tests."),
    ] = None,
    baseline: opt.Baseline = None,
    candidate: Annotated[
        str | None, typer.Option("--candidate", help="The system to be released.")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", help="Error allowed on each side; 0.05.")
    ] = None,
    correction: Annotated[
        GateCorrection | None,
        typer.Option("--correction", help="Adjustment of regressions in several metrics; holm."),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option("--plan", help="The plan; betterthan.toml where there is one."),
    ] = None,
    plan_hash: Annotated[
        str | None, typer.Option("--plan-hash", help="Refuse any other plan than this.")
    ] = None,
    seal: Annotated[
        bool, typer.Option("--seal", help="Write the plan's hash into it, and do nothing else.")
    ] = False,
    lower_is_better: opt.Lower = False,
    cluster: opt.Cluster = None,
    missing: opt.MissingItems = opt.Missing.error,
    item: opt.Item = None,
    system: opt.System = None,
    score: opt.Score = None,
    response: opt.Response = None,
    input_format: opt.InputFormat = None,
    task: opt.Task = None,
    filter: opt.Filter = None,
    seed: opt.Seed = 0,
    style: opt.Style = None,
    output: opt.Output = None,
) -> None:
    """Pass (exit 0), stop a regression (1), or say that nothing is shown (3).

    PASS if the lower one-sided bound of the difference is above minus the margin; else REGRESSION
    if the upper one is below zero. -o results.xml writes JUnit XML; job summaries get Markdown:

        betterthan gate base.jsonl new.jsonl --margin 2
        betterthan gate runs.csv --metric f1 --metric recall --margin 1 -o results.xml
    """
    from betterthan.cli.output import emit, say, style_for
    from betterthan.design.gate import gate as decide
    from betterthan.design.plan import FILE, check_hash, read_plan
    from betterthan.design.plan import seal as seal_plan
    from betterthan.errors import UsageError
    from betterthan.readers import read
    from betterthan.render.gates import render_gate

    path = plan or (Path(FILE) if Path(FILE).is_file() else None)
    if seal:
        say(f"Sealed {path or FILE}: {seal_plan(path or FILE)}")
        return
    if not files:
        raise UsageError("name the files with the results: betterthan gate BASELINE CANDIDATE")
    chosen = "junit" if _is_xml(style, output) else style_for(style, output)
    said: dict[str, object] = {"margin": margin, "metric": metric, "goal": goal, "alpha": alpha}
    said |= {"correction": correction, "lower-is-better": lower_is_better or None}
    given = [name for name, value in said.items() if value is not None and value != []]
    if path is not None:
        if given:
            raise UsageError(
                f"{path} already says what is checked, and --{given[0]} would change it: change "
                "the plan, or work in a folder without one"
            )
        planned = read_plan(path)
        say(f"Plan {path}: {planned.hash}")
    else:
        planned = _planned(margin, metric, goal, alpha, correction, lower_is_better)
    check_hash(planned, plan_hash)
    scores = read(
        *files,
        input_format=input_format,
        task=task,
        filter=filter,
        item=item,
        system=system,
        score=score,
        response=response,
        cluster=cluster,
        missing=missing.value,
        lower_is_better=planned.lower_is_better,
        metric=[c.metric for c in planned.checks if c.metric is not None] or None,
        baseline=baseline,
        opponents=[candidate] if candidate else None,
    )
    say(f"Read {scores.source}")
    found = decide(
        scores,
        baseline,
        candidate,
        checks=planned.checks,
        alpha=planned.alpha,
        correction=planned.correction,
        plan=planned.hash,
        rng=seed,
    )
    emit(render_gate(found, chosen), output, summary=render_gate(found, "md"))
    if output is not None:
        say(f"{found.ruling} (exit {found.exit_code})")
    if found.exit_code:
        raise typer.Exit(found.exit_code)


def _is_xml(style: str | None, output: Path | None) -> bool:
    return style is None and output is not None and output.suffix.lower() == ".xml"


def _planned(
    margin: list[float] | None,
    metric: list[str] | None,
    goal: Goal | None,
    alpha: float | None,
    correction: GateCorrection | None,
    lower_is_better: bool,
) -> "Plan":
    from betterthan.design.gate import Check
    from betterthan.design.plan import Plan
    from betterthan.errors import UsageError

    names: list[str | None] = [*metric] if metric else [None]
    if not margin:
        raise UsageError(
            "a gate needs a margin: --margin, the loss that you are ready to accept (2 means two "
            "points of a rate)"
        )
    if len(margin) not in (1, len(names)):
        raise UsageError(f"give one margin, or one for each of the {len(names)} metrics")
    margins = margin * len(names) if len(margin) == 1 else margin
    aim = goal or Goal.non_inferior
    checks = tuple(Check(n, m, aim.value) for n, m in zip(names, margins, strict=True))
    return Plan(
        checks,
        0.05 if alpha is None else alpha,
        "holm" if correction is None else correction.value,
        lower_is_better,
    )
