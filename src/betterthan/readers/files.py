"""Paths: patterns, folders, compressed bytes, and what a file's system is called."""

import mmap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from os import PathLike
from pathlib import Path
from typing import IO

from betterthan.errors import FormatError, UsageError
from betterthan.readers.streams import STDIN, Stream, as_stream, check_size, unzipped, whole

PathName = str | PathLike[str]
GZIP = b"\x1f\x8b"
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
# What the evaluation harnesses write; the first of these that a folder holds is what is read.
LOGS = (
    "samples_*.jsonl",
    "per_instance_stats.json",
    "*.eval",
    "*.seg.score",
    "annotations.json",
    "*.jsonl",
    "*.json",
)


def expand_paths(paths: Sequence[PathName]) -> list[Path]:
    """Files that the user's paths and patterns mean, in the order given, each once.

    ``-`` is standard input. Streams are read here, and never again: a path that is handed on holds
    what was in them.
    """
    files = [file for given in paths for file in meant(given)]
    seen: dict[Path, Path] = {}
    for path in files:
        if (twin := seen.setdefault(_place(path), path)) is not path:
            raise UsageError(
                f"{path} is given twice{f' (also as {twin})' if twin != path else ''}: a system "
                "cannot be compared with itself"
            )
    return [as_stream(path) for path in files]


def meant(given: PathName) -> list[Path]:
    """Files that one path, pattern or folder means; nothing is read."""
    if isinstance(given, Stream) or str(given) == STDIN:
        return [given if isinstance(given, Stream) else Path(STDIN)]
    try:
        path = Path(given).expanduser()
    except RuntimeError as error:
        raise FormatError(f"{given} means the folder of a user who does not exist") from error
    found = [path]
    if not path.exists() and has_magic(str(given)):
        found = [Path(name) for name in sorted(glob(str(path), recursive=True))]
        if not found:
            raise FormatError(f"no file matches {str(given)!r}: check the pattern")
    for place in found:
        if not place.exists():
            looped = place.is_symlink()
            what = (
                f"{place} is a link that leads nowhere" if looped else f"there is no file {place}"
            )
            raise FormatError(f"{what}: check the path")
    return [file for place in found for file in (_logs(place) if place.is_dir() else [place])]


def _place(path: Path) -> Path:
    """Where a file really is, so that two names of one file are found."""
    return Path("/dev/stdin" if str(path) == STDIN else path).resolve()


def _logs(folder: Path) -> list[Path]:
    """Logs in a folder and below, of the first kind that it holds."""
    for name in LOGS:
        found = sorted(path for path in folder.rglob(name) if path.is_file())
        if found:
            return found
    raise FormatError(f"{folder} is a folder: name its files, as in {folder / '*.csv'}")


def first_bytes(path: Path, count: int = 1 << 16) -> bytes:
    """Return the beginning of a file, decompressed."""
    with opened(path) as file:
        return file.read(count)


def all_bytes(path: Path) -> bytes:
    """Return the whole of a file, decompressed."""
    if isinstance(path, Stream) and not path.held.startswith(GZIP):
        return path.held
    with opened(path) as file:
        if not isinstance(path, Stream):
            check_size(path.stat().st_size, str(path))
        return whole(file, str(path))


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading line by line, decompressed on the way."""
    try:
        with path.open("rb") as file:
            zipped = file.read(2) == GZIP
            file.seek(0)
            yield unzipped(file, str(path)) if zipped else file
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror or error}") from error


def mapped(path: Path) -> bytes | mmap.mmap:
    """Map the whole of a file into memory: what is not looked at is not loaded.

    It stays mapped for as long as anything refers to a part of it.
    """
    if isinstance(path, Stream):
        return all_bytes(path)
    try:
        with path.open("rb") as file:
            start = file.read(2)
            if start in (b"", GZIP):  # nothing can be mapped, or not as it is
                return all_bytes(path)
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot read {path}: {error}") from error


def suffix(path: Path) -> str:
    """Encoding that a file's name promises, or the empty string."""
    return SUFFIXES.get(_plain(path).suffix.lower(), "")


def system_names(files: Sequence[Path]) -> list[str]:
    """Name systems by their files: by the stem, by the folder where that tells them apart, or both.

    >>> system_names([Path("runs/base.csv"), Path("runs/gpt-3.5.csv.gz")])
    ['base', 'gpt-3.5']
    >>> system_names([Path("base/scores.csv"), Path("new/scores.csv")])
    ['base', 'new']
    >>> system_names([Path("x/a.csv"), Path("y/a.csv"), Path("y/b.csv")])
    ['x/a', 'y/a', 'y/b']
    """
    stems = [_stem(path) for path in files]
    if len(set(stems)) == len(stems):
        return stems
    folders = [path.absolute().parent for path in files]
    if len(set(stems)) == 1 and len({f.name for f in folders}) == len(folders):
        return [folder.name for folder in folders]
    for depth in range(1, max(len(folder.parts) for folder in folders)):
        names = [
            "/".join((*folder.parts[-depth:], stem))
            for folder, stem in zip(folders, stems, strict=True)
        ]
        if len(set(names)) == len(names):
            return names
    full = [path.name for path in files]
    return full if len(set(full)) == len(full) else [str(path) for path in files]


def _plain(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


def _stem(path: Path) -> str:
    plain = _plain(path)
    return plain.stem if plain.suffix.lower() in SUFFIXES else plain.name
