"""COMET: what ``comet-score --to_json`` writes, a list of scored segments for each system."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from betterthan.data.frames.reader_options import Options
from betterthan.data.scores import Scores
from betterthan.errors import FormatError, first_few
from betterthan.readers.examples import Example
from betterthan.readers.files import system_names
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.runs import Run, log_files

FORMATS = ("comet",)
EXAMPLES = {
    "comet": Example(
        "COMET --to_json",
        "betterthan compare comet.json",
        """
{"base.txt": [{"src": "...", "mt": "...", "ref": "...", "COMET": 0.8417}, ...],
 "new.txt": [...]}
""",
    )
}


class Segment(msgspec.Struct):
    """A segment: its score, and what makes it the same segment in another system."""

    COMET: float | None = None
    src: str = ""
    ref: str = ""


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the fields of a segment."""
    del path
    start = head.lstrip()[:1]
    return start == b"{" and b'"mt":' in head and b'"COMET":' in head


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of the systems in all files; a file of one system may be named by that."""
    runs: list[Run] = []
    for file in log_files(files, options):
        file.refuse_suffix(FORMATS[0], "json")
        found = json_logs.decode_whole(file.path, dict[str, list[Segment]])
        lengths = {len(segments) for segments in found.values()}
        if len(lengths) > 1:
            raise FormatError(
                f"{file.path}: systems {first_few(found)} have different numbers of segments: "
                "score them again on the same source"
            )
        short = dict(zip(found, system_names([Path(key) for key in found]), strict=True))
        runs += [
            Run(
                system=file.system(short[key], several=len(found) > 1),
                task="",
                where=str(file.path),
                items=[str(k + 1) for k in range(len(segments))],
                scores={"COMET": [segment.COMET for segment in segments]},
                prints={
                    str(k + 1): (segment.src, segment.ref) for k, segment in enumerate(segments)
                },
            )
            for key, segments in found.items()
        ]
    return gather(runs, options, "COMET", item="segment")
