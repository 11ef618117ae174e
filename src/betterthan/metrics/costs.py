"""Columns that are named as costs and errors, of which less is usually better."""

import re
from functools import cache

COSTS = frozenset(
    "bias bpb bpc brier calls cer cost costs duration edits error errors hallucination harmfulness "
    "hter latency logloss loss losses mae maliciousness mape mistakes mse nll noise perplexity ppl "
    "price rmse runtime seconds ter time tokens toxicity wer xent".split()
)
# Words that turn the others round: `tokens_correct` and `time_saved` are no costs.
_GAINS = frozenset(
    "acc accuracy correct f1 hit hits match matches precision recall reduction right saved savings "
    "score success".split()
)
_WORD = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])\d*")


@cache
def cost_in(name: str) -> str:
    """Word of a column's name that says that less of it is better; empty where there is none.

    >>> cost_in("total_tokens"), cost_in("latencyMs"), cost_in("tokens_correct"), cost_in("score")
    ('tokens', 'latency', '', '')
    """
    words = [word.lower() for word in _WORD.findall(name)]
    return "" if _GAINS.intersection(words) else next(filter(COSTS.__contains__, words), "")


def is_cost(column: str) -> bool:
    """Whether a column is named as one of which less is better."""
    return cost_in(column) != ""
