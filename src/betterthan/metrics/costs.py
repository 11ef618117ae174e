"""Well-known costs: of a column with one of these names, less is better."""

from functools import cache

__all__ = ["COSTS", "is_cost", "plain"]

COSTS = (
    *("loss", "error", "errors", "error_rate", "wer", "cer", "ter", "aer"),
    *("perplexity", "latency", "cost"),
)


@cache
def plain(name: str) -> str:
    """Write a name so that ``Doc ID``, ``doc-id`` and ``doc_id`` are the same."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def is_cost(column: str) -> bool:
    """Whether a column is known as a cost.

    >>> is_cost("Latency"), is_cost("latency_gain")
    (True, False)
    """
    return plain(column) in COSTS
