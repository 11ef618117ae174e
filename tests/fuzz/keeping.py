"""Where findings are kept: on disk as soon as they are met, whatever comes of the process."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

FOUND = Path(__file__).with_name("found")  # FORMAT/WHAT/files of every finding there was
Content = dict[str, bytes]  # files by their names


@dataclass
class Finding:
    """What went wrong, where, and the files that show it."""

    seed: str
    what: str
    content: Content
    trace: str


@dataclass
class Shelf:
    """The first finding of every format and kind, each in a folder of its own in the home."""

    home: Path | None = None
    label: str = "found"
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)
    folders: dict[tuple[str, str], Path] = field(default_factory=dict)

    def has(self, seed: str, what: str) -> bool:
        """Whether a format is known to go wrong like this."""
        return (seed, what) in self.findings

    def put(self, finding: Finding) -> None:
        """Keep a finding, or the smaller files of one that is kept."""
        key = finding.seed, finding.what
        self.findings[key] = finding
        if self.home is None:
            return
        if key not in self.folders:
            self.folders[key] = fresh(self.home / finding.seed, self.label)
            where = self.folders[key]
            print(f"\n{finding.seed}: {finding.what} ({where})\n{finding.trace}", flush=True)
        written(finding.content, self.folders[key])


def fresh(home: Path, label: str) -> Path:
    """Make a folder that there was not: no finding is written over another."""
    home.mkdir(parents=True, exist_ok=True)
    for number in count():
        try:
            (home / f"{label}-{number}").mkdir()
        except FileExistsError:
            continue
        break
    return home / f"{label}-{number}"


def written(content: Content, folder: Path) -> list[Path]:
    """Write files into a folder."""
    paths = []
    for name, data in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        paths.append(path)
    return paths


def tell(folder: Path) -> None:
    """Leave a note of the folder whose files are being read, for `left_behind`."""
    folder.with_name("now").write_text(folder.name, encoding="utf-8")


def left_behind(place: Path) -> tuple[str, Content]:
    """Format and files that a process that is no more was reading."""
    name = (place / "now").read_text(encoding="utf-8")
    files = [path for path in sorted((place / name).rglob("*")) if path.is_file()]
    return name, {str(path.relative_to(place / name)): path.read_bytes() for path in files}


@contextmanager
def listening(path: Path) -> Iterator[None]:
    """Send what compiled libraries say to a file, where `campaign` looks for panics."""
    kept = os.dup(2)
    said = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    os.dup2(said, 2)
    os.close(said)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
