"""Inspect: ``.eval`` archives and ``.json`` logs; scorers are metrics, epochs are responses.

An archive holds ``header.json`` (``_journal/start.json`` alone while a run goes on, or broke off)
and a member per sample. Its ``summaries.json`` repeats the scores of all samples; where it is
complete, the samples themselves, which may be gigabytes, need not be read.
"""

import zipfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data.frames.cells import MISSING
from betterthan.data.frames.reader_options import Options
from betterthan.data.scores import Scores
from betterthan.errors import FormatError, first_few
from betterthan.readers.examples import Example
from betterthan.readers.files import first_bytes
from betterthan.readers.json_bytes import value_of
from betterthan.readers.logs import json_logs, trec
from betterthan.readers.logs.gathering import gather, is_asked
from betterthan.readers.logs.runs import (
    LogFile,
    Run,
    Value,
    as_number,
    by_column,
    digest,
    log_files,
)
from betterthan.readers.logs.said import Said, as_text
from betterthan.readers.zip_members import DAMAGED, ZIP, member, opened_archive

FORMATS = ("inspect",)
EXAMPLES = {
    "inspect": Example(
        "Inspect",
        "betterthan compare base.eval new.eval --cluster metadata.topic",
        """
{"status": "success", "eval": {"task": "gpqa", "model": "openai/gpt-4o", ...},
 "samples": [{"id": 1, "epoch": 1, "scores": {"choice": {"value": "C"}}, ...}]}
""",
    )
}
USAGE = ("input_tokens", "output_tokens", "total_tokens", "cost", "total_time", "working_time")
METADATA = "metadata."
LONGEST_LABEL = 200
BEGINNING = 1000  # characters of a text that tell samples apart; summaries may cut the rest
GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # correct, incorrect, partial, no answer


class TaskSpec(msgspec.Struct):
    """Who was evaluated on what."""

    model: str
    task: str


class Score(msgspec.Struct):
    """What a scorer said of a sample."""

    value: Any = None


class ModelUsage(msgspec.Struct):
    """Tokens that a model took for a sample, and what they cost."""

    input_tokens: float | None = None
    output_tokens: float | None = None
    total_tokens: float | None = None
    total_cost: float | None = None


class LoggedSample(msgspec.Struct):
    """A sample or its summary, but for all that was said in it."""

    id: int | str
    epoch: int = 1
    scores: dict[str, Score | None] | None = None
    score: Score | None = None  # before there could be several
    metadata: dict[str, msgspec.Raw] | None = None
    input: msgspec.Raw = msgspec.Raw(b"null")
    target: msgspec.Raw = msgspec.Raw(b"null")
    model_usage: dict[str, ModelUsage] | None = None
    total_time: float | None = None
    working_time: float | None = None

    def thinned(self) -> "LoggedSample":
        """Let go of the bytes it was decoded from, but for the few that are needed."""
        short = {k: bytes(v) for k, v in (self.metadata or {}).items() if len(v) <= LONGEST_LABEL}
        self.metadata = {name: msgspec.Raw(raw) for name, raw in short.items()}
        self.input = msgspec.Raw(msgspec.json.encode(_told(self.input)))
        self.target = msgspec.Raw(msgspec.json.encode(_told(self.target)))
        return self


class Log(msgspec.Struct):
    """A ``.json`` log, or the header of an archive, which has no samples in it."""

    eval: TaskSpec
    status: str = "started"
    samples: list[LoggedSample] | None = None


def recognise(path: Path, head: bytes) -> bool:
    """Tell archives by their suffix or members, JSON by its fields."""
    if head.startswith(ZIP):
        return any(name in head for name in (b"_journal/", b"header.json", b"samples/"))
    keys = json_logs.top_keys(head)
    known = "eval" in keys and bool(keys & {"status", "plan", "samples"})
    # What trec_eval prints is often kept under the same suffix.
    return known or (path.suffix == ".eval" and not trec.recognise(path, head))


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all the logs together."""
    runs = [_run(file) for file in log_files(files, options)]
    return gather(runs, options, "Inspect")


class SaidSample(msgspec.Struct):
    """What a sample asks, its target and what the model said last."""

    id: int | str
    epoch: int = 1
    input: Any = None
    target: Any = None
    output: Any = None


class SaidLog(msgspec.Struct):
    """A ``.json`` log with what was said."""

    eval: TaskSpec
    samples: list[SaidSample] | None = None


def texts(files: Sequence[Path], options: Options, wanted: Collection[str]) -> Iterator[Said]:
    """What some samples ask, their targets and what was answered first."""
    inside = {*wanted, *(item.partition("/")[2] for item in wanted)}  # ids within a task
    found = [(file, *_said(file.path, inside)) for file in log_files(files, options)]
    several = len({spec.task for _, spec, _ in found}) > 1
    for file, spec, samples in found:
        for sample in samples:
            item = f"{spec.task}/" * several + str(sample.id)
            if item in wanted and sample.epoch == 1:
                output = sample.output if isinstance(sample.output, dict) else {}
                choices = output.get("choices") or [{}]
                message = choices[0].get("message") if isinstance(choices[0], dict) else None
                said = as_text(output.get("completion")) or as_text(message)
                asked = as_text(sample.input), as_text(sample.target)
                yield Said(file.system(spec.model), item, *asked, said)


def _said(path: Path, wanted: Collection[str]) -> tuple[TaskSpec, list[SaidSample]]:
    """Samples of a log; of an archive only those that are wanted are decompressed."""
    if not first_bytes(path, 64).startswith(ZIP):
        log = json_logs.decode_whole(path, SaidLog)
        return log.eval, log.samples or []
    with opened_archive(path) as file, zipfile.ZipFile(file) as archive:
        header = next(n for n in ("header.json", "_journal/start.json") if n in archive.namelist())
        spec = json_logs.decode_part(member(archive, header), Log, f"{path}: {header}").eval
        names = [n for n in _sample_names(archive) if _sample_id(n) in wanted]
        parts = ((member(archive, name), f"{path}: {name}") for name in names)
        return spec, [json_logs.decode_part(data, SaidSample, where) for data, where in parts]


def _sample_id(member: str) -> str:
    """The id in the name of a member.

    >>> _sample_id("samples/q_1_epoch_2.json")
    'q_1'
    """
    return member.removeprefix("samples/").rpartition("_epoch_")[0]


def _run(file: LogFile) -> Run:
    path = file.path
    head = first_bytes(path, 64)
    archive = head.startswith(ZIP)
    if not archive and head.lstrip()[:1] != b"{":
        raise FormatError(
            f"{path} is neither an archive nor JSON, and so no log of Inspect: copy it again"
        )
    file.refuse_suffix(FORMATS[0], "eval" if archive else "json")
    log = _archive(path, file.options) if archive else json_logs.decode_whole(path, Log)
    samples = log.samples or []
    if not is_asked(log.eval.task, file.options.task):  # whatever it holds: it is left out
        return Run(system="", task=log.eval.task, where=str(path), items=[], scores={})
    if not samples:
        raise FormatError(
            f"{path} holds no samples (its status is {log.status!r}): run the task again, with "
            "samples logged, or leave the log out"
        )
    _refuse_kinds(samples, path)
    columns = by_column(map(_values, samples))
    words = _words(samples)
    unlike = None if columns else next(filter(_is_judged, samples), None)
    if unlike is not None:
        met = sorted({word for counts in words.values() for word in counts})
        given = f", and there are {first_few(met)}" if met else ""
        raise FormatError(
            f"{path}: no score of its {len(samples):,} samples is a number or a grade (sample "
            f"{unlike.id} is the first{given}): have a scorer that gives numbers, or C and I"
        )
    if not columns:
        raise FormatError(
            f"{path}: none of its {len(samples):,} samples has a score (sample {samples[0].id} is "
            "the first): score the log with inspect score, run it again, or leave it out"
        )
    notes = []
    if log.status != "success":
        notes.append(f"{path.name} is of a run that ended as {log.status!r}")
    labels = _labels(samples)
    return Run(
        system=file.system(log.eval.model),
        task=log.eval.task,
        where=str(path),
        items=[str(sample.id) for sample in samples],
        scores=columns,
        usage=by_column(_usage(sample, log.eval.model) for sample in samples),
        responses=[str(sample.epoch) for sample in samples]
        if any(sample.epoch != 1 for sample in samples)
        else None,
        labels=labels,
        prints=dict(map(_print, samples)),
        words=words,
        notes=tuple(notes),
    )


def _refuse_kinds(samples: Sequence[LoggedSample], path: Path) -> None:
    """Refuse ids of one log that differ only by their type: 1 and "1"."""
    kinds: dict[str, type] = {}
    for sample in samples:
        if kinds.setdefault(str(sample.id), type(sample.id)) is not type(sample.id):
            raise FormatError(
                f'{path}: the ids {sample.id} and "{sample.id}" differ only by their type, number '
                "and text: give every sample an id of its own"
            )


def _print(sample: LoggedSample) -> tuple[str, tuple[bytes | None, ...]]:
    """Id of a sample, and fingerprints of its input and its target.

    A target that is a letter is none: choices may be shuffled anew in every run.
    """
    asked, target = _told(sample.input), _told(sample.target)
    if target is not None and all(len(text) == 1 and text.isalpha() for text in target):
        target = None
    return str(sample.id), tuple(None if x is None else digest(x) for x in (asked, target))


def _told(raw: msgspec.Raw) -> list[str] | None:
    """Beginnings of the texts of an input or target; None where not all of it is text in the log.

    A system's message is no part of the question. What it gives may be given to it again, and comes
    out as it is.
    """
    value = value_of(raw, "a sample")
    parts = value if isinstance(value, list) else [value]
    asked = [x for x in parts if not (isinstance(x, dict) and x.get("role") == "system")]
    texts = [text for part in asked or parts for text in _texts_of(part)]
    if any(not isinstance(text, str) or text.startswith("attachment://") for text in texts):
        return None
    return [text[:BEGINNING] for text in texts] or None


def _texts_of(part: Any) -> list[Any]:
    """Texts of a message, or of what is a text itself; None for an image and the like."""
    content = part.get("content") if isinstance(part, dict) else part
    listed = content if isinstance(content, list) else [content]
    return [entry.get("text") if isinstance(entry, dict) else entry for entry in listed]


def _values(sample: LoggedSample) -> dict[str, Value]:
    """Numbers that the scorers gave a sample, by scorer, or by ``scorer.entry``."""
    found = {name: _number(value) for name, value in _given(sample)}
    return {name: value for name, value in found.items() if value is not None}


def _given(sample: LoggedSample) -> Iterator[tuple[str, Any]]:
    """What the scorers gave a sample, numbers or not."""
    scores = sample.scores or ({"score": sample.score} if sample.score else {})
    for scorer, score in scores.items():
        value = None if score is None else score.value
        if isinstance(value, dict):
            yield from ((f"{scorer}.{key}", entry) for key, entry in value.items())
        elif not isinstance(value, list):
            yield scorer, value


def _words(samples: Sequence[LoggedSample]) -> dict[str, Counter[str]]:
    """Count what scorers gave that is neither number nor grade nor says that there is none."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sample in samples:
        for name, value in _given(sample):
            if not isinstance(value, str) or _number(value) is not None:
                continue
            if value.strip().lower() not in MISSING:
                found[name][value[:LONGEST_LABEL]] += 1
    return dict(found)


def _usage(sample: LoggedSample, model: str) -> dict[str, Value]:
    """What a sample took, in tokens of the model that was evaluated and in seconds.

    Tokens of a model that judged the answer are not its own.
    """
    if sample.model_usage is None and sample.total_time is None and sample.working_time is None:
        return {}
    used = (sample.model_usage or {}).get(model) or ModelUsage()
    took = (
        *(used.input_tokens, used.output_tokens, used.total_tokens, used.total_cost),
        *(sample.total_time, sample.working_time),
    )
    return dict(zip(USAGE, took, strict=True))


def _is_judged(sample: LoggedSample) -> bool:
    """Whether a scorer said anything of a sample, numbers or not."""
    scores = [sample.score, *(sample.scores or {}).values()]
    return any(score is not None and score.value is not None for score in scores)


def _number(value: Any) -> Value:
    grade = GRADES.get(value) if isinstance(value, str) else None
    return as_number(value) if grade is None else grade


def _labels(samples: Sequence[LoggedSample]) -> dict[str, list[str | None]]:
    """Metadata that is short enough to be a label: ``metadata.field``."""
    return by_column(
        {
            METADATA + name: label
            for name, raw in (sample.metadata or {}).items()
            if len(raw) <= LONGEST_LABEL and (label := _label(raw)) is not None
        }
        for sample in samples
    )


def _label(raw: msgspec.Raw) -> str | None:
    value = value_of(raw, "metadata")
    return None if value is None or isinstance(value, dict | list) else str(value)


def _archive(path: Path, options: Options) -> Log:
    """Read a log from an archive: its header, and the summaries or else the samples."""
    try:
        with opened_archive(path) as file, zipfile.ZipFile(file) as archive:
            members = archive.namelist()
            header = next((n for n in ("header.json", "_journal/start.json") if n in members), None)
            if header is None:
                raise FormatError(
                    f"{path} is an archive without header.json, and no log of Inspect"
                )
            log = json_logs.decode_part(member(archive, header), Log, f"{path}: {header}")
            log.samples = _summaries(archive, path, options) or list(_samples(archive, path))
            return log
    except DAMAGED as error:
        raise FormatError(
            f"{path} is a damaged archive ({error}): copy it again, or recover the run with "
            "inspect eval-retry"
        ) from error


def _summaries(archive: zipfile.ZipFile, path: Path, options: Options) -> list[LoggedSample]:
    """Summaries of all samples, or nothing where they do not say all that is needed."""
    if "summaries.json" not in archive.namelist():
        return []
    where = f"{path}: summaries.json"
    found = json_logs.decode_part(member(archive, "summaries.json"), list[LoggedSample], where)
    if len(found) != len(_sample_names(archive)):
        return []
    # Older summaries have no metadata at all, newer ones none that are long.
    wanted = (options.cluster or "").removeprefix(METADATA)
    if all(sample.metadata is None for sample in found) or (
        wanted and not all(wanted in (sample.metadata or {}) for sample in found)
    ):
        return []
    asked = f"{options.metric} {options.score}"
    if any(name in asked for name in USAGE) and not all(_used(sample) for sample in found):
        return []
    return found


def _used(sample: LoggedSample) -> bool:
    """Whether a summary says what the sample took; older ones do not."""
    return sample.model_usage is not None and sample.total_time is not None


def _samples(archive: zipfile.ZipFile, path: Path) -> Iterator[LoggedSample]:
    for name in _sample_names(archive):
        sample = json_logs.decode_part(member(archive, name), LoggedSample, f"{path}: {name}")
        yield sample.thinned()


def _sample_names(archive: zipfile.ZipFile) -> list[str]:
    return [n for n in archive.namelist() if n.startswith("samples/") and n.endswith(".json")]
