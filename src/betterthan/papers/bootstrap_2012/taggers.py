"""Taggers that learn: the most frequent tag, a hidden Markov model, an averaged perceptron.

A trainer takes sentences and returns what tags the words of a sentence.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import pairwise

import numpy as np

from betterthan.numeric import Floats
from betterthan.papers.bootstrap_2012.language import Sentence

Tagger = Callable[[Sequence[str]], tuple[str, ...]]

RARE = 2
"""Words seen no more often stand for those that were never seen."""


def word_shape(word: str, ending: int) -> str:
    """What is left of an unknown word: a capital, and its last letters."""
    return f"{'A' if word[0].isupper() else 'a'}{'+' * (len(word) > 3)}{word[-ending:]}"


class Emissions:
    """How likely each tag is of a word, up to a constant; rare words lend theirs to unknown ones.

    Attributes
    ----------
    tags : list of str
        In the order of the numbers.
    """

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]],
        smoothing: float = 0.1,
        ending: int = 2,
        tags: Sequence[str] | None = None,
    ) -> None:
        self.tags = sorted({tag for tag, _ in pairs}) if tags is None else list(tags)
        self.ending = ending
        place = {tag: at for at, tag in enumerate(self.tags)}
        seen = Counter(word for _, word in pairs)
        size = len(self.tags)
        known: dict[str, Floats] = defaultdict(lambda: np.zeros(size))
        shapes: dict[str, Floats] = defaultdict(lambda: np.zeros(size))
        self.count = np.zeros(size)
        rare = np.zeros(size)
        for tag, word in pairs:
            at = place[tag]
            known[word][at] += 1
            self.count[at] += 1
            if seen[word] <= RARE:
                shapes[word_shape(word, ending)][at] += 1
                rare[at] += 1
        total = self.count + 1.0
        self.any_unknown: Floats = np.log((rare + smoothing) / total)
        self.unknown: dict[str, Floats] = {
            key: np.log((row + smoothing * (rare + smoothing) / (rare.sum() + 1)) / total)
            for key, row in shapes.items()
        }
        self.known: dict[str, Floats] = {
            word: np.log((row + smoothing / size / row.sum()) / total)
            for word, row in known.items()
        }

    def of(self, word: str) -> Floats:
        """Log probabilities of a word given each tag, up to a constant of the word."""
        if word in self.known:
            return self.known[word]
        return self.unknown.get(word_shape(word, self.ending), self.any_unknown)


def most_frequent(sentences: Sequence[Sentence], smoothing: float = 0.1, ending: int = 2) -> Tagger:
    """Give every word its most frequent tag."""
    made = Emissions(_pairs(sentences), smoothing, ending)
    prior = np.log(made.count)

    def tag(words: Sequence[str]) -> tuple[str, ...]:
        return tuple(made.tags[int(np.argmax(made.of(word) + prior))] for word in words)

    return tag


def hidden_markov(sentences: Sequence[Sentence], smoothing: float = 0.1, ending: int = 2) -> Tagger:
    """Give the most likely sequence of tags under bigrams of tags (Viterbi)."""
    made = Emissions(_pairs(sentences), smoothing, ending)
    size = len(made.tags)
    place = {tag: at for at, tag in enumerate(made.tags)}
    moves = np.full((size + 1, size + 1), smoothing)  # the last one stands for both ends
    for sentence in sentences:
        at = [size, *(place[tag] for tag in sentence.tags), size]
        for first, second in pairwise(at):
            moves[first, second] += 1
    moves = np.log(moves / moves.sum(axis=1, keepdims=True))

    def tag(words: Sequence[str]) -> tuple[str, ...]:
        path = viterbi(np.array([made.of(word) for word in words]), moves)
        return tuple(made.tags[k] for k in path)

    return tag


def viterbi(emitted: Floats, moves: Floats) -> list[int]:
    """Return the best path through ``(words, states)``; the last state of ``moves`` is the ends."""
    size = emitted.shape[1]
    best = moves[size, :size] + emitted[0]
    back = []
    for row in emitted[1:]:
        reached = best[:, None] + moves[:size, :size]
        back.append(reached.argmax(axis=0))
        best = reached.max(axis=0) + row
    path = [int(np.argmax(best + moves[:size, size]))]
    for step in reversed(back):
        path.append(int(step[path[-1]]))
    return path[::-1]


def perceptron(sentences: Sequence[Sentence], rounds: int = 3, ending: int = 2) -> Tagger:
    """Tag from left to right by a linear model of the context (averaged; Collins, 2002)."""
    tags = sorted({tag for sentence in sentences for tag in sentence.tags})
    place = {tag: at for at, tag in enumerate(tags)}
    size = len(tags)
    weights: dict[str, Floats] = {}
    summed: dict[str, Floats] = {}
    step = 0
    for _ in range(rounds):
        for sentence in sentences:
            before, earlier = "^", "^"
            for at, features in enumerate(_context(sentence.words, ending)):
                step += 1
                names = (*features, f"t {before}", f"tt {earlier} {before}")
                rows = [row for name in names if (row := weights.get(name)) is not None]
                guess = int(np.argmax(sum(rows))) if rows else 0
                truth = place[sentence.tags[at]]
                if guess != truth:
                    for name in names:
                        if name not in weights:
                            weights[name], summed[name] = np.zeros(size), np.zeros(size)
                        weights[name][truth] += 1
                        weights[name][guess] -= 1
                        summed[name][truth] += step
                        summed[name][guess] -= step
                before, earlier = tags[guess], before
    average = {name: row - summed[name] / (step + 1) for name, row in weights.items()}

    def tag(words: Sequence[str]) -> tuple[str, ...]:
        made: list[str] = []
        before, earlier = "^", "^"
        for features in _context(words, ending):
            names = (*features, f"t {before}", f"tt {earlier} {before}")
            rows = [row for name in names if (row := average.get(name)) is not None]
            before, earlier = tags[int(np.argmax(sum(rows))) if rows else 0], before
            made.append(before)
        return tuple(made)

    return tag


def logistic(sentences: Sequence[Sentence], strength: float = 1.0, ending: int = 2) -> Tagger:
    """Tag every word by logistic regression on its context, with scikit-learn."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415 (slow to import)
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (an extra)

    place: dict[str, int] = {}
    rows = [
        [place.setdefault(name, len(place)) for name in names]
        for s in sentences
        for names in _context(s.words, ending)
    ]
    ends = np.cumsum([0, *map(len, rows)])
    ones = np.ones(ends[-1])
    model = LogisticRegression(C=strength, max_iter=40, tol=1e-2)
    model.fit(
        csr_matrix((ones, np.concatenate(rows), ends), (len(rows), len(place))),
        [tag for s in sentences for tag in s.tags],
    )
    weights, tags = np.ascontiguousarray(model.coef_.T), model.classes_.tolist()

    def tag(words: Sequence[str]) -> tuple[str, ...]:
        made = []
        for names in _context(words, ending):
            known = [place[name] for name in names if name in place]
            made.append(tags[int(np.argmax(weights[known].sum(axis=0) + model.intercept_))])
        return tuple(made)

    return tag


TAGGERS: dict[str, Callable[..., Tagger]] = {
    "most frequent": most_frequent,
    "hidden Markov": hidden_markov,
    "perceptron": perceptron,
    "logistic": logistic,
}


def available(name: str) -> bool:
    """Whether what a tagger needs is installed."""
    return name != "logistic" or find_spec("sklearn") is not None


def _pairs(sentences: Sequence[Sentence]) -> list[tuple[str, str]]:
    return [pair for s in sentences for pair in zip(s.tags, s.words, strict=True)]


def _context(words: Sequence[str], ending: int) -> Iterator[tuple[str, ...]]:
    """Features of each word: itself, its ending and shape, and the words around it."""
    for before, word, after in zip(("^", *words), words, (*words[1:], "$"), strict=False):
        own = ("1", f"w {word}", f"s {word[-ending:]}", f"c {word[0].isupper()} {len(word) > 3}")
        around = (f"1 {after}", f"-1 {before}", f"+s {after[-ending:]}", f"-s {before[-ending:]}")
        yield (*own, *around)
