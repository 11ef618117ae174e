"""Word aligners that learn: IBM Model 1, the same with a diagonal, and a supervised one.

The supervised aligner uses the posteriors of the diagonal model as features, as the ITG aligner of
the 2012 paper uses those of the HMM; the two are therefore alike.
"""

from collections.abc import Callable, Sequence

import numpy as np

from betterthan.numeric import Floats
from betterthan.papers.bootstrap_2012.translation import SentencePair

LinkSet = frozenset[tuple[int, int]]
Aligner = Callable[[SentencePair], LinkSet]

NULL = ""
UNSEEN = 1e-7
ROUNDS = 5


class Lexical:
    """Probabilities of target words given source words by expectation maximisation.

    Parameters
    ----------
    pairs : sequence of SentencePair
        The parallel text; its gold links are not looked at.
    tension : float
        How strongly links keep to the diagonal (Dyer et al., 2013); none is IBM Model 1.
    null : float
        Probability that a word translates nothing.
    """

    def __init__(
        self, pairs: Sequence[SentencePair], tension: float = 0.0, null: float = 0.08
    ) -> None:
        self.tension, self.null = tension, null
        cells: dict[tuple[str, str], int] = {}
        at: list[int] = []
        group: list[int] = []
        prior: list[Floats] = []
        words = 0
        for pair in pairs:
            prior.append(self.prior(len(pair.source), len(pair.target)).T.ravel())
            for target in pair.target:
                for source in (*pair.source, NULL):
                    at.append(cells.setdefault((source, target), len(cells)))
                    group.append(words)
                words += 1
        sources: dict[str, int] = {}
        of = np.array([sources.setdefault(source, len(sources)) for source, _ in cells])
        where, whom, weight = np.array(at), np.array(group), np.concatenate(prior)
        table = np.ones(len(cells))
        for _ in range(ROUNDS):
            share = table[where] * weight
            share /= np.bincount(whom, share, words)[whom]
            count = np.bincount(where, share, len(cells))
            table = count / np.bincount(of, count)[of]
        self.table = dict(zip(cells, table.tolist(), strict=True))

    def prior(self, source: int, target: int) -> Floats:
        """Probabilities ``(source + 1, target)`` of links before any word is seen; null is last."""
        i = (np.arange(source)[:, None] + 0.5) / source
        j = (np.arange(target)[None] + 0.5) / target
        made = np.exp(-self.tension * np.abs(i - j))
        made *= (1 - self.null) / made.sum(axis=0)
        return np.vstack([made, np.full((1, target), self.null)])

    def posterior(self, pair: SentencePair) -> Floats:
        """Probabilities ``(source + 1, target)`` of links; null is last."""
        lexical = np.array(
            [[self.table.get((s, t), UNSEEN) for t in pair.target] for s in (*pair.source, NULL)]
        )
        made = lexical * self.prior(len(pair.source), len(pair.target))
        return np.asarray(made / made.sum(axis=0))

    def links(self, pair: SentencePair) -> LinkSet:
        """Link every target word to its likeliest source word, or to none."""
        best = self.posterior(pair).argmax(axis=0)
        size = len(pair.source)
        return frozenset((int(i), j) for j, i in enumerate(best) if i < size)


def model_1(pairs: Sequence[SentencePair]) -> Aligner:
    """Align by IBM Model 1."""
    return Lexical(pairs).links


def diagonal(pairs: Sequence[SentencePair]) -> Aligner:
    """Align by lexical probabilities and closeness to the diagonal."""
    return Lexical(pairs, tension=4.0).links


def supervised(gold: Sequence[SentencePair], unsupervised: Lexical) -> Aligner:
    """Align by logistic regression on what the diagonal model says, and on places."""

    def features(pair: SentencePair) -> Floats:
        shares = unsupervised.posterior(pair)[:-1]
        size, width = shares.shape
        distance = np.abs(np.arange(size)[:, None] / size - np.arange(width)[None] / width)
        rivals = shares / (shares.sum(axis=1, keepdims=True) + 1e-12)
        best = shares == shares.max(axis=0, keepdims=True)
        made = (np.ones_like(shares), np.log(shares + 1e-6), shares, rivals, best, distance)
        return np.stack([np.broadcast_to(x, shares.shape) for x in made], axis=-1)

    rows = np.concatenate([features(pair).reshape(-1, 6) for pair in gold])
    truth = np.concatenate(
        [
            [float((i, j) in p.sure) for i in range(len(p.source)) for j in range(len(p.target))]
            for p in gold
        ]
    )
    weights = logistic_weights(rows, truth)

    def links(pair: SentencePair) -> LinkSet:
        i, j = np.nonzero(features(pair) @ weights > 0)
        return frozenset(zip(i.tolist(), j.tolist(), strict=True))

    return links


def logistic_weights(rows: Floats, truth: Floats, ridge: float = 1.0, steps: int = 12) -> Floats:
    """Weights of a logistic regression with a ridge, by Newton's method."""
    weights = np.zeros(rows.shape[1])
    for _ in range(steps):
        p = 1.0 / (1.0 + np.exp(-np.clip(rows @ weights, -30, 30)))
        gradient = rows.T @ (truth - p) - ridge * weights
        curvature = (rows * (p * (1 - p))[:, None]).T @ rows + ridge * np.eye(weights.size)
        weights = weights + np.linalg.solve(curvature, gradient)
    return weights


def link_counts(found: LinkSet, pair: SentencePair) -> tuple[int, int, int, int]:
    """Columns of the alignment error rate: links, sure, sure hits, possible hits."""
    return len(found), len(pair.sure), len(found & pair.sure), len(found & pair.possible)
