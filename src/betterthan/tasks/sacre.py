"""BLEU, chrF, chrF++ and TER by sacrebleu's own statistics per segment (Post, 2018).

The edits of TER are counted here (:mod:`~betterthan.tasks.ter`), of the words that it makes.

| setting    | of          | meaning                                                      |
|------------|-------------|--------------------------------------------------------------|
| ``lc``     | BLEU, chrF  | lower-case first                                             |
| ``tok=T``  | BLEU        | sacrebleu's tokenizer ``13a`` (default), ``zh``, ``none`` ... |
| ``cased``  | TER         | keep case                                                    |
| ``norm``, ``nopunct``, ``asian`` | TER | Tercom's normalisation                       |
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan.errors import FormatError, TooLargeError, UsageError
from betterthan.metrics import Metric
from betterthan.metrics.spelling import split
from betterthan.tasks.sources import Column, Source
from betterthan.tasks.ter import edits

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as Scorer

NAMES = ("bleu", "chrf", "chrf++", "ter")
# Lists a reference. A None is missing: sacrebleu knows it, and its annotations do not.
ReferenceLists = Sequence[Sequence[Any]]


def statistics(
    metric: Metric, systems: Sequence[Source], references: ReferenceLists
) -> tuple[dict[str, Column], str]:
    """Columns of each segment and system, and sacrebleu's signature."""
    scorer = _scorer(metric, references)
    # sacrebleu's own significance tests start from the same call.
    block = np.array(
        [
            _edits(scorer, system)
            if repr(metric).startswith("ter")
            else scorer._extract_corpus_statistics(system.lines, None)
            for system in systems
        ]
    )
    if metric.form == "ratio" and not block[..., 1].any():
        raise FormatError(f"the references have no words that {metric!r} counts")
    columns = {name: block[:, :, k].T for k, name in enumerate(metric.columns)}
    return columns, f"{metric!r} = sacrebleu {scorer.get_signature().format()}"


def _edits(scorer: "Scorer", system: Source) -> list[tuple[int, float]]:
    """Edits of the nearest reference and the mean length of all, line by line."""
    rows = []
    for k, (line, cached) in enumerate(zip(system.lines, scorer._ref_cache or (), strict=True)):
        words, references = scorer._preprocess_segment(line).split(), cached["ref_words"]
        try:
            fewest = min(edits(words, reference) for reference in references)
        except TooLargeError as error:
            raise TooLargeError(f"{system.at(k + 1)}: {error.message}") from None
        rows.append((fewest, sum(map(len, references)) / len(references)))
    return rows


def _scorer(metric: Metric, references: ReferenceLists) -> "Scorer":
    try:
        from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 (an extra)
        from sacrebleu.metrics.chrf import CHRF  # noqa: PLC0415
        from sacrebleu.metrics.ter import TER  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(f"{metric!r} is scored with sacrebleu: pip install sacrebleu") from error
    name, inside = split(repr(metric))
    settings = set(inside.split(",")) if inside else set()
    lower = "lc" in settings
    if name == "ter":
        return TER(
            normalized="norm" in settings,
            no_punct="nopunct" in settings,
            asian_support="asian" in settings,
            case_sensitive="cased" in settings,
            references=references,
        )
    if name.startswith("chrf"):
        return CHRF(word_order=2 if name == "chrf++" else 0, lowercase=lower, references=references)
    tokenizer = next((s.removeprefix("tok=") for s in settings if s.startswith("tok=")), None)
    if tokenizer not in (None, *BLEU.TOKENIZERS):
        known = ", ".join(sorted(BLEU.TOKENIZERS))
        raise UsageError(f"sacrebleu has no tokenizer {tokenizer!r}; it has {known}")
    try:
        # `force` leaves the remark about tokenized text to us.
        return BLEU(lowercase=lower, tokenize=tokenizer, force=True, references=references)
    except (ImportError, RuntimeError) as error:
        raise UsageError(
            f"sacrebleu's tokenizer {tokenizer!r} is not installed: {error}"
        ) from error
