"""Changes to files that know the structure of what they change.

Fields of a table, values inside JSON, members of an archive, what gzip holds; and bytes, where
there is no structure.
"""

import bz2
import gzip
import io
import json
import lzma
import random
import sys
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
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

# Of files; those with a lone surrogate are bytes on disk that are no UTF-8.
NAMES = [
    *("base.csv", "new.csv", "a b.csv", " .csv", "a\nb.csv", "a\tb.csv", "a=b.csv", "=.csv", "=x"),
    *("-x.csv", "--help", "-", "--", "x" * 250 + ".csv", "é" * 120 + ".csv", "\udcff.csv"),
    *("caf\udce9.csv", "\udced\udca0\udcbd.csv", "a.csv\udcff", "*.csv", "[a].csv", "a\\b.csv"),
    *(
        "~",
        "~x.csv",
        "%s.csv",
        "$x$.csv",
        "<b>.csv",
        "\x1b[31m.csv",
        "\u202e.csv",
        "'.csv",
        '".csv',
    ),
    *("a:b.csv", "C:x.csv", "a,b.csv", ".csv", "...", "con", "x.csv.gz", "http:x.csv", "{x}.csv"),
    *("e\u0301.csv", "\u00e9.csv", "\ufeff.csv", "|.csv", "&amp;.csv", "&#0;.csv", "x.JSON", "x."),
]


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Change a few bytes."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if made:
            made[rng.randrange(len(made))] = rng.choice((rng.randrange(256), 0, 255, 10, 34, 44))
    return bytes(made)


def cut(data: bytes, rng: random.Random) -> bytes:
    """Leave a part out, or keep the beginning only."""
    at, other = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
    return data[:at] if rng.random() < 0.4 else data[:at] + data[other:]


def doubled(data: bytes, rng: random.Random) -> bytes:
    """Write a part, or a line, several times."""
    lines = data.splitlines(keepends=True)
    if lines and rng.random() < 0.6:
        line = rng.choice(lines)
        at = rng.randint(0, len(lines))
        return b"".join([*lines[:at], line * rng.choice((1, 2, 50)), *lines[at:]])
    at, other = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
    return data[:other] + data[at:other] * rng.choice((1, 3)) + data[other:]


def shuffled(data: bytes, rng: random.Random) -> bytes:
    """Put lines into another order."""
    lines = data.splitlines(keepends=True)
    rng.shuffle(lines)
    return b"".join(lines)


def inserted(data: bytes, rng: random.Random) -> bytes:
    """Put a word that has meaning somewhere into the text."""
    word = rng.choice((*WORDS, *NUMBERS)).encode("utf-8", "surrogatepass")
    if rng.random() < 0.1:
        word = rng.choice((b"\xff\xfe", b"\x80", b"\xed\xa0\xbd", b"\xc3"))
    at = rng.randint(0, len(data))
    return data[:at] + word + data[at + rng.choice((0, 0, 1, len(word))) :]


def refielded(data: bytes, rng: random.Random) -> bytes:
    """Change one field of a table."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    mark = rng.choice((b",", b"\t", b" ", b"-", b"="))
    fields = lines[at].split(mark)
    fields[rng.randrange(len(fields))] = rng.choice((*WORDS, *NUMBERS)).encode(
        "utf-8", "surrogatepass"
    )
    if rng.random() < 0.1:
        rng.shuffle(fields)
    lines[at] = mark.join(fields)
    return b"\n".join(lines)


def restructured(data: bytes, rng: random.Random) -> bytes:
    """Change one value inside JSON, in a line or the whole; other text as a table."""
    lines = data.split(b"\n")
    whole = data.lstrip()[:1] in (b"[", b"{") and not _is_json(lines[0])
    at = 0 if whole else rng.randrange(len(lines))
    text = data if whole else lines[at]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return refielded(data, rng)
    places = list(_places(value))
    if places:
        holder, key = rng.choice(places)
        how = rng.random()
        if how < 0.7:
            holder[key] = deepcopy(rng.choice(VALUES))
        elif how < 0.85 and isinstance(holder, dict):
            del holder[key]
        elif isinstance(holder, dict):
            holder[rng.choice(WORDS)[:100]] = holder.pop(key)
        else:
            holder.append(deepcopy(rng.choice(VALUES)))
    else:
        value = rng.choice(VALUES)
    sys.set_int_max_str_digits(0)
    made = json.dumps(value).encode()
    sys.set_int_max_str_digits(4300)
    if whole:
        return made
    lines[at] = made
    return b"\n".join(lines)


def renamed(data: bytes, rng: random.Random) -> bytes:
    """Change one of the names in a list, or its middle."""
    names = json.loads(data)
    at = rng.randrange(len(names))
    name = rng.choice(NAMES)
    if rng.random() < 0.3:
        middle = rng.randint(0, len(name))
        name = name[:middle] + rng.choice(WORDS)[:20] + name[middle:]
    names[at] = name
    return json.dumps(names).encode()


def retold(data: bytes, rng: random.Random) -> bytes:
    """Change one value of the JSON behind the mark on the first line of a tally."""
    line, _, rest = data.partition(b"\n")
    mark, brace, text = line.partition(b"{")
    return mark + restructured(brace + text, rng) + b"\n" + rest


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


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
    made = rng.choice(
        (partial(gzip.compress, mtime=0), bz2.compress, lzma.compress, zstandard.compress)
    )(data)
    return rng.choice((flipped, cut, flipped))(made, rng) if rng.random() < 0.7 else made


TEXTUAL: list[Change] = [flipped, cut, doubled, shuffled, inserted, inserted, refielded, refielded]
STRUCTURED: list[Change] = [restructured, restructured, restructured, flipped, cut, inserted]
BINARY: list[Change] = [flipped, flipped, cut, inserted]
