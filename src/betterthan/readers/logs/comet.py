"""COMET: what ``comet-score --to_json`` writes, a list of scored segments for each system.

Its files look like this::

    {"base.txt": [{"src": "...", "mt": "...", "ref": "...", "COMET": 0.8417}, ...],
     "new.txt": [...]}
    $ betterthan compare comet.json
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from betterthan.readers.files import system_names
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import EXPECTED, LogFile, Run, Sample


class Segment(msgspec.Struct):
    """A segment: its score, and what makes it the same segment in another system."""

    COMET: float | None = None
    src: str = ""
    ref: str = ""


def known(file: LogFile) -> bool:
    """Tell by the fields of a segment."""
    return bool(file.keys) and file.head.lstrip()[:1] == b"{" and file.has(b'"mt":', b'"COMET":')


def runs(file: LogFile) -> Iterator[Run]:
    """Yield the runs of all systems."""
    systems = file.decode(dict[str, list[Segment]])
    for name, segments in zip(system_names([*map(Path, systems)]), systems.values(), strict=True):
        samples = (
            Sample(str(k), {"COMET": x.COMET}, marks={"source": x.src, EXPECTED: x.ref})
            for k, x in enumerate(segments, start=1)
        )
        yield Run(file, samples, name)


HARNESS = Harness("comet", __doc__, known, runs, item="segment")
