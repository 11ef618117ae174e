"""Text against references, line by line.

| metric               | columns of a line                               | live     | test      |
|----------------------|-------------------------------------------------|----------|-----------|
| ``bleu``             | ``bleu.sys_len``, ``.ref_len``, ``.match1`` ... | 9 or 10  | sampled   |
| ``chrf``, ``chrf++`` | ``chrf.sys_char1``, ``.ref_``, ``.match_`` ...  | 12 to 24 | sampled   |
| ``ter``              | ``ter.edits``, ``ter.ref_len``                  | 1        | exact     |
| ``wer``              | ``errors``, ``words``                           | 1        | exact     |
| ``cer``              | ``char_errors``, ``chars``                      | 1        | exact     |
| ``rouge1``, ``rouge2``, ``rougeL`` | one column of that name           | 1        | certified |
| ``exact-match``      | ``exact_match``                                 | 1        | exact     |

ROUGE is F1 unless ``(p)`` or ``(r)`` says otherwise, and stems words if ``(stem)`` does. Words are
what white space separates; WER and CER change neither case nor punctuation.

Several references: BLEU, chrF, TER and ROUGE take the best as their papers say, an exact match is
one with any of them; WER and CER know one. A line that is empty in one of several references is a
reference that the line does not have.
"""

from collections.abc import Callable, Sequence
from itertools import chain

from betterthan.errors import FormatError, Note, Remedy, TooLargeError, UsageError, how_many
from betterthan.metrics import Metric, parse
from betterthan.metrics.spelling import split
from betterthan.tasks import rouge, sacre
from betterthan.tasks.edits import edit_distance
from betterthan.tasks.line_headers import header_note
from betterthan.tasks.line_ids import ids_note
from betterthan.tasks.other_lines import References, places_note
from betterthan.tasks.sources import Column, Scored, Source, check_counts, check_not_empty, stack

METRICS = (*sacre.NAMES, "rouge1", "rouge2", "rougel", "wer", "cer", "exact-match")
TOKENIZED = 100  # lines that end in " ." before sacrebleu, too, speaks of it
Alternatives = Sequence[Sequence[str]]  # per line, the references it has


def recognise(text: str) -> bool:
    """Any lines are text."""
    return bool(text.strip())


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each line for all the metrics asked for."""
    asked = [parse(metric) for metric in metrics]
    references = _references(golds)
    _check_lines(systems, golds[0])
    columns: dict[str, Column] = {}
    signatures = []
    for metric in asked:
        name = split(repr(metric))[0]
        if name in sacre.NAMES:
            made, signature = sacre.statistics(metric, systems, _transposed(references))
            columns |= made
            signatures.append(signature)
        else:
            if name in ("wer", "cer") and len(golds) > 1:
                raise UsageError(
                    f"{name} needs one reference, and {len(golds)} are given",
                    Remedy("", "ref", golds[0].name),
                )
            columns |= stack([_rows(metric, s, references) for s in systems], metric.columns)
    return Scored(
        columns=columns,
        notes=(*_empty_lines(systems, golds), *_tokenized(systems, asked)),
        signatures=tuple(signatures),
    )


def doubts(systems: Sequence[Source], golds: Sequence[Source]) -> tuple[Note, ...]:
    """Outputs that look as if they belong to other references, whole or in part.

    Short files and short lines (labels, numbers) are not judged, nor is text that repeats.
    """
    files = (*golds, *systems)
    notes = (*chain.from_iterable(map(ids_note, files)), *header_note(files))
    references = References([r[0] for r in _references(golds)])
    if references.telling:
        for system in systems:
            notes += places_note(system, golds[0], references)
    return notes


def _check_lines(systems: Sequence[Source], gold: Source) -> None:
    for system in systems:
        check_not_empty(system)
        check_counts("line", (system, len(system.lines)), (gold, len(gold.lines)))


def _references(golds: Sequence[Source]) -> Alternatives:
    """References of each line, none of them empty."""
    first = golds[0]
    for gold in golds:
        check_not_empty(gold)
        check_counts("line", (gold, len(gold.lines)), (first, len(first.lines)))
    found = [
        [line for line in lines if line.strip()]
        for lines in zip(*(gold.lines for gold in golds), strict=True)
    ]
    for k, lines in enumerate(found, start=1):
        if not lines:
            raise FormatError(
                f"{first.at(k)} is empty{' in all references' * (len(golds) > 1)}: there is "
                "nothing to score that line against; correct it, or leave it out of all files"
            )
    return found


def _transposed(references: Alternatives) -> list[list[str | None]]:
    """References as sacrebleu wants them: one list per reference, None where a line has fewer."""
    most = max(map(len, references))
    return [[r[k] if k < len(r) else None for r in references] for k in range(most)]


def _rows(metric: Metric, system: Source, references: Alternatives) -> list[tuple[float, ...]]:
    """What the metric's columns hold for each line of a system."""
    one, rows = _SCORERS[split(repr(metric))[0]], []
    for k, (line, its) in enumerate(zip(system.lines, references, strict=True), start=1):
        try:
            rows.append(one(line, its, metric))
        except TooLargeError as error:
            raise TooLargeError(f"{system.at(k)}: {error.message}") from None
    return rows


def _wer(line: str, references: Sequence[str], metric: Metric) -> tuple[int, int]:
    words = references[0].split()
    return edit_distance(words, line.split()), len(words)


def _cer(line: str, references: Sequence[str], metric: Metric) -> tuple[int, int]:
    characters = references[0].strip()
    return edit_distance(characters, line.strip()), len(characters)


def _exact(line: str, references: Sequence[str], metric: Metric) -> tuple[int]:
    return (int(line.strip() in [r.strip() for r in references]),)


def _rouge(line: str, references: Sequence[str], metric: Metric) -> tuple[float]:
    kind, inside = split(repr(metric))
    stem = "stem" in inside.split(",")
    part = {"p": "precision", "r": "recall"}.get(inside.split(",")[0], "f1")
    words = [rouge.words(r, stem=stem) for r in references]
    return (getattr(rouge.best_overlap(kind, rouge.words(line, stem=stem), words), part),)


_SCORERS: dict[str, Callable[[str, Sequence[str], Metric], tuple[float, ...]]] = {
    "wer": _wer,
    "cer": _cer,
    "exact-match": _exact,
    "rouge1": _rouge,
    "rouge2": _rouge,
    "rougel": _rouge,
}


def _empty_lines(systems: Sequence[Source], golds: Sequence[Source]) -> list[str]:
    told = {system.name: "scored as empty output" for system in systems}
    told |= {gold.name: "scored against the other references alone" for gold in golds}
    notes = []
    for source in (*systems, *golds):
        empty = [k for k, line in enumerate(source.lines, start=1) if not line.strip()]
        if empty:
            first = "the first is " * (len(empty) > 1)
            notes.append(
                f"{source.name} has {how_many(len(empty), 'empty line')} ({first}line "
                f"{empty[0]:,}), {told[source.name]}"
            )
    return notes


def _tokenized(systems: Sequence[Source], metrics: Sequence[Metric]) -> list[str]:
    if "bleu" not in map(repr, metrics):
        return []
    counts = [sum(line.endswith(" .") for line in system.lines) for system in systems]
    if max(counts) < TOKENIZED:
        return []
    remedy = Remedy("score it as it is tokenized", "metric", "bleu(tok=none)")
    return [Note("the text looks tokenized", remedy)]
