"""Columns that are named as costs and errors, of which less is usually better."""

import re
from functools import cache

COSTS = frozenset(
    "bias bpb bpc brier calls cer cost costs crossentropy crps duration ece edits eer err error "
    "errors fid fnr fpr hallucination hallucinations harmfulness hter incorrect latency "
    "levenshtein logloss loss losses mae maliciousness mape mistakes mse nll noise perplexity ppl "
    "price rmse runtime seconds surprisal ter time tokens toxicity wer xent".split()
)
# Costs as names of columns, but too common in those of systems to say what these measure: fail-net.
_COMMON = frozenset(
    "asr co2 contaminated crash crashed crashes delay delays deletions der deviation disagreement "
    "distance divergence dollars elapsed energy escalated exceptions fail failed fails failure "
    "failures flagged flops fn fp gap hallucinated harm harmful insertions jailbreak jailbreaks "
    "jailbroken kl kwh milliseconds missed misses penalties penalty position rank ranks refusal "
    "refusals refused regret retries secs slowdown spend timeout timeouts toxic truncated ttft "
    "unsafe usd violation violations wait waiting wrong".split()
)
_PHRASES = frozenset(
    "bits_per_byte bits_per_char bits_per_character cross_entropy false_alarm false_alarms "
    "false_negative false_negatives false_positive false_positives miss_rate needs_review "
    "neg_log negative_log timed_out wall_clock".split()
)
_UNITS = frozenset("gb mb ms".split())  # where a name ends with them: `peak_mb`, `MS-Phi`
# Words that turn the others round: `tokens_correct`, `time_saved` and `pass/fail` are no costs. A
# score is none of them: less of a `brier_score` is better.
_GAINS = frozenset(
    "acc accuracy correct f1 hit hits match matches pass passed passes precision recall "
    "reciprocal recovered reduction right saved savings success".split()
)
_FREE = frozenset("avoided caught detected free handled prevented resisted".split())  # of a cost
_NOT = frozenset("no non not without".split())
_WORD = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])\d*")
_IN_SECONDS = re.compile(r"(?<!\w)[(\[]s[)\]]\s*$")  # but `answer(s)` are several


@cache
def cost_in(name: str) -> str:
    """Word of a column's name that says that less of it is better; empty where there is none.

    >>> cost_in("total_tokens"), cost_in("latencyMs"), cost_in("tokens_correct"), cost_in("score")
    ('tokens', 'latency', '', '')
    >>> cost_in("brier_score"), cost_in("CrossEntropy"), cost_in("wall (s)"), cost_in("failsafe")
    ('brier', 'cross_entropy', 's', '')
    """
    words = [word.lower() for word in _WORD.findall(name)]
    runs = ["_".join(words[k : k + n]) for n in (2, 3) for k in range(len(words) - n + 1)]
    if "attack_success" in runs and not _FREE.intersection(words):
        return "attack_success"  # of the attacker
    if (_GAINS | _FREE | _NOT).intersection(words):
        return ""
    return (
        next((word for word in words if word in COSTS or word in _COMMON), "")
        or next(filter(_PHRASES.__contains__, runs), "")
        or next(filter(_UNITS.__contains__, words[-1:]), "")
        or "s" * (_IN_SECONDS.search(name) is not None)
    )


def is_cost(column: str) -> bool:
    """Whether a column is named as one of which less is better."""
    return cost_in(column) != ""
