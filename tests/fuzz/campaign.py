"""Reading changed files until the time is up, and making smaller what was found."""

import os
import random
import resource
import signal
import stat
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from betterthan.errors import BetterthanError
from fuzz.seeds import Content, Seed, seeds

PATIENCE = 5.0  # seconds that a file may take
WAITING = 12  # times as long may be waited for
MEMORY = 1 << 30
FOUND = Path(__file__).with_name("found")  # FORMAT/WHAT/files of every finding there was
TRIALS = 200  # attempts to make a finding smaller


@dataclass
class Finding:
    """What went wrong, where, and the files that show it."""

    seed: str
    what: str
    content: Content
    trace: str


class HangError(BaseException):
    """A file took too long; nothing below may catch it."""


@contextmanager
def impatient(seconds: float) -> Iterator[None]:
    """Raise HangError in what takes longer."""

    def ring(*_: object) -> None:
        raise HangError

    timers = {
        signal.SIGPROF: (signal.ITIMER_PROF, seconds),  # of work, however busy the machine is
        signal.SIGALRM: (signal.ITIMER_REAL, WAITING * seconds),
    }
    before = {number: signal.signal(number, ring) for number in timers}
    for timer, limit in timers.values():
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for number, (timer, _) in timers.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


def tried(seed: Seed, content: Content, folder: Path) -> tuple[str, str] | None:
    """Read files; return what went wrong and the trace, or None where nothing did."""
    for old in folder.iterdir():
        if old.is_file() or old.is_symlink():
            old.unlink()
    paths = written(seed.beside | content, folder)
    try:
        _forget_peak()
        held = _peak()  # by whatever else this process has done
        with impatient(PATIENCE), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seed.read(folder, paths)
    except (BetterthanError, OSError):
        pass
    except HangError:
        return "hang", traceback.format_exc()
    except BaseException as error:  # panics are no Exceptions
        if isinstance(error, KeyboardInterrupt):
            raise
        frames = traceback.extract_tb(error.__traceback__)
        last = next((f for f in reversed(frames) if "betterthan" in f.filename), None)
        where = f"{Path(last.filename).name}:{last.lineno}" if last else "?"
        return f"{type(error).__name__} at {where}", traceback.format_exc()
    if panic := _panic():
        return "panic told", panic
    more = _peak() - held
    return ("memory", f"{more:,} bytes") if more > MEMORY else None


@contextmanager
def listening(path: Path) -> Iterator[None]:
    """Send what compiled libraries say to a file, where `_panic` looks for it."""
    kept = os.dup(2)
    said = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    os.dup2(said, 2)
    os.close(said)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _panic() -> str:
    """What a panic told the user, who should not have seen it; forgotten afterwards."""
    said = os.fstat(2)
    if not stat.S_ISREG(said.st_mode) or not said.st_size:
        return ""
    text = os.pread(2, said.st_size, 0).decode(errors="replace")
    os.ftruncate(2, 0)
    return text if "panicked" in text else ""


def _forget_peak() -> None:
    with suppress(OSError):  # Linux only; elsewhere the peak of all files together
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """Most bytes that the process has held since the peak was forgotten."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def written(content: Content, folder: Path) -> list[Path]:
    """Write files into a folder."""
    paths = []
    for name, data in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        paths.append(path)
    return paths


def smaller(seed: Seed, content: Content, what: str, folder: Path, rng: random.Random) -> Content:
    """Leave out of the files what the finding does not need, for a while."""
    if what in ("hang", "memory"):
        return content
    for _ in range(TRIALS):
        name = max(content, key=lambda n: len(content[n]))
        data = content[name]
        size = max(1, len(data) // rng.choice((2, 4, 8, 32)))
        at = rng.randint(0, max(0, len(data) - size))
        less = content | {name: data[:at] + data[at + size :]}
        found = tried(seed, less, folder)
        if found is not None and found[0] == what:
            content = less
    return content


def campaign(
    seconds: float, number: int, only: list[str] | None = None
) -> tuple[Counter[str], list[Finding]]:
    """Read changed files for so many seconds of work; count them by format."""
    rng = random.Random(number)
    findings: dict[str, Finding] = {}
    done: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place, listening(Path(place) / "said"):
        known = seeds(Path(place))
        chosen = {name: seed for name, seed in known.items() if not only or name in only}
        for name, seed in chosen.items():
            (Path(place) / name).mkdir()
            found = tried(seed, seed.files, Path(place) / name)
            if found is not None:
                findings[found[0]] = Finding(name, found[0], seed.files, found[1])
        end = time.process_time() + seconds
        while time.process_time() < end:
            for name, seed in chosen.items():
                content = dict(seed.files)
                for _ in range(rng.choice((1, 1, 1, 2, 3))):
                    victim = rng.choice(list(content))
                    content[victim] = rng.choice(seed.changes)(content[victim], rng)
                found = tried(seed, content, Path(place) / name)
                done[name] += 1
                if found is not None and found[0] not in findings:
                    less = smaller(seed, content, found[0], Path(place) / name, rng)
                    findings[found[0]] = Finding(name, found[0], seed.beside | less, found[1])
                if time.process_time() > end:
                    break
    return done, list(findings.values())
