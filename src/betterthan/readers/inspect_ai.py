"""Inspect: ``.eval`` archives and ``.json`` logs; scorers are metrics, epochs are responses.

An archive holds ``header.json`` (``_journal/start.json`` alone while a run goes on, or broke off)
and a member per sample. Its ``summaries.json`` repeats the scores of all samples; where it is
complete, the samples themselves, which may be gigabytes, need not be read.
"""

import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data import Scores
from betterthan.errors import FormatError
from betterthan.frames.roles import Options
from betterthan.readers import json_logs
from betterthan.readers.files import first_bytes, suffix, system_names
from betterthan.readers.gathering import gather
from betterthan.readers.runs import Run, Value, as_number, named_by_file

FORMATS = ("inspect",)
SAMPLE = """
{"status": "success", "eval": {"task": "gpqa", "model": "openai/gpt-4o", ...},
 "samples": [{"id": 1, "epoch": 1, "scores": {"choice": {"value": "C"}}, ...}]}
"""
ZIP = b"PK\x03\x04"
ZSTANDARD = 93
LOCAL_HEADER = struct.Struct("<26x2H")  # ends in the lengths of the name and of the extra field
METADATA = "metadata."
LONGEST_LABEL = 200
BEGINNING = 100  # characters of an input that tell samples apart; summaries may cut the rest
GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # correct, incorrect, partial, no answer


class Spec(msgspec.Struct):
    """Who was evaluated on what."""

    model: str
    task: str


class Score(msgspec.Struct):
    """What a scorer said of a sample."""

    value: Any = None


class Sample(msgspec.Struct):
    """A sample or its summary, but for all that was said in it."""

    id: int | str
    epoch: int = 1
    scores: dict[str, Score | None] | None = None
    score: Score | None = None  # before there could be several
    metadata: dict[str, msgspec.Raw] | None = None
    input: msgspec.Raw = msgspec.Raw(b"null")

    def thinned(self) -> "Sample":
        """Let go of the bytes it was decoded from, but for the few that are needed."""
        short = {k: bytes(v) for k, v in (self.metadata or {}).items() if len(v) <= LONGEST_LABEL}
        self.metadata = {name: msgspec.Raw(raw) for name, raw in short.items()}
        self.input = msgspec.Raw(bytes(self.input)[:BEGINNING])
        return self


class Log(msgspec.Struct):
    """A ``.json`` log, or the header of an archive, which has no samples in it."""

    eval: Spec
    status: str = "started"
    samples: list[Sample] | None = None


def recognise(path: Path, head: bytes) -> bool:
    """Tell archives by their suffix or members, JSON by its fields."""
    if head.startswith(ZIP):
        return any(name in head for name in (b"_journal/", b"header.json", b"samples/"))
    keys = json_logs.top_keys(head)
    known = "eval" in keys and bool(keys & {"status", "plan", "samples"})
    return known or path.suffix == ".eval"


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all the logs together."""
    names = system_names(files) if named_by_file(options) else [None] * len(files)
    runs = [_run(file, name, options) for file, name in zip(files, names, strict=True)]
    return gather(runs, options, "Inspect")


def _run(path: Path, name: str | None, options: Options) -> Run:
    head = first_bytes(path, 64)
    archive = head.startswith(ZIP)
    if not archive and head.lstrip()[:1] != b"{":
        raise FormatError(
            f"{path} is neither an archive nor JSON, and so no log of Inspect: copy it again"
        )
    if options.input_format is None:
        allowed = ("eval",) if archive else ("json",)
        json_logs.refuse_name(path, suffix(path), allowed, FORMATS[0])
    log = _archive(path, options) if archive else json_logs.decode_whole(path, Log)
    samples = log.samples or []
    if not samples:
        raise FormatError(
            f"{path} holds no samples (its status is {log.status!r}): run the task again, with "
            "samples logged"
        )
    columns = _columns(samples)
    unlike = None if columns else next(filter(_is_judged, samples), None)
    if unlike is not None:
        raise FormatError(
            f"{path}: no score of its {len(samples):,} samples is a number or a grade (sample "
            f"{unlike.id} is the first): have a scorer that gives numbers, or C and I"
        )
    if not columns:
        raise FormatError(
            f"{path}: none of its {len(samples):,} samples has a score (sample {samples[0].id} is "
            "the first): score the log with inspect score, or run it again"
        )
    notes = []
    if log.status != "success":
        notes.append(f"{path.name} is of a run that ended as {log.status!r}")
    labels = _labels(samples)
    return Run(
        system=name or log.eval.model,
        task=log.eval.task,
        where=str(path),
        items=[str(sample.id) for sample in samples],
        scores=columns,
        responses=[str(sample.epoch) for sample in samples]
        if any(sample.epoch != 1 for sample in samples)
        else None,
        labels=labels,
        prints={str(s.id): start for s in samples if (start := _beginning(s.input))},
        notes=tuple(notes),
    )


def _beginning(text: msgspec.Raw) -> bytes:
    """Return how an input starts that is in the log as text, neither messages nor attachment."""
    start = bytes(text)[:BEGINNING]
    return start if start[:1] == b'"' and not start.startswith(b'"attachment://') else b""


def _columns(samples: Sequence[Sample]) -> dict[str, list[Value]]:
    """Values of each scorer, or of each entry of a scorer that returns several."""
    rows = [_values(sample) for sample in samples]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _values(sample: Sample) -> dict[str, Value]:
    """Numbers that the scorers gave a sample, by scorer, or by ``scorer.entry``."""
    found: dict[str, Value] = {}
    scores = sample.scores or ({"score": sample.score} if sample.score else {})
    for scorer, score in scores.items():
        value = None if score is None else score.value
        entries = value.items() if isinstance(value, dict) else ()
        for key, entry in entries:
            found[f"{scorer}.{key}"] = _number(entry)
        if not isinstance(value, dict | list):
            found[scorer] = _number(value)
    return {name: value for name, value in found.items() if value is not None}


def _is_judged(sample: Sample) -> bool:
    """Whether a scorer said anything of a sample, numbers or not."""
    scores = [sample.score, *(sample.scores or {}).values()]
    return any(score is not None and score.value is not None for score in scores)


def _number(value: Any) -> Value:
    grade = GRADES.get(value) if isinstance(value, str) else None
    return as_number(value) if grade is None else grade


def _labels(samples: Sequence[Sample]) -> dict[str, list[str | None]]:
    """Metadata that is short enough to be a label: ``metadata.field``."""
    rows = [
        {
            name: _label(raw)
            for name, raw in (sample.metadata or {}).items()
            if len(raw) <= LONGEST_LABEL
        }
        for sample in samples
    ]
    names = dict.fromkeys(name for row in rows for name, label in row.items() if label is not None)
    return {METADATA + name: [row.get(name) for row in rows] for name in names}


def _label(raw: msgspec.Raw) -> str | None:
    value = msgspec.json.decode(raw)
    return None if value is None or isinstance(value, dict | list) else str(value)


def _archive(path: Path, options: Options) -> Log:
    """Read a log from an archive: its header, and the summaries or else the samples."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.namelist()
            header = next((n for n in ("header.json", "_journal/start.json") if n in members), None)
            if header is None:
                raise FormatError(
                    f"{path} is an archive without header.json, and no log of Inspect"
                )
            log = json_logs.decode_part(_member(archive, header), Log, f"{path}: {header}")
            log.samples = _summaries(archive, path, options) or list(_samples(archive, path))
            return log
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, zlib.error) as error:
        raise FormatError(
            f"{path} is a damaged archive ({error}): copy it again, or recover the run with "
            "inspect eval-retry"
        ) from error


def _summaries(archive: zipfile.ZipFile, path: Path, options: Options) -> list[Sample]:
    """Summaries of all samples, or nothing where they do not say all that is needed."""
    if "summaries.json" not in archive.namelist():
        return []
    where = f"{path}: summaries.json"
    found = json_logs.decode_part(_member(archive, "summaries.json"), list[Sample], where)
    if len(found) != len(_sample_names(archive)):
        return []
    # Older summaries have no metadata at all, newer ones none that are long.
    wanted = (options.cluster or "").removeprefix(METADATA)
    if all(sample.metadata is None for sample in found) or (
        wanted and not all(wanted in (sample.metadata or {}) for sample in found)
    ):
        return []
    return found


def _samples(archive: zipfile.ZipFile, path: Path) -> Iterator[Sample]:
    for name in _sample_names(archive):
        sample = json_logs.decode_part(_member(archive, name), Sample, f"{path}: {name}")
        yield sample.thinned()


def _sample_names(archive: zipfile.ZipFile) -> list[str]:
    return [n for n in archive.namelist() if n.startswith("samples/") and n.endswith(".json")]


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a member, decompressed; before Python 3.14 the library knows no Zstandard."""
    info = archive.getinfo(name)
    if info.compress_type != ZSTANDARD or sys.version_info >= (3, 14):
        return archive.read(name)
    import zstandard  # noqa: PLC0415 (only for such members)

    try:
        data = zstandard.ZstdDecompressor().decompressobj().decompress(_stored(archive, info))
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(f"{name}: {error}") from error
    if zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile(f"bad CRC-32 for file {name!r}")
    return data


def _stored(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Bytes of a member as they are in the archive, behind its local header."""
    file = archive.fp
    if file is None:
        raise zipfile.BadZipFile("the archive is closed")
    file.seek(info.header_offset)
    header = file.read(LOCAL_HEADER.size)
    if len(header) < LOCAL_HEADER.size:
        raise zipfile.BadZipFile(f"{info.filename} lies beyond the end")
    name, extra = LOCAL_HEADER.unpack(header)
    file.seek(name + extra, 1)
    return file.read(info.compress_size)
