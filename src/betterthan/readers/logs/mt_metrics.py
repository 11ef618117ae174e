"""mt-metrics-eval: ``*.seg.score``, lines of ``SYSTEM SCORE`` in the order of the segments.

Where the documents of the language pair are beside them (``documents/en-de.docs``, lines of
``DOMAIN DOCUMENT``), segments have both as labels.
"""

from collections.abc import Sequence
from pathlib import Path

from betterthan.data.frames.reader_options import Options
from betterthan.data.labels import whole_text
from betterthan.data.scores import Scores
from betterthan.errors import FormatError
from betterthan.readers.examples import Example
from betterthan.readers.files import all_bytes, opened, plain_name
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.runs import Run, Value, as_number, log_files

FORMATS = ("mt-metrics",)
EXAMPLES = {
    "mt-metrics": Example(
        "mt-metrics-eval",
        "betterthan rank en-de.mqm.seg.score --cluster document",
        """
Facebook-AI\t-5.0
Facebook-AI\tNone
Online-W\t-1.0
""",
    )
}
ENDING = ".seg.score"


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the name: two columns alone could be anything."""
    return plain_name(path).name.endswith(ENDING) and bool(head.strip())


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all systems; several files are several metrics only if asked one by one."""
    log_files(files, options)  # refuses a system column
    if len(files) > 1:
        raise FormatError(
            f"{files[0]} and {files[1]} are two metrics of the same systems: give one at a time"
        )
    path = files[0]
    by_system = _lines(path)
    counts = {system: len(values) for system, values in by_system.items()}
    if not counts:
        raise FormatError(f"{path} holds no line of SYSTEM SCORE: write it again")
    n = next(iter(counts.values()))
    for system, count in counts.items():
        if count != n:
            raise FormatError(
                f"{path}: system {system!r} has {count:,} segments and {next(iter(counts))!r} has "
                f"{n:,}: the file is cut off or two are joined; write it again"
            )
    rated = [k for k in range(n) if any(values[k] is not None for values in by_system.values())]
    labels = _documents(path, n)
    unrated = n - len(rated)
    metric = whole_text(plain_name(path).name.removesuffix(ENDING))
    runs = [
        Run(
            system=system,
            task="",
            where=str(path),
            items=[str(k + 1) for k in rated],
            scores={metric: [values[k] for k in rated]},
            labels={name: [column[k] for k in rated] for name, column in labels.items()},
            notes=(f"{unrated:,} of {n:,} segments left out: no system has a score there",)
            if unrated
            else (),
        )
        for system, values in by_system.items()
    ]
    return gather(runs, options, "mt-metrics-eval", item="segment", texts=False)


def _lines(path: Path) -> dict[str, list[Value]]:
    found: dict[str, list[Value]] = {}
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            fields = line.decode(errors="backslashreplace").split()
            if not fields:
                continue
            value = as_number(fields[-1])
            if len(fields) != 2 or (value is None and fields[1] != "None"):
                raise FormatError(
                    f"{path}: line {number:,} is not SYSTEM SCORE ({' '.join(fields)[:60]!r}): "
                    "correct it, or write the file again"
                )
            found.setdefault(fields[0], []).append(value)
    return found


def _documents(path: Path, n: int) -> dict[str, list[str | None]]:
    """Domain and document of each segment, where the file that tells is in its place."""
    pairs = {path.name.split(".")[0], path.absolute().parent.name}
    folders = (
        path.parent,
        path.parent.parent / "documents",
        path.parent.parent.parent / "documents",
    )
    for place in (folder / f"{pair}.docs" for folder in folders for pair in sorted(pairs)):
        if not place.exists():
            continue
        said = all_bytes(place).decode(errors="backslashreplace")
        rows = [line.split() for line in said.removesuffix("\n").split("\n")]
        if len(rows) != n or any(len(row) < 2 for row in rows):
            raise FormatError(
                f"{place} has {len(rows):,} lines of DOMAIN DOCUMENT for {n:,} segments of {path}: "
                "they belong to different test sets"
            )
        return {"domain": [row[0] for row in rows], "document": [row[1] for row in rows]}
    return {}
