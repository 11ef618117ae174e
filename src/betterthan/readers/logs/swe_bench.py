"""SWE-bench: which instances were resolved, in the lists and reports that its harness writes.

The report of a run lists ids by what became of them; a submission to the leaderboard lists the
resolved ones (``results/results.json``) or all (``per_instance_details.json``); the harness also
writes a ``report.json`` for every instance. An instance that was not submitted, or whose patch is
empty or failed to run, is not resolved, where the files say which instances there are.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data.frames.reader_options import Options
from betterthan.data.scores import Scores
from betterthan.errors import AlignmentError, FormatError, first_few
from betterthan.readers.examples import Example
from betterthan.readers.files import BOM, first_bytes
from betterthan.readers.json_bytes import value_of
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.runs import BY_FILE, LogFile, Run, Value, as_number, log_files

FORMATS = ("swe-bench",)
EXAMPLES = {
    "swe-bench": Example(
        "SWE-bench",
        "betterthan compare base.run1.json new.run1.json",
        """
{"total_instances": 300, "submitted_ids": ["django__django-11001", ...],
 "resolved_ids": ["django__django-11099", ...], "unresolved_ids": [...], ...}
""",
    )
}
# Lists that an id may stand in, of a run's report and of submissions; resolved ones stand in two.
REPORT = (
    "submitted_ids completed_ids incomplete_ids resolved_ids unresolved_ids empty_patch_ids "
    "error_ids"
).split()
LISTS = (
    "resolved no_generation generated no_logs with_logs no_apply applied install_fail reset_failed "
    "test_errored test_timeout"
).split()
DETAIL = re.compile(rb'\{\s*"[^"]{1,200}"\s*:\s*\{[^{}\[\]]{0,400}"resolved"\s*:\s*(true|false)')
IDS = re.compile(rb'\[\s*"[\w.-]+__[\w.-]+-\d+"\s*[,\]]')


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the names of the lists, by entries that say what was resolved, or by ids."""
    del path
    keys = json_logs.top_keys(head)
    body = head.removeprefix(BOM).lstrip()
    return (
        bool(keys & {"resolved_ids", "submitted_ids", "completed_ids"})
        or ("resolved" in keys and bool(keys & {*LISTS[1:]}))
        or keys == {"resolved"}
        or bool(DETAIL.match(body) or IDS.match(body))
    )


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all runs: 1 for every instance that was resolved, 0 for the others."""
    universe: list[str] = []
    found: dict[str, Run] = {}
    totals: dict[str, int] = {}
    for file in log_files(files, options):
        file.refuse_suffix(FORMATS[0], "json")
        if IDS.match(first_bytes(file.path).removeprefix(BOM).lstrip()):
            universe += json_logs.decode_whole(file.path, list[str])
            continue
        run, total = _run(file)
        if run.system in found and _is_instance(file.path):
            run = _joined(found[run.system], run)
        elif run.system in found:
            raise AlignmentError(
                f"{found[run.system].where} and {file.path} are both of {run.system!r}: leave one "
                "out",
                BY_FILE,
            )
        found[run.system] = run
        if total is not None:
            totals[run.system] = total
    if not found:
        raise FormatError(f"{files[0]} lists instances alone: give the runs to compare, too")
    runs = _filled(list(found.values()), totals, list(dict.fromkeys(universe)))
    return gather(runs, options, "SWE-bench", item="instance_id", texts=False)


def _run(file: LogFile) -> tuple[Run, int | None]:
    """Read one file; and how many instances there are, where it says so."""
    path = file.path
    record = json_logs.decode_whole(path, json_logs.Raws)
    total: Value = None
    usage: list[dict[str, Value]] = []
    if "resolved_ids" in record or "submitted_ids" in record or "completed_ids" in record:
        lists = {name: _ids(record, name, path) for name in REPORT if name in record}
        if "resolved_ids" not in lists:
            raise FormatError(f"{path} does not say what was resolved: write the report again")
        resolved = set(lists["resolved_ids"])
        total = as_number(value_of(record.get("total_instances", b"null"), path))
        if total is not None and not total.is_integer():
            raise FormatError(
                f"{path} says that there are {total:g} instances, which is no number of them"
            )
    elif "resolved" in record and bytes(record["resolved"])[:1] == b"[":
        lists = {name: _ids(record, name, path) for name in LISTS if name in record}
        resolved = set(lists["resolved"])
        if "generated" in lists and "no_generation" in lists:
            total = len({*lists["generated"], *lists["no_generation"]})
    else:
        details = {name: _detail(raw, f"{path}: {name}") for name, raw in record.items()}
        lists = {"all": list(details)}
        resolved = {name for name, detail in details.items() if detail["resolved"]}
        usage = [
            {name: as_number(detail.get(name)) for name in ("cost", "api_calls")}
            for detail in details.values()
        ]
        total = None if _is_instance(path) else len(details)
    items = list(dict.fromkeys(item for ids in lists.values() for item in ids))
    _refuse_contradiction(lists, path)
    return Run(
        system=file.system(_name(path)),
        task="",
        where=str(path),
        items=items,
        scores={"resolved": [float(item in resolved) for item in items]},
        usage={name: [row[name] for row in usage] for name in usage[0]} if usage else {},
        variant="" if total is not None or _is_instance(path) else _partial(lists),
    ), None if total is None else int(total)


def _partial(lists: Iterable[str]) -> str:
    """Mark a run whose file lists what was resolved, and not what was not."""
    return "" if {"submitted_ids", "completed_ids", "unresolved_ids"} & {*lists} else "?"


def _ids(record: json_logs.Raws, name: str, path: Path) -> list[str]:
    found = value_of(record[name], path)
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise FormatError(f"{path}: {name} is no list of instance ids: write the file again")
    if len(set(found)) < len(found):
        twice = [one for one, times in Counter(found).items() if times > 1]
        raise AlignmentError(f"{path}: {name} holds {first_few(twice)} more than once: correct it")
    return found


def _detail(raw: msgspec.Raw, where: str) -> dict[str, Any]:
    found = value_of(raw, where)
    if not isinstance(found, dict) or not isinstance(found.get("resolved"), bool):
        raise FormatError(f'{where} does not say "resolved": true or false: write the file again')
    return found


def _refuse_contradiction(lists: dict[str, list[str]], path: Path) -> None:
    """An instance cannot be resolved and not."""
    good = {*lists.get("resolved_ids", ()), *lists.get("resolved", ())}
    for name in ("unresolved_ids", "empty_patch_ids", "error_ids", "incomplete_ids"):
        both = [one for one in lists.get(name, ()) if one in good]
        if both:
            raise FormatError(
                f"{path}: {first_few(both)} stand in resolved_ids and in {name}: two runs may be "
                "in one report, so write it again"
            )
    if "no_generation" in lists and (both := [x for x in lists["no_generation"] if x in good]):
        raise FormatError(f"{path}: {first_few(both)} are resolved without a patch: correct it")


def _filled(runs: list[Run], totals: dict[str, int], universe: list[str]) -> list[Run]:
    """Count what a run did not submit as unresolved, where the files say what there was to do."""
    listed = list(dict.fromkeys(item for run in runs for item in run.items))
    foreign = [item for item in listed if item not in set(universe)] if universe else []
    if foreign:
        raise AlignmentError(
            f"{first_few(foreign)} are not among the {len(universe):,} instances of the list: give "
            "the list of the split that was run"
        )
    whole = universe or listed
    alike = len(set(totals.values())) == 1
    made = []
    for run in runs:
        total = len(universe) or totals.get(run.system)
        if run.variant and total is None:
            raise FormatError(
                f"{run.where} lists {len(run.items):,} instances and not those that are neither "
                "resolved nor listed: give a JSON array of all instance ids as one more file, or "
                "the report that the harness wrote"
            )
        if total is not None and total < len(run.items):
            raise FormatError(
                f"{run.where} says that there are {total:,} instances and lists "
                f"{len(run.items):,}: write it again"
            )
        mine = set(run.items)
        known = bool(universe) or (total is not None and alike and total >= len(whole))
        gone = [item for item in whole if item not in mine] if known else []
        notes = []
        if gone:
            notes.append(f"{len(gone):,} instances that {run.system} did not submit are unresolved")
        if known and total is not None and total > len(whole):
            notes.append(f"{total - len(whole):,} of {total:,} instances stand in no list")
        made.append(
            replace(
                run,
                variant="",
                items=[*run.items, *gone],
                scores={"resolved": [*run.scores["resolved"], *[0.0] * len(gone)]},
                usage={name: [*values, *[None] * len(gone)] for name, values in run.usage.items()},
                notes=tuple(notes),
            )
        )
    return made


def _joined(run: Run, other: Run) -> Run:
    return replace(
        run,
        items=[*run.items, *other.items],
        scores={"resolved": [*run.scores["resolved"], *other.scores["resolved"]]},
        usage={},
    )


def _is_instance(path: Path) -> bool:
    return path.name == "report.json"


def _name(path: Path) -> str:
    """Name a system by the folder of its submission, or of its logs."""
    folder = path.absolute().parent
    if _is_instance(path) or folder.name == "results":
        return folder.parent.name
    return folder.name if path.name == "per_instance_details.json" else ""
