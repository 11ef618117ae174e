"""Paths: patterns, folders, compressed bytes, and what a file's system is called."""

import gzip
import mmap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import IO

from betterthan.errors import FormatError, UsageError

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


def expand(paths: Sequence[str]) -> list[Path]:
    """Files that the user's paths and patterns mean, in the order given, each once."""
    files: list[Path] = []
    for given in paths:
        path = Path(given).expanduser()
        found = [path]
        if not path.exists() and has_magic(given):
            found = [Path(name) for name in sorted(glob(str(path), recursive=True))]
            if not found:
                raise FormatError(f"no file matches {given!r}: check the pattern")
        files += [file for place in found for file in (_logs(place) if place.is_dir() else [place])]
    seen: dict[Path, Path] = {}
    for path in files:
        if not path.exists():
            raise FormatError(f"there is no file {path}: check the path")
        if (twin := seen.setdefault(path.resolve(), path)) is not path:
            raise UsageError(
                f"{path} is given twice{f' (also as {twin})' if twin != path else ''}: a system "
                "cannot be compared with itself"
            )
    return files


def _logs(folder: Path) -> list[Path]:
    """Logs in a folder and below, of the first kind that it holds."""
    for name in LOGS:
        found = sorted(path for path in folder.rglob(name) if path.is_file())
        if found:
            return found
    raise FormatError(f"{folder} is a folder: name its files, as in {folder / '*.csv'}")


def first_bytes(path: Path, count: int = 1 << 16) -> bytes:
    """Return the beginning of a file, decompressed."""
    try:
        with path.open("rb") as file:
            head = file.read(count)
        if not head.startswith(GZIP):
            return head
        with gzip.open(path) as unzipped:
            return unzipped.read(count)
    except (OSError, EOFError) as error:
        raise FormatError(f"cannot read {path}: {error}") from error


def all_bytes(path: Path) -> bytes:
    """Return the whole of a file, decompressed."""
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data.startswith(GZIP) else data
    except (OSError, EOFError) as error:
        raise FormatError(f"cannot read {path}: {error}") from error


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading line by line, decompressed on the way."""
    try:
        with path.open("rb") as file:
            zipped = file.read(2) == GZIP
            file.seek(0)
            if not zipped:
                yield file
                return
            with gzip.open(file) as unzipped:
                yield unzipped  # type: ignore[misc]
    except (OSError, EOFError) as error:
        raise FormatError(f"cannot read {path}: {error}") from error


def mapped(path: Path) -> bytes | mmap.mmap:
    """Map the whole of a file into memory: what is not looked at is not loaded.

    It stays mapped for as long as anything refers to a part of it.
    """
    with path.open("rb") as file:
        start = file.read(2)
        if start in (b"", GZIP):  # nothing can be mapped, or not as it is
            return all_bytes(path)
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


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
