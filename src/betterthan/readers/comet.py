"""COMET: what ``comet-score --to_json`` writes, a list of scored segments for each system."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from betterthan.data import Scores
from betterthan.errors import FormatError, first_few
from betterthan.frames.roles import Options
from betterthan.readers import json_logs
from betterthan.readers.files import suffix, system_names
from betterthan.readers.gathering import gather
from betterthan.readers.runs import Run, named_by_file

FORMATS = ("comet",)
SAMPLE = """
{"base.txt": [{"src": "...", "mt": "...", "ref": "...", "COMET": 0.8417}, ...],
 "new.txt": [...]}
"""


class Segment(msgspec.Struct):
    """A segment: its score, and what makes it the same segment in another system."""

    COMET: float | None = None
    src: str = ""


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the fields of a segment."""
    del path
    start = head.lstrip()[:1]
    return start == b"{" and b'"mt":' in head and b'"COMET":' in head


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of the systems in all files; a file of one system may be named by that."""
    by_file = named_by_file(options)
    runs: list[Run] = []
    for path, name in zip(files, system_names(files), strict=True):
        if options.input_format is None:
            json_logs.refuse_name(path, suffix(path), ("json",), FORMATS[0])
        found = json_logs.decode_whole(path, dict[str, list[Segment]])
        lengths = {len(segments) for segments in found.values()}
        if len(lengths) > 1:
            raise FormatError(
                f"{path}: systems {first_few(found)} have different numbers of segments: score "
                "them again on the same source"
            )
        short = dict(zip(found, system_names([Path(key) for key in found]), strict=True))
        runs += [
            Run(
                system=name if by_file and len(found) == 1 else short[key],
                task="",
                where=str(path),
                items=[str(k + 1) for k in range(len(segments))],
                scores={"COMET": [segment.COMET for segment in segments]},
                prints={str(k + 1): segment.src for k, segment in enumerate(segments)},
            )
            for key, segments in found.items()
        ]
    return gather(runs, options, "COMET")
