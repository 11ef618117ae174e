"""Two simulated part-of-speech taggers, as the permutation papers draw them (their Table 1)."""

import numpy as np

from betterthan.data.scores import Scores
from betterthan.numeric import Floats
from betterthan.resampling.generator import Rng, as_generator

ACCURACY = (0.9543, 0.1116)
LENGTH = (12.08, 10.60)


def simulate_taggers(sentences: int, factor: float = 1.0, rng: Rng = None) -> Scores:
    """Draw the correct tags of two taggers, sentence by sentence.

    Lengths and accuracies are normal with the means and deviations of Table 1, redrawn where they
    cannot be (a length below one, an accuracy outside 0 to 1); correct tags are whole. The papers
    do not say how they keep within bounds: of the ways we tried, redrawing gives their p-values,
    clipping does not.

    Parameters
    ----------
    sentences : int
        Number of sentences.
    factor : float
        What the mean accuracy of ``b`` is multiplied with (Table 2 of the draft).
    rng : None, int or Generator
        Seed.

    Returns
    -------
    Scores
        Systems ``a`` and ``b`` with the columns ``correct`` and ``length``.

    Examples
    --------
    >>> simulate_taggers(100, factor=0.95, rng=0).systems
    ('a', 'b')
    """
    generator = as_generator(rng)
    length = np.rint(_normal(generator, sentences, LENGTH, low=1.0))
    mean, sd = ACCURACY
    correct = [
        np.rint(_normal(generator, sentences, (m, sd), low=0.0, high=1.0) * length)
        for m in (mean, mean * factor)
    ]
    values = np.stack([np.column_stack([c, length]) for c in correct], axis=1)
    return Scores.from_arrays({"a": values[:, 0], "b": values[:, 1]}, columns=("correct", "length"))


def _normal(
    generator: np.random.Generator,
    size: int,
    law: tuple[float, float],
    low: float,
    high: float = np.inf,
) -> Floats:
    drawn = generator.normal(*law, size)
    while (outside := np.flatnonzero((drawn < low) | (drawn > high))).size:
        drawn[outside] = generator.normal(*law, outside.size)
    return drawn
