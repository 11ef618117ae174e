"""Paths: patterns, folders, compressed bytes, and what a file's system is called."""

import mmap
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from os import PathLike
from pathlib import Path
from typing import IO

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
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
BOM = b"\xef\xbb\xbf"  # in front of UTF-8, as Windows writes it
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
TABLES = ("csv", "tsv", "jsonl", "json", "parquet")
# Words at the beginning of files' names that tell nothing of their systems.
NO_NAMES = {
    *("eval", "evals", "metrics", "output", "outputs", "pred", "predictions", "preds", "result"),
    *("results", "run", "runs", "sample", "samples", "score", "scores", "system", "test"),
}
ANY_JSON = ("*.jsonl", "*.json")
# What the evaluation harnesses write; the first of these that a folder holds is what is read.
OF_HARNESSES = (
    "samples_*.jsonl",
    "per_instance_stats.json",
    "details_*.parquet",
    "*.eval",
    "*.seg.score",
    "annotations.json",
    "results/results.json",
    "per_instance_details.json",
    "report.json",
)
LOGS = (*OF_HARNESSES, *ANY_JSON)
MOST_OTHERS = 10_000  # files and folders among which logs are looked for


def expand_paths(paths: Sequence[PathName], *, twice: bool = False) -> list[Path]:
    """Files that the user's paths and patterns mean, in the order given, each once.

    ``-`` is standard input, and ``NAME=FILE`` calls the system in a file so. Streams are read here,
    and never again: a path that is handed on holds what was in them. A file may be given ``twice``
    where that makes sense.
    """
    files = [file for given in paths for file in meant(given)]
    seen: dict[Path, Path] = {}
    for path in files:
        if (twin := seen.setdefault(_place(path), path)) is not path and not twice:
            raise UsageError(
                f"{path} is given twice{f' (also as {twin})' if twin != path else ''}: a system "
                "cannot be compared with itself"
            )
    held = [(as_stream(path), called(path)) for path in files]
    for k, (path, name) in enumerate(held):
        if isinstance(path, Stream) and not path.place and is_numbered(path):
            path.place = name or ("pipe" if len(held) == 1 else f"{_place_word(k)} pipe")
    return [with_name(path, name) if name else path for path, name in held]


def called(path: Path) -> str:
    """What the user calls the system in a file; empty where that is left to the file."""
    return getattr(path, "called", "")


def with_name(path: Path, name: str) -> Path:
    """Return the same path, its system called by a name."""
    made = path if isinstance(path, Given) else Given(path)
    made.called = name
    return made


def meant(given: PathName) -> list[Path]:
    """Files that one path, pattern or folder means; nothing is read."""
    if given == "":
        raise UsageError("a file name is empty: check the variable that it comes from")
    if isinstance(given, Given) or str(given) == STDIN:
        return [given if isinstance(given, Given) else Path(STDIN)]
    try:
        path = Path(given).expanduser()
        there = path.exists()
    except RuntimeError as error:
        raise FormatError(f"{given} means the folder of a user who does not exist") from error
    except OSError as error:  # its name is too long, its folder closed
        raise FormatError(f"cannot read {path}: {error.strerror}") from error
    found = [path]
    if not there and has_magic(str(given)):
        found = [Path(name) for name in sorted(glob(str(path), recursive=True))]
        for place in found:
            if place.is_fifo():  # that nobody may ever write to
                raise FormatError(
                    f"{str(given)!r} matches {place}, which is a pipe: name it itself, if it is "
                    "meant"
                )
    name, _, file = str(given).partition("=")
    if not any(place.exists() for place in found) and _names(name, file):
        return [with_name(place, name) for place in meant(file)]
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


def is_address(source: object) -> bool:
    """Whether a source is in object storage, which polars opens: ``s3://bucket/t.parquet``."""
    return isinstance(source, str) and "://" in source


def _names(name: str, file: str) -> bool:
    """Whether ``NAME=FILE`` was meant, rather than a path with such a sign in it."""
    return bool(name.strip() and file) and not any(sign in name for sign in "/\\*?[")


def _place(path: Path) -> Path:
    """Where a file really is, so that two names of one file are found."""
    return Path("/dev/stdin" if str(path) == STDIN else path).resolve()


def _logs(folder: Path) -> list[Path]:
    """Logs in a folder and below, of the first kind that it holds."""
    try:
        files = _files_below(folder)
    except OSError as error:  # what is in it comes and goes, as in /proc
        raise FormatError(
            f"{folder} is a folder that cannot be searched ({error.strerror}): name its files"
        ) from error
    for name in LOGS:
        if found := _like(name, folder, files):
            return _partial(folder, found, files) if name in ANY_JSON else found
    raise FormatError(f"{folder} is a folder: name its files, as in {folder / '*.csv'}")


def _files_below(folder: Path) -> list[Path]:
    """Files of results in a folder and below, sorted; who gives all that he has is told so."""
    found, others, folders = [], 0, [folder]
    for place in folders:  # those nearby first, and folders that links lead to never
        with os.scandir(place) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                path, inner = Path(entry), entry.is_dir(follow_symlinks=False)
                if inner:
                    folders.append(path)
                elif (suffix(path) or plain_name(path).suffix == ".score") and path.is_file():
                    found.append(path)
                    continue
                others += 1
                if others == MOST_OTHERS and not any(_like(n, folder, found) for n in OF_HARNESSES):
                    raise FormatError(
                        f"{folder} is a folder of many things ({MOST_OTHERS:,} are no results, and "
                        "no logs are near): name the folder of the results, or their files"
                    )
    return sorted(found)


def _like(name: str, folder: Path, files: Sequence[Path]) -> list[Path]:
    """Files in a folder that are called so, compressed or not."""
    return [path for path in files if plain_name(path).relative_to(folder).match(name)]


def _partial(folder: Path, found: list[Path], files: list[Path]) -> list[Path]:
    """Note on files what the folder holds beside them: logs may be taken alone, tables not."""
    tables = [path for path in files if suffix(path) in TABLES]
    kinds = sorted({plain_name(path).suffix.lower() for path in tables})
    if len(kinds) < 2:
        return found
    marked = [Given(path) for path in found]
    for path in marked:
        path.beside = (
            f"{folder} holds files of several kinds ({', '.join(kinds)}): name those that are "
            f"meant, as in {str(folder / f'*{kinds[0]}')!r}"
        )
    return [*marked]


def refuse_partial(files: Sequence[Path]) -> None:
    """Refuse tables from a folder that holds others too, which would be left out unseen."""
    for path in files:
        if said := getattr(path, "beside", ""):
            raise FormatError(said)


def first_bytes(path: Path, count: int = 1 << 16) -> bytes:
    """Return the beginning of a file, decompressed."""
    with opened(path) as file:
        return file.read(count)


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, whatever it is called."""
    with path.open("rb") as file:
        return file.read(max(map(len, MAGIC))).startswith(MAGIC)


def is_scanned(path: Path) -> bool:
    """Whether polars can scan a file: it is not compressed, and of text it is not binary."""
    if not path.is_file() or is_compressed(path):
        return False
    return suffix(path) == "parquet" or b"\0" not in first_bytes(path)


def all_bytes(path: Path, *, text: bool = False) -> bytes:
    """Return the whole of a file, decompressed; ``text`` is a raw output, which swells less."""
    if isinstance(path, Stream) and not path.held.startswith(MAGIC):
        return path.held
    with opened(path, text=text) as file:
        return whole(file, str(path), 0 if isinstance(path, Stream) else path.stat().st_size)


@contextmanager
def opened(path: Path, *, text: bool = False) -> Iterator[IO[bytes]]:
    """Open a file for reading line by line, decompressed on the way."""
    try:
        with path.open("rb") as file:
            yield decompressed(file, str(path), text=text)
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
            start = file.read(max(map(len, MAGIC)))
            if not start or start.startswith(MAGIC):  # nothing can be mapped, or not as it is
                return all_bytes(path)
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot read {path}: {error}") from error


def suffix(path: Path) -> str:
    """Encoding that a file's name promises, or the empty string."""
    return SUFFIXES.get(plain_name(path).suffix.lower(), "")


def system_names(files: Sequence[Path]) -> list[str]:
    """Name systems by their files: by the stem, by the folder where that tells them apart, or both.

    Where the user called some himself, these names are kept.

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
    return given_or(
        files,
        lambda unnamed: [
            _place_word(files.index(path)) if is_numbered(path) else name
            for path, name in zip(unnamed, _named_by_file(unnamed), strict=True)
        ],
    )


def is_numbered(path: Path) -> bool:
    """Whether a path is a pipe that a shell made, and numbered."""
    numbered = bool(re.fullmatch(r"/dev/fd/\d+|/proc/(self|\d+)/fd/\d+", str(path)))
    return numbered or bool(getattr(path, "place", ""))


def _place_word(at: int) -> str:
    return ("first", "second", "third")[at] if at < 3 else f"{at + 1}th"


def given_or(files: Sequence[Path], name: Callable[[Sequence[Path]], Sequence[str]]) -> list[str]:
    """Names that the user gave to systems, and for the other files those that a function finds."""
    given = [called(path) for path in files]
    others = iter(name([path for path, own in zip(files, given, strict=True) if not own]))
    names = [own or next(others) for own in given]
    return names if "".join(names).isascii() else _as_text(names, files)


def _as_text(names: Sequence[str], files: Sequence[Path]) -> list[str]:
    r"""Spell bytes that are no text, of which a file's name may be made.

    >>> print(*_as_text(["caf\udce9", "caf\u00e9"], []))
    caf\udce9 café
    """
    spelled = [whole_text(name) for name in names]
    before: dict[str, int] = {}
    for k, name in enumerate(spelled):
        if names[twin := before.setdefault(name, k)] != names[k]:
            raise UsageError(
                f"the systems in {str(files[twin])!r} and {str(files[k])!r} would both be called "
                f"{name!r}: rename one of the files, or call its system by a name (NAME=FILE)"
            )
    return spelled


def without_prefix(names: Sequence[str]) -> Sequence[str]:
    """Leave out words that all names begin with and that tell nothing.

    >>> without_prefix(["eval_run_base", "eval_run_new"]), without_prefix(["gpt_a", "gpt_b"])
    (['base', 'new'], ['gpt_a', 'gpt_b'])
    """
    if len(names) < 2:
        return names
    while True:
        parts = [re.split(r"[_\-.]", name, maxsplit=1) for name in names]
        first = {part[0].lower() for part in parts}
        letters = all(len(part) == 2 and part[1][:1].isalpha() for part in parts)
        if len(first) > 1 or not first <= NO_NAMES or not letters:
            return names
        names = [part[1] for part in parts]


def _named_by_file(files: Sequence[Path]) -> Sequence[str]:
    stems = [_stem(path) for path in files]
    if len(set(stems)) == len(stems):
        return without_prefix(stems)
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


def plain_name(path: Path) -> Path:
    """Return a path without the suffix that says how it is compressed.

    >>> str(plain_name(Path("runs/base.csv.xz")))
    'runs/base.csv'
    """
    return path.with_suffix("") if path.suffix.lower() in COMPRESSED else path


def _stem(path: Path) -> str:
    plain = plain_name(path)
    return plain.stem if plain.suffix.lower() in SUFFIXES else plain.name
