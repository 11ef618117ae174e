"""The built-in metrics over per-item columns, and the tables of their names.

``betterthan list metrics`` prints them.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from betterthan.errors import UsageError, quote
from betterthan.metrics.algebra import Metric, blackbox, decimal, mean, ratio
from betterthan.metrics.classes import f1_of, share
from betterthan.metrics.corpus import BLEU, CHRF, CHRF_PLUS, TER
from betterthan.numeric import Floats

LEAST_BETA = 1e-6  # where the weights are still integers that floats hold


def fbeta(beta: float | str) -> Metric:
    """F-beta, recall weighing ``beta`` times as much as precision.

    >>> fbeta(0.5).columns
    ('tp', 'fp', 'fn')
    """
    try:
        exact = Fraction(str(beta))  # 0.1 is one tenth, as it was written
    except (ValueError, ZeroDivisionError):
        exact = Fraction(0)
    if not LEAST_BETA <= exact <= 1 / LEAST_BETA:
        raise UsageError(f"fbeta takes a positive number from 1e-6 to 1e6, not {quote(beta)}")
    # F = (1 + b^2) tp / ((1 + b^2) tp + fp + b^2 fn), van Rijsbergen (1979).
    square = exact**2
    above, below = square.numerator + square.denominator, square.denominator
    return ratio(
        {"tp": above},
        {"tp": above, "fp": below, "fn": square.numerator},
        percent=True,
        spelling="f1" if exact == 1 else f"fbeta({decimal(float(exact))})",
    ).counting()


def rate(spelling: str, column: str) -> Metric:
    """Average of a column of rates, under another name."""
    return replace(mean(column, percent=True), spelling=spelling, stated=True)


def _median(scores: Floats) -> float:
    return float(np.median(scores))


def _errors(spelling: str, errors: str, total: str) -> Metric:
    """Errors for each one that could be wrong; insertions make more of them."""
    return ratio({errors: 1}, {total: 1}, lower_is_better=True, percent=True, spelling=spelling)


ACCURACY = replace(rate("accuracy", "correct"), holds="0 or 1")
TOKEN_ACCURACY = share("token-accuracy", "correct", "total")
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
UPOS = share("upos", "upos_correct", "words")
UAS = share("uas", "head_correct", "words")
LAS = share("las", "label_correct", "words")
# The column that counts the words of either file that are right (CoNLL 2018).
UNIVERSAL = {
    "ud-words": "words_correct",
    "upos": "upos_correct",
    "xpos": "xpos_correct",
    "lemmas": "lemmas_correct",
    "uas": "head_correct",
    "las": "label_correct",
}
ALIGNED = {
    name: f1_of(name, right, "gold_words", "system_words") for name, right in UNIVERSAL.items()
}
"""F1 of the words that are right: twice these over those that both files have."""
EXACT_MATCH = replace(rate("exact-match", "exact_match"), holds="0 or 1")
TOKEN_F1 = rate("token-f1", "token_f1")
MEDIAN = replace(blackbox(_median, spelling="median"), stated=False)

# The same F1 where a table holds other counts: Zmigrod et al. (2022) write tp and incorrect
# (= fp + fn) per item, CoNLL scorers write correct, predicted and gold spans.
F1_INCORRECT = ratio({"tp": 2}, {"tp": 2, "incorrect": 1}, percent=True, spelling="f1").counting()
F1_SPANS = f1_of("f1", "tp", "pred", "gold")

BUILT_IN: dict[str, tuple[str, tuple[Metric, ...]]] = {
    "mean": (
        "mean of the scores; mean(COLUMN) of that column, mean(COLUMN, lower_is_better)",
        (mean(),),
    ),
    "accuracy": ("share of items that are right", (ACCURACY,)),
    "token-accuracy": ("share of tokens that are right, over all items", (TOKEN_ACCURACY,)),
    "precision": (
        "of what was found, the share that is right",
        (PRECISION, share("precision", "tp", "pred")),
    ),
    "recall": (
        "of what is there, the share that was found",
        (RECALL, share("recall", "tp", "gold")),
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
    "upos": ("share of words with the right part of speech", (UPOS, ALIGNED["upos"])),
    "uas": ("share of words with the right head", (UAS, ALIGNED["uas"])),
    "las": ("share of words with the right head and relation", (LAS, ALIGNED["las"])),
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
    "ud-words": ("F1 of words", (ALIGNED["ud-words"],)),
    "xpos": ("share of words with the right language-specific tag", (ALIGNED["xpos"],)),
    "lemmas": ("share of words with the right lemma", (ALIGNED["lemmas"],)),
}
"""Each metric in words, and in all the layouts of columns that tables have for it."""

LAYOUTS = {name: layouts for name, (_, layouts) in BUILT_IN.items()}
WRITTEN = {
    "fbeta(B)": "F1 with recall weighing B times as much; tp, fp, fn",
    "macro-f1": "mean of the F1 of all classes; tp(X), pred(X), gold(X) of every class X",
    "mcc": "Matthews' correlation of classes; the same columns",
    "ratio(A / B + C)": "sum of a column over the sum of others, weighted as in 2*A",
    "module:NAME": "your own, in Python (docs/metrics.md)",
}
"""Metrics that are written with something of yours."""
