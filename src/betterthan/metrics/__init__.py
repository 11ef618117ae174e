"""What is measured: metrics as values, declared once over per-item columns."""

from betterthan.metrics.algebra import Metric, blackbox, divide, mean, ratio, sums
from betterthan.metrics.named import (
    ACCURACY,
    AER,
    ERROR_RATE,
    F1,
    MEDIAN,
    PRECISION,
    RECALL,
    TOKEN_ACCURACY,
    WER,
    fbeta,
)
from betterthan.metrics.spelling import candidates, default, parse, resolve

FBETA = fbeta

__all__ = [
    "ACCURACY",
    "AER",
    "ERROR_RATE",
    "F1",
    "FBETA",
    "MEDIAN",
    "PRECISION",
    "RECALL",
    "TOKEN_ACCURACY",
    "WER",
    "Metric",
    "blackbox",
    "candidates",
    "default",
    "divide",
    "fbeta",
    "mean",
    "parse",
    "ratio",
    "resolve",
    "sums",
]
