"""``betterthan inspect``: what is in this file, and how is it read?"""

from betterthan.cli.command import Options, command
from betterthan.cli.output import Output
from betterthan.cli.reading import held, read, read_keywords, roles_of
from betterthan.cli.screen import QUIET, say, screen_width
from betterthan.results.atomic_write import write_whole


@command("FILES... tables ref missing input-format metric output@inspect format")
def inspect(options: Options) -> None:
    """What is in this file, and how is it read? -o writes a tally: all that tests need of it.

    betterthan inspect runs.csv
    betterthan inspect runs.csv --columns label=domain -o tally.parquet
    """
    from betterthan.cli.listing import Entry, Listing
    from betterthan.data.scores import Scores
    from betterthan.readers.item_texts import shown_columns
    from betterthan.readers.tally_files import encoded
    from betterthan.render.overview import overview
    from betterthan.render.wrapping import lines_of
    from betterthan.results.escaping import inert

    targets = Output(options, (".parquet", ".csv", ".json")).targets
    loose = not (targets or {"ref", "missing"} & {*options})  # no tally can hold what is missing
    kept = {**options, "files": held(options["files"])}
    data = read(kept, judged=True, counted=True, fixed={"missing": "pairwise"} if loose else {})
    tallied = isinstance(data, Scores) and data.counts is not None
    lines = [] if tallied else [line.strip() for line in overview(data)]
    columns = shown_columns(kept["files"], **read_keywords(options)) if lines else []
    if "format" in options:
        entries = [Entry(*map(str.strip, line.partition("  ")[::2])) for line in lines]
        Output({"format": options["format"]}).emit(Listing("inspect", entries))
    elif lines and not QUIET.get():
        if columns:
            print("\n".join([*(f"  {inert(line)}" for line in columns), ""]))
        print(lines_of(lines, 2, screen_width()))
    by = roles_of(options).get("label", "").partition("+")[0] or None
    for target in targets:
        write_whole(target.path, encoded(data, by, target.path.suffix.lower()))
        say(f"Wrote {target.path}")
