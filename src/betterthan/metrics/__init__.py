"""What is measured: metrics as values, declared once over per-item columns."""

from betterthan.metrics.algebra import Metric, blackbox, divide, mean, ratio, sums
from betterthan.metrics.classes import macro_f1, mcc
from betterthan.metrics.direction import directed
from betterthan.metrics.named import (
    ACCURACY,
    AER,
    BLEU,
    CER,
    CHRF,
    CHRF_PLUS,
    ERROR_RATE,
    EXACT_MATCH,
    F1,
    LAS,
    MEDIAN,
    PRECISION,
    RECALL,
    TER,
    TOKEN_ACCURACY,
    TOKEN_F1,
    UAS,
    UPOS,
    WER,
    fbeta,
)
from betterthan.metrics.spelling import candidates, default, expand_classes, parse, resolve

FBETA = fbeta

__all__ = [
    "ACCURACY",
    "AER",
    "BLEU",
    "CER",
    "CHRF",
    "CHRF_PLUS",
    "ERROR_RATE",
    "EXACT_MATCH",
    "F1",
    "FBETA",
    "LAS",
    "MEDIAN",
    "PRECISION",
    "RECALL",
    "TER",
    "TOKEN_ACCURACY",
    "TOKEN_F1",
    "UAS",
    "UPOS",
    "WER",
    "Metric",
    "blackbox",
    "candidates",
    "default",
    "directed",
    "divide",
    "expand_classes",
    "fbeta",
    "macro_f1",
    "mcc",
    "mean",
    "parse",
    "ratio",
    "resolve",
    "sums",
]
