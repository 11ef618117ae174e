"""Paths: patterns, folders, compressed bytes, and what a file's system is called."""

import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from os import PathLike
from pathlib import Path
from typing import IO, Any

from betterthan.data.labels import whole_text
from betterthan.errors import FormatError, UsageError, Where
from betterthan.readers.streams import (
    STDIN,
    NamedPath,
    Stream,
    as_stream,
    decompressed,
    is_compressed,
    readable,
    whole,
)

PathName = str | PathLike[str]
BOM = b"\xef\xbb\xbf"
"""A mark in front of UTF-8, as Windows writes it."""
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
SUFFIXES = {f".{name}": name for name in ("csv", "tsv", "jsonl", "json", "parquet", "eval")} | {
    ".tab": "tsv",
    ".ndjson": "jsonl",
    ".pq": "parquet",
    ".txt": "text",
}
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
    files = [file for path in paths for file in matching(path)]
    seen: dict[Path, Path] = {}
    for path in files:
        place = Path("/dev/stdin" if str(path) == STDIN else path).resolve()
        if seen.setdefault(place, path) is not path and not twice:
            raise UsageError(
                f"{path} is given twice: a system cannot be compared with itself, and a pipe can "
                "be read only once"
            )
    numbers = [f"pipe {k}" for k in range(1, len(files) + 1)] if len(files) > 1 else ["pipe"]
    streams = map(as_stream, files, numbers)
    return [with_name(x, called(path)) for x, path in zip(streams, files, strict=True)]


def called(path: Path) -> str:
    """What the user calls the system in a file; empty where that is left to the file."""
    return getattr(path, "called", "")


def with_name(path: Path, name: str) -> Path:
    """Return the same path, its system called by a name, if there is one."""
    if not name:
        return path
    named = path if isinstance(path, NamedPath) else NamedPath(path)
    named.called = name
    return named


def matching(source: PathName) -> list[Path]:
    """Return the files that one path, pattern or folder names; nothing is read."""
    if isinstance(source, NamedPath) or str(source) == STDIN:
        return [source if isinstance(source, Path) else Path(STDIN)]
    with readable(source):
        path = Path(os.path.expanduser(source))
        matches = [path]
        if not path.exists() and has_magic(str(source)):
            matches = [Path(name) for name in sorted(glob(str(path), recursive=True))] or [path]
        missing = any(not match.exists() for match in matches)
    name, _, file = str(source).partition("=")
    if missing and name.strip() and file and not any(sign in name for sign in "/\\*?["):
        return [with_name(match, name) for match in matching(file)]
    if missing or source == "":
        text = f"there is no file {str(source)!r}: check the path"
        raise FormatError(text, where=Where(Path(source)))
    return [file for match in matches for file in (_logs(match) if match.is_dir() else [match])]


def _logs(folder: Path) -> list[Path]:
    """Return the logs in a folder and below, of the first kind that it holds."""
    for name in LOGS:
        patterns = [name, *(f"{name}{end}" for end in COMPRESSED)]
        logs = {path for pattern in patterns for path in folder.rglob(pattern) if path.is_file()}
        if logs:
            return sorted(logs)
    raise FormatError(f"{folder} is a folder: name its files, as in {folder / '*.csv'}")


def is_address(source: object) -> bool:
    """Whether a source is in object storage, which polars opens: ``s3://bucket/t.parquet``."""
    return isinstance(source, str) and "://" in source


def first_bytes(path: Path, count: int = 1 << 16) -> bytes:
    """Return the beginning of a file, decompressed."""
    with opened(path) as file:
        return file.read(count)


def all_bytes(path: Path) -> bytes:
    """Return the whole of a file, decompressed."""
    if isinstance(path, Stream) and not is_compressed(path):
        return path.held
    with opened(path) as file:
        return whole(file, str(path), 0 if isinstance(path, Stream) else path.stat().st_size)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, decompressed on the way."""
    with readable(path), path.open("rb") as file:
        yield decompressed(file, str(path))


def mapped(path: Path) -> bytes | mmap.mmap:
    """Map the whole of a file into memory, so that what is not looked at is not loaded."""
    with readable(path):
        if isinstance(path, Stream) or is_compressed(path) or not path.stat().st_size:
            return all_bytes(path)
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


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

    Names that the user gave are kept. A suffix that is not known is left out if all files have it.

    >>> system_names([Path("runs/base.csv"), Path("runs/gpt-3.5.csv.gz")])
    ['base', 'gpt-3.5']
    >>> system_names([Path("base/scores.csv"), Path("new/scores.csv")])
    ['base', 'new']
    >>> system_names([Path("out/base.conllu"), Path("out/gpt-3.5.conllu")])
    ['base', 'gpt-3.5']
    >>> system_names([Path("x/a.csv"), Path("y/a.csv"), Path("y/b.csv")])
    ['x/a', 'y/a', 'y/b']
    """
    others = iter(_named_by_file([path for path in files if not called(path)]))
    names = [whole_text(called(path) or next(others)) for path in files]
    for k, twin in enumerate(names):
        if names.index(twin) < k and not called(files[k]):
            raise UsageError(
                f"the systems in {str(files[names.index(twin)])!r} and {str(files[k])!r} would "
                f"both be called {twin!r}: name one (NAME=FILE)"
            )
    return names


def _named_by_file(files: Sequence[Path]) -> Sequence[str]:
    plain = list(map(plain_name, files))
    ends = {path.suffix for path in plain}
    shared = len(ends) == 1 and next(iter(ends))[1:].isalpha()
    stems = [path.stem if shared or suffix(path) else path.name for path in plain]
    parts = [path.absolute().parent.parts for path in files]
    if len({*stems}) == 1 < len(files) == len({folder[-1] for folder in parts}):
        return [folder[-1] for folder in parts]
    for depth in range(max(map(len, parts), default=0)):
        names = [
            "/".join([*f[len(f) - depth :], stem]) for f, stem in zip(parts, stems, strict=True)
        ]
        if len({*names}) == len(names):
            return names
    return [str(path) for path in files]


def chosen(
    files: Sequence[Any],
    systems: Sequence[str] | None,
    names_of: Callable[[Sequence[Any]], list[str]] = system_names,
) -> tuple[list[Any], list[str]]:
    """Return files and what their systems are called; files of other systems decide nothing."""
    pairs = list(zip(files, names_of(files), strict=True))
    if len(pairs) > 1 and systems and {*systems} <= {name for _, name in pairs}:
        pairs = [pair for pair in pairs if pair[1] in systems]
    return [file for file, _ in pairs], [name for _, name in pairs]
