"""mt-metrics-eval: ``*.seg.score``, lines of ``SYSTEM SCORE`` in the order of the segments.

Where the documents of the language pair are next to them (``documents/en-de.docs``, lines of
``DOMAIN DOCUMENT``), segments have both as labels.

Its files look like this::

    Facebook-AI  -5.0
    Facebook-AI  None
    Online-W  -1.0
    $ betterthan rank en-de.mqm.seg.score --cluster document
"""

from collections.abc import Iterator
from pathlib import Path

from betterthan.readers.files import all_bytes, plain_name
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import LogFile, Run, Sample, Value, as_number

ENDING = ".seg.score"


def known(file: LogFile) -> bool:
    """Tell by the name: two columns alone could be anything."""
    return plain_name(file.path).name.endswith(ENDING)


def runs(file: LogFile) -> Iterator[Run]:
    """Yield the runs of all systems; segments in which none is scored are left out."""
    metric = plain_name(file.path).name.removesuffix(ENDING)
    scores = _scores(file)
    rated = {k for values in scores.values() for k, x in enumerate(values) if x is not None}
    total = max(map(len, scores.values()))
    labels = _documents(file.path, total)
    note = f"{total - len(rated):,} of {total:,} segments left out: no system is scored there"
    for system, values in scores.items():
        samples = [
            Sample(str(k + 1), {metric: value}, labels=labels[k])
            for k, value in enumerate(values)
            if k in rated
        ]
        yield Run(file, samples, system, notes=(note,) if len(rated) < total else ())


def _rows(path: Path) -> list[list[str]]:
    text = all_bytes(path).decode(errors="backslashreplace").rstrip()
    return [line.split() for line in text.split("\n")]


def _scores(file: LogFile) -> dict[str, list[Value]]:
    """Scores by system, in the order of the segments."""
    scores: dict[str, list[Value]] = {}
    for number, fields in enumerate(_rows(file.path), start=1):
        value = as_number(fields[1]) if len(fields) == 2 else None
        if value is None and fields[1:] != ["None"]:
            text = f"is not SYSTEM SCORE ({' '.join(fields)[:60]!r})"
            raise file.fault(f"{text}: correct it, or write the file again", number)
        scores.setdefault(fields[0], []).append(value)
    return scores


def _documents(path: Path, total: int) -> list[dict[str, str | None]]:
    """Domain and document of each segment, where a file of as many lines is in its place."""
    file = path.absolute()
    pairs = (file.name.split(".")[0], file.parent.name)
    places = [f / "documents" / f"{pair}.docs" for f in file.parents[:3] for pair in pairs]
    rows = [_rows(place) for place in places if place.exists()]
    fitting = (x for x in rows if len(x) == total and all(len(row) > 1 for row in x))
    return [{"domain": row[0], "document": row[1]} for row in next(fitting, [])] or [{}] * total


HARNESS = Harness("mt-metrics", __doc__, known, runs, item="segment")
