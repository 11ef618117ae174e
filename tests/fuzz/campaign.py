"""Reading changed files until the time is up, and making smaller what was found."""

import os
import random
import resource
import signal
import stat
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from betterthan.errors import BetterthanError
from fuzz.keeping import Content, Finding, Shelf, listening, tell, written
from fuzz.seeds import Seed, seeds

PATIENCE = 5.0  # seconds that a file may take
WAITING = 12  # times as long may be waited for
MEMORY = 1 << 30
TRIALS = 200  # attempts to make a finding smaller
EFFORT = 60.0  # seconds of work that they may take: enough for the first, large cuts of a hang


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
    tell(folder)
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


def smaller(seed: Seed, content: Content, what: str, folder: Path, rng: random.Random) -> Content:
    """Leave out of the files what the finding does not need, for a while."""
    end = time.process_time() + EFFORT
    for _ in range(TRIALS):
        name = max(content, key=lambda n: len(content[n]))
        data = content[name]
        size = max(1, len(data) // rng.choice((2, 4, 8, 32)))
        at = rng.randint(0, max(0, len(data) - size))
        less = content | {name: data[:at] + data[at + size :]}
        found = tried(seed, less, folder)
        if found is not None and found[0] == what:
            content = less
        if time.process_time() > end:
            break
    return content


def examined(seed: Seed, content: Content, folder: Path, shelf: Shelf, how: str = "") -> None:
    """Read files; keep what goes wrong for the first time, as it is and then made smaller."""
    found = tried(seed, content, folder)
    if found is None or shelf.has(folder.name, found[0] + how):
        return
    what, trace = found
    shelf.put(Finding(folder.name, what + how, seed.beside | content, trace))
    less = smaller(seed, content, what, folder, random.Random(0))
    shelf.put(Finding(folder.name, what + how, seed.beside | less, trace))


def among(place: Path, only: list[str] | None) -> dict[str, Seed]:
    """Seeds of the formats that were asked for, all by default, and a folder for each."""
    known = seeds(place)
    if unknown := set(only or ()) - set(known):
        raise LookupError(f"there is no format {min(unknown)!r}; there are {', '.join(known)}")
    for name in known:
        (place / name).mkdir()
    return {name: seed for name, seed in known.items() if not only or name in only}


def campaign(
    seconds: float, number: int, only: list[str] | None, place: Path, shelf: Shelf
) -> Counter[str]:
    """Read changed files for so many seconds of work; count them by format."""
    rng = random.Random(number)
    done: Counter[str] = Counter()
    with listening(place / "said"), suppress(KeyboardInterrupt):
        chosen = among(place, only)
        for name, seed in chosen.items():
            examined(seed, seed.files, place / name, shelf)
        end = time.process_time() + seconds
        for turn in count(1):
            for name, seed in chosen.items():
                if turn % seed.every:
                    continue
                if time.process_time() > end:
                    return done
                content = dict(seed.files)
                for _ in range(rng.choice((1, 1, 1, 2, 3))):
                    victim = rng.choice(list(content))
                    content[victim] = rng.choice(seed.changes)(content[victim], rng)
                examined(seed, content, place / name, shelf)
                done[name] += 1
    return done
