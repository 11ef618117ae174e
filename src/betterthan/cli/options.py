"""The options that the commands share, spelled once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Alternative(StrEnum):
    """Sides of a test."""

    two_sided = "two-sided"
    greater = "greater"
    less = "less"


class Missing(StrEnum):
    """What to do about items that a system has no score for."""

    error = "error"
    drop = "drop"
    worst = "worst"


class Format(StrEnum):
    """How results are written."""

    table = "table"
    md = "md"
    json = "json"
    latex = "latex"
    csv = "csv"


class ReportFormat(StrEnum):
    """How results are written that also make a report."""

    table = "table"
    md = "md"
    json = "json"
    latex = "latex"
    csv = "csv"
    html = "html"


class Correction(StrEnum):
    """What is done about several comparisons."""

    holm = "holm"
    bonferroni = "bonferroni"
    bh = "bh"
    by = "by"
    none = "none"


Files = Annotated[
    list[str],
    typer.Argument(
        help="A table, or one file per system; the first is the baseline.", metavar="FILES"
    ),
]
Baseline = Annotated[
    str | None, typer.Option("--baseline", "-b", help="Baseline system; the first one by default.")
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        help="accuracy, f1, bleu, mean(COLUMN), ratio(A / B + C) ...; may be repeated.",
    ),
]
Alpha = Annotated[float, typer.Option("--alpha", help="Level of the verdict.")]
Side = Annotated[
    Alternative,
    typer.Option("--alternative", help="greater: the second system is better."),
]
Lower = Annotated[bool, typer.Option("--lower-is-better", help="Smaller scores are better.")]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="Column whose items belong together (document, user ...)."),
]
MissingItems = Annotated[
    Missing, typer.Option("--missing", help="Items that a system has no score for.")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed, should sampling be needed.", min=0)]
Style = Annotated[Format | None, typer.Option("--format", "-f", help="How to write the result.")]
ReportStyle = Annotated[
    ReportFormat | None, typer.Option("--format", "-f", help="How to write the result.")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write to a file; the format follows its suffix."),
]
Item = Annotated[str | None, typer.Option("--item", help="Column with the item ids.")]
System = Annotated[str | None, typer.Option("--system", help="Column with the system names.")]
Score = Annotated[str | None, typer.Option("--score", help="Column with the scores.")]
Response = Annotated[
    str | None,
    typer.Option(
        "--response", help="Column that tells repeats of an item apart (seed, rater ...)."
    ),
]
InputFormat = Annotated[
    str | None, typer.Option("--input-format", help="Override the detected format of the files.")
]
Task = Annotated[
    str | None, typer.Option("--task", help="Only this task of the logs; several by commas.")
]
Filter = Annotated[
    str | None, typer.Option("--filter", help="Answer filter, of logs that hold several.")
]
Ref = Annotated[
    list[str] | None,
    typer.Option(
        "--ref", "--gold", help="Score raw outputs against this reference or gold; may be repeated."
    ),
]
Docs = Annotated[
    str | None,
    typer.Option("--docs", help="File with a line an item that names its document: the clusters."),
]
Texts = Annotated[
    list[str] | None,
    typer.Option("--text", help="Source, then target text: word alignments must fit them."),
]
Unchecked = Annotated[
    bool, typer.Option("--unchecked", help="Do not refuse outputs that look unrelated to --ref.")
]
Corrected = Annotated[
    Correction, typer.Option("--correction", help="Adjustment for several comparisons.")
]
