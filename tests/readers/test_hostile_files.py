"""Files that are damaged, endless or malicious: each is read, or ends in one error, and soon."""

import gzip
import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import log_writers as write
import pandas as pd
import polars as pl
import pytest
from reading_ways import advised, counted

import betterthan as bt
from betterthan.errors import (
    AlignmentError,
    BadValueError,
    BetterthanError,
    FormatError,
    TooLargeError,
    UsageError,
)
from betterthan.readers import streams
from conftest import Run

import_module("betterthan.readers.tables")  # bound before its limits are patched
Command = Callable[..., Run]
Make = Callable[[Path], list[Path]]
SECONDS = 5
HARMLESS = 1 << 20  # bytes that may swell, for these tests
RESULTS = {s: {str(i): float((i * k) % 3 > 0) for i in range(12)} for s, k in (("a", 1), ("b", 2))}
DIGITS = b"9" * 5000


Case = tuple[bytes | Make, type[BetterthanError] | int]
"""A hostile input, and what it comes to: an error, or as many items."""


def parquet(ids: Any) -> Make:
    """A table of two systems and six items."""

    def make(folder: Path) -> list[Path]:
        frame = pl.DataFrame({"item": pl.Series(ids), "a": [0, 1] * 3, "b": [1, 1, 0] * 2})
        frame.write_parquet(folder / "t.parquet")
        return [folder / "t.parquet"]

    return make


def replaced(writer: Callable[..., list[Path]], old: bytes, new: bytes) -> Make:
    """Logs with other bytes in them."""

    def make(folder: Path) -> list[Path]:
        paths = writer(RESULTS, folder)
        for path in paths:
            path.write_bytes(path.read_bytes().replace(old, new))
        return paths

    return make


def changed(**values: list[Any]) -> Make:
    """Logs of lm-eval with other values of fields, in turn."""

    def make(folder: Path) -> list[Path]:
        paths = write.lm_eval(RESULTS, folder)
        for path in paths:
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            for k, row in enumerate(rows):
                row |= {name: listed[k % len(listed)] for name, listed in values.items()}
            write.write_lines(path, rows)
        return paths

    return make


def tampered(change: Callable[[bytearray], None], writer: Any = write.inspect_eval) -> Make:
    """An archive whose directory was changed."""

    def make(folder: Path) -> list[Path]:
        path = writer(RESULTS, folder)[0]
        data = bytearray(path.read_bytes())
        change(data)
        path.write_bytes(data)
        return [path]

    return make


def entries(data: bytearray) -> Iterator[int]:
    """Where each member's entry in the directory of an archive begins."""
    place = data.find(b"PK\x01\x02")
    while place >= 0:
        yield place
        place = data.find(b"PK\x01\x02", place + 1)


def encrypted(data: bytearray) -> None:
    for place in entries(data):
        data[place + 8] |= 1


def huge(data: bytearray) -> None:
    for place in entries(data):
        data[place + 24 : place + 28] = b"\xfe\xff\xff\xff"


def unnamed(data: bytearray) -> None:
    place = next(entries(data))
    data[place + 9] |= 0x08  # the name is said to be UTF-8
    data[place + 46 : place + 48] = b"\xa0\xff"


def moved(data: bytearray) -> None:
    """The directory begins later than it does, so that members lie before the file."""
    place = data.rindex(b"PK\x05\x06") + 16
    later = int.from_bytes(data[place : place + 4], "little") + 1_000_000
    data[place : place + 4] = later.to_bytes(4, "little")


def bomb(folder: Path) -> list[Path]:
    path = write.inspect_eval(RESULTS, folder)[0]
    packed = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, b" " * 4 * HARMLESS if name == "summaries.json" else old.read(name))
    path.write_bytes(packed.getvalue())
    return [path]


def sparse(folder: Path) -> list[Path]:
    path = write.text(folder / "t.csv", "item,a,b\n")
    with path.open("r+b") as file:
        file.truncate(1 << 40)
    return [path]


def segments(folder: Path) -> list[Path]:
    """Segments and documents whose names are not text."""
    paths = replaced(write.mt_metrics, b"a\t", b"\xff\t")(folder)
    documents = write.text(folder / "documents" / "en-de.docs", "")
    documents.write_bytes(b"news \xff\nnews \xfe\n" * 6)
    return paths


def rows(*values: Any) -> bytes:
    return json.dumps([{"item": x, "a": k % 2, "b": 1} for k, x in enumerate(values)]).encode()


LONG = b"".join(b'q%d,%d,1,"%s"\n' % (k, k % 2, b"x" * 200_000) for k in range(4))
CHAIN = b"".join(b"s%d,s%d,model_a\n" % (k, k + 1) for k in range(40_000))
PARTS = ('\\"', '"', "{", "[", '{"', "\\", ',"', '""', "\r", ";|\t,")
CASES: dict[str, Case] = {
    # Text, JSON and tables, in files of these names
    "half.json": (rows("\ud83d", "\ud83e", "\udc00", "\\ud83d "), 4),
    "long.csv": (b"item,a,b,answer\n" + LONG, 4),
    "bytes.jsonl": (b'{"item": 1, "a": 1, "b": 0, "x": "\xff\xfe"}\n', FormatError),
    "deep.json": (b"[" * 100_000, FormatError),
    "deep.jsonl": (b'{"item": 1, "a": ' + b"[" * 100_000 + b"\n", FormatError),
    "digits.json": (b'[{"item": 1, "a": %s, "b": 1}]' % DIGITS, BetterthanError),
    "digits.csv": (b"item,a,b\nq1,%s,1\nq2,1,1\n" % DIGITS, BadValueError),
    "digits400.csv": (b"item,a,b\nq1,%s,1\nq2,1,1\n" % DIGITS[:400], BadValueError),
    "unit.csv": (b"item\x1fa\x1fb\nq1\x1f1\x1f0\n", BetterthanError),
    "torn.csv.gz": (gzip.compress(b"item,a,b\n" * 500)[:30], FormatError),
    "block.csv.gz": (gzip.compress(b"item,a,b\n")[:10] + b"\xff" * 20, FormatError),
    "bomb.csv.gz": (gzip.compress(b"item,a,b\n" + b"0" * 4 * HARMLESS), FormatError),
    "returns.csv": (b'item,a,b\n"q1",1\r,0\nq2,1,1\r\r\n', 2),
    "return in an id.csv": (b'item,a,b\n"q\r1",1,0\nq2,1,1\n', 2),
    "returns alone.csv": (b"item,a,b\rq1,1,0\rq2,1,1\r", 2),
    "unit in a name.csv": (b'item,"a\x1fx",b\nq1,1,0\nq2,1,1\n', 2),
    "no names.csv": (b",,", BetterthanError),
    "few names.csv": (b",a,b,,,\n1,0,1,,,\n2,1,1,,,\n", FormatError),
    "sparse": (sparse, FormatError),
    "unnamed.csv": ((b"," * 5_000 + b"\n") * 2, BetterthanError),
    "words.txt": (b" ".join(b"w%d" % k for k in range(80_000)) + b"\n", BetterthanError),
    "chain.csv": (b"model_a,model_b,winner\n" + CHAIN, BetterthanError),
    **{
        f"part {k} {n}": ((start + part * 65_000).encode(), BetterthanError)
        for k, part in enumerate(PARTS)
        for n, start in enumerate(("", "{", '{"a": "'))
    },
    # Columns of Parquet
    "ids that are dates": (parquet(pl.Series(range(6)).cast(pl.Date)), 6),
    "ids that are decimals": (parquet(pl.Series(range(6)).cast(pl.Decimal(10, 2))), 6),
    "ids that are durations": (parquet(pl.Series(range(6)).cast(pl.Duration)), BetterthanError),
    "ids that are lists": (parquet([[k] for k in range(6)]), BetterthanError),
    "ids that are records": (parquet([{"a": k} for k in range(6)]), BetterthanError),
    "ids that are bytes": (parquet([bytes([k, 255]) for k in range(6)]), BetterthanError),
    "ids that are null": (parquet([None] * 6), BetterthanError),
    # Logs
    **{
        f"half an emoji, {writer.__name__}": (replaced(writer, b"think", b"\\ud83d"), 12)
        for writer in (write.lm_eval, write.inspect_json, write.comet, write.promptfoo)
    },
    "not text, lm-eval": (replaced(write.lm_eval, b'"Let us', b'"\xff\xfe'), 12),  # not read
    "not text, inspect": (replaced(write.inspect_json, b"What is", b"\xff"), FormatError),
    "not text, promptfoo": (replaced(write.promptfoo, b'"q": "1"', b'"q": "\xa6"'), FormatError),
    "not text, mt-metrics": (segments, 12),
    "blank.seg.score": (b"\x1f\n \t\n", FormatError),
    **{
        f"metrics {names!r}": (changed(metrics=[names]), FormatError)
        for names in ("acc", 5, None, True, {"acc": 1}, [1, 2], [["a"]], [{"a": 1}], [None])
    },
    **{
        f"filters {names!r}": (changed(filter=names), FormatError)
        for names in ([1, "x"], [["a"], "x"], ["x", {"a": 1}], [True, False])
    },
    "filters of other documents": (changed(filter=[None, "strict"]), AlignmentError),
    "filters null": (changed(filter=[None]), 12),
    "archive, encrypted": (tampered(encrypted), FormatError),
    "archive, huge": (tampered(huge), FormatError),
    "archive, unnamed": (tampered(unnamed), FormatError),
    "archive, moved": (tampered(moved), FormatError),
    "archive, moved, zstd": (tampered(moved, write.inspect_zstd), FormatError),
    "archive, bomb": (bomb, FormatError),
}


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_file(
    name: str, tmp_path: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HARMLESS", HARMLESS)
    monkeypatch.setattr(streams, "allowed_memory", lambda: 1 << 30)
    make, expected = CASES[name]
    paths = [tmp_path / name] if isinstance(make, bytes) else make(tmp_path)
    if isinstance(make, bytes):
        paths[0].write_bytes(make)
    start, metric = time.process_time(), "win" if name == "chain.csv" else None
    if isinstance(expected, int):
        assert bt.read(*paths, metric=metric).n == expected
    else:
        with pytest.raises(expected):
            bt.read(*paths, metric=metric)
    assert time.process_time() - start < SECONDS
    for command in ("compare", "rank", "inspect") if expected is FormatError else ():
        run = betterthan(command, *map(str, paths))
        assert run.code in (2, 4), run.err


# Limits


def test_a_limit_can_be_set_in_python(tmp_path: Path) -> None:
    cells = "".join(f"q{i},{i % 2},1\n" for i in range(5000))
    table = write.text(tmp_path / "t.csv", f"item,a,b\n{cells}")
    battles = write.text(tmp_path / "b.csv", "model_a,model_b,winner\n" + "x,y,model_a\n" * 3000)
    texts = [write.text(tmp_path / name, "a b c\n" * 5000) for name in ("x.txt", "gold.txt")]
    calls: list[Callable[[bt.Limits], object]] = [
        lambda limits: bt.read(table, items=True, limits=limits),
        lambda limits: bt.read(battles, items=True, limits=limits),
        lambda limits: bt.read(texts[0], ref=texts[1], metric="bleu", limits=limits),
    ]
    for call in calls:
        for size in ("10K", 10 << 10):
            with pytest.raises(FormatError) as caught:
                call(bt.Limits(memory=size))
            assert "limits" in dict(advised(caught))
        for wrong in ("lots", "-1", "0", "1e9", ""):
            with pytest.raises(UsageError):
                call(bt.Limits(memory=wrong))
        assert call(bt.Limits(memory="10M"))
        assert call(bt.Limits(memory=None))


def test_what_parquet_becomes_in_memory_counts(tmp_path: Path) -> None:
    path, n = tmp_path / "t.parquet", 1_000_000
    pl.DataFrame({"a": [0] * n, "b": [1] * n}).cast(pl.Int8).write_parquet(path)
    assert path.stat().st_size < 1 << 14
    with pytest.raises(TooLargeError) as caught:  # the columns would take 16 on their own
        bt.read(path, items=True, limits=bt.Limits(memory="40M"))
    assert advised(caught) == [("items", False), ("limits", 'bt.Limits(memory="1G")')]
    assert bt.read(path, limits=bt.Limits(memory="80M")).n == bt.read(path, items=False).n == n


# Frames and folders


def test_frames_with_decimal_labels_and_signalling_nan() -> None:
    cells = [[Decimal(k), k % 2, (k + 1) % 3 > 0, Decimal(k % 2)] for k in range(8)]
    columns = {"label": "domain"}
    assert bt.read(pd.DataFrame(cells, columns=[*"iab", "domain"]), columns=columns).n == 8
    with pytest.raises(BetterthanError):
        bt.read(pd.DataFrame(cells, columns=[*"iaa", "domain"]), columns=columns)
    assert bt.read(pd.DataFrame({"id": [*"xyz"], "b": [0.5, 1, 0], "  ": [0, {"e": []}, 2]})).n == 3
    scores: Any = {"a": [Decimal(1), Decimal("sNaN")], "b": [Decimal(0), Decimal(1)]}
    frame = pd.DataFrame(scores)
    for call, source in ((bt.read, frame), (counted, frame), (bt.Scores.from_arrays, scores)):
        with pytest.raises(BadValueError, match="'a'"):
            call(source)


def test_a_folder_and_a_folder_in_it(tmp_path: Path) -> None:
    for folder, system in ((tmp_path / "runs", "a"), (tmp_path / "runs" / "sub", "b")):
        write.lm_eval({system: RESULTS[system]}, folder)
    assert bt.read(tmp_path / "runs").systems == ("a", "b")
    with pytest.raises(UsageError):
        bt.read(tmp_path / "runs", tmp_path / "runs" / "sub")
