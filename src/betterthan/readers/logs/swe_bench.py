"""SWE-bench: which instances were resolved, in the lists and reports that its harness writes.

The report of a run lists ids by what became of them; a submission to the leaderboard lists the
resolved ones (``results/results.json``) or all (``per_instance_details.json``); the harness also
writes a ``report.json`` for every instance. The leaderboard's own list has a record like these for
each system, with its ``name``; of its boards, the systems are read that have results of single
instances. A JSON array of ids as one more file says which
instances there are: what a run does not list is then unresolved.

Its files look like this::

    {"total_instances": 300, "submitted_ids": ["django__django-11001", ...],
     "resolved_ids": ["django__django-11099", ...], "unresolved_ids": [...], ...}
    $ betterthan compare base.run1.json new.run1.json
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from betterthan.errors import FormatError
from betterthan.readers.files import BOM
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.json_logs import is_array
from betterthan.readers.logs.runs import LogFile, Run, Sample

INSTANCE, DETAILS = "report.json", "per_instance_details.json"
BOARDS = "leaderboards"
OLDER = {"resolved", "generated", "no_generation"}
"""Lists of submissions; those of a report end in _ids."""
COMPLETE = {"submitted_ids", "completed_ids", "unresolved_ids", "generated"}
"""With one of these lists, a file also says what is not resolved."""
DETAIL = re.compile(rb'\{\s*"[^"]{1,200}"\s*:\s*\{[^{}\[\]]{0,400}"resolved"\s*:\s*(true|false)')
LISTED = re.compile(rb'"resolved"\s*:\s*\[')
IDS = re.compile(rb'\[\s*"[\w.-]+__[\w.-]+-\d+"\s*[,\]]')


class Detail(msgspec.Struct):
    """Whether an instance was resolved."""

    resolved: bool


class Submission(msgspec.Struct):
    """A record of the leaderboard; of some, ``resolved`` is a percentage."""

    name: str = ""
    resolved: list[str] | float | None = None
    resolved_ids: list[str] | None = None
    unresolved_ids: list[str] | None = None
    generated: list[str] | None = None
    no_generation: list[str] | None = None
    per_instance_details: dict[str, Detail] | None = None

    @property
    def entries(self) -> dict[str, Any]:
        """What it says of instances, as a file of one system does."""
        return self.per_instance_details or msgspec.structs.asdict(self)


class Board(msgspec.Struct):
    """One of the boards in ``leaderboards.json``."""

    results: list[Submission]


Entries = dict[str, Detail | list[str] | int | float | str | None]


def known(file: LogFile) -> bool:
    """Tell by the names of the lists, by entries that say what was resolved, or by ids."""
    keys, body = file.keys, file.head.removeprefix(BOM).lstrip()
    older = "resolved" in keys and bool(LISTED.search(body))
    report = bool(keys & {BOARDS, "resolved_ids", "per_instance_details", *COMPLETE})
    board = {"name", "folder", "resolved"} <= keys
    return report or board or older or bool(DETAIL.match(body) or IDS.match(body))


def together(files: Sequence[LogFile]) -> Iterator[Run]:
    """Yield the runs of all systems; reports of single instances are put together."""
    arrays = {file.path: array for file in files if (array := _array(file))}
    instances = {item: True for items in arrays.values() for item in items if isinstance(item, str)}
    by_system: dict[str, tuple[LogFile, str, list[Sample]]] = {}
    for file in files:
        records: Sequence[Any] = arrays.get(file.path) or [file.decode(Entries)]
        for record in records:
            if not isinstance(record, str):
                listed = isinstance(record, Submission)
                own = record.name if listed else _name(file.path)
                name = file.system(own, several=listed)
                _, _, samples = by_system.setdefault(name, (file, own, []))
                entries = record.entries if listed else record
                samples += _samples(entries, str(file.path), complete=bool(instances))
    for file, own, samples in by_system.values():
        there = {sample.item for sample in samples}
        samples += [Sample(x, {"resolved": 0.0}) for x in instances if x not in there]
        yield Run(file, samples, own)


def _array(file: LogFile) -> Sequence[str | Submission]:
    """Return the records in an array, or those on the boards of the leaderboard."""
    if is_array(file.head):
        return file.decode(list[str | Submission])
    if BOARDS not in file.keys:
        return ()
    every = [x for board in file.decode(dict[str, list[Board]])[BOARDS] for x in board.results]
    return [x for x in every if x.per_instance_details] or every


def _samples(entries: Mapping[str, Any], where: str, *, complete: bool) -> Iterator[Sample]:
    """Yield what one system's entries say of instances, if they say which are not resolved."""
    names = [name for name in entries if name in OLDER or name.endswith("_ids")]
    lists = {name: x for name in names if isinstance(x := entries[name], list)}
    resolved = lists.get("resolved_ids", lists.get("resolved"))
    if names and (resolved is None or not (complete or COMPLETE & lists.keys())):
        raise FormatError(
            f"{where} does not list what was resolved and what was not: pass the reports of the "
            "harness, or lists of what was resolved and a JSON array of the ids of all instances"
        )
    flags = {name: x.resolved for name, x in entries.items() if isinstance(x, Detail)}
    good = {*(resolved or ())}
    flags |= {item: item in good for ids in lists.values() for item in ids}
    for item, flag in flags.items():
        yield Sample(item, {"resolved": float(flag)})


def _name(path: Path) -> str:
    """Name a system by the folder of its submission, or of its logs."""
    folder = path.absolute().parent
    if path.name == INSTANCE or folder.name == "results":
        return folder.parent.name
    return folder.name if path.name == DETAILS else ""


HARNESS = Harness(
    "swe-bench",
    __doc__,
    known,
    together=together,
    instead="pass the runs to compare, too",
    item="instance_id",
)
