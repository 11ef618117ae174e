"""Names that say what was measured, ``macro_f1``, ``ROUGE-L`` or ``hits@10``, and not of whom."""

import re
from functools import cache

from betterthan.metrics.costs import COSTS

# Words end at a break, or where only a capital says so: `testAcc`.
_BREAK = r"[-_ @./:,()%]"
_HUMP = r"(?-i:(?<=[a-z0-9])(?=[A-Z]))"
_START, _END = rf"(?:(?<![a-z0-9])|{_HUMP})", rf"(?:(?![a-z0-9])|{_HUMP})"
# What tells apart two ways to take a measure; by themselves they measure nothing.
_QUALIFIERS = (
    "at|average|avg|char|corpus|dev|eval|exact|k|log|macro|mean|micro|norm|rate|scores?|sentence|"
    rf"strict|test|token|top(?!{_BREAK}?\d)|train|training|val|valid|validation|weighted|word"
)
_MEASURES = (
    "acc|accuracy|correct|correctness|em|exactmatch|match|pass|hits?|success|precision|recall|"
    "((roc|pr)_)?auc|auroc|auprc|m?ap|mrr|n?dcg|m?iou|dice|jaccard|mcc|kappa|pearson|spearman|"
    r"kendall|psnr|ssim|(sacre)?bleu|gleu|chrf(\+\+|pp)?|meteor|nist|cider|spice|x?comet|"
    "cometkiwi|bleurt|mauve|uas|las|loss|losses|nll|ppl|perplexity|logloss|xent|brier|bpb|bpc|"
    "mae|mape|mse|rmse|error|errors|wer|cer|ter|hter|aer|toxicity|bias|hallucination|"
    "harmfulness|maliciousness|fluency|adequacy|coherence|consistency|relevance|faithfulness|"
    "helpfulness|informativeness|factuality|grammaticality|naturalness|[hpr](?=@)|"
    rf"rouge({_BREAK}?(l(_?sum)?|w|su?)(?![a-z]))?|f_?(1|0\.?5|beta)(?!\d)|"
    rf"cross{_BREAK}?entropy|bits{_BREAK}per{_BREAK}(byte|char(acter)?)|edit{_BREAK}?distance|"
    rf"false{_BREAK}?(positive|negative)s?|miss{_BREAK}?rate|"
    rf"(bert|bart|mover|clip){_BREAK}?score|win{_BREAK}?rate|top{_BREAK}?(?=\d)"
)


def _of(words: str) -> re.Pattern[str]:
    """Pattern of a run of words of which one is a measure, and none but these and qualifiers."""
    measure = rf"({words})\d*(score)?{_END}"
    ahead = rf"(({_QUALIFIERS}){_END}{_BREAK}*){{,5}}"  # no more, for it is tried at every word
    behind = rf"({_BREAK}*{_START}({measure}|({_QUALIFIERS}|\d+){_END}))*"
    return re.compile(rf"{_START}{ahead}{measure}{behind}{_BREAK}*", re.IGNORECASE)


MEASURE = _of(_MEASURES)
"""Fits a name that is a measure's: a column of that name is of one system."""
MEASURED = _of("|".join([_MEASURES, *sorted(COSTS)]))
"""Finds what was measured in a name that may have other words, or took time, tokens or money."""


@cache
def measure_in(name: str) -> str:
    """What the name of a column says that it measures; empty where it says nothing of the kind.

    >>> [measure_in(name) for name in ("base_acc", "ROUGE-L (new)", "newF1", "hits@10", "new")]
    ['acc', 'rougel', 'f1', 'hits10', '']
    """
    found = (match[0] for match in MEASURED.finditer(name))
    return " ".join(re.sub(_BREAK, "", run).lower() for run in found)
