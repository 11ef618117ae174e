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
one with any of them; WER and CER take one. A line that is empty in one of several references is a
reference that the line does not have.
"""

from collections.abc import Hashable, Iterator, Sequence
from functools import partial

from rapidfuzz.distance import Levenshtein

from betterthan.errors import FormatError, Remedy, how_many
from betterthan.metrics import Metric, parse
from betterthan.metrics.spelling import split
from betterthan.tasks import rouge, translation
from betterthan.tasks.sources import Column, Scored, Source, check_counts, columns_of, only_gold
from betterthan.tasks.unrelated import unrelated_note

METRICS = (*translation.NAMES, "rouge1", "rouge2", "rougel", "wer", "cer", "exact-match")
Rows = list[tuple[float, ...]]


def recognise(text: str) -> bool:
    """Any lines are text."""
    return bool(text.strip())


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each line."""
    _check_lines(systems, golds)
    columns: dict[str, Column] = {}
    signatures = []
    references = [[line if line.strip() else None for line in gold.lines] for gold in golds]
    for metric in map(parse, metrics):
        if split(repr(metric))[0] in translation.NAMES:
            more, signature = translation.statistics(metric, systems, references)
            columns |= more
            signatures.append(signature)
        else:
            rows = [_rows(metric, system, golds) for system in systems]
            columns |= columns_of(metric.columns, rows)
    tokenized = translation.tokenized(systems) if "bleu" in metrics else []
    unrelated = [note for system in systems for note in unrelated_note(system, golds[0])]
    notes = (*unrelated, *_empty_lines(systems), *tokenized)
    return Scored(columns=columns, notes=notes, signatures=tuple(signatures))


def _check_lines(systems: Sequence[Source], golds: Sequence[Source]) -> None:
    for source in (*golds[1:], *systems):
        check_counts("line", source, len(source.lines), golds[0], len(golds[0].lines))
    for k, lines in enumerate(zip(*(gold.lines for gold in golds), strict=True), start=1):
        if not any(map(str.strip, lines)):
            raise FormatError(
                f"{golds[0].at(k)} is empty: there is nothing to score that line against",
                Remedy("correct it, or leave the line out of all files"),
            )


def _rows(metric: Metric, system: Source, golds: Sequence[Source]) -> Rows:
    """What the metric's columns hold for each line of a system."""
    name, inside = split(repr(metric))
    if name == "wer":
        return _errors(system.each_line(str.split), only_gold(golds, name).each_line(str.split))
    if name == "cer":
        return _errors(system.each_line(str.strip), only_gold(golds, name).each_line(str.strip))
    if name == "exact-match":
        references = zip(*(gold.each_line(str.strip) for gold in golds), strict=True)
        pairs = zip(system.each_line(str.strip), references, strict=True)
        return [(int(line != "" and line in some),) for line, some in pairs]
    settings = inside.split(",")
    tokenize = rouge.stems if "stem" in settings else rouge.words
    part = settings[0] if settings[0] in ("p", "r") else "f"
    words = zip(*(gold.each_line(tokenize) for gold in golds), strict=True)
    best = map(partial(rouge.best_parts, name), system.each_line(tokenize), words)
    return [(parts[part],) for parts in best]


def _errors(lines: Sequence[Sequence[Hashable]], references: Sequence[Sequence[Hashable]]) -> Rows:
    """Edits between lines and references, and the lengths of the references."""
    pairs = zip(lines, references, strict=True)
    return [(Levenshtein.distance(line, reference), len(reference)) for line, reference in pairs]


def _empty_lines(systems: Sequence[Source]) -> Iterator[str]:
    for system in systems:
        empty = [k for k, line in enumerate(system.lines, start=1) if not line.strip()]
        if empty:
            lines = how_many(len(empty), "empty line")
            yield f"{system.name} has {lines} (first: line {empty[0]:,}), scored as empty output"
