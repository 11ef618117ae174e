"""Changes to files that know the structure of what they change.

Fields of a table, values inside JSON, members of an archive, what gzip holds; and bytes, where
there is no structure.
"""

import bz2
import csv
import gzip
import io
import json
import lzma
import random
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from itertools import count
from typing import Any

import zstandard

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


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Change a few bytes."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8)) if made else 0):
        made[rng.randrange(len(made))] = rng.choice((rng.randrange(256), 0, 255, 10, 34, 44))
    return bytes(made)


def cut(data: bytes, rng: random.Random) -> bytes:
    """Leave a part out, or keep the beginning only."""
    start, end = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
    return data[:start] if rng.random() < 0.4 else data[:start] + data[end:]


def doubled(data: bytes, rng: random.Random) -> bytes:
    """Write a line several times; or put all lines into another order."""
    lines = data.splitlines(keepends=True) or [b""]
    if rng.random() < 0.3:
        rng.shuffle(lines)
    place = rng.randint(0, len(lines))
    return b"".join([*lines[:place], rng.choice(lines) * rng.choice((1, 2, 50)), *lines[place:]])


def grown(data: bytes, rng: random.Random) -> bytes:
    """Make a file large: many lines, with new numbers or without; long lines, or one long field.

    Small changes do not find what is slow: it is slow only where there is much of it.
    """
    first, _, rest = data.partition(b"\n")
    times, how, numbers = GROWN // max(len(data), 1) + 1, rng.randrange(4), count(1)
    if how == 0:
        return first + b"\n" + (rest or first) * times
    if how == 1:
        lines = (rest or first).split(b"\n") * times
        new = (re.sub(rb"\d+", lambda _: b"%d" % next(numbers), line, count=1) for line in lines)
        return b"\n".join([first, *new])
    if how == 2:
        return b"\n".join((line + b" ") * times for line in data.split(b"\n"))
    field = rng.choice(
        [b"x", b"9", b"[", b'\\"', b" a", b"a ", b"\xc3\xa9", b" ", b"(", b"\r", b","]
    )
    place = rng.randint(0, len(data))
    return data[:place] + field * (GROWN // len(field)) + data[place:]


def inserted(data: bytes, rng: random.Random) -> bytes:
    """Put a word that has meaning somewhere into the text."""
    word = rng.choice((b"\xff\xfe", b"\x80", b"\xed\xa0\xbd", b"\xc3"))
    if rng.random() < 0.9:
        word = rng.choice((*WORDS, *NUMBERS)).encode("utf-8", "surrogatepass")
    place = rng.randint(0, len(data))
    return data[:place] + word + data[place + rng.choice((0, 0, 1, len(word))) :]


def refielded(data: bytes, rng: random.Random) -> bytes:
    """Change one field of a table."""
    lines = data.split(b"\n")
    number = rng.randrange(len(lines))
    mark = rng.choice((b",", b"\t", b" ", b"-", b"="))
    fields = lines[number].split(mark)
    word = rng.choice((*WORDS, *NUMBERS)).encode("utf-8", "surrogatepass")
    fields[rng.randrange(len(fields))] = word
    if rng.random() < 0.1:
        rng.shuffle(fields)
    lines[number] = mark.join(fields)
    return b"\n".join(lines)


def restructured(data: bytes, rng: random.Random) -> bytes:
    """Change one value inside JSON, the whole or a line of it; other text as a table."""
    lines = data.split(b"\n")
    number = rng.randrange(len(lines))
    whole, value = True, _parsed(data)
    if value is _NO_JSON:
        whole, value = False, _parsed(lines[number])
    if value is _NO_JSON:
        return refielded(data, rng)
    places = list(_places(value))
    if places:
        holder, key = rng.choice(places)
        how = rng.random()
        if how < 0.7:
            holder[key] = deepcopy(rng.choice(VALUES))
        elif isinstance(holder, list):
            holder.append(deepcopy(rng.choice(VALUES)))
        else:
            kept = holder.pop(key)
            holder |= {} if how < 0.85 else {rng.choice(WORDS)[:100]: kept}
    else:
        value = rng.choice(VALUES)
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    made = json.dumps(value).encode()
    sys.set_int_max_str_digits(limit)
    lines[number] = made
    return made if whole else b"\n".join(lines)


_NO_JSON = object()


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NO_JSON


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict | list):
        for key in list(value if isinstance(value, dict) else range(len(value))):
            yield value, key
            yield from _places(value[key])


def retold(data: bytes, rng: random.Random) -> bytes:
    """Change one value of the JSON that a tally starts with, below its name."""
    lines = data.decode(errors="replace").splitlines(keepends=True)
    rows = list(csv.reader(lines[1:2]))
    if not (rows and rows[0]):
        return flipped(data, rng)
    changed = restructured(rows[0][0].encode(), rng).decode(errors="replace")
    quoted = '"' + changed.replace('"', '""') + '"'
    lines[1] = ",".join([quoted, *rows[0][1:]]) + "\n"
    return "".join(lines).encode()


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
    ways = (partial(gzip.compress, mtime=0), bz2.compress, lzma.compress, zstandard.compress)
    made = rng.choice(ways)(data)
    return rng.choice((flipped, cut))(made, rng) if rng.random() < 0.7 else made


TEXTUAL: list[Change] = [flipped, cut, doubled, inserted, inserted, refielded, refielded]
STRUCTURED: list[Change] = [restructured, restructured, restructured, flipped, cut, inserted]
BINARY: list[Change] = [flipped, flipped, cut, inserted]
TALLIES: list[Change] = [*TEXTUAL, retold, retold, retold]
