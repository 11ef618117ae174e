"""Logs: reading scores out of them, beside decoding every line with ``json.loads``."""

import json
import resource
import tempfile
import time
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from betterthan import read

SIZES = {500: 40_000, 20_000: 4_000}  # samples, by the characters of prompt and answer in each
TEXT = 'A train leaves "Zürich" at 9:40\nand arrives — late, as ever — at 11:15. '  # escapes, too
ROWS = 1_000_000


def run() -> None:
    """Print milliseconds, megabytes a second, and how many times faster than json.loads."""
    print("Reading logs (times faster than json.loads of every line or member)")
    print(_row(("log", "sample", "MB", "json", "read", "MB/s", "×")))
    with tempfile.TemporaryDirectory() as folder:
        for length, items in SIZES.items():
            for name, (write, plain) in KINDS.items():
                path = write(Path(folder), items, (TEXT * (length // 100))[: length // 2])
                theirs = _milliseconds(partial(plain, path))
                ours = _milliseconds(partial(read, path))
                size = path.stat().st_size / 1e6
                speed = f"{size / ours * 1e3:,.0f}"
                cells = (
                    f"{size:.1f}",
                    f"{theirs:.0f}",
                    f"{ours:.0f}",
                    speed,
                    f"{theirs / ours:.1f}",
                )
                print(_row((name, f"{length:,} B", *cells)))
                path.unlink()
        _tables(Path(folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MB")


def _tables(folder: Path) -> None:
    """Print how much longer a table takes than polars needs to parse it."""
    print(f"\nReading tables of {ROWS:,} rows (times polars.read_csv)")
    print(_row(("table", "", "MB", "polars", "read", "", "×")))
    right = [k % 3 > 0 for k in range(ROWS)]
    items = [f"q{k}" for k in range(ROWS)]
    half = ROWS // 2
    tables = {
        "wide": {"item": items, "base": map(int, right), "new": map(int, reversed(right))},
        "long": {
            "item": items[:half] * 2,
            "system": ["base"] * half + ["new"] * half,
            "score": map(int, right),
        },
    }
    for name, columns in tables.items():
        path = folder / f"{name}.csv"
        pl.DataFrame({key: list(values) for key, values in columns.items()}).write_csv(path)
        theirs = _milliseconds(partial(pl.read_csv, path))
        ours = _milliseconds(partial(read, path))
        size = path.stat().st_size / 1e6
        cells = (f"{size:.1f}", f"{theirs:.0f}", f"{ours:.0f}", "", f"{ours / theirs:.1f}")
        print(_row((name, "", *cells)))


def _lm_eval(folder: Path, items: int, text: str) -> Path:
    path = folder / "samples_gsm8k.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for k in range(items):
            record: dict[str, Any] = {
                "doc_id": k,
                "doc": {"question": text},
                "arguments": {"gen_args_0": {"arg_0": text}},
                "filter": "none",
                "metrics": ["exact_match"],
                "doc_hash": f"{k:064x}",
                "exact_match": float(k % 3 == 0),
            }
            stream.write(json.dumps(record) + "\n")
    return path


def _sample(k: int, text: str) -> dict[str, Any]:
    return {
        "id": k,
        "epoch": 1,
        "input": text,
        "messages": [{"role": "user", "content": text}],
        "scores": {"match": {"value": "C" if k % 3 else "I"}},
    }


HEADER = {"status": "success", "eval": {"model": "m", "task": "t"}}


def _inspect_json(folder: Path, items: int, text: str) -> Path:
    path = folder / "log.json"
    samples = [_sample(k, text) for k in range(items)]
    path.write_text(json.dumps({**HEADER, "samples": samples}), encoding="utf-8")
    return path


def inspect_eval(folder: Path, items: int, text: str) -> Path:
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(items):
            archive.writestr(f"samples/{k}_epoch_1.json", json.dumps(_sample(k, text)))
        archive.writestr("header.json", json.dumps(HEADER))
    return path


def _lines(path: Path) -> None:
    with path.open("rb") as stream:
        for line in stream:
            json.loads(line)


def _whole(path: Path) -> None:
    json.loads(path.read_bytes())


def members(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            json.loads(archive.read(name))


def inflated(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            archive.read(name)


Kind = tuple[Callable[[Path, int, str], Path], Callable[[Path], None]]
KINDS: dict[str, Kind] = {
    "lm-eval .jsonl": (_lm_eval, _lines),
    "Inspect .json": (_inspect_json, _whole),
    "Inspect .eval": (inspect_eval, members),
}


def _milliseconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Shortest time of a call: what is left when nothing else runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def _row(cells: tuple[str, ...]) -> str:
    first, *rest = cells
    return first.ljust(16) + "".join(cell.rjust(10) for cell in rest)


if __name__ == "__main__":
    run()
