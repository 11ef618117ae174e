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

from betterthan.errors import UsageError
from betterthan.metrics import Metric
from betterthan.metrics.spelling import split
from betterthan.tasks.sources import Source, optional

NAMES = ("bleu", "chrf", "chrf++", "ter")
ReferenceLists = Sequence[Sequence[str | None]]  # a list per reference; None where it lacks a line


def statistics(
    metric: Metric, systems: Sequence[Source], golds: Sequence[Source]
) -> tuple[list[list[Sequence[float]]], str]:
    """Numbers of each segment and system, and sacrebleu's signature."""
    references = [[line if line.strip() else None for line in gold.lines] for gold in golds]
    scorer = _scorer(metric, references)  # which tokenizes the references, once for all systems
    # sacrebleu's own significance tests start from the same call.
    rows = [scorer._extract_corpus_statistics(system.lines, None) for system in systems]
    return rows, f"{metric!r} = sacrebleu {scorer.get_signature().format()}"


def _scorer(metric: Metric, references: ReferenceLists) -> Any:
    name, inside = split(repr(metric))
    settings = inside.split(",")
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
        # `force` silences a warning about tokenized text on the terminal.
        return bleu(lowercase=lower, tokenize=tokenizer, force=True, references=references)
    except (AssertionError, KeyError, ImportError, RuntimeError) as error:
        known = ", ".join(sorted(bleu.TOKENIZERS))
        raise UsageError(
            f"sacrebleu has no tokenizer {tokenizer!r} here ({error}); it knows {known}"
        ) from error
