"""``betterthan score``: from raw outputs to scores, and to per-item columns that keep."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from betterthan.cli import panels as opt
from betterthan.cli.input import Files, OutputsInput
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import TEXTS, Output, say
from betterthan.errors import how_many

KEPT = (".parquet", ".pq", ".csv", ".tsv", ".jsonl")


@dataclass(frozen=True, kw_only=True)
class ScoreOutput(Output):
    """The table of scores, or the per-item columns."""

    output: Annotated[
        Path | None,
        opt.writing(
            "Per-item columns (.parquet, .csv, .tsv, .jsonl), or the table (.md, .json ...).",
            "--output",
            "-o",
        ),
    ] = None

    texts: ClassVar[dict[str, str]] = TEXTS | dict.fromkeys(KEPT, "table")
    beside: ClassVar[tuple[str, ...]] = KEPT
    summarised: ClassVar[bool] = False


@grouped
def score(
    files: Files, *, source: OutputsInput, metric: opt.Metrics = None, output: ScoreOutput
) -> None:
    """Score outputs against references, and keep the per-item columns for later.

    betterthan score --metric bleu --metric chrf --ref ref.txt sys*.txt
    betterthan score --metric bleu --ref ref.txt sys*.txt -o scores.parquet
    betterthan compare scores.parquet --metric bleu
    """
    from betterthan.errors import UsageError
    from betterthan.metrics import expand_classes
    from betterthan.results.system_scores import score as scored

    if not metric:
        raise UsageError("say what to score with --metric, such as bleu, wer, f1, las or aer")
    scores = source.read(files, metric)
    found = scored(scores, expand_classes(metric, scores.columns))
    path = output.output
    if path is None or path.suffix.lower() not in KEPT:
        output.emit(found)
        return
    from betterthan.data.frames.writing import encode
    from betterthan.results.whole_files import write_whole

    replace(output, output=None).emit(found)
    write_whole(path, encode(scores.to_polars(), path.suffix.lower()))
    say(f"Wrote {path}: {how_many(len(scores.systems), 'system')} x {how_many(scores.n, 'item')}")
