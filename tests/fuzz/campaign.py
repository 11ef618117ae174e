"""Reading changed files until the time is up, and keeping what goes wrong."""

import random
import shutil
import signal
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

import betterthan
from betterthan.errors import BetterthanError
from fuzz.seeds import Content, Seed, seeds, written

FOUND = Path(__file__).with_name("found")  # FORMAT/NAME/files of every finding there was
OURS = str(Path(betterthan.__file__).parent)
PATIENCE = 5.0  # seconds of work that a file may take


class HangError(BaseException):
    """A file took too long; nothing below may catch it."""


@dataclass
class Findings:
    """What went wrong, by format and kind; its files are in folders of the home."""

    home: Path
    label: str = "found"
    traces: dict[tuple[str, str], str] = field(default_factory=dict)

    def examine(self, name: str, seed: Seed, content: Content) -> None:
        """Read files; keep what goes wrong for the first time."""
        folder = self.home / name / f"{self.label}-now"  # stays behind if the process dies
        result = tried(seed, content, folder)
        if result is not None and (name, result[0]) not in self.traces:
            what, self.traces[name, result[0]] = result
            print(f"\n{name}: {what} ({folder.parent})\n{result[1]}", flush=True)
            written(content, folder.with_name(f"{self.label}-{len(self.traces)}"))
        with suppress(OSError):  # it may not be empty
            folder.parent.rmdir()


def tried(seed: Seed, content: Content, folder: Path) -> tuple[str, str] | None:
    """Read files; return what went wrong and the trace, or None where nothing did."""
    try:
        with impatient(), warnings.catch_warnings(action="ignore"):
            paths = written(seed.beside | content, folder)
            seed.read(folder, paths)
    except (BetterthanError, OSError):
        return None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # panics are no Exceptions
        frames = traceback.extract_tb(error.__traceback__)[::-1]
        ours = [f"{Path(f.filename).name}:{f.lineno}" for f in frames if OURS in f.filename]
        where = next(iter(ours), str(error).partition("\n")[0][:100])
        return f"{type(error).__name__} at {where}", traceback.format_exc()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return None


@contextmanager
def impatient() -> Iterator[None]:
    """Raise HangError in what takes longer; only work counts, however busy the machine is."""

    def ring(*_: object) -> None:
        raise HangError

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def campaign(
    seconds: float, number: int, findings: Findings, only: Collection[str] = ()
) -> Counter[str]:
    """Read changed files for so many seconds of work; count them by format."""
    rng, known = random.Random(number), seeds()
    done: Counter[str] = Counter()
    end = time.process_time() + seconds
    with suppress(KeyboardInterrupt):
        for name in cycle(only or known):
            if time.process_time() > end:
                break
            findings.examine(name, known[name], changed(known[name], rng))
            done[name] += 1
    return done


def changed(seed: Seed, rng: random.Random) -> Content:
    """The files after one to three changes."""
    content = dict(seed.files)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        victim = rng.choice(list(content))
        content[victim] = rng.choice(seed.changes)(content[victim], rng)
    return content
