"""SWE-bench: which instances were resolved, in the lists and reports that its harness writes.

The report of a run lists ids by what became of them; a submission to the leaderboard lists the
resolved ones (``results/results.json``) or all (``per_instance_details.json``); the harness also
writes a ``report.json`` for every instance. An instance that was not submitted, or whose patch is
empty or failed to run, is not resolved, where the files say which instances there are.

Its files look like this::

    {"total_instances": 300, "submitted_ids": ["django__django-11001", ...],
     "resolved_ids": ["django__django-11099", ...], "unresolved_ids": [...], ...}
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from betterthan.errors import AlignmentError, FormatError, first_few
from betterthan.readers.files import BOM
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.checks import BY_FILE
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import Head, LogFile, Run, Sample, Value, run_of

OLDER = (
    "no_generation generated no_logs with_logs no_apply applied install_fail reset_failed "
    "test_errored test_timeout"
).split()
"""Lists of submissions, next to the resolved ones; those of a report end in _ids."""
FAILED = ("unresolved_ids", "empty_patch_ids", "error_ids", "incomplete_ids", "no_generation")
"""Lists of instances that cannot be resolved as well."""
COMPLETE = {"submitted_ids", "completed_ids", "unresolved_ids"}
"""With one of these lists, a file also says what is not resolved."""
DETAIL = re.compile(rb'\{\s*"[^"]{1,200}"\s*:\s*\{[^{}\[\]]{0,400}"resolved"\s*:\s*(true|false)')
IDS = re.compile(rb'\[\s*"[\w.-]+__[\w.-]+-\d+"\s*[,\]]')


class Detail(msgspec.Struct):
    """Whether an instance was resolved, and what that took."""

    resolved: bool
    cost: float | None = None
    api_calls: float | None = None


@dataclass
class _Report:
    """What the files of a system say: which instances are resolved, and how many there are."""

    file: LogFile
    resolved: dict[str, bool] = field(default_factory=dict)
    usage: dict[str, Mapping[str, Value]] = field(default_factory=dict)
    total: int | None = None
    complete: bool = True


def known(head: Head) -> bool:
    """Tell by the names of the lists, by entries that say what was resolved, or by ids."""
    keys, body = head.keys, head.data.removeprefix(BOM).lstrip()
    older = "resolved" in keys and bool(keys & {*OLDER} or keys == {"resolved"})
    report = bool(keys & {"resolved_ids", "submitted_ids", "completed_ids"})
    return report or older or bool(DETAIL.match(body) or IDS.match(body))


def runs(files: Sequence[LogFile]) -> Iterator[Run]:
    """Runs of all systems; a JSON array of ids says which instances there are."""
    instances: dict[str, None] = {}
    reports: dict[str, _Report] = {}
    for file in files:
        if json_logs.is_array(file.head.data):
            instances |= dict.fromkeys(file.decode(list[str]))
            continue
        system = file.system(_name(file.path))
        report = reports.setdefault(system, _Report(file))
        if report.resolved and not _is_instance(file.path):
            raise AlignmentError(
                f"{report.file.path} and {file.path} are both of {system!r}: leave one out", BY_FILE
            )
        _add(file, report)
    if not reports:
        raise FormatError(f"{files[0].path} lists instances alone: pass the runs to compare, too")
    listed = dict.fromkeys(item for report in reports.values() for item in report.resolved)
    others = [item for item in listed if item not in instances] if instances else []
    if others:
        raise AlignmentError(
            f"{first_few(others)} are not among the {len(instances):,} instances of the list: pass "
            "the list of the split that was run"
        )
    totals = {report.total for report in reports.values()} - {None}
    for system, report in reports.items():
        agreed = bool(instances) or (len(totals) == 1 and report.total is not None)
        yield _run(system, report, instances or listed, agreed=agreed, given=bool(instances))


def _add(file: LogFile, report: _Report) -> None:
    """Add to the report of a system what one of its files says."""
    path, record = file.path, file.decode(json_logs.Raws)
    names = [name for name in record if name.endswith("_ids") or name in ("resolved", *OLDER)]
    if not names:
        for name, raw in record.items():
            detail = json_logs.decode_part(raw, Detail, f"{path}: {name}")
            if name in report.resolved:
                raise AlignmentError(f"{path}: another file has {name} as well: leave one out")
            report.resolved[name] = detail.resolved
            report.usage[name] = {"cost": detail.cost, "api_calls": detail.api_calls}
        report.total = None if _is_instance(path) else len(record)
        return
    lists = {n: json_logs.decode_part(record[n], list[str], f"{path}: {n}") for n in names}
    resolved = {*lists.get("resolved_ids", lists.get("resolved", ()))}
    if not {"resolved_ids", "resolved"} & lists.keys():
        raise FormatError(f"{path} does not say what was resolved: write the report again")
    wrong = [item for name in FAILED for item in lists.get(name, ()) if item in resolved]
    wrong += [item for ids in lists.values() for item, n in Counter(ids).items() if n > 1]
    if wrong:
        raise AlignmentError(
            f"{path} lists {first_few(wrong)} twice, or as resolved and not: two runs may be in "
            "it, so write it again"
        )
    report.resolved = {item: item in resolved for ids in lists.values() for item in ids}
    report.complete = bool(COMPLETE & lists.keys())
    if "total_instances" in record:
        report.total = json_logs.decode_part(record["total_instances"], int, str(path))
    elif {"generated", "no_generation"} <= lists.keys():
        report.total = len({*lists["generated"], *lists["no_generation"]})


def _run(
    system: str, report: _Report, instances: Mapping[str, None], *, agreed: bool, given: bool
) -> Run:
    """Count what a run did not submit as unresolved, where the files agree what there was to do."""
    total = len(instances) if given else report.total
    if total is None and not report.complete:
        raise FormatError(
            f"{report.file.path} lists {len(report.resolved):,} instances and not those that are "
            "neither resolved nor listed: pass a JSON array of all instance ids as one more file, "
            "or the report that the harness wrote"
        )
    if total is not None and total < len(report.resolved):
        raise FormatError(
            f"{report.file.path} says that there are {total:,} instances and lists "
            f"{len(report.resolved):,}: write it again"
        )
    notes, resolved = [], dict(report.resolved)
    if agreed and total is not None and total >= len(instances):
        resolved |= {item: False for item in instances if item not in resolved}
        if more := len(resolved) - len(report.resolved):
            notes.append(f"{more:,} instances that {system} did not submit are unresolved")
        if total > len(instances):
            notes.append(f"{total - len(instances):,} of {total:,} instances are in no list")
    return run_of(
        report.file,
        [
            Sample(item, {"resolved": float(good)}, report.usage.get(item, {}))
            for item, good in resolved.items()
        ],
        system=system,
        notes=tuple(notes),
    )


def _is_instance(path: Path) -> bool:
    return path.name == "report.json"


def _name(path: Path) -> str:
    """Name a system by the folder of its submission, or of its logs."""
    folder = path.absolute().parent
    if _is_instance(path) or folder.name == "results":
        return folder.parent.name
    return folder.name if path.name == "per_instance_details.json" else ""


HARNESS = Harness(
    names=("swe-bench",),
    title="SWE-bench",
    command="betterthan compare base.run1.json new.run1.json",
    about=__doc__,
    known=known,
    runs=runs,
    item="instance_id",
    texts=False,
)
