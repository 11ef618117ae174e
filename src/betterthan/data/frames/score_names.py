"""What files of one system each call their only column of scores: the same, or their system."""

from collections.abc import Sequence

from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.frames.roles import plain, suggested
from betterthan.errors import COLUMN, FormatError, Remedy, quote
from betterthan.metrics.measures import MEASURED, measure_in


def shared_name(columns: Sequence[str], systems: Sequence[str], files: Sequence[str]) -> str:
    """Name of the scores that each of these files has a column of.

    The first file's, where all call them alike; ``score`` where each calls them by its system,
    which is the empty string where a file names several. Other names may be of other things, a loss
    and an accuracy, and are refused.

    >>> shared_name(["loss", "Loss"], ["old", "new"], ["old.csv", "new.csv"])
    'loss'
    >>> shared_name(["old", "new"], ["old", "new"], ["old.csv", "new.csv"])
    'score'
    """
    if len({plain(name) for name in columns}) == 1:
        return columns[0]
    named = not any(map(is_measure, columns))
    measured = [measure_in(name) for name in columns]
    mixed = all(measured) and len({*measured}) > 1
    own = [
        plain(column) == plain(system)
        and not is_measure(column)
        and not (mixed and measure != measured[0])
        for column, system, measure in zip(columns, systems, measured, strict=True)
    ]
    if all(own):
        return "score"
    unlike = [k for k, name in enumerate(columns) if plain(name) != plain(columns[0])]
    other = min(unlike, key=own.__getitem__)  # rather one that is not called by its system
    pairs = [(files[k], columns[k]) for k in (0, other)]
    told = " and ".join(f"{file} has the score {quote(name)}" for file, name in pairs)
    called = " ".join(f"{name}={file}" for file, name in pairs)
    raise FormatError(
        f"{told}, which need not measure the same: rename the columns alike"
        + f"; if these are the names of the systems, read {called}"
        * (named and not mixed and all(systems)),
        Remedy("compare a column that every file has", "columns", {"score": COLUMN}),
    )


def of_one_measure(columns: Sequence[str], options: Options, where: str) -> Sequence[str]:
    """Columns of systems, unless the names of those to compare say that they measure other things.

    Those of one measure that were asked for are all, if others say something else: only then is
    it clear which way is better.

    >>> of_one_measure(["time-llm", "patchtst"], Options(), "scores.csv")
    ['time-llm', 'patchtst']
    >>> asked = Options(baseline="old_loss", opponents=["new_loss"])
    >>> of_one_measure(["old_acc", "old_loss", "new_loss"], asked, "scores.csv")
    ['old_loss', 'new_loss']
    """
    compared = columns
    if options.opponents:
        asked = {options.baseline or columns[0], *names_given(options.opponents, columns)}
        compared = [name for name in columns if name in asked]
    if len(compared) < 2 or not all(map(MEASURED.search, compared)):
        return columns
    measures = [measure_in(name) for name in compared]
    other = next((k for k, measure in enumerate(measures) if measure != measures[0]), None)
    if other is None:
        alike = len({*map(measure_in, columns)}) == 1
        return columns if alike else compared
    most = max(measures, key=measures.count)
    those = [name for name, measure in zip(compared, measures, strict=True) if measure == most]
    remedies = [Remedy("compare one measure at a time", "systems", those)] * (len(those) > 1)
    raise FormatError(
        f"{where}: {quote(compared[0])} and {quote(compared[other])} are named by different "
        "measures and are not compared: rename the columns as the systems",
        *remedies,
    )


def is_measure(column: str) -> bool:
    """Whether a column is called by what it measures, as its file may be too.

    >>> [name for name in ("score", "val_loss", "time", "time-llm", "f1-mini") if is_measure(name)]
    ['score', 'val_loss', 'time']
    """
    return "score" in suggested(column) or MEASURED.fullmatch(column.strip()) is not None
