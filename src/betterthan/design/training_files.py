"""Resampled training sets written as files, for trainers outside Python."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from betterthan.design.training import training_sets
from betterthan.errors import Choice, FormatError, Remedy, UsageError, not_one_of
from betterthan.readers.files import PathName, all_bytes, expand_paths
from betterthan.resampling.generator import Rng
from betterthan.results.atomic_write import write_whole
from betterthan.results.protocol import Result

Unit = Literal["line", "block", "tree"]
LIST = "sets.csv"


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
    """Examples as they stand in the file, each with the end of its line or block."""
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
