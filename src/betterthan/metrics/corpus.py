"""Corpus metrics of text whose scores are functions of summed counts: BLEU, chrF and TER.

The counts are sacrebleu's statistics per segment, summed over segments; what is here is what comes
after the sum, vectorised over leading axes. Post (2018), "A call for clarity in reporting BLEU
scores", defines the defaults.
"""

import numpy as np

from betterthan.metrics.algebra import Metric, ratio, sums
from betterthan.numeric import Floats

CHAR_ORDER, WORD_ORDER = 6, 2
BETA = 2.0


def bleu_from_counts(counts: Floats) -> Floats:
    """BLEU between 0 and 1, smoothed as mteval-v13a does ("exp"), from summed counts ``(..., 10)``.

    An order without a match has precision ``1 / (2^k total)``, where ``k`` counts such orders up to
    it (Chen & Cherry, 2014, method 3); the score is 0 if nothing matches, or there is no 4-gram.
    """
    sys_len, ref_len = counts[..., 0], counts[..., 1]
    match, total = counts[..., 2:6], counts[..., 6:10]
    none = match <= 0
    smoothed = np.where(none, 0.5 ** np.cumsum(none, axis=-1), match)
    scored = (match > 0).any(axis=-1) & (total > 0).all(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(smoothed / total).mean(axis=-1)
        brevity = np.where(sys_len < ref_len, 1.0 - ref_len / sys_len, 0.0)
        return np.where(scored, np.exp(brevity + np.where(scored, logs, 0.0)), 0.0)


def chrf_from_counts(counts: Floats) -> Floats:
    """ChrF between 0 and 1 from summed counts ``(..., 3 * orders)``.

    Precision and recall are averaged over the orders that both sides have n-grams of.
    """
    sys, ref, match = counts[..., 0::3], counts[..., 1::3], counts[..., 2::3]
    present = (sys > 0) & (ref > 0)
    orders = np.maximum(present.sum(axis=-1), 1)
    precision, recall = (
        (np.where(present, match, 0.0) / np.where(present, of, 1.0)).sum(axis=-1) / orders
        for of in (sys, ref)
    )
    weight = BETA**2
    below = weight * precision + recall
    score = (1.0 + weight) * precision * recall / np.where(below > 0, below, 1.0)
    return np.asarray(score, dtype=np.float64)


def _chrf(name: str, word_order: int) -> Metric:
    orders = [f"char{n + 1}" for n in range(CHAR_ORDER)]
    orders += [f"word{n + 1}" for n in range(word_order)]
    columns = tuple(f"{name}.{part}_{o}" for o in orders for part in ("sys", "ref", "match"))
    return sums(columns, chrf_from_counts, percent=True, spelling=name)


BLEU = sums(
    (
        *("bleu.sys_len", "bleu.ref_len"),
        *(f"bleu.match{n}" for n in range(1, 5)),
        *(f"bleu.total{n}" for n in range(1, 5)),
    ),
    bleu_from_counts,
    percent=True,
    spelling="bleu",
)
"""BLEU (Papineni et al., 2002): lengths, and matches and totals by order."""

CHRF = _chrf("chrf", 0)
"""Character n-gram F2 (Popović, 2015): hypothesis, reference and matches of orders 1 to 6."""

CHRF_PLUS = _chrf("chrf++", WORD_ORDER)
"""The same with orders 1 and 2 of words (Popović, 2017)."""

TER = ratio(
    {"ter.edits": 1}, {"ter.ref_len": 1}, lower_is_better=True, percent=True, spelling="ter"
)
"""Translation edit rate (Snover et al., 2006): edits over the references' mean length."""
