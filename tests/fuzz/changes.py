"""Changes to fields of tables, values inside JSON, members of archives, and to bytes."""

import gzip
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from itertools import count
from typing import Any

Change = Callable[[bytes, random.Random], bytes]

NUMBERS = [
    *("0", "-0", "-1", "1e400", "-1e400", "1e-400", "nan", "NaN", "Infinity", "-inf", "9" * 400),
    *("9" * 5000, "2147483648", "9223372036854775808", "0x10", "1_000", "1,5", "٣", "½", "+.5"),
]
WORDS = [
    *("", " ", "\t", "\r", "\r\n", "\n", "\0", "\x1f", "\x1b[2J", '"', '""', "'", ",", ";", "|"),
    *("\\", '\\"' * 50, "/", "\ufeff", "\u202e", "\u2028", "é", "😀", "null", "true", "None", "-"),
    *("=1+1", "$x$", "../..", "~", "item", "system", "score", "x" * 200_000, "[" * 20_000, "{"),
    *(" " * 5000, "[[[[", "]]]]", "}", "<", "{{}}", "%s", "\x85", "\x0b", "ﷺ", "\u0000"),
]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 10**400, 2**64, -(2**70), "", "x", "\ud83d", "\udcff", "1"),
    *("nan", [], {}, [[]], [{}], {"": None}, {"a": {"a": {}}}, ["x"] * 50, float("nan")),
    *(float("inf"), "C", "I", {"value": []}, {"value": {"a": "\ud83d"}}, [None, 1, "x"], 1e308),
]

GROWN = 1 << 18  # bytes
FIELDS = (b"x", b"9", b"[", b'\\"', b" a", b"a ", b"\xc3\xa9", b" ", b"(", b"\r", b",")


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Change a few bytes."""
    result = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8)) if data else 0):
        result[rng.randrange(len(data))] = rng.choice((rng.randrange(256), 0, 255, 10, 34, 44))
    return bytes(result)


def cut(data: bytes, rng: random.Random) -> bytes:
    """Leave a part out, or keep the beginning only."""
    start, end = sorted(rng.choices(range(len(data) + 1), k=2))
    return data[:start] + (b"" if rng.random() < 0.4 else data[end:])


def doubled(data: bytes, rng: random.Random) -> bytes:
    """Write a line several times, at another place."""
    lines = data.splitlines(keepends=True) or [b""]
    lines.insert(rng.randint(0, len(lines)), rng.choice(lines) * rng.choice((1, 2, 50)))
    return b"".join(lines)


def grown(data: bytes, rng: random.Random) -> bytes:
    """Make a file large: many lines, with new numbers or without; long lines, or one long field.

    Small changes do not find what is slow: it is slow only where there is much of it.
    """
    first, _, rest = data.partition(b"\n")
    times, numbers = GROWN // max(len(data), 1) + 1, count(1)
    lines = (rest or first).split(b"\n")
    field, place = rng.choice(FIELDS), rng.randint(0, len(data))
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: b"\n".join([first, *lines * times]),
        lambda: re.sub(rb"\b\d+", lambda _: b"%d" % next(numbers), b"\n".join(lines * times)),
        lambda: b"\n".join((line + b" ") * times for line in [first, *lines]),
        lambda: data[:place] + field * (GROWN // len(field)) + data[place:],
    )
    return rng.choice(ways)()


def inserted(data: bytes, rng: random.Random) -> bytes:
    """Put a word that has meaning somewhere into the text."""
    word = _word(rng) if rng.random() < 0.9 else rng.choice((b"\xff\xfe", b"\x80", b"\xc3"))
    place = rng.randint(0, len(data))
    return data[:place] + word + data[place + rng.choice((0, 0, 1, len(word))) :]


def refielded(data: bytes, rng: random.Random) -> bytes:
    """Change one field of a table."""
    lines = data.split(b"\n")
    number, mark = rng.randrange(len(lines)), rng.choice((b",", b"\t", b" ", b"-", b"="))
    fields = lines[number].split(mark)
    fields[rng.randrange(len(fields))] = _word(rng)
    lines[number] = mark.join(fields)
    return b"\n".join(lines)


def _word(rng: random.Random) -> bytes:
    return str(rng.choice((*WORDS, *NUMBERS))).encode("utf-8", "surrogatepass")


def restructured(data: bytes, rng: random.Random) -> bytes:
    """Change one value inside JSON, the whole or a line of it; other text as a table."""
    for parts in ([data], data.split(b"\n")):
        number = rng.randrange(len(parts))
        with suppress(ValueError, RecursionError):
            parts[number] = json.dumps(_with_another(json.loads(parts[number]), rng)).encode()
            return b"\n".join(parts)
    return refielded(data, rng)


def _with_another(value: Any, rng: random.Random) -> Any:
    """Change what one key of a record or place of a list holds, drop it, or name it otherwise."""
    places = list(_places(value))
    if not places:
        return rng.choice(VALUES)
    holder, key = rng.choice(places)
    how = rng.random()
    if how < 0.7 or isinstance(holder, list):
        holder[key] = deepcopy(rng.choice(VALUES))
    else:
        held = holder.pop(key)
        holder |= {} if how < 0.85 else {rng.choice(WORDS)[:100]: held}
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict | list):
        for key in list(value if isinstance(value, dict) else range(len(value))):
            yield value, key
            yield from _places(value[key])


def rearchived(data: bytes, rng: random.Random) -> bytes:
    """Change a member of an archive, or the archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # an earlier change broke it
        return flipped(data, rng)
    if members:
        name = rng.choice(list(members))
        members[name] = rng.choice((restructured, restructured, cut, flipped))(members[name], rng)
        if rng.random() < 0.2:
            del members[name]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", rng.choice((0, zipfile.ZIP_DEFLATED))) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


def compressed(data: bytes, rng: random.Random) -> bytes:
    """Compress, and damage that now and then."""
    made = gzip.compress(data, mtime=0)
    return rng.choice((flipped, cut))(made, rng) if rng.random() < 0.7 else made


# One change in some forty makes a file large, which is what takes time.
TEXTUAL: list[Change] = [*[flipped, cut, doubled, *[inserted, refielded] * 2] * 6, grown]
STRUCTURED: list[Change] = [*[*[restructured] * 3, flipped, cut, inserted] * 7, grown]
BINARY: list[Change] = [*[flipped, flipped, cut, inserted] * 10, grown]
