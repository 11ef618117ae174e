"""``betterthan gate``: may this release go out? Options and files of rules are the same plan."""

import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from cyclopts import App

from betterthan.cli import options as opt
from betterthan.cli.defaults import CONFIG
from betterthan.cli.output import Explained
from betterthan.cli.reading import Pairs, ScoresReading, held
from betterthan.cli.screen import busy, say
from betterthan.cli.values import given, names, numbers, two_numbers
from betterthan.errors import UsageError
from betterthan.results.protocol import STYLES

if TYPE_CHECKING:
    from betterthan.results.protocol import Result

app = App()


@dataclass(frozen=True, kw_only=True)
class GateReading(ScoresReading, Pairs):
    """Scores of a baseline and a candidate."""


@dataclass(frozen=True, kw_only=True)
class GateOutput(Explained):
    """Rulings are also written for servers: JUnit XML, and Markdown for the summary of a job."""

    output: Annotated[opt.Several, opt.option("--output@gate")] = None

    suffixes: ClassVar[tuple[str, ...]] = tuple(STYLES)

    def emit(self, result: "Result", *sentences: str) -> None:
        """Print or write the ruling, and add it to the summary of the job."""
        super().emit(result, *sentences)
        if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
            from betterthan.results.atomic_write import add_to

            try:
                add_to(Path(summary), f"{self.text(result, 'md')}\n\n")
            except (OSError, UsageError) as error:  # the ruling stands without it
                reason = getattr(error, "strerror", None) or error
                say(f"! no job summary: {summary} cannot be written ({reason})")


READING, OUTPUT = GateReading(), GateOutput()


@app.default
def gate(
    files: opt.Files,
    /,
    *,
    reading: Annotated[GateReading, opt.GROUP] = READING,
    metric: opt.Metrics = None,
    by: Annotated[str | None, opt.option("--by@gate")] = None,
    margin: Annotated[str | None, opt.option("--margin")] = None,
    bounds: opt.Bounds = None,
    plan: Annotated[str | None, opt.option("--plan")] = None,
    alpha: opt.Alpha = None,
    seed: opt.Seed = None,
    output: Annotated[GateOutput, opt.GROUP] = OUTPUT,
) -> int:
    """May this release go out? Exit 0: pass, 1: regression, 3: can't tell.

    betterthan gate base.jsonl new.jsonl --margin 2
    betterthan gate runs.csv --systems base,new --plan rules.toml -o results.xml
    """
    import betterthan as bt
    from betterthan.comparison.item_by_item import item_by_item

    named = plan or CONFIG.get()
    rules = bt.Plan.here() if named is None else bt.Plan.read(named)
    asked: dict[str, Any] = {
        "margin": margin,
        "metric": metric,
        "bounds": bounds,
        "alpha": alpha,
        "by": by,
    }
    if rules is None:
        asked |= {"margin": (numbers(margin and [margin], "--margin", float) or [None])[0]}
        asked |= {"metric": names(metric), "bounds": two_numbers(bounds, "--bounds")}
        rules = bt.Plan.of(**asked)
    else:
        fixed = ("cluster", "missing", "lower_is_better", "baseline")
        rules.check_options(**asked, **{name: getattr(reading, name) for name in fixed})
        say(f"Plan: {rules.hash}")
    counted = "items" not in output.shown
    kept = files if counted else held(files)
    metrics = [check.metric for check in rules.checks if check.metric is not None]
    baseline, candidate = reading.pair
    scores = reading.read(kept, metric=metrics, by=rules.by, counted=counted, fixed=rules.reading)
    with busy("testing"):
        result = rules.gate(scores, baseline, candidate, **given(locals(), "seed"))
    if most := output.shown.get("items"):
        checked = dict.fromkeys(check.metric for check in result.checks)
        single = [item_by_item(scores, result.baseline, result.candidate, m) for m in checked]
        texts = partial(reading.texts_of, kept, None)
        result = replace(result, items=most, single=tuple(single), texts_of=texts)
    output.emit(result)
    if output.targets:
        say(f"{result.ruling} (exit {result.exit_code})")
    return result.exit_code
