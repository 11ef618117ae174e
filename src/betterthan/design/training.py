"""Many comparable systems from few: training sets drawn anew (Berg-Kirkpatrick et al., 2012, 3.2).

Where no collection of systems exists, each base model is trained on training sets resampled from
the original, of several sizes. The systems differ as revisions of one system do; those of one base
model are alike, those of different ones less so, which gives the two groups of a study.
Trainers outside Python find their training sets in files.
"""

import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.checks import check_whole, several
from betterthan.data.arrays import as_floats
from betterthan.data.scores import Scores
from betterthan.errors import Choice, DataError, FormatError, Remedy, UsageError, not_one_of
from betterthan.numeric import Ints
from betterthan.readers.files import PathName, all_bytes, expand_paths
from betterthan.resampling.generator import Rng, affordable, as_generator
from betterthan.resampling.work import Sampling, Work
from betterthan.results.atomic_write import write_whole
from betterthan.results.protocol import Result

Trainer = Callable[[Sequence[Any]], Callable[[Any], Any]]
Unit = Literal["line", "block", "tree"]
LIST = "sets.csv"


class TrainingSet(NamedTuple):
    """A resampled training set: its size, its number among those, and the examples drawn."""

    size: int
    copy: int
    places: Ints

    @property
    def name(self) -> str:
        """Size and number, such as ``"500/2"``."""
        return f"{self.size}/{self.copy}"


def training_sets(
    examples: int,
    *,
    sizes: Sequence[int] | None = None,
    copies: int | Sequence[int] = 10,
    rng: Rng = 0,
) -> Iterator[TrainingSet]:
    """Draw training sets with replacement: which of the examples each of them holds.

    ``sizes`` are the original's, half and a quarter of it by default, as published; ``copies`` is
    how many sets of each size, one number or one per size.

    >>> [drawn.name for drawn in training_sets(8, copies=1)]
    ['8/1', '4/1', '2/1']
    """
    check_whole(examples, "examples")
    if sizes is None:
        sizes = list(dict.fromkeys(max(examples // k, 1) for k in (1, 2, 4)))
    distinct = list(dict.fromkeys(several("sizes", sizes)))
    if len(distinct) < len(sizes):
        raise UsageError(
            "sizes must be different, each with its copies", Remedy("", "sizes", distinct)
        )
    counts = several("copies", copies)
    each = counts * len(sizes) if len(counts) == 1 else counts
    if len(each) != len(sizes):
        raise UsageError(
            f"copies must be one number or one per size ({len(sizes)}), got {len(each)}",
            Remedy("of every size", "copies", each[0]),
        )
    for size, count in zip(sizes, each, strict=True):
        check_whole(size, "sizes")
        check_whole(count, "copies")
        affordable(sizes=size, copies=count)
    generator = as_generator(rng)
    return (
        TrainingSet(size, copy, generator.integers(examples, size=size))
        for size, count in zip(sizes, each, strict=True)
        for copy in range(1, count + 1)
    )


@dataclass(frozen=True, slots=True)
class TrainedSystems:
    """Scores of all trained systems, and where each comes from.

    ``models`` maps a system to its base model: pass it as ``groups`` to
    :func:`betterthan.design.thresholds`. ``sizes`` maps it to the size of its training set.
    """

    scores: Scores
    models: dict[str, str]
    sizes: dict[str, int]


def resample_training(
    models: Mapping[str, Trainer],
    train: Sequence[Any],
    test: Sequence[Any],
    score: Callable[[Any, Any], ArrayLike],
    *,
    sizes: Sequence[int] | None = None,
    copies: int | Sequence[int] = 10,
    columns: Sequence[str] | None = None,
    lower_is_better: bool = False,
    failures: int = 0,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> TrainedSystems:
    """Train every base model on resampled training sets, and score what they predict.

    Parameters
    ----------
    models : mapping of str to callable
        ``fit(examples)`` of each base model; it returns ``predict(item)``.
    train : sequence
        The original training examples; sets are drawn from it with replacement.
    test : sequence
        The test items.
    score : callable
        ``score(prediction, item)``: the item's score, or its columns.
    sizes : sequence of int, optional
        Sizes of the training sets: the original's, half and a quarter of it by default, as
        published, so that base models of different strength overlap in their scores.
    copies : int or sequence of int
        Training sets of each size.
    columns, lower_is_better
        Of the scores.
    failures : int
        How many trainings may fail before it is an error; those that do are left out, with a note
        (one of the paper's own models failed on some sets).
    rng : None, int or Generator
        Seed. All base models are trained on the same sets.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`: ``workers`` are threads that train, and
        an ``executor`` of processes takes functions of a module, not lambdas.

    Examples
    --------
    >>> def constant(examples):
    ...     common = max(set(examples), key=examples.count)
    ...     return lambda item: common
    >>> trained = resample_training(
    ...     {"mode": constant}, "aab", "abab", lambda p, y: p == y, copies=2
    ... )
    >>> trained.scores.systems[:2], set(trained.models.values())
    (('mode/3/1', 'mode/3/2'), {'mode'})
    """
    work = Work.of(sampling)
    if not models or not len(train) or not len(test):
        raise UsageError("there must be a base model, a training example and a test item")
    scored: dict[str, Any] = {}
    models_of: dict[str, str] = {}
    sizes_of: dict[str, int] = {}
    failed: list[str] = []
    sets = training_sets(len(train), sizes=sizes, copies=copies, rng=rng)
    jobs = [(model, drawn) for drawn in sets for model in models]
    trained = work.map(_Trained(dict(models), train, test, score), jobs, len(jobs))
    for (model, drawn), made in zip(jobs, trained, strict=True):
        name = f"{model}/{drawn.name}"
        if isinstance(made, _Failed):
            failed.append(name)
            if len(failed) > failures:
                error = DataError(f"training {name!r} failed: {made.reason}")
                error.add_note(made.trace)
                raise error
            continue
        scored[name] = as_floats(made, f"system {name!r}")
        models_of[name], sizes_of[name] = model, drawn.size
    scores = Scores.from_arrays(
        scored, columns=columns or ("score",), lower_is_better=lower_is_better or None
    )
    if failed:
        scores = replace(scores, notes=(f"{len(failed)} trainings failed: {', '.join(failed)}",))
    return TrainedSystems(scores, models_of, sizes_of)


class _Failed(NamedTuple):
    """A training that raised an error, which may not be picklable itself."""

    reason: str
    trace: str


@dataclass(frozen=True, slots=True, eq=False)
class _Trained:
    """Trains a base model on a set, and scores the test items."""

    models: dict[str, Trainer]
    train: Sequence[Any]
    test: Sequence[Any]
    score: Callable[[Any, Any], ArrayLike]

    def __call__(self, job: tuple[str, TrainingSet]) -> NDArray[Any] | _Failed:
        model, drawn = job
        try:
            predict = self.models[model]([self.train[int(k)] for k in drawn.places])
            return np.stack(
                [np.atleast_1d(np.asarray(self.score(predict(x), x))) for x in self.test]
            )
        except Exception as error:
            return _Failed(str(error), traceback.format_exc())


@dataclass(frozen=True, slots=True)
class TrainingFiles(Result):
    """Training sets that were written; ``sets`` names the folder of each, its size and number.

    It has no plot.
    """

    folder: Path
    examples: int
    unit: Unit
    sets: tuple[tuple[str, int, int], ...]


def write_training_sets(
    files: PathName | Sequence[PathName],
    folder: PathName,
    *,
    unit: Unit | None = None,
    sizes: Sequence[int] | None = None,
    copies: int | Sequence[int] = 10,
    rng: Rng = 0,
) -> TrainingFiles:
    """Write resampled training sets (Berg-Kirkpatrick et al., 2012, section 3.2).

    Every set is a folder, ``SIZE-NUMBER``, with a file of the same name for every file given, and
    ``sets.csv`` lists them. With the same seed they hold the examples that
    :func:`resample_training` trains on.

    Parameters
    ----------
    files : path or sequence of paths
        The training file; or parallel ones (source and target), whose examples are drawn together.
    folder : path
        Where sets are written; it must be new or empty.
    unit : {"line", "block", "tree"}, optional
        What an example is: a line; lines up to an empty one (CoNLL files); lines up to the end of a
        tree in brackets (Penn Treebank files). By default what the first file looks like.
    sizes, copies
        As in :func:`resample_training`.
    rng : None, int or Generator
        Seed.
    """
    if unit is not None and unit not in get_args(Unit):
        raise not_one_of("unit", unit, get_args(Unit))
    paths = expand_paths([files] if isinstance(files, str | Path) else list(files))  # type: ignore[arg-type]
    names = [path.name for path in paths]
    if len({LIST, *names}) <= len(names):
        twice = max([LIST, *names], key=[LIST, *names].count)
        raise UsageError(
            f"two files of a set would have the same name, {twice!r}", Remedy("rename one of them")
        )
    texts = [all_bytes(path) for path in paths]
    kind = unit or _looks_like(texts[0])
    examples = [_examples(text, kind, path) for text, path in zip(texts, paths, strict=True)]
    counts = [len(of) for of in examples]
    if len(set(counts)) > 1:
        listed = ", ".join(f"{n} has {c:,}" for n, c in zip(names, counts, strict=True))
        raise FormatError(f"parallel files must have the same number of examples, but {listed}")
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is not empty", Remedy("a new one", "output", Choice("FOLDER")))
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", Remedy("create it first"))
    sets = list(training_sets(counts[0], sizes=sizes, copies=copies, rng=rng))
    listed_sets = []
    for drawn in sets:
        name = f"{drawn.size}-{drawn.copy}"
        (target / name).mkdir(parents=True)
        for path, of in zip(names, examples, strict=True):
            write_whole(target / name / path, b"".join(of[k] for k in drawn.places))
        listed_sets.append((name, drawn.size, drawn.copy))
    rows = "".join(f"{name},{size},{copy}\n" for name, size, copy in listed_sets)
    write_whole(target / LIST, f"set,size,copy\n{rows}")
    return TrainingFiles(target, counts[0], kind, tuple(listed_sets))


def _looks_like(text: bytes) -> Unit:
    lines = text.splitlines()
    if text.lstrip().startswith(b"(") and any(x.count(b"(") != x.count(b")") for x in lines):
        return "tree"
    between = re.search(rb"\S[ \t]*\r?\n[ \t]*\r?\n\s*\S", text)
    return "block" if between else "line"


def _trees(text: bytes, path: Path) -> list[bytes]:
    """Split where all brackets are closed."""
    made: list[bytes] = []
    open_lines: list[bytes] = []
    depth = 0
    for number, line in enumerate(text.splitlines(), 1):
        depth += line.count(b"(") - line.count(b")")
        if line.strip():
            open_lines.append(line + b"\n")
        if depth < 0:
            raise FormatError(f"{path}, line {number}: a bracket is closed that was never opened")
        if depth == 0 and open_lines:
            made.append(b"".join(open_lines))
            open_lines = []
    if open_lines:
        raise FormatError(f"{path}: the last tree is not closed", Remedy("is the file complete?"))
    return made


def _examples(text: bytes, unit: Unit, path: Path) -> list[bytes]:
    """Examples as they are in the file, each with the end of its line or block."""
    if unit == "tree":
        made = _trees(text, path)
    elif unit == "line":
        # Empty lines are examples too: in parallel files they keep the others in step.
        made = [line.rstrip(b"\r\n") + b"\n" for line in text.splitlines(keepends=True)]
    else:
        blocks = re.split(rb"(?:\r?\n[ \t]*){2,}", text.strip(b"\r\n"))
        made = [block.rstrip(b"\r\n") + b"\n\n" for block in blocks if block.strip()]
    if not made:
        raise FormatError(f"{path} holds no example")
    return made
