"""What one system was asked and answered, as far as a log or table says it."""

from typing import Any, NamedTuple

QUESTIONS = ("question", "query", "problem", "prompt", "input", "text", "sentence", "context")
"""Fields that hold what was asked, the likeliest first."""


class ItemTexts(NamedTuple):
    """The texts of one item and one system; empty where there are none."""

    system: str
    item: str
    input: str
    target: str
    output: str


def as_text(value: Any) -> str:
    """Text of a field that is text, holds one, or is the messages of a chat; else none.

    >>> as_text(["42"]), as_text([{"role": "user", "content": "1 + 1"}]), as_text([[-0.5, True]])
    ('42', '1 + 1', '')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return as_text(value.get("content") or value.get("text"))
    if isinstance(value, list) and value:
        return as_text(value[-1] if isinstance(value[-1], dict) else value[0])
    return ""
