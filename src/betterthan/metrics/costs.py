"""Columns that are named as costs and errors, of which less is usually better."""

import re
from functools import cache

_COSTS = frozenset(
    "bias brier calls cer cost costs duration edits error errors hallucination harmfulness latency "
    "loss losses mae maliciousness mistakes mse noise perplexity ppl price rmse runtime seconds "
    "ter time tokens toxicity wer".split()
)
# Words that turn the others round: `tokens_correct` and `time_saved` are no costs.
_GAINS = frozenset(
    "acc accuracy correct f1 hit hits match matches precision recall reduction right saved savings "
    "score success".split()
)
_WORD = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])\d*")


@cache
def is_cost(column: str) -> bool:
    """Whether a column is named as one of which less is better.

    >>> is_cost("total_tokens"), is_cost("latencyMs"), is_cost("tokens_correct"), is_cost("score")
    (True, True, False, False)
    """
    words = {word.lower() for word in _WORD.findall(column)}
    return bool(words & _COSTS) and not words & _GAINS
