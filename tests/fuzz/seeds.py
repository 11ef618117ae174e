"""Small valid files of every format, and how each is read."""

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files as resources
from inspect import signature
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "readers"))
import log_writers
import polars as pl

import betterthan as bt
from betterthan.readers.tally_files import encode_tally
from betterthan.results.atomic_write import encode
from fuzz import uses
from fuzz.changes import BINARY, STRUCTURED, TEXTUAL, Change, compressed, flipped, rearchived
from fuzz.commands import COMMANDS, reworded, ruled

Content = dict[str, bytes]  # files by their names


@dataclass
class Seed:
    """A valid set of files, and how it is read."""

    files: Content
    read: Callable[[Path, list[Path]], Any] = uses.anything
    changes: list[Change] = field(default_factory=lambda: TEXTUAL)
    beside: Content = field(default_factory=dict)  # what is not changed


def written(content: Content, folder: Path) -> list[Path]:
    """Write files into a folder."""
    for name, data in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return [folder / name for name in content]


BUNDLED = Path(str(resources("betterthan") / "bundled"))
OUTPUTS = ("gold", "base", "new")
SCORED = {
    "txt": ("bleu", "wer", "chrf", "ter"),
    "conllu": ("las", "uas", "ud-words", "lemmas"),
    **{"align": ("aer",), "mrg": ("f1",), "json": ("token-f1",), "labels": ("accuracy",)},
}
LOGS = [
    name
    for name, f in vars(log_writers).items()
    if callable(f) and f.__module__ == "log_writers" and "results" in signature(f).parameters
]
RESULTS = {
    system: {str(i): float((i * k) % 3 > 0) for i in range(12)}
    for k, system in ((2, "base"), (5, "new"))
}
TRANSPOSED = b"system,q1,q2,q3\nbase,0,1,0\nnew,1,1,0\n"
PLAN = b"[gate]\nalpha = 0.05\nbaseline = 'base'\nmargin = 2\n"
TAGS = b"John B-PER\nlives O\n\nin O\nYork B-LOC\n\n" * 3
BATTLES = b"question_id,model_a,model_b,winner\n" + b"".join(
    b"%d,a,%c,%s\n" % (i, b"bc"[i % 2], (b"model_a", b"model_b", b"tie")[i % 3]) for i in range(9)
)
SMALL = b"item,topic,base,new\n" + b"".join(
    b"q%d,%c,%d,%d\n" % (i, b"uvw"[i % 3], i % 5 > 0, i % 3 > 0) for i in range(30)
)
ROWS = [{"id": i, "doc": f"d{i % 3}", "a": i % 2, "b": (i % 3) / 2} for i in range(9)]
RUNS = [
    {"item": f"q{i}", "system": s, "score": (i * k) % 3 > 0, "seed": 1, "answer": "x"}
    for k, s in enumerate("ab", start=1)
    for i in range(6)
]


@cache
def seeds() -> dict[str, Seed]:
    """Make small valid files of every format."""
    qa, ratings = _lines("qa.csv"), _lines("ratings.csv", 49)
    json_lines = "\n".join(map(json.dumps, RUNS)).encode()
    by_task = partial(uses.anything, columns="task=domain,cluster=document")
    turned = partial(uses.anything, input_format="csv(transposed=yes)")
    tags = {f"{name}.conll": TAGS for name in OUTPUTS}
    return {
        "csv": Seed({"t.csv": qa}, uses.tables),
        "counts": Seed({"t.csv": _lines("ner.csv", 19)}, uses.tables),
        "gzip": Seed({"t.csv": qa}, changes=[compressed]),
        "transposed": Seed({"t.csv": TRANSPOSED}, turned),
        "tags": Seed(tags, partial(uses.outputs, metric="f1")),
        "json": Seed({"t.json": json.dumps(ROWS).encode()}, uses.tables, STRUCTURED),
        "jsonl": Seed({"t.jsonl": json_lines}, uses.tables, STRUCTURED),
        "parquet": Seed({"t.parquet": _parquet(qa)}, uses.tables, BINARY),
        "battles": Seed({"b.csv": BATTLES}, uses.tables),
        "battles_parquet": Seed({"b.parquet": _parquet(BATTLES)}, uses.tables, BINARY),
        "tasks": Seed({"t.csv": _lines("qa.csv", 30)}, by_task),
        "plan": Seed({"betterthan.toml": PLAN}, lambda _, files: bt.Plan.read(*files)),
        "tally_csv": _tallied(qa, "csv", TEXTUAL),
        "tally_json": _tallied(qa, "json", STRUCTURED),
        "tally_parquet": _tallied(qa, "parquet", BINARY),
        "commands": Seed(
            {"words.json": json.dumps(COMMANDS[0]).encode()},
            ruled,
            [reworded],
            {
                "small.csv": SMALL,
                "tally.json": _tally(SMALL, "json"),
                "rules.toml": b"[gate]\n[[gate.checks]]\nmargin = 2\n",
                "ratings.csv": ratings,
                **{f"{name}.txt": _lines(f"outputs/{name}.txt") for name in OUTPUTS},
            },
        ),
        **{name: _log(name) for name in LOGS},
        **{f"{end}-{metric}": _scored(end, metric) for end in SCORED for metric in SCORED[end]},
    }


def _tallied(table: bytes, end: str, changes: list[Change]) -> Seed:
    roles = {"cluster": "document", "label": "domain"}
    return Seed({f"t.{end}": _tally(table, end, columns=roles)}, uses.tallied, changes)


def _lines(name: str, limit: int | None = 20) -> bytes:
    return b"".join((BUNDLED / name).read_bytes().splitlines(keepends=True)[:limit])


def _parquet(table: bytes) -> bytes:
    return encode(pl.read_csv(table), ".parquet")


def _tally(table: bytes, end: str, **options: Any) -> bytes:
    tally: Any = bt.read(pl.read_csv(table), items=False, **options)
    return encode_tally(tally, f".{end}")


def _scored(end: str, metric: str) -> Seed:
    limit = 20 if end != "json" else None
    texts = {f"{name}.{end}": _lines(f"outputs/{name}.{end}", limit) for name in OUTPUTS}
    changes = STRUCTURED if end == "json" else TEXTUAL
    return Seed(texts, partial(uses.outputs, metric=metric), changes)


def _log(name: str) -> Seed:
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        paths = [path.relative_to(home) for path in getattr(log_writers, name)(RESULTS, home)]
        files = [path for path in sorted(home.rglob("*")) if path.is_file()]
        content = {str(path.relative_to(home)): path.read_bytes() for path in files}
    changes = [*STRUCTURED, *TEXTUAL, compressed]
    if any(data.startswith(b"PK") for data in content.values()):
        changes = [rearchived, flipped, compressed]
    elif any(data.startswith(b"PAR1") for data in content.values()):
        changes = BINARY
    return Seed(content, partial(uses.anything, named=paths), changes)
