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

BLEU, chrF, chrF++ and TER are made of sacrebleu's own statistics of a line (Post, 2018), WER and
CER of rapidfuzz's edit distances; these two change neither case nor punctuation, and words are what
white space separates.

| setting             | of         | meaning                                                       |
|---------------------|------------|---------------------------------------------------------------|
| ``lc``              | BLEU, chrF | lower-case first                                              |
| ``tok=T``           | BLEU       | sacrebleu's tokenizer ``13a`` (default), ``zh``, ``none`` ... |
| ``cased``           | TER        | keep case                                                     |
| ``norm``, ``nopunct``, ``asian`` | TER | Tercom's normalisation                                  |
| ``p``, ``r``        | ROUGE      | precision or recall instead of F1                             |
| ``stem``            | ROUGE      | stem words by Porter's rules                                  |

Several references: BLEU, chrF, TER and ROUGE take the best as their papers say, an exact match is
one with any of them; WER and CER take one. A line that is empty in one of several references is a
reference that the line does not have.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from betterthan.errors import Choice, Note, Remedy, UsageError
from betterthan.metrics import parse
from betterthan.metrics.parsing import split
from betterthan.tasks import rouge
from betterthan.tasks.sources import Scored, Source, columns_of, fault, only, optional, parsed

SACREBLEU: dict[str, dict[str, Any]] = {
    "bleu": {"force": True},  # which silences a warning about tokenized text
    "chrf": {},
    "chrf++": {"word_order": 2},
    "ter": {},
}
"""What sacrebleu's scorer is made with for each metric, apart from its settings."""
KEYWORDS = {
    "lc": "lowercase",
    "tok": "tokenize",
    "cased": "case_sensitive",
    "norm": "normalized",
    "nopunct": "no_punct",
    "asian": "asian_support",
}
"""sacrebleu's keyword for each setting."""
METRICS = (*SACREBLEU, "rouge1", "rouge2", "rougel", "wer", "cer", "exact-match")
FEW_LINES, MOST_LINES, LONG = 20, 300, 1_000
"""Fewest lines that can look unrelated; how many are looked at, and how much of each."""
TOKENIZED = 100
"""Lines that end in `` .`` from which sacrebleu, too, takes a text for one that is tokenized."""
CLEAR = 2.0  # standard errors by which lines must fit their own reference better than another


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each line."""
    first, others = parsed([*golds[1:], *systems], golds[0], "line", lambda source: source.lines)
    references = list(zip(first, *others[: len(golds) - 1], strict=True))
    for number, lines in enumerate(references, start=1):
        if not any(map(str.strip, lines)):
            text = "the reference is empty: leave the line out of all files"
            raise fault(golds[0].at(number), text)
    columns: dict[str, Any] = {}
    notes = [note for system in systems if (note := _unrelated(system, golds[0]))]
    signatures = []
    for metric in map(parse, metrics):
        name, inside = split(repr(metric))
        settings = inside.split(",") if inside else []
        if name in SACREBLEU:
            scorer = _sacrebleu(name, settings, golds)
            # sacrebleu's own significance tests start from the same call.
            rows = [scorer._extract_corpus_statistics(system.lines, None) for system in systems]
            signatures.append(f"{metric!r} = sacrebleu {scorer.get_signature().format()}")
            if name == "bleu" and "tok=" not in inside and any(map(_is_tokenized, systems)):
                plain = f"bleu({','.join([*settings, 'tok=none'])})"
                text = "the texts look tokenized already, and BLEU tokenizes them again"
                notes.append(Note(text, Remedy("", "metric", plain)))
        else:
            row = _row(name, settings, golds)
            rows = [list(map(row, system.lines, references)) for system in systems]
        columns |= columns_of(metric.columns, rows)
    return Scored(columns=columns, notes=tuple(notes), signatures=tuple(signatures))


def _sacrebleu(name: str, settings: Sequence[str], golds: Sequence[Source]) -> Any:
    """Return sacrebleu's scorer with its references, which are tokenized once for all systems."""
    words = (setting.partition("=") for setting in settings)
    keywords = {KEYWORDS[key]: value or True for key, _, value in words}
    module = name.removesuffix("++")
    kind = getattr(optional(f"sacrebleu.metrics.{module}"), module.upper())
    # A reference that is None is one that the line does not have.
    references = [[line if line.strip() else None for line in gold.lines] for gold in golds]
    try:
        return kind(references=references, **SACREBLEU[name], **keywords)
    except (AssertionError, KeyError, ImportError, RuntimeError) as error:
        raise UsageError(
            f"sacrebleu has no tokenizer {keywords.get('tokenize')!r} here ({error}); it knows "
            f"{', '.join(sorted(kind.TOKENIZERS))}"
        ) from error


def _row(
    name: str, settings: Sequence[str], golds: Sequence[Source]
) -> Callable[[str, Sequence[str]], tuple[float, ...]]:
    """Return what makes the columns of a line and its references."""
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
    words = cache(rouge.stems if "stem" in settings else rouge.words)  # of a reference only once
    part = settings[0] if settings and settings[0] != "stem" else "f"
    return lambda line, references: (
        rouge.best_parts(name, words(line), [*map(words, references)])[part],
    )


def _is_tokenized(system: Source) -> bool:
    return sum(line.endswith(" .") for line in system.lines) >= TOKENIZED


def _unrelated(system: Source, gold: Source) -> Note | None:
    """Return a note if lines fit their own reference no better than the next or a far one."""
    from rapidfuzz.fuzz import ratio  # noqa: PLC0415 (heavy)

    n = len(gold.lines)
    ours, theirs = ([line[:LONG].lower() for line in source.lines] for source in (system, gold))
    places = range(0, n, 1 + n // MOST_LINES)
    fits = np.array(
        [[ratio(ours[k], theirs[(k + by) % n]) for by in (0, 1, -1, n // 2)] for k in places]
    )
    gains = fits[:, :1] - fits[:, 1:]
    errors = gains.std(axis=0) / np.sqrt(len(places))
    if n < FEW_LINES or (gains.mean(axis=0) > CLEAR * errors).all():
        return None
    return Note(
        f"lines of {system.name} fit other lines of {gold.name} as well as their own",
        Remedy("score against the references of these lines", "ref", Choice("FILE")),
        beside_verdict=True,
    )
