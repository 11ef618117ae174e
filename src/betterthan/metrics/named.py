"""The built-in metrics over per-item columns, and the tables of their names.

``betterthan list metrics`` prints them.
"""

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import numpy as np

from betterthan.errors import UsageError, quote
from betterthan.metrics.algebra import Metric, blackbox, decimal, mean, ratio
from betterthan.metrics.corpus import BLEU, CHRF, CHRF_PLUS, TER
from betterthan.numeric import Floats

LEAST_BETA = 1e-6  # where the weights are still whole numbers that floats hold


def fbeta(beta: float | str) -> Metric:
    """F-beta, recall weighing ``beta`` times as much as precision.

    >>> fbeta(0.5).columns
    ('tp', 'fp', 'fn')
    """
    with suppress(ValueError, ZeroDivisionError):  # 0.1 is one tenth, as it was written
        exact = Fraction(str(beta))
        if LEAST_BETA <= exact <= 1 / LEAST_BETA:
            return _fbeta(exact)
    raise UsageError(f"fbeta takes a positive number from 1e-6 to 1e6, not {quote(beta)}")


def _fbeta(beta: Fraction) -> Metric:
    # F = (1 + b^2) tp / ((1 + b^2) tp + fp + b^2 fn), van Rijsbergen (1979).
    square = beta**2
    above, below = square.numerator + square.denominator, square.denominator
    spelling = "f1" if beta == 1 else f"fbeta({decimal(float(beta))})"
    return ratio(
        {"tp": above},
        {"tp": above, "fp": below, "fn": square.numerator},
        percent=True,
        spelling=spelling,
    ).counting()


def rate(spelling: str, column: str) -> Metric:
    """Average of a column of rates, under a name of its own."""
    return replace(mean(column, percent=True), spelling=spelling, stated=True)


def _median(scores: Floats) -> float:
    return float(np.median(scores))


def _share(spelling: str, right: str, total: str) -> Metric:
    """How many of all are right."""
    return ratio({right: 1}, {total: 1}, percent=True, spelling=spelling).counting((right, total))


def _errors(spelling: str, errors: str, total: str) -> Metric:
    """Errors for each one that could be wrong; insertions make more of them."""
    return ratio({errors: 1}, {total: 1}, lower_is_better=True, percent=True, spelling=spelling)


ACCURACY = replace(rate("accuracy", "correct"), holds="0 or 1")
TOKEN_ACCURACY = _share("token-accuracy", "correct", "total")
PRECISION = ratio({"tp": 1}, {"tp": 1, "fp": 1}, percent=True, spelling="precision").counting()
RECALL = ratio({"tp": 1}, {"tp": 1, "fn": 1}, percent=True, spelling="recall").counting()
F1 = fbeta(1)
WER = _errors("wer", "errors", "words").counting()
ERROR_RATE = _errors("error-rate", "errors", "total").counting(("errors", "total"))
# AER = 1 - (|A and S| + |A and P|) / (|A| + |S|), Och and Ney (2003).
AER = ratio(
    {"links": 1, "sure": 1, "sure_hits": -1, "possible_hits": -1},
    {"links": 1, "sure": 1},
    lower_is_better=True,
    percent=True,
    spelling="aer",
).counting(("sure_hits", "sure"), ("possible_hits", "links"))
CER = _errors("cer", "char_errors", "chars").counting()
UPOS = _share("upos", "upos_correct", "words")
UAS = _share("uas", "head_correct", "words")
LAS = _share("las", "label_correct", "words")
# The column that counts the words of either file that are right (CoNLL 2018).
UNIVERSAL = {
    "ud-words": "words_correct",
    "upos": "upos_correct",
    "xpos": "xpos_correct",
    "lemmas": "lemmas_correct",
    "uas": "head_correct",
    "las": "label_correct",
}


def _aligned_f1(spelling: str) -> Metric:
    """Twice the words that are right over those that both files have."""
    right, both = UNIVERSAL[spelling], {"gold_words": 1, "system_words": 1}
    parts = ((right, column) for column in both)
    return ratio({right: 2}, both, percent=True, spelling=spelling).counting(*parts)


EXACT_MATCH = replace(rate("exact-match", "exact_match"), holds="0 or 1")
TOKEN_F1 = rate("token-f1", "token_f1")
MEDIAN = replace(blackbox(_median, spelling="median"), stated=False)

# The same F1 where a table holds other counts: Zmigrod et al. (2022) write tp and incorrect
# (= fp + fn) per item, CoNLL scorers write correct, predicted and gold spans.
F1_INCORRECT = ratio({"tp": 2}, {"tp": 2, "incorrect": 1}, percent=True, spelling="f1").counting()
F1_SPANS = ratio({"tp": 2}, {"pred": 1, "gold": 1}, percent=True, spelling="f1").counting(
    ("tp", "pred"), ("tp", "gold")
)

BUILT_IN: dict[str, tuple[str, tuple[Metric, ...]]] = {
    "mean": (
        "mean of the scores; mean(COLUMN) of that column, mean(COLUMN, lower_is_better)",
        (mean(),),
    ),
    "accuracy": ("share of items that are right", (ACCURACY,)),
    "token-accuracy": ("share of tokens that are right, over all items", (TOKEN_ACCURACY,)),
    "precision": (
        "of what was found, the share that is right",
        (PRECISION, _share("precision", "tp", "pred")),
    ),
    "recall": (
        "of what is there, the share that was found",
        (RECALL, _share("recall", "tp", "gold")),
    ),
    "f1": (
        "harmonic mean of precision and recall over all items; f1(X) of class X",
        (F1, F1_SPANS, F1_INCORRECT),
    ),
    "wer": ("word errors per word of the reference", (WER,)),
    "error-rate": ("errors over all that could be wrong", (ERROR_RATE,)),
    "aer": ("alignment error rate, of word alignments with sure and possible links", (AER,)),
    "median": ("median of the scores", (MEDIAN,)),
    "exact-match": ("share of answers that are one of the gold answers", (EXACT_MATCH,)),
    "token-f1": (
        "words shared by answer and gold answer (SQuAD), mean over questions",
        (TOKEN_F1,),
    ),
    "upos": ("share of words with the right part of speech", (UPOS, _aligned_f1("upos"))),
    "uas": ("share of words with the right head", (UAS, _aligned_f1("uas"))),
    "las": ("share of words with the right head and relation", (LAS, _aligned_f1("las"))),
    "cer": ("character errors per character of the reference", (CER,)),
    "bleu": (
        "n-grams shared with the reference, over the whole set; bleu(lc), bleu(tok=zh)",
        (BLEU,),
    ),
    "chrf": ("character n-grams shared with the reference; chrf(lc)", (CHRF,)),
    "chrf++": ("the same, and words", (CHRF_PLUS,)),
    "ter": ("edits and shifts needed to get the reference, per word", (TER,)),
    "rouge1": (
        "words shared with the reference, F1; rouge1(p), rouge1(r), rouge1(stem)",
        (rate("rouge1", "rouge1"),),
    ),
    "rouge2": ("pairs of words shared with the reference", (rate("rouge2", "rouge2"),)),
    "rougel": ("longest common subsequence with the reference", (rate("rougeL", "rougeL"),)),
    "ud-words": ("F1 of words", (_aligned_f1("ud-words"),)),
    "xpos": ("share of words with the right language-specific tag", (_aligned_f1("xpos"),)),
    "lemmas": ("share of words with the right lemma", (_aligned_f1("lemmas"),)),
}
"""What each metric says, and what it reads, in all the ways that tables hold it."""

LAYOUTS = {name: layouts for name, (_, layouts) in BUILT_IN.items()}
WRITTEN = {
    "fbeta(B)": "F1 with recall weighing B times as much; tp, fp, fn",
    "macro-f1": "mean of the F1 of all classes; tp(X), pred(X), gold(X) of every class X",
    "mcc": "Matthews' correlation of classes; the same columns",
    "ratio(A / B + C)": "sum of a column over the sum of others, weighted as in 2*A",
    "module:NAME": "your own, in Python (docs/metrics.md)",
}
"""Metrics that are written with something of yours."""
