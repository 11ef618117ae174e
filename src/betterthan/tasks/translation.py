"""BLEU, chrF, chrF++ and TER by sacrebleu's own statistics per segment (Post, 2018).

| setting    | of          | meaning                                                      |
|------------|-------------|--------------------------------------------------------------|
| ``lc``     | BLEU, chrF  | lower-case first                                             |
| ``tok=T``  | BLEU        | sacrebleu's tokenizer ``13a`` (default), ``zh``, ``none`` ... |
| ``cased``  | TER         | keep case                                                    |
| ``norm``, ``nopunct``, ``asian`` | TER | Tercom's normalisation                       |
"""

from collections.abc import Sequence
from typing import Any

from betterthan.errors import Note, Remedy, UsageError
from betterthan.metrics import Metric
from betterthan.metrics.spelling import split
from betterthan.tasks.sources import Column, Source, columns_of, optional

NAMES = ("bleu", "chrf", "chrf++", "ter")
TOKENIZED = 100  # lines that end in " ." before sacrebleu, too, warns
ReferenceLists = Sequence[Sequence[str | None]]  # a list per reference; None where it lacks a line


def statistics(
    metric: Metric, systems: Sequence[Source], references: ReferenceLists
) -> tuple[dict[str, Column], str]:
    """Columns of each segment and system, and sacrebleu's signature."""
    scorer = _scorer(metric, references)  # which tokenizes the references, once for all systems
    # sacrebleu's own significance tests start from the same call.
    rows = [scorer._extract_corpus_statistics(system.lines, None) for system in systems]
    signature = f"{metric!r} = sacrebleu {scorer.get_signature().format()}"
    return columns_of(metric.columns, rows), signature


def tokenized(systems: Sequence[Source]) -> list[Note]:
    """Note that texts look tokenized, by sacrebleu's rule: BLEU would tokenize them again."""
    counts = [sum(line.endswith(" .") for line in system.lines) for system in systems]
    if max(counts) < TOKENIZED:
        return []
    remedy = Remedy("score it as it is tokenized", "metric", "bleu(tok=none)")
    return [Note("the text looks tokenized", remedy)]


def _scorer(metric: Metric, references: ReferenceLists) -> Any:
    name, inside = split(repr(metric))
    settings = set(inside.split(",")) if inside else set()
    if name == "ter":
        return optional("sacrebleu.metrics.ter").TER(
            normalized="norm" in settings,
            no_punct="nopunct" in settings,
            asian_support="asian" in settings,
            case_sensitive="cased" in settings,
            references=references,
        )
    lower = "lc" in settings
    if name != "bleu":
        return optional("sacrebleu.metrics.chrf").CHRF(
            word_order=2 if name == "chrf++" else 0, lowercase=lower, references=references
        )
    bleu = optional("sacrebleu.metrics.bleu").BLEU
    tokenizer = next((s.removeprefix("tok=") for s in settings if s.startswith("tok=")), None)
    try:
        # `force` leaves the warning about tokenized text to `tokenized`.
        return bleu(lowercase=lower, tokenize=tokenizer, force=True, references=references)
    except (AssertionError, KeyError, ImportError, RuntimeError) as error:
        known = ", ".join(sorted(bleu.TOKENIZERS))
        raise UsageError(
            f"sacrebleu has no tokenizer {tokenizer!r} here ({error}); it knows {known}"
        ) from error
