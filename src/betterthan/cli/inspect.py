"""``betterthan inspect``: what is in this file, and how is it read?"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from cyclopts import App

from betterthan.cli import options as opt
from betterthan.cli.output import Output
from betterthan.cli.reading import Tables
from betterthan.cli.screen import QUIET, say, screen_width

if TYPE_CHECKING:
    from betterthan.data.judgments import Judgments
    from betterthan.data.scores import Scores
    from betterthan.data.tallied import Tallied

app = App()


@dataclass(frozen=True, kw_only=True)
class TallyOutput(Output):
    """What was read is shown; a file gets the tally."""

    output: Annotated[opt.Several, opt.option("--output@inspect")] = None

    suffixes: ClassVar[tuple[str, ...]] = (".parquet", ".pq", ".csv", ".json")


@dataclass(frozen=True, kw_only=True)
class LooseReading(Tables):
    """What is inspected may lack scores."""

    ref: Annotated[opt.Several, opt.option("--ref")] = None
    input_format: Annotated[str | None, opt.option("--input-format")] = None


READING, OUTPUT = LooseReading(), TallyOutput()


@app.default
def inspect(
    files: opt.Files,
    /,
    *,
    reading: Annotated[LooseReading, opt.GROUP] = READING,
    output: Annotated[TallyOutput, opt.GROUP] = OUTPUT,
) -> None:
    """What is in this file, and how is it read? -o writes a tally: all that tests need of it.

    betterthan inspect runs.csv
    betterthan inspect runs.csv --columns label=domain -o tally.parquet
    """
    from betterthan.cli.listing import Entry, Listing
    from betterthan.data.overview import overview
    from betterthan.data.tallied import Tallied
    from betterthan.render.wrapping import lines_of
    from betterthan.results.atomic_write import write_whole

    loose = not (output.targets or reading.ref)  # what is missing is shown; no tally can hold it
    fixed = {"missing": "pairwise"} if loose else {}
    data = reading.read(files, judged=True, counted=True, fixed=fixed)
    lines = [] if isinstance(data, Tallied) else [line.strip() for line in overview(data)]
    if output.format is not None:
        Output(format=output.format).emit(
            Listing("inspect", [Entry(*line.partition("  ")[::2]) for line in lines])
        )
    elif lines and not QUIET.get():
        print(lines_of(lines, 2, screen_width()))
    by = reading.roles().get("label", "").partition("+")[0] or None
    for target in output.targets:
        write_whole(target.path, _tally(data, by, target.path.suffix.lower()))
        say(f"Wrote {target.path}")


def _tally(data: "Scores | Judgments | Tallied", by: str | None, suffix: str) -> bytes:
    """Return distinct rows and their counts as the bytes of a file."""
    from betterthan.data.frames.writing import encode
    from betterthan.data.judgments import Judgments
    from betterthan.data.scores import Scores
    from betterthan.data.tallied import Tallied
    from betterthan.readers.tally_files import encode_tally

    if isinstance(data, Judgments):
        import polars as pl

        frame = pl.DataFrame(data.counted())
        return frame.write_json().encode() if suffix == ".json" else encode(frame, suffix)
    return encode_tally(Tallied.of(data, by=by) if isinstance(data, Scores) else data, suffix)
