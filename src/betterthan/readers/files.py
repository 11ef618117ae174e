"""Paths: patterns, folders, compressed bytes, and what a file's system is called."""

import mmap
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from os import PathLike
from pathlib import Path
from typing import IO, Any

from betterthan.data.labels import whole_text
from betterthan.errors import FormatError, UsageError
from betterthan.readers.streams import (
    MAGIC,
    STDIN,
    Given,
    Stream,
    as_stream,
    decompressed,
    whole,
)

PathName = str | PathLike[str]
BOM = b"\xef\xbb\xbf"
"""A mark in front of UTF-8, as Windows writes it."""
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "text",
    ".eval": "eval",
}
_NO_NAMES = frozenset(
    "eval evals metrics output outputs pred predictions preds result results run runs sample "
    "samples score scores system test".split()
)
"""Words at the beginning of files' names that say nothing of their systems."""
LOGS = (
    *("samples_*.jsonl", "per_instance_stats.json", "details_*.parquet", "*.eval"),
    *("*.seg.score", "annotations.json", "results/results.json", "per_instance_details.json"),
    *("report.json", "*.jsonl", "*.json"),
)
"""What harnesses write; of a folder, the first of these that it holds is read."""


def expand_paths(paths: Sequence[PathName], *, twice: bool = False) -> list[Path]:
    """Return the files that paths and patterns name, in their order, each once.

    ``-`` is standard input, and ``NAME=FILE`` calls the system in a file so. Pipes are read here,
    and never again. A file may be given ``twice`` where that makes sense.
    """
    files = [file for given in paths for file in meant(given)]
    seen: dict[Path, Path] = {}
    for path in files:
        place = Path("/dev/stdin" if str(path) == STDIN else path).resolve()
        if seen.setdefault(place, path) is not path and not twice:
            raise UsageError(
                f"{path} is given twice: a system cannot be compared with itself, and a pipe can "
                "be read only once"
            )
    held = [(as_stream(path), called(path)) for path in files]
    for k, (path, name) in enumerate(held):
        if isinstance(path, Stream) and not path.place and is_numbered(path):
            path.place = name or ("pipe" if len(held) == 1 else f"{_ordinal(k)} pipe")
    return [with_name(path, name) if name else path for path, name in held]


def called(path: Path) -> str:
    """What the user calls the system in a file; empty where that is left to the file."""
    return getattr(path, "called", "")


def with_name(path: Path, name: str) -> Path:
    """Return the same path, its system called by a name."""
    named = path if isinstance(path, Given) else Given(path)
    named.called = name
    return named


def meant(given: PathName) -> list[Path]:
    """Return the files that one path, pattern or folder names; nothing is read."""
    if given == "" or "\0" in str(given):
        raise UsageError(f"{str(given)!r} is not a file name: check where it comes from")
    if isinstance(given, Given) or str(given) == STDIN:
        return [given if isinstance(given, Given) else Path(STDIN)]
    try:
        path = Path(given).expanduser()
        places = [path]
        if not path.exists() and has_magic(str(given)):
            places = [Path(name) for name in sorted(glob(str(path), recursive=True))] or [path]
        missing = [place for place in places if not place.exists()]
    except (RuntimeError, OSError, ValueError) as error:  # no such user, too long a name
        raise FormatError(f"cannot read {given}: {error}") from error
    name, _, file = str(given).partition("=")
    if missing and name.strip() and file and not any(sign in name for sign in "/\\*?["):
        return [with_name(place, name) for place in meant(file)]
    if missing:
        raise FormatError(f"there is no file {missing[0]}: check the path")
    return [file for place in places for file in (_logs(place) if place.is_dir() else [place])]


def _logs(folder: Path) -> list[Path]:
    """Return the logs in a folder and below, of the first kind that it holds."""
    for name in LOGS:
        patterns = [name, *(f"{name}{end}" for end in COMPRESSED)]
        found = {path for pattern in patterns for path in folder.rglob(pattern) if path.is_file()}
        if found:
            return sorted(found)
    raise FormatError(f"{folder} is a folder: name its files, as in {folder / '*.csv'}")


def is_address(source: object) -> bool:
    """Whether a source is in object storage, which polars opens: ``s3://bucket/t.parquet``."""
    return isinstance(source, str) and "://" in source


def is_scanned(path: Path) -> bool:
    """Whether polars can scan a file: it is not compressed, and if it is text, not binary."""
    if not path.is_file() or is_compressed(path):
        return False
    return suffix(path) == "parquet" or b"\0" not in first_bytes(path)


def first_bytes(path: Path, count: int = 1 << 16) -> bytes:
    """Return the beginning of a file, decompressed."""
    with opened(path) as file:
        return file.read(count)


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, whatever it is called."""
    with path.open("rb") as file:
        return file.read(max(map(len, MAGIC))).startswith(MAGIC)


def all_bytes(path: Path) -> bytes:
    """Return the whole of a file, decompressed."""
    if isinstance(path, Stream) and not path.held.startswith(MAGIC):
        return path.held
    with opened(path) as file:
        return whole(file, str(path), 0 if isinstance(path, Stream) else path.stat().st_size)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, decompressed on the way."""
    try:
        with path.open("rb") as file:
            yield decompressed(file, str(path))
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror or error}") from error


def mapped(path: Path) -> bytes | mmap.mmap:
    """Map the whole of a file into memory, so that what is not looked at is not loaded."""
    if isinstance(path, Stream):
        return all_bytes(path)
    try:
        with path.open("rb") as file:
            start = file.read(max(map(len, MAGIC)))
            if not start or start.startswith(MAGIC):  # nothing can be mapped, or not as it is
                return all_bytes(path)
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot read {path}: {error}") from error


def suffix(path: Path) -> str:
    """Encoding that a file's name promises, or the empty string."""
    return SUFFIXES.get(plain_name(path).suffix.lower(), "")


def plain_name(path: Path) -> Path:
    """Return a path without the suffix that says how it is compressed.

    >>> str(plain_name(Path("runs/base.csv.xz")))
    'runs/base.csv'
    """
    return path.with_suffix("") if path.suffix.lower() in COMPRESSED else path


def system_names(files: Sequence[Path]) -> list[str]:
    """Name systems by their files: by the stem, by the folder where that differs, or both.

    Names that the user gave are kept.

    >>> system_names([Path("runs/base.csv"), Path("runs/gpt-3.5.csv.gz")])
    ['base', 'gpt-3.5']
    >>> system_names([Path("base/scores.csv"), Path("new/scores.csv")])
    ['base', 'new']
    >>> system_names([Path("results_base.csv"), Path("results_new.csv")])
    ['base', 'new']
    >>> system_names([Path("x/a.csv"), Path("y/a.csv"), Path("y/b.csv")])
    ['x/a', 'y/a', 'y/b']

    Pipes that a shell numbered, ``<(command)``, have no names but their places:

    >>> system_names([Path("/dev/fd/63"), Path("base.csv"), Path("/dev/fd/62")])
    ['first', 'base', 'third']
    """

    def by_file(unnamed: Sequence[Path]) -> list[str]:
        names = zip(unnamed, _named_by_file(unnamed), strict=True)
        return [_ordinal(files.index(x)) if is_numbered(x) else name for x, name in names]

    return given_or(files, by_file)


def chosen(
    files: Sequence[Any], systems: Sequence[str] | None, names_of: Callable[..., list[str]]
) -> tuple[list[Any], list[str]]:
    """Return files and what their systems are called; files of other systems decide nothing."""
    pairs = list(zip(files, names_of(files), strict=True))
    if len(pairs) > 1 and systems and {*systems} <= {name for _, name in pairs}:
        pairs = [pair for pair in pairs if pair[1] in systems]
    return [file for file, _ in pairs], [name for _, name in pairs]


def is_numbered(path: Path) -> bool:
    """Whether a path is a pipe that a shell made, and numbered."""
    numbered = bool(re.fullmatch(r"/dev/fd/\d+|/proc/(self|\d+)/fd/\d+", str(path)))
    return numbered or bool(getattr(path, "place", ""))


def _ordinal(k: int) -> str:
    return ("first", "second", "third")[k] if k < 3 else f"{k + 1}th"


def given_or(files: Sequence[Path], name: Callable[[Sequence[Path]], Sequence[str]]) -> list[str]:
    """Names that the user gave to systems, and for the other files those that a function finds."""
    given = [called(path) for path in files]
    others = iter(name([path for path, own in zip(files, given, strict=True) if not own]))
    names = [whole_text(own or next(others)) for own in given]
    for k, twin in enumerate(names):
        if names.index(twin) < k and not given[k]:
            raise UsageError(
                f"the systems in {str(files[names.index(twin)])!r} and {str(files[k])!r} would "
                f"both be called {twin!r}: name one (NAME=FILE)"
            )
    return names


def without_prefix(names: Sequence[str]) -> Sequence[str]:
    """Leave out words that all names begin with and that say nothing.

    >>> without_prefix(["eval_run_base", "eval_run_new"]), without_prefix(["gpt_a", "gpt_b"])
    (['base', 'new'], ['gpt_a', 'gpt_b'])
    """
    while len(names) > 1:
        parts = [re.split(r"[_\-.]", name, maxsplit=1) for name in names]
        first = {part[0].lower() for part in parts}
        letters = all(len(part) == 2 and part[1][:1].isalpha() for part in parts)
        if len(first) > 1 or not first <= _NO_NAMES or not letters:
            break
        names = [part[1] for part in parts]
    return names


def _named_by_file(files: Sequence[Path]) -> Sequence[str]:
    stems = [_stem(path) for path in files]
    if len({*stems}) == len(stems):
        return without_prefix(stems)
    folders = [path.absolute().parent for path in files]
    if len({*stems}) == 1 and len({folder.name for folder in folders}) == len(folders):
        return [folder.name for folder in folders]
    for depth in range(1, max(len(folder.parts) for folder in folders)):
        named = zip(folders, stems, strict=True)
        names = ["/".join((*folder.parts[-depth:], stem)) for folder, stem in named]
        if len({*names}) == len(names):
            return names
    return [str(path) for path in files]


def _stem(path: Path) -> str:
    plain = plain_name(path)
    return plain.stem if plain.suffix.lower() in SUFFIXES else plain.name
