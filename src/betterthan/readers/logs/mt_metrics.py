"""mt-metrics-eval: ``*.seg.score``, lines of ``SYSTEM SCORE`` in the order of the segments.

Where the documents of the language pair are next to them (``documents/en-de.docs``, lines of
``DOMAIN DOCUMENT``), segments have both as labels.

Its files look like this::

    Facebook-AI  -5.0
    Facebook-AI  None
    Online-W  -1.0
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from betterthan.errors import FormatError
from betterthan.readers.files import all_bytes, opened, plain_name
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import Head, LogFile, Run, Sample, Value, as_number, run_of

ENDING = ".seg.score"


def known(head: Head) -> bool:
    """Tell by the name: two columns alone could be anything."""
    return plain_name(head.path).name.endswith(ENDING)


def runs(files: Sequence[LogFile]) -> Iterator[Run]:
    """Runs of all systems in one file; several files are several metrics."""
    path = files[0].path
    if len(files) > 1:
        raise FormatError(
            f"{path} and {files[1].path} are two metrics of the same systems: pass one at a time"
        )
    by_system = _scores(path)
    if not by_system:
        raise files[0].averages("it holds no line of SYSTEM SCORE")
    if len({len(values) for values in by_system.values()}) > 1:
        counts = ", ".join(f"{name} {len(values):,}" for name, values in by_system.items())
        raise FormatError(
            f"{path}: systems have different numbers of segments ({counts}): the file is cut off "
            "or two are joined; write it again"
        )
    segments = list(zip(*by_system.values(), strict=True))
    rated = [k for k, values in enumerate(segments) if any(x is not None for x in values)]
    labels = _documents(path, len(segments))
    unrated = len(segments) - len(rated)
    metric = plain_name(path).name.removesuffix(ENDING)
    for system, values in by_system.items():
        yield run_of(
            files[0],
            [Sample(str(k + 1), {metric: values[k]}, labels=labels[k]) for k in rated],
            system=system,
            notes=(
                f"{unrated:,} of {len(segments):,} segments left out: no system is scored there",
            )
            if unrated
            else (),
        )


def _scores(path: Path) -> dict[str, list[Value]]:
    """Scores by system, in the order of the segments."""
    scores: dict[str, list[Value]] = {}
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            fields = line.decode(errors="backslashreplace").split()
            value = as_number(fields[-1]) if fields else None
            if fields and (len(fields) != 2 or (value is None and fields[1] != "None")):
                raise FormatError(
                    f"{path}: line {number:,} is not SYSTEM SCORE ({' '.join(fields)[:60]!r}): "
                    "correct it, or write the file again"
                )
            if fields:
                scores.setdefault(fields[0], []).append(value)
    return scores


def _documents(path: Path, n: int) -> list[dict[str, str | None]]:
    """Domain and document of each segment, where the file that has them is in its place."""
    above = path.absolute().parents
    folders = (above[0], *(folder / "documents" for folder in above[1:3]))
    pairs = sorted({path.name.split(".")[0], above[0].name})
    places = (folder / f"{pair}.docs" for folder in folders for pair in pairs)
    place = next((place for place in places if place.exists()), None)
    if place is None:
        return [{}] * n
    lines = all_bytes(place).decode(errors="backslashreplace").removesuffix("\n").split("\n")
    rows = [line.split() for line in lines]
    if len(rows) != n or any(len(row) < 2 for row in rows):
        raise FormatError(
            f"{place} has {len(rows):,} lines of DOMAIN DOCUMENT for {n:,} segments of {path}: "
            "they belong to different test sets"
        )
    return [{"domain": row[0], "document": row[1]} for row in rows]


HARNESS = Harness(
    names=("mt-metrics",),
    title="mt-metrics-eval",
    command="betterthan rank en-de.mqm.seg.score --cluster document",
    about=__doc__,
    known=known,
    runs=runs,
    item="segment",
    texts=False,
)
