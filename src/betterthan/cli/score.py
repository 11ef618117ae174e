"""``betterthan score``: from raw outputs to scores, and to per-item columns that keep."""

from pathlib import Path
from typing import Annotated

import typer

from betterthan.cli import options as opt

KEPT = (".parquet", ".pq", ".csv", ".tsv", ".jsonl")


def score(
    files: opt.Files,
    metric: opt.Metrics = None,
    ref: opt.Ref = None,
    docs: opt.Docs = None,
    text: opt.Texts = None,
    cluster: opt.Cluster = None,
    missing: opt.MissingItems = opt.Missing.error,
    input_format: opt.InputFormat = None,
    unchecked: opt.Unchecked = False,
    style: opt.Style = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Per-item columns (.parquet, .csv, .tsv, .jsonl), or the table (.md, .json ...).",
        ),
    ] = None,
) -> None:
    """Score outputs against references, and keep the per-item columns for later.

    betterthan score --metric bleu --metric chrf --ref ref.txt sys*.txt
    betterthan score --metric bleu --ref ref.txt sys*.txt -o scores.parquet
    betterthan compare scores.parquet --metric bleu
    """
    from betterthan.cli.output import emit, say, style_for, write
    from betterthan.errors import UsageError
    from betterthan.metrics import expand, resolve
    from betterthan.readers import read
    from betterthan.readers.outputs import read_outputs
    from betterthan.render.scores import render

    keeps = output is not None and output.suffix.lower() in KEPT
    chosen = style_for(style, None if keeps else output)
    if not metric:
        raise UsageError("say what to score with --metric, such as bleu, wer, f1, las or aer")
    if ref:
        scores = read_outputs(
            files,
            gold=ref,
            metrics=metric,
            input_format=input_format,
            docs=docs,
            cluster=cluster,
            texts=text or (),
            missing=missing.value,
            unchecked=unchecked,
        )
    else:
        scores = read(
            *files,
            input_format=input_format,
            cluster=cluster,
            missing=missing.value,
            metric=None if any("*" in m for m in metric) else metric,
        )
    say(f"Read {scores.source}")
    metrics = [resolve(m, scores.columns) for m in expand(metric, scores.columns)]
    emit(render(scores, metrics, chosen), None if keeps else output)
    if keeps and output is not None:
        from betterthan.frames.writing import encode, long_frame

        write(output, encode(long_frame(scores), output.suffix.lower()))
        say(f"Wrote {output}: {len(scores.systems)} systems x {scores.n:,} items")
