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

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np

from betterthan.errors import Choice, Note, Remedy
from betterthan.metrics import Metric, parse
from betterthan.metrics.spelling import split
from betterthan.tasks import rouge, translation
from betterthan.tasks.sources import Column, Scored, Source, check_counts, columns_of, fault, only

METRICS = (*translation.SCORERS, "rouge1", "rouge2", "rougel", "wer", "cer", "exact-match")
FEW_LINES, MOST_LINES, LONG = 20, 300, 1_000
"""Fewest lines that can look unrelated; how many are looked at, and how much of each."""
TOKENIZED = 100
"""Lines that end in `` .`` from which sacrebleu, too, takes a text for one that is tokenized."""
CLEAR = 2.0  # standard errors by which lines must fit their own reference better than another


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each line."""
    for source in (*golds[1:], *systems):
        check_counts("line", source, len(source.lines), golds[0].name, len(golds[0].lines))
    references = list(zip(*(gold.lines for gold in golds), strict=True))
    for k, lines in enumerate(references, start=1):
        if not any(map(str.strip, lines)):
            raise fault(golds[0].at(k), "the reference is empty: leave the line out of all files")
    columns: dict[str, Column] = {}
    notes = [note for system in systems for note in _unrelated(system, golds[0])]
    rows: list[list[Sequence[float]]]
    signatures = []
    for metric in map(parse, metrics):
        if split(repr(metric))[0] in translation.SCORERS:
            rows, signature = translation.statistics(metric, systems, golds)
            signatures.append(signature)
            notes += _tokenized(metric, systems)
        else:
            row = _scorer(metric, golds)
            rows = [list(map(row, system.lines, references)) for system in systems]
        columns |= columns_of(metric.columns, rows)
    return Scored(columns=columns, notes=tuple(notes), signatures=tuple(signatures))


def _scorer(
    metric: Metric, golds: Sequence[Source]
) -> Callable[[str, Sequence[str]], tuple[float, ...]]:
    """Return what makes a metric's columns of a line and its references."""
    name, inside = split(repr(metric))
    if name in ("wer", "cer"):
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 (heavy)

        only(golds)
        units: Callable[[str], Sequence[str]] = str.split if name == "wer" else str.strip
        return lambda line, references: (
            Levenshtein.distance(units(line), units(references[0])),
            len(units(references[0])),
        )
    if name == "exact-match":
        return lambda line, references: (
            int(line.strip() != "" and line.strip() in map(str.strip, references)),
        )
    settings = inside.split(",")
    words = cache(rouge.stems if "stem" in settings else rouge.words)  # of a reference only once
    part = settings[0] if settings[0] in ("p", "r") else "f"
    return lambda line, references: (
        rouge.best_parts(name, words(line), [*map(words, references)])[part],
    )


def _tokenized(metric: Metric, systems: Sequence[Source]) -> Iterator[Note]:
    """Note that texts look tokenized where BLEU tokenizes them."""
    name, settings = split(repr(metric))
    ends = max(sum(line.endswith(" .") for line in system.lines) for system in systems)
    if name == "bleu" and "tok=" not in settings and ends >= TOKENIZED:
        plain = f"bleu({settings},tok=none)" if settings else "bleu(tok=none)"
        text = "the texts look tokenized already, and BLEU tokenizes them again"
        yield Note(text, Remedy("", "metric", plain))


def _unrelated(system: Source, gold: Source) -> Iterator[Note]:
    """Note that lines fit their own reference no better than the next or a far one."""
    from rapidfuzz.fuzz import ratio  # noqa: PLC0415 (heavy)

    n = len(gold.lines)
    ours, theirs = ([line[:LONG].lower() for line in source.lines] for source in (system, gold))
    places = range(0, n, 1 + n // MOST_LINES)
    fits = np.array(
        [[ratio(ours[k], theirs[(k + by) % n]) for by in (0, 1, -1, n // 2)] for k in places]
    )
    gains = fits[:, :1] - fits[:, 1:]
    errors = gains.std(axis=0) / np.sqrt(len(places))
    if n >= FEW_LINES and not (gains.mean(axis=0) > CLEAR * errors).all():
        text = f"lines of {system.name} fit other lines of {gold.name} as well as their own"
        remedy = Remedy("score against the references of these lines", "ref", Choice("FILE"))
        yield Note(text, remedy, beside_verdict=True)
