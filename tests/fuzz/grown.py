"""Valid files grown to a megabyte, in every direction: many lines, long ones, wide ones, deep ones.

Small changes do not find what is slow: it is slow only where there is much of it.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from fuzz.campaign import among, examined
from fuzz.keeping import Content, Shelf, listening

SIZE = 1 << 20  # of all files together
OURS = ("frames", "commands", "names")  # read by the fuzzer itself, as JSON
Growth = Callable[[bytes, int], bytes]


def repeated(data: bytes, size: int) -> bytes:
    """The lines after the first, again and again."""
    first, _, rest = data.partition(b"\n")
    return first + b"\n" + (rest or first) * (size // max(len(rest or first), 1) + 1)


def renumbered(data: bytes, size: int) -> bytes:
    """The lines again and again, the first number of each another one every time."""
    first, *rest = data.strip(b"\n").split(b"\n")
    made, total, number = [first], 0, count(1)
    while total < size:
        for line in rest or [first]:
            made.append(re.sub(rb"\d+", lambda _: b"%d" % next(number), line, count=1))
            total += len(line) + 1
    return b"\n".join(made) + b"\n"


def one_line(data: bytes, size: int) -> bytes:
    """One line, of the words of all."""
    words = data.split()
    return b" ".join(words * (size // max(len(data), 1) + 1)) + b"\n"


def longer(data: bytes, size: int) -> bytes:
    """A few lines, as they are, each of them very long."""
    lines = data.strip(b"\n").split(b"\n")
    return b"\n".join((line + b" ") * (size // max(len(data), 1) + 1) for line in lines) + b"\n"


def wider(data: bytes, size: int) -> bytes:
    """A table of many more columns, each with a name of its own."""
    mark = b"\t" if b"\t" in data else b","
    first, *rest = data.strip(b"\n").split(b"\n")
    many = size // (sum(len(line.split(mark)[-1]) + 1 for line in rest) + 8)
    names = mark.join(b"c%d" % k for k in range(many))
    lines = [line + (mark + line.split(mark)[-1]) * many for line in rest]
    return b"\n".join([first + mark + names, *lines]) + b"\n"


def swollen(what: bytes) -> Growth:
    """Grow one field in the middle of the file."""

    def grow(data: bytes, size: int) -> bytes:
        at = re.search(rb"\w", data[len(data) // 2 :])
        middle = len(data) // 2 + (at.start() if at else 0)
        return data[:middle] + what * (size // len(what)) + data[middle:]

    grow.__name__ = f"swollen by {what!r}"
    return grow


def listed(data: bytes, size: int) -> bytes:
    """The longest list or object inside JSON with its elements again and again, under new ids."""
    whole = json.loads(data.split(b"\n")[0] if b"}\n{" in data else data)
    inner = max(_holders(whole), key=lambda holder: len(json.dumps(holder)) * (holder is not whole))
    text, number = json.dumps(inner), count(1)
    for _ in range(size // len(text)):
        again = json.loads(re.sub(r"\d+", lambda _: str(next(number)), text, count=1))
        if isinstance(inner, list):
            inner.extend(again)
        else:
            inner.update({f"{key}{next(number)}": value for key, value in again.items()})
    return json.dumps(whole).encode() + b"\n"


def nested(data: bytes, size: int) -> bytes:
    """The first value of a JSON text inside as many lists as fit."""
    at = data.index(b":") + 1
    return data[:at] + b"[" * (size // 2) + b"0" + b"]" * (size // 2) + b"," + data[at:]


def _holders(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _holders(inner)


GROWTHS: list[Growth] = [
    *(repeated, renumbered, one_line, longer, wider, listed, nested),
    *map(
        swollen, (b"x", b"9", b"[", b'\\"', b" a", b"a ", b"\xc3\xa9", b" ", b"(", b"1-1 ", b"\r")
    ),
]


def grown(only: list[str] | None, place: Path, shelf: Shelf) -> Counter[str]:
    """Read every kind of file grown in every way, all of its files or the last; count them."""
    done: Counter[str] = Counter()
    with listening(place / "said"), suppress(KeyboardInterrupt):
        for name, seed in among(place, only).items():
            if name in OURS:
                continue
            for growth in GROWTHS:
                made: Content = {}
                with suppress(ValueError, IndexError):  # no JSON, no lines
                    made = {
                        file: growth(data, SIZE // len(seed.files))
                        for file, data in seed.files.items()
                    }
                if not made or any(data.startswith((b"PK", b"PAR1")) for data in made.values()):
                    continue
                last = list(made)[-1]
                for content in (made, seed.files | {last: made[last]})[: len(made)]:
                    how = f", {growth.__name__}, {len(content)} files"
                    examined(seed, content, place / name, shelf, how)
                    done[name] += 1
    return done
