"""COMET: what ``comet-score --to_json`` writes, a list of scored segments for each system.

Its files look like this::

    {"base.txt": [{"src": "...", "mt": "...", "ref": "...", "COMET": 0.8417}, ...],
     "new.txt": [...]}
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from betterthan.readers.files import system_names
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import Head, LogFile, Run, Sample, run_of


class Segment(msgspec.Struct):
    """A segment: its score, and what makes it the same segment in another system."""

    COMET: float | None = None
    src: str = ""
    ref: str = ""


def known(head: Head) -> bool:
    """Tell by the fields of a segment."""
    return bool(head.keys) and head.data.lstrip()[:1] == b"{" and head.has(b'"mt":', b'"COMET":')


def runs(files: Sequence[LogFile]) -> Iterator[Run]:
    """Runs of the systems in all files; a file of one system may be named by that."""
    for file in files:
        systems = file.decode(dict[str, list[Segment]])
        short = system_names([Path(key) for key in systems])
        for name, segments in zip(short, systems.values(), strict=True):
            yield run_of(
                file,
                [
                    Sample(str(k), {"COMET": segment.COMET}, mark=(segment.src, segment.ref))
                    for k, segment in enumerate(segments, start=1)
                ],
                system=file.system(name, several=len(systems) > 1),
            )


HARNESS = Harness(
    names=("comet",),
    title="COMET",
    source="COMET --to_json",
    command="betterthan compare comet.json",
    about=__doc__,
    known=known,
    runs=runs,
    item="segment",
)
