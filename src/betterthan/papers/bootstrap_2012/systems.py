"""What all collections of systems share: their sizes, the entries of competitions, counts as text.

Each system is trained and run in a job of its own, which leaves the counts of every sentence.
"""

import base64
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.data.scores import Scores
from betterthan.numeric import Ints
from betterthan.papers.runner import Runner


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is made: all that differs between a quick and a full run.

    Attributes
    ----------
    train, sets
        Sentences of the treebank, and resampled training sets of each of three sizes.
    section, fiction
        Sentences of a test section, and of the second domain.
    parallel, parallel_sets, translated
        Sentence pairs for training, resampled sets of each size, and pairs of the test set.
    aligners
        Resampled training sets of each aligner.
    resamples
        Of the bootstrap.
    drawn, test_sets
        Sentences of a test set drawn from the population, and how many are drawn.
    competing
        Sentences that the competition in parsing is held on.
    """

    train: int = 2400
    sets: tuple[int, ...] = (10, 10, 10)
    section: int = 1600
    fiction: int = 6400
    parallel: int = 1920
    parallel_sets: tuple[int, ...] = (20, 29, 26)
    translated: int = 2034
    aligners: int = 20
    resamples: int = 20_000
    drawn: int = 1600
    test_sets: int = 40
    competing: int = 690


FULL = Sizes()
QUICK = Sizes(
    train=800,
    sets=(6, 6, 6),
    section=500,
    fiction=1600,
    parallel=800,
    parallel_sets=(8, 9, 9),
    translated=800,
    aligners=12,
    resamples=4000,
    drawn=400,
    test_sets=24,
    competing=400,
)


def sizes_of(runner: Runner) -> Sizes:
    """Return the sizes of a run."""
    return QUICK if runner.quick else FULL


@dataclass(frozen=True, slots=True)
class Collected:
    """A collection: its scores, and the group (base model, team) of each system."""

    scores: Scores
    groups: dict[str, str]

    @classmethod
    def of_models(
        cls, packed: Mapping[str, str], columns: Sequence[str], **more: Any
    ) -> "Collected":
        """Make one of systems named ``MODEL/NUMBER``, whose counts were packed."""
        arrays = {name: unpacked_counts(text, len(columns)) for name, text in packed.items()}
        scores = Scores.from_arrays(arrays, columns=columns, **more)
        return cls(scores, {name: name.partition("/")[0] for name in packed})

    @classmethod
    def of_teams(
        cls, teams: Sequence[Mapping[str, Any]], scored: Iterable[Any], **more: Any
    ) -> "Collected":
        """Make one of the entries of a competition, and what each scored."""
        names = [entry["name"] for entry in teams]
        scores = Scores.from_arrays(dict(zip(names, scored, strict=True)), **more)
        return cls(scores, {entry["name"]: entry["group"] for entry in teams})


def entries(
    seed: int, count: int, groups: int, kinds: Sequence[str], train: int
) -> list[dict[str, Any]]:
    """Draw the entries of a competition: each group has a method and data, and varies them.

    A group takes a part of the training data; its further entries leave out a little of that and
    change a setting.
    """
    generator = np.random.default_rng([seed, 3])
    made = []
    for group in range(groups):
        share = float(generator.choice([0.25, 0.35, 0.5, 0.7]))
        base: dict[str, Any] = {
            "group": f"team {group + 1}",
            "kind": kinds[group % len(kinds)],
            "data": int(generator.integers(2**31)),
            "examples": int(share * train),
            "smoothing": float(generator.choice([0.03, 0.1, 0.3])),
            "ending": int(generator.choice([1, 2, 3])),
        }
        # All groups have one entry, and the first ones as many more as there are left.
        more = (count - groups) // groups + (group < (count - groups) % groups)
        for number in range(1 + more):
            changed = {"smoothing": base["smoothing"] * 2.0**number}
            made.append(
                {**base, **changed, "number": number, "name": f"{base['group']}/{number + 1}"}
            )
    return made


def examples(entry: dict[str, Any], train: int) -> Ints:
    """Places of the training examples of an entry."""
    drawn = np.random.default_rng(entry["data"]).permutation(train)[: entry["examples"]]
    if entry["number"]:
        kept = np.random.default_rng([entry["data"], entry["number"]])
        drawn = drawn[kept.random(drawn.size) > 0.12]
    return np.sort(drawn)


def packed_counts(rows: Sequence[Sequence[int]]) -> str:
    """Counts below 32,768 as text that JSON can hold."""
    return base64.b64encode(zlib.compress(np.asarray(rows, dtype="<i2").tobytes())).decode()


def unpacked_counts(text: str, columns: int) -> Ints:
    """Counts that were packed, as rows of so many columns."""
    raw = zlib.decompress(base64.b64decode(text))
    return np.frombuffer(raw, dtype="<i2").reshape(-1, columns).astype(np.int64)
