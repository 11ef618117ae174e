"""Many comparable systems: classifiers on resampled training sets, and simulated labs.

Where scikit-learn is installed (extra ``papers``), classifiers of several base models are trained
on its handwritten digits. They are tested on the digits of other people, in three sections, and on
copies of these on grey paper, with noise. Where it is not, and wherever systems of several labs
compete, who is right is simulated.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.data.scores import Scores
from betterthan.design.training import resample_training
from betterthan.metrics.classes import class_columns
from betterthan.numeric import Floats, Ints

CLASSES = 10
SECTIONS = ("22", "23", "24")
OTHER = "other"
"""The domain that differs from that of the training set."""
TRAINING = 897
"""Digits of the training set; the 900 that follow are by other people."""
SECTION = 300
GREY, NOISE = 0.3, 0.1
"""Of the copies: the brightness of the paper and the standard deviation of noise; ink is 1."""

LAB, SYSTEM = 0.8, 0.5
"""Standard deviations, per item, of what systems of a lab share and of what each has alone."""
COMBINATION = "combination"


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """Predicted classes of several systems on the same items.

    Attributes
    ----------
    predicted : array (items, systems)
        A class of each item, per system.
    groups : mapping of str to str
        The base model or lab of each system, in the order of the array.
    gold : array (items,)
        The true classes.
    sections : array (items,)
        The part of the test set in which each item is.
    source : str
        What the systems are, in words.
    """

    predicted: Ints
    groups: dict[str, str]
    gold: Ints
    sections: NDArray[np.str_]
    source: str

    def items(self, section: str | None = None, first: int | None = None) -> Self:
        """Select the items of a section, or the first of them."""
        rows = np.flatnonzero((self.sections == section) | (section is None))[:first]
        return replace(
            self,
            predicted=self.predicted[rows],
            gold=self.gold[rows],
            sections=self.sections[rows],
        )

    def of_groups(self, *groups: str) -> Self:
        """Select the systems of some groups."""
        selected = {name: group for name, group in self.groups.items() if group in groups}
        columns = [list(self.groups).index(name) for name in selected]
        return replace(self, predicted=self.predicted[:, columns], groups=selected)

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether each system is right on each item."""
        return np.equal(self.predicted, self.gold[:, None])

    def accuracy(self) -> Scores:
        """Return 0/1 scores."""
        return self._scores(self.right[:, :, None], ["correct"])

    def f1(self) -> Scores:
        """Return the columns of macro-F1: right, predicted and true instances of each class."""
        guessed = self.predicted[:, :, None] == np.arange(CLASSES)
        true = np.broadcast_to((self.gold[:, None] == np.arange(CLASSES))[:, None], guessed.shape)
        names = zip(*(class_columns(str(label)) for label in range(CLASSES)), strict=True)
        blocks = np.concatenate([guessed & true, guessed, true], axis=2)
        return self._scores(blocks, [name for part in names for name in part])

    def alignment_error(self) -> Scores:
        """Return the columns of an alignment error rate, the odd classes being links."""
        links = self.predicted % 2 == 1
        sure = np.broadcast_to((self.gold % 2 == 1)[:, None], links.shape)
        hits = links & self.right
        blocks = np.stack([links, sure, hits, hits], axis=2)
        return self._scores(blocks, ["links", "sure", "sure_hits", "possible_hits"])

    def shares(self) -> Scores:
        """Return the share of right answers in each section, a real score."""
        rows = [self.right[self.sections == name].mean(axis=0) for name in np.unique(self.sections)]
        return Scores.from_arrays(dict(zip(self.groups, np.transpose(rows), strict=True)))

    def documents(self) -> Scores:
        """Return 0/1 scores whose sections are documents, which are resampled whole."""
        arrays = dict(zip(self.groups, self.right.T.astype(int), strict=True))
        return Scores.from_arrays(arrays, columns=["correct"], clusters=self.sections.tolist())

    def _scores(self, blocks: NDArray[np.bool_], columns: list[str]) -> Scores:
        arrays = dict(zip(self.groups, blocks.transpose(1, 0, 2).astype(int), strict=True))
        return Scores.from_arrays(
            arrays, columns=columns, groups={"section": self.sections.tolist()}
        )


def installed() -> bool:
    """Whether scikit-learn is there."""
    return find_spec("sklearn") is not None


def resampled_classifiers(
    models: Sequence[str], sizes: Sequence[int], copies: int, others: int, seed: int
) -> Collection:
    """Train classifiers on resampled training sets; simulate them where scikit-learn is missing.

    ``others`` is the number of noisy copies of the test digits, the other domain.
    """
    test = np.repeat([*SECTIONS, *[OTHER] * others], [SECTION] * 3 + [3 * SECTION] * others)
    if not installed():
        return _simulated_classifiers(models, sizes, copies, test, seed)
    from sklearn.datasets import load_digits  # noqa: PLC0415 (an extra)

    digits, classes = load_digits(return_X_y=True)
    digits = digits / digits.max()
    rng = np.random.default_rng([seed, 1])
    order = TRAINING + rng.permutation(len(digits) - TRAINING)
    clean, gold = digits[order], classes[order]
    grey = GREY + (1 - GREY) * clean
    copied = [grey + NOISE * rng.normal(size=clean.shape) for _ in range(others)]
    pictures = np.concatenate([clean, *copied])
    trained = resample_training(
        {name: _trainer(BASE_MODELS[name], digits, classes, pictures) for name in models},
        range(TRAINING),
        range(len(pictures)),
        lambda predicted, item: predicted,
        sizes=sizes,
        copies=copies,
        rng=seed,
    )
    return Collection(
        trained.scores.values[:, :, 0].astype(int),
        {name: trained.models[name] for name in trained.scores.systems},
        np.tile(gold, 1 + others),
        test,
        f"{len(trained.models)} classifiers ({', '.join(models)}), trained on resamples of "
        f"scikit-learn's digits ({', '.join(map(str, sizes))} of {TRAINING})",
    )


def _trainer(
    fit: Callable[..., Any], digits: Floats, classes: Ints, pictures: Floats
) -> Callable[[Sequence[int]], Callable[[int], Any]]:
    """Return what trains a model on some of the digits, and predicts all pictures at once."""

    def train(places: Sequence[int]) -> Callable[[int], Any]:
        predicted = fit(digits[places], classes[places])(pictures)
        return lambda item: predicted[item]

    return train


def _logistic(x: Floats, y: Ints) -> Callable[[Floats], Ints]:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (an extra)

    predict: Callable[[Floats], Ints] = LogisticRegression(max_iter=500).fit(x, y).predict
    return predict


def _naive_bayes(x: Floats, y: Ints) -> Callable[[Floats], Ints]:
    from sklearn.naive_bayes import GaussianNB  # noqa: PLC0415 (an extra)

    predict: Callable[[Floats], Ints] = GaussianNB(var_smoothing=0.05).fit(x, y).predict
    return predict


def _neighbours(x: Floats, y: Ints) -> Callable[[Floats], Ints]:
    from sklearn.neighbors import KNeighborsClassifier  # noqa: PLC0415 (an extra)

    predict: Callable[[Floats], Ints] = KNeighborsClassifier(7).fit(x, y).predict
    return predict


def _stacked(x: Floats, y: Ints) -> Callable[[Floats], Ints]:
    """Logistic regression that has the posteriors of naive Bayes among its features."""
    from sklearn.naive_bayes import GaussianNB  # noqa: PLC0415 (an extra)

    posteriors = GaussianNB(var_smoothing=0.05).fit(x, y).predict_proba
    predict = _logistic(np.hstack([x, 2 * posteriors(x)]), y)
    return lambda pictures: predict(np.hstack([pictures, 2 * posteriors(pictures)]))


BASE_MODELS: dict[str, Callable[[Floats, Ints], Callable[[Floats], Ints]]] = {
    "logistic": _logistic,
    "naive Bayes": _naive_bayes,
    "neighbours": _neighbours,
    "stacked": _stacked,
}
PARENTS = {"stacked": "naive Bayes"}
"""Base models that use the output of another one."""


def _simulated_classifiers(
    models: Sequence[str],
    sizes: Sequence[int],
    copies: int,
    sections: NDArray[np.str_],
    seed: int,
) -> Collection:
    """Simulate base models that are trained on sets of several sizes."""
    rng = np.random.default_rng([seed, 2])
    groups, skills = {}, {}
    for size in sizes:
        for copy in range(copies):
            for model in models:
                name = f"{model}/{size}/{copy + 1}"
                groups[name] = model
                skills[name] = 1.9 + 0.15 * np.log2(size / max(sizes)) + 0.05 * rng.normal()
    source = f"{len(groups)} simulated classifiers of {len(models)} base models"
    drifts = {**dict.fromkeys(SECTIONS, 0.05), OTHER: 0.4}
    return replace(_simulated(groups, skills, sections, drifts, rng), source=source)


def competition(
    systems: int, labs: int, sections: Sequence[str], seed: int, combinations: int = 0
) -> Collection:
    """Simulate a competition: labs enter one or several systems, which share items' difficulty.

    Combinations are votes over all systems, each with weights of its own.
    """
    rng = np.random.default_rng([seed, 3])
    lab_skills = rng.normal(1.9, 0.15, labs)
    groups = {f"lab {k % labs + 1}/{k // labs + 1}": f"lab {k % labs + 1}" for k in range(systems)}
    skills = {name: lab_skills[k % labs] + 0.08 * rng.normal() for k, name in enumerate(groups)}
    source = f"{systems} systems of {labs} simulated labs"
    entered = _simulated(groups, skills, np.array(sections), dict.fromkeys(sections, 0.0), rng)
    if not combinations:
        return replace(entered, source=source)
    votes = entered.predicted[:, :, None] == np.arange(CLASSES)
    weights = rng.exponential(size=(combinations, systems))
    combined = np.einsum("isc,ks->ikc", votes, weights).argmax(axis=2)
    names = [f"{COMBINATION}/{k + 1}" for k in range(combinations)]
    return replace(
        entered,
        predicted=np.hstack([entered.predicted, combined]),
        groups=groups | dict.fromkeys(names, COMBINATION),
        source=f"{source} and {combinations} weighted votes over all of them",
    )


def _simulated(
    groups: dict[str, str],
    skills: Mapping[str, float],
    sections: NDArray[np.str_],
    drifts: Mapping[str, float],
    rng: np.random.Generator,
) -> Collection:
    """Simulate what systems predict: the right class where skill exceeds an item's difficulty.

    ``drifts`` is how much the skills of base models or labs change from section to section.
    """
    labels, places = np.unique(sections, return_inverse=True)
    n, scale = len(sections), np.array([drifts[name] for name in labels.tolist()])
    gold = rng.integers(CLASSES, size=n)
    rival = (gold + rng.integers(1, CLASSES, size=n)) % CLASSES
    ease = rng.normal(size=n) + 0.3 * rng.normal(size=labels.size)[places]
    shared, drift = {}, {}
    for group in dict.fromkeys(groups.values()):
        shared[group] = LAB * rng.normal(size=n)
        drift[group] = scale * rng.normal(size=labels.size)
    for child, parent in PARENTS.items():
        if child in shared and parent in shared:
            shared[child] = 0.6 * shared[child] + 0.8 * shared[parent]
    columns = []
    for name, group in groups.items():
        own = SYSTEM * rng.normal(size=n) + scale[places] * rng.normal() / 2
        margin = skills[name] + ease + shared[group] + drift[group][places] + own
        wrong = (gold + rng.integers(1, CLASSES, size=n)) % CLASSES
        wrong = np.where(rng.random(n) < 0.6, rival, wrong)
        columns.append(np.where(margin > 0, gold, wrong))
    return Collection(np.stack(columns, axis=1), groups, gold, sections, "")
