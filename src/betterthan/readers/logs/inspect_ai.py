"""Inspect: ``.eval`` archives and ``.json`` logs; scorers are metrics, epochs are responses.

An archive holds ``header.json`` (``_journal/start.json`` alone while a run goes on, or broke off)
and a member per sample. Its ``summaries.json`` repeats the scores of all samples; where it is
complete, the samples themselves, which may be gigabytes, need not be read.

Its files look like this::

    {"status": "success", "eval": {"task": "gpqa", "model": "openai/gpt-4o", ...},
     "samples": [{"id": 1, "epoch": 1, "scores": {"choice": {"value": "C"}}, ...}]}
    $ betterthan compare base.eval new.eval --cluster metadata.topic
"""

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.json_logs import decode_part
from betterthan.readers.logs.log_texts import as_text
from betterthan.readers.logs.runs import EXPECTED, LogFile, Run, Sample
from betterthan.readers.options import Options
from betterthan.readers.zip_members import DAMAGED, ZIP, member, opened_archive
from betterthan.tables.cells import BLANK

METADATA = "metadata."
PLAIN = str | int | float
LONGEST_LABEL = 200
BEGINNING = 1000  # characters of a text that distinguish samples; summaries may cut the rest
TOKENS = ("input_tokens", "output_tokens", "total_tokens")
GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "no": 0.0}
"""Correct, incorrect, partial and no answer; answers of judges."""
HEADERS = ("header.json", "_journal/start.json")


class TaskSpec(msgspec.Struct):
    """Who was evaluated on what."""

    model: str
    task: str


class Score(msgspec.Struct):
    """What a scorer said of a sample."""

    value: Any = None


class LoggedSample(msgspec.Struct):
    """A sample or its summary, without what was said in it."""

    id: int | str
    epoch: int = 1
    scores: dict[str, Score | None] | None = None
    score: Score | None = None  # before there could be several
    metadata: dict[str, msgspec.Raw] | None = None
    input: Any = None
    target: Any = None
    output: msgspec.Raw = msgspec.Raw(b"null")
    model_usage: dict[str, dict[str, float | None]] | None = None
    total_time: float | None = None
    working_time: float | None = None


class Log(msgspec.Struct):
    """A ``.json`` log, or the header of an archive, which has no samples in it."""

    eval: TaskSpec
    status: str = "started"
    samples: list[LoggedSample] | None = None


def known(file: LogFile) -> bool:
    """Tell archives by their members, JSON by its fields."""
    if file.head.startswith(ZIP):
        return any(name in file.head for name in (b"_journal/", b"header.json", b"samples/"))
    return "eval" in file.keys and bool(file.keys & {"status", "plan", "samples"})


def runs(file: LogFile) -> Iterator[Run]:
    """Yield the run in a log."""
    if file.head.startswith(ZIP):
        with _opened(file) as archive:
            names = archive.namelist()
            log = _decoded(
                file, archive, next(filter(names.__contains__, HEADERS), HEADERS[0]), Log
            )
        logged = _archived(file)
    else:
        log = file.decode(Log)
        logged = iter(log.samples or ())
    samples = (_sample(sample, log.eval.model, file) for sample in logged)
    ended = f"{file.path.name} is of a run that ended as {log.status!r}"
    notes = (ended,) if log.status != "success" else ()
    yield Run(file, samples, log.eval.model, log.eval.task, notes=notes)


@contextmanager
def _opened(file: LogFile) -> Iterator[zipfile.ZipFile]:
    try:
        with opened_archive(file.path) as stream, zipfile.ZipFile(stream) as archive:
            yield archive
    except (*DAMAGED, KeyError) as error:
        text = f"is a damaged archive ({error}): copy it again, or recover the run"
        raise file.fault(f"{text} with inspect eval-retry") from error


def _decoded(file: LogFile, archive: zipfile.ZipFile, name: str, kind: Any) -> Any:
    return decode_part(member(archive, name), kind, file.path, part=name)


def _archived(file: LogFile) -> Iterator[LoggedSample]:
    """Yield the summaries in an archive if they say enough, else its samples."""
    with _opened(file) as archive:
        members = archive.namelist()
        names = [name for name in members if name.startswith("samples/") and name.endswith(".json")]
        if "summaries.json" in members and not file.texts:
            summaries = _decoded(file, archive, "summaries.json", list[LoggedSample])
            if len(summaries) == len(names) and _suffice(summaries, file.options):
                yield from summaries
                return
        needed = {f"samples/{item}_epoch_1.json" for item in file.texts} or set(names)
        for name in names:
            if name in needed:
                yield _decoded(file, archive, name, LoggedSample)


def _suffice(summaries: Sequence[LoggedSample], options: Options) -> bool:
    """Whether summaries say all that is requested.

    Older ones have no metadata and no usage at all, newer ones no metadata that are long.
    """
    cluster = (options.cluster or "").removeprefix(METADATA)
    labelled = all(not cluster or cluster in (s.metadata or {}) for s in summaries)
    if all(sample.metadata is None for sample in summaries) or not labelled:
        return False
    requested = f"{options.metric} {options.columns.get('score')}"
    used = all(s.model_usage is not None and s.total_time is not None for s in summaries)
    return used or not any(name in requested for name in ("tokens", "cost", "time"))


def _sample(sample: LoggedSample, model: str, file: LogFile) -> Sample:
    """Return the scores of a sample, and what the model took: not one that judged the answer.

    A target that is a letter does not say which sample it is: choices may be shuffled.
    """
    used = (sample.model_usage or {}).get(model, {})
    target = _beginnings(sample.target)
    item = str(sample.id)
    short = [(x, raw) for x, raw in (sample.metadata or {}).items() if len(raw) <= LONGEST_LABEL]
    labels = [(name, decode_part(raw, Any, file.path)) for name, raw in short]
    return Sample(
        item,
        dict(_values(sample)),
        usage={
            **{name: used.get(name) for name in TOKENS},
            "cost": used.get("total_cost"),
            "total_time": sample.total_time,
            "working_time": sample.working_time,
        },
        marks={
            "input": _beginnings(sample.input),
            EXPECTED: None if all(len(x) == 1 and x.isalpha() for x in target or ()) else target,
        },
        response=str(sample.epoch),
        labels={METADATA + x: str(label) for x, label in labels if isinstance(label, PLAIN)},
        texts=_texts(sample, file) if item in file.texts and sample.epoch == 1 else None,
    )


def _values(sample: LoggedSample) -> Iterable[tuple[str, Any]]:
    """What the scorers gave a sample, by scorer, or by ``scorer.entry``."""
    scores = sample.scores or {"score": sample.score}
    for scorer, score in scores.items():
        value = None if score is None else score.value
        entries = value.items() if isinstance(value, dict) else [("", value)]
        for name, x in entries:
            word = str(x).strip()
            if not isinstance(x, list) and word.lower() not in BLANK:
                graded = GRADES.get(word, GRADES.get(word.lower(), x))
                yield f"{scorer}.{name}" if name else scorer, graded


def _beginnings(value: Any) -> list[str] | None:
    """Beginnings of the texts of an input or target; None where not all of it is text in the log.

    A system's message is not part of the question.
    """
    parts = value if isinstance(value, list) else [value]
    question = [x for x in parts if not (isinstance(x, dict) and x.get("role") == "system")]
    texts = []
    for part in question or parts:
        content = part.get("content") if isinstance(part, dict) else part
        listed = content if isinstance(content, list) else [content]
        texts += [entry.get("text") if isinstance(entry, dict) else entry for entry in listed]
    whole = [text for text in texts if isinstance(text, str) and text[:13] != "attachment://"]
    return [text[:BEGINNING] for text in whole] if len(whole) == len(texts) > 0 else None


def _texts(sample: LoggedSample, file: LogFile) -> tuple[str, str, str]:
    """What a sample asks, its target and what was answered first."""
    answer = decode_part(sample.output, Any, file.path)
    output = answer if isinstance(answer, dict) else {}
    choice = next(iter(output.get("choices") or ()), None)
    message = choice.get("message") if isinstance(choice, dict) else None
    answered = output.get("completion") or message
    return as_text(sample.input), as_text(sample.target), as_text(answered)


HARNESS = Harness(
    "inspect",
    __doc__,
    known,
    runs,
    instead="score the log with inspect score, or leave it out",
    response="epoch",
    shown=True,
)
