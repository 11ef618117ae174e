"""``betterthan score``: what does each system score, with an interval?"""

from typing import Annotated

from cyclopts import App

from betterthan.cli import options as opt
from betterthan.cli.output import EXPLAINED, WrittenAndExplained, expanded
from betterthan.cli.reading import ScoresReading
from betterthan.cli.screen import busy, say
from betterthan.cli.values import given, names, two_numbers
from betterthan.errors import UsageError

app = App()
READING = ScoresReading()
_FRAMES = (".parquet", ".csv", ".tsv", ".jsonl")


@app.default
def score(
    files: opt.Files,
    /,
    *,
    reading: Annotated[ScoresReading, opt.GROUP] = READING,
    metric: opt.Metrics = None,
    by: Annotated[str | None, opt.option("--by@score")] = None,
    bounds: opt.Bounds = None,
    per_item: Annotated[str | None, opt.option("--per-item")] = None,
    alpha: opt.Alpha = None,
    resamples: opt.Resamples = None,
    seed: opt.Seed = None,
    output: WrittenAndExplained = EXPLAINED,
) -> None:
    """What does each system score, with an interval? One is enough.

    betterthan score run.csv
    betterthan score ratings.csv --bounds 1,5
    betterthan score --metric bleu --ref ref.txt system.txt --per-item counts.parquet
    """
    import betterthan as bt
    from betterthan.data.frames.writing import encode
    from betterthan.results.atomic_write import write_whole

    options = given(locals(), "by", "alpha", "resamples", "seed")
    kept = None if per_item is None else expanded(per_item)
    if kept is not None and kept.suffix.lower() not in _FRAMES:
        raise UsageError(f"{kept.name!r} must end in one of {', '.join(_FRAMES)}")
    metrics, limits = names(metric), two_numbers(bounds, "--bounds")
    scores = reading.read(files, metric=metrics, by=by)
    with busy("scoring"):
        result = bt.score(scores, metric=metrics, bounds=limits, **options)
    output.emit(result)
    if kept is not None:
        write_whole(kept, encode(scores.to_polars(), kept.suffix.lower()))
        say(f"Wrote {kept}")
