"""Inspect: ``.eval`` archives and ``.json`` logs; scorers are metrics, epochs are responses.

An archive holds ``header.json`` (``_journal/start.json`` alone while a run goes on, or broke off)
and a member per sample. Its ``summaries.json`` repeats the scores of all samples; where it is
complete, the samples themselves, which may be gigabytes, need not be read.

Its files look like this::

    {"status": "success", "eval": {"task": "gpqa", "model": "openai/gpt-4o", ...},
     "samples": [{"id": 1, "epoch": 1, "scores": {"choice": {"value": "C"}}, ...}]}
"""

import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from betterthan.errors import FormatError, first_few
from betterthan.readers.json_bytes import value_of
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import is_asked
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.log_texts import as_text
from betterthan.readers.logs.runs import (
    Head,
    LogFile,
    Run,
    Sample,
    Value,
    as_number,
    digest,
    run_of,
)
from betterthan.readers.options import Options
from betterthan.readers.zip_members import DAMAGED, ZIP, member, opened_archive
from betterthan.tables.cells import BLANK

USAGE = ("input_tokens", "output_tokens", "total_tokens", "cost", "total_time", "working_time")
METADATA = "metadata."
LONGEST_LABEL = 200
BEGINNING = 1000  # characters of a text that distinguish samples; summaries may cut the rest
GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # correct, incorrect, partial, no answer
HEADERS = ("header.json", "_journal/start.json")


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
    """A sample or its summary, without what was said in it."""

    id: int | str
    epoch: int = 1
    scores: dict[str, Score | None] | None = None
    score: Score | None = None  # before there could be several
    metadata: dict[str, msgspec.Raw] | None = None
    input: msgspec.Raw = msgspec.Raw(b"null")
    target: msgspec.Raw = msgspec.Raw(b"null")
    output: msgspec.Raw = msgspec.Raw(b"null")
    model_usage: dict[str, ModelUsage] | None = None
    total_time: float | None = None
    working_time: float | None = None


class Log(msgspec.Struct):
    """A ``.json`` log, or the header of an archive, which has no samples in it."""

    eval: TaskSpec
    status: str = "started"
    samples: list[LoggedSample] | None = None


def known(head: Head) -> bool:
    """Tell archives by their members, JSON by its fields."""
    if head.data.startswith(ZIP):
        return any(name in head.data for name in (b"_journal/", b"header.json", b"samples/"))
    return "eval" in head.keys and bool(head.keys & {"status", "plan", "samples"})


def runs(files: Sequence[LogFile]) -> Iterator[Run]:
    """Runs of all logs of the tasks that are requested."""
    for file in files:
        try:
            if file.head.data.startswith(ZIP):
                with opened_archive(file.path) as opened, zipfile.ZipFile(opened) as archive:
                    yield from _archived(file, archive)
            else:
                log = file.decode(Log)
                yield from _run(file, log, log.samples or ())
        except DAMAGED as error:
            raise FormatError(
                f"{file.path} is a damaged archive ({error}): copy it again, or recover the run "
                "with inspect eval-retry"
            ) from error


def _archived(file: LogFile, archive: zipfile.ZipFile) -> Iterator[Run]:
    """Read a log from an archive: its header, and the summaries or else the samples."""
    members = archive.namelist()
    header = next((name for name in HEADERS if name in members), "")
    if not header:
        raise FormatError(f"{file.path} is an archive without header.json: not a log of Inspect")
    log = json_logs.decode_part(member(archive, header), Log, f"{file.path}: {header}")
    names = [name for name in members if name.startswith("samples/") and name.endswith(".json")]

    def decoded(names: Iterable[str]) -> Iterator[LoggedSample]:
        for name in names:
            data = member(archive, name)
            yield json_logs.decode_part(data, LoggedSample, f"{file.path}: {name}")

    summaries: list[LoggedSample] = []
    if "summaries.json" in members:
        data, where = member(archive, "summaries.json"), f"{file.path}: summaries.json"
        summaries = json_logs.decode_part(data, list[LoggedSample], where)
    if len(summaries) != len(names) or not _suffice(summaries, file.options):
        yield from _run(file, log, decoded(names))
        return
    needed = {f"samples/{item}_epoch_1.json" for item in file.texts}
    yield from _run(file, log, summaries, decoded(name for name in names if name in needed))


def _suffice(summaries: Sequence[LoggedSample], options: Options) -> bool:
    """Whether summaries say all that is requested.

    Older ones have no metadata and no usage at all, newer ones no metadata that are long.
    """
    cluster = (options.cluster or "").removeprefix(METADATA)
    labelled = all(not cluster or cluster in (s.metadata or {}) for s in summaries)
    if all(sample.metadata is None for sample in summaries) or not labelled:
        return False
    requested = f"{options.metric} {options.score}"
    used = all(s.model_usage is not None and s.total_time is not None for s in summaries)
    return used or not any(name in requested for name in USAGE)


def _run(
    file: LogFile, log: Log, logged: Iterable[LoggedSample], answered: Iterable[LoggedSample] = ()
) -> Iterator[Run]:
    """Yield the run of a log; ``answered`` are samples with outputs, if ``logged`` have none."""
    if not is_asked(log.eval.task, file.options.task):  # whatever it holds: it is left out
        yield run_of(file, [], system="", task=log.eval.task)
        return
    samples: list[Sample] = []
    words: defaultdict[str, set[str]] = defaultdict(set)
    texts: dict[str, tuple[str, str, str]] = {}
    for sample in logged:
        values = dict(_values(sample))
        samples.append(_sample(sample, values, log.eval.model))
        texts |= _texts(sample, file.texts)
        for name, value in values.items():
            if isinstance(value, str) and _number(value) is None:
                words[name].add(value[:LONGEST_LABEL])
    if samples and not words and not any(sample.scores for sample in samples):
        raise file.averages("score the log with inspect score, or leave it out")
    for sample in answered:
        texts |= _texts(sample, file.texts)
    ended = f"{file.path.name} is of a run that ended as {log.status!r}"
    yield run_of(
        file,
        samples,
        system=file.system(log.eval.model),
        task=log.eval.task,
        words={name: first_few(sorted(texts)) for name, texts in words.items()},
        texts=texts,
        notes=(ended,) if log.status != "success" else (),
    )


def _sample(sample: LoggedSample, values: Mapping[str, Any], model: str) -> Sample:
    """Return the scores of a sample, and what the model took: not one that judged the answer.

    A target that is a letter is not a mark: choices may be shuffled in every run.
    """
    used = (sample.model_usage or {}).get(model) or ModelUsage()
    took = (
        *(used.input_tokens, used.output_tokens, used.total_tokens, used.total_cost),
        *(sample.total_time, sample.working_time),
    )
    question, target = _beginnings(sample.input), _beginnings(sample.target)
    if target is not None and all(len(text) == 1 and text.isalpha() for text in target):
        target = None
    labels = {
        METADATA + name: label
        for name, raw in (sample.metadata or {}).items()
        if len(raw) <= LONGEST_LABEL and (label := _label(raw)) is not None
    }
    return Sample(
        item=str(sample.id),
        scores={name: x for name, value in values.items() if (x := _number(value)) is not None},
        usage=dict(zip(USAGE, took, strict=True)),
        mark=tuple(None if x is None else digest(x) for x in (question, target)),
        response=str(sample.epoch),
        labels=labels,
    )


def _values(sample: LoggedSample) -> Iterator[tuple[str, Any]]:
    """What the scorers gave a sample, by scorer, or by ``scorer.entry``."""
    scores = sample.scores or ({"score": sample.score} if sample.score else {})
    for scorer, score in scores.items():
        value = None if score is None else score.value
        entries = value.items() if isinstance(value, dict) else [("", value)]
        for name, entry in entries:
            if not isinstance(entry, list) and str(entry).strip().lower() not in BLANK:
                yield f"{scorer}.{name}" if name else scorer, entry


def _number(value: Any) -> Value:
    grade = GRADES.get(value) if isinstance(value, str) else None
    return as_number(value) if grade is None else grade


def _label(raw: msgspec.Raw) -> str | None:
    value = value_of(raw, "metadata")
    return None if value is None or isinstance(value, dict | list) else str(value)


def _beginnings(raw: msgspec.Raw) -> list[str] | None:
    """Beginnings of the texts of an input or target; None where not all of it is text in the log.

    A system's message is not part of the question.
    """
    value = value_of(raw, "a sample")
    parts = value if isinstance(value, list) else [value]
    question = [x for x in parts if not (isinstance(x, dict) and x.get("role") == "system")]
    texts = []
    for part in question or parts:
        content = part.get("content") if isinstance(part, dict) else part
        listed = content if isinstance(content, list) else [content]
        texts += [entry.get("text") if isinstance(entry, dict) else entry for entry in listed]
    whole = [text for text in texts if isinstance(text, str) and text[:13] != "attachment://"]
    return [text[:BEGINNING] for text in whole] if len(whole) == len(texts) > 0 else None


def _texts(sample: LoggedSample, items: frozenset[str]) -> dict[str, tuple[str, str, str]]:
    """What a sample asks, its target and what was answered first, if its texts are needed."""
    item = str(sample.id)
    if item not in items or sample.epoch != 1:
        return {}
    question, target, answer = (
        value_of(x, item) for x in (sample.input, sample.target, sample.output)
    )
    output = answer if isinstance(answer, dict) else {}
    choice = next(iter(output.get("choices") or ()), None)
    message = choice.get("message") if isinstance(choice, dict) else None
    return {
        item: (as_text(question), as_text(target), as_text(output.get("completion") or message))
    }


HARNESS = Harness(
    names=("inspect",),
    title="Inspect",
    command="betterthan compare base.eval new.eval --cluster metadata.topic",
    about=__doc__,
    known=known,
    runs=runs,
    shown=True,
)
