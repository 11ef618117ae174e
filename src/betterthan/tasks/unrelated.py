"""The warning that outputs look unrelated to their reference: another file, or another order."""

from collections.abc import Sequence

import numpy as np

from betterthan.errors import Choice, Note, Remedy
from betterthan.tasks.sources import Source

FEW_LINES, MOST_LINES = 20, 300
CLEAR = 2.0  # standard errors by which lines must fit their own reference better than another


def unrelated_note(system: Source, gold: Source) -> tuple[Note, ...]:
    """Note that lines share no more with their own reference than with the next or a far one."""
    n = len(gold.lines)
    places = range(0, n, 1 + n // MOST_LINES)
    fits = np.array([_fits(system.lines[k], gold.lines, k) for k in places])
    gains = fits[:, :1] - fits[:, 1:]
    errors = gains.std(axis=0) / np.sqrt(len(places))
    if n < FEW_LINES or (gains.mean(axis=0) > CLEAR * errors).all():
        return ()
    text = f"lines of {system.name} fit other lines of {gold.name} as well as their own"
    remedy = Remedy("score against the references of these lines", "ref", Choice("FILE"))
    return (Note(text, remedy, beside_verdict=True),)


def _trigrams(line: str) -> set[str]:
    """Three characters at a time, in lower case.

    >>> sorted(_trigrams("Abc"))
    ['  a', ' ab', 'abc', 'bc ']
    """
    padded = f"  {line.lower()} "
    return {padded[k : k + 3] for k in range(len(padded) - 2)}


def _fits(line: str, references: Sequence[str], k: int) -> list[float]:
    """Dice's coefficients of a line with its own reference, its neighbours and a far one."""
    ours, n = _trigrams(line), len(references)
    near = (_trigrams(references[(k + by) % n]) for by in (0, 1, -1, n // 2))
    return [2 * len(ours & theirs) / (len(ours) + len(theirs)) for theirs in near]
