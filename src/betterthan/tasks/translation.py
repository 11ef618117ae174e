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

SCORERS: dict[str, tuple[str, dict[str, Any]]] = {
    "bleu": ("bleu", {"force": True}),  # which silences a warning about tokenized text
    "chrf": ("chrf", {}),
    "chrf++": ("chrf", {"word_order": 2}),
    "ter": ("ter", {}),
}
"""sacrebleu's module for each metric, and what its scorer is made with."""
KEYWORDS = {
    "lc": "lowercase",
    "tok": "tokenize",
    "cased": "case_sensitive",
    "norm": "normalized",
    "nopunct": "no_punct",
    "asian": "asian_support",
}


def statistics(
    metric: Metric, systems: Sequence[Source], golds: Sequence[Source]
) -> tuple[list[list[Sequence[float]]], str]:
    """Numbers of each segment and system, and sacrebleu's signature."""
    name, inside = split(repr(metric))
    module, fixed = SCORERS[name]
    settings = (setting.partition("=") for setting in filter(None, inside.split(",")))
    keywords = {KEYWORDS[key]: value or True for key, _, value in settings}
    kind = getattr(optional(f"sacrebleu.metrics.{module}"), module.upper())
    # A reference that is None is one that the line lacks; all are tokenized once for all systems.
    references = [[line if line.strip() else None for line in gold.lines] for gold in golds]
    try:
        scorer = kind(references=references, **fixed, **keywords)
    except (AssertionError, KeyError, ImportError, RuntimeError) as error:
        raise UsageError(
            f"sacrebleu has no tokenizer {keywords.get('tokenize')!r} here ({error}); it knows "
            f"{', '.join(sorted(kind.TOKENIZERS))}"
        ) from error
    # sacrebleu's own significance tests start from the same call.
    rows = [scorer._extract_corpus_statistics(system.lines, None) for system in systems]
    return rows, f"{metric!r} = sacrebleu {scorer.get_signature().format()}"
