"""The names of columns that are known; no other name means anything.

``betterthan inspect`` and ``docs/formats.md`` print this list. A name is looked up as it is, then
without ``_id`` or ``_name`` at its end: ``worker_id`` is ``worker``. What a user declares is never
looked up.
"""

from functools import cache

KNOWN: dict[str, tuple[str, ...]] = {
    "item": tuple(
        "item id example instance segment query doc_id sample_id question_id sentence_id "
        "task_id".split()
    ),
    "system": ("system", "model"),
    "metric": ("metric",),
    "response": ("response", "run", "seed", "trial", "epoch", "repeat", "rater", "worker"),
    "score": ("score", "value", "correct", "rating", "reward"),
    "cluster": ("cluster", "document", "dialogue", "passage", "user"),
    "label": ("label", "level", "length", "year", "turn", "grade"),
    "text": ("question", "prompt", "input", "instruction", "task", "dataset", "split"),
    "target": ("target", "reference", "gold", "expected"),
    "summary": ("mean", "average", "total", "sum"),
    "cost": ("loss", "error", "wer", "cer", "ter", "perplexity", "latency", "cost"),
    "left": ("left", "model_a", "model_1", "generator_1"),
    "right": ("right", "model_b", "model_2", "generator_2"),
    "winner": ("winner",),
    "judge": ("judge", "annotator"),
}
"""What a column is by its name. ``cluster`` itself is used; the other clusters earn a warning.
A ``text`` must be the same for all systems; a ``target`` is a right answer, not a score. Of a
``cost`` less is better. A ``summary`` is the id of a first or last row, which is not an item.
``left``, ``right`` and ``winner`` together are judgments."""

ROLES = {
    "item": "what was asked: rows of one item are paired",
    "system": "whose result it is; of logs, 'file' names systems by their files",
    "score": "how good it is",
    "response": "which repeat of an item it is: seed, run, rater",
    "cluster": "items that belong together: document, user, dialogue",
    "label": "what describes an item: year, level",
    "task": "tasks, which are measured one by one and weigh the same",
    "ref": "the right answer: other columns are answers, scored against it",
    "left": "of judgments, the system on the left",
    "right": "of judgments, the system on the right",
    "winner": "of judgments, who won",
    "judge": "of judgments, who judged",
    "source": "of word alignments with a reference, @FILE with the source text",
    "target": "of word alignments with a reference, @FILE with the target text",
}
"""What a column can be declared to be."""

_ROLE_OF = {name: role for role, names in KNOWN.items() for name in names}


@cache
def plain(name: str) -> str:
    """Write a name so that ``Doc ID``, ``doc-id`` and ``doc_id`` are the same."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


@cache
def role_of(name: str) -> str | None:
    """Return the role that a column's name gives it, if it is known.

    >>> role_of("Doc ID"), role_of("worker_id"), role_of("model_name"), role_of("atlas")
    ('item', 'response', 'system', None)
    """
    known = plain(name)
    return _ROLE_OF.get(known) or _ROLE_OF.get(known.removesuffix("_id").removesuffix("_name"))


def is_cost(name: str) -> bool:
    """Whether a column is known as a cost, of which less is better."""
    return role_of(name) == "cost"


def is_index(name: str) -> bool:
    """Whether a column has no name of its own, as the index of a data frame that was written out.

    >>> is_index(""), is_index("Unnamed: 0"), is_index("__index_level_0__"), is_index("index")
    (True, True, True, False)
    """
    return not name.strip() or name.startswith(("Unnamed: ", "__index_level_"))
