"""Runs of evaluation harnesses: what every kind of log comes to, before it is Scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

from betterthan.errors import UsageError
from betterthan.frames.roles import Options

Value = float | None
WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one log says about one system on one task, a row per scored sample.

    Attributes
    ----------
    system, task : str
        Names, as the log has them.
    where : str
        The file, for messages.
    items : list of str
        The sample of each row.
    scores : mapping of str to list
        Values by metric, None where a sample has no score; the first is the metric by default.
    responses : list of str or None
        Which repeat (epoch, trial) of its sample a row is.
    labels : mapping of str to list
        Further labels of the rows.
    prints, prompts : mapping of str to object
        Fingerprints of each sample and of its prompt, where the log has any: runs must agree on
        the former, and it is said where they differ in the latter.
    variant : str
        What was chosen among several, said in parentheses after the metric.
    notes : tuple of str
        What the reader should know.
    """

    system: str
    task: str
    where: str
    items: list[str]
    scores: Mapping[str, list[Value]]
    responses: list[str] | None = None
    labels: Mapping[str, list[str | None]] = field(default_factory=dict)
    prints: Mapping[str, object] = field(default_factory=dict)
    prompts: Mapping[str, object] = field(default_factory=dict)
    variant: str = ""
    notes: tuple[str, ...] = ()


def as_number(value: object) -> Value:
    """Read a score: a number, a truth value, or text that spells either; None where it is none.

    >>> as_number(True), as_number("0.5"), as_number("yes"), as_number(None)
    (1.0, 0.5, 1.0, None)
    """
    if isinstance(value, bool | int | float):
        return None if isnan(value) else float(value)
    if not isinstance(value, str):
        return None
    word = value.strip().lower()
    if word in WORDS:
        return WORDS[word]
    try:
        number = float(word)
    except ValueError:
        return None
    return None if isnan(number) else number


def repeats(items: Sequence[str]) -> list[str] | None:
    """Number the rows of each item, where a log tells repeats by their order alone.

    >>> repeats(["a", "b", "a"]), repeats(["a", "b"])
    (['1', '1', '2'], None)
    """
    if len(set(items)) == len(items):
        return None
    seen: dict[str, int] = {}
    numbered = []
    for item in items:
        seen[item] = seen.get(item, 0) + 1
        numbered.append(str(seen[item]))
    return numbered


def named_by_file(options: Options) -> bool:
    """Whether the user wants systems named by their files, not by what the logs say."""
    if options.system not in (None, "file", "model"):
        raise UsageError(
            "logs name their systems themselves: say --system file to name them by their files, "
            f"not {options.system!r}"
        )
    return options.system == "file"
