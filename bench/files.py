"""Reading logs and tables, and scoring texts, next to the least that any program has to do."""

import json
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

import betterthan as bt
from bench.runner import Benchmark, Case
from betterthan.tasks import text
from betterthan.tasks.sources import Source

TEXT = 'A train leaves "Zürich" at 9:40\nand arrives — late, as ever — at 11:15. '  # escapes, too
HEADER = {"status": "success", "eval": {"model": "m", "task": "t"}}


def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="betterthan-bench-"))


def _lm_eval(path: Path, samples: int, prompt: str) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for k in range(samples):
            record: dict[str, Any] = {
                "doc_id": k,
                "doc": {"question": prompt},
                "arguments": {"gen_args_0": {"arg_0": prompt}},
                "filter": "none",
                "metrics": ["exact_match"],
                "doc_hash": f"{k:064x}",
                "exact_match": float(k % 3 == 0),
            }
            stream.write(json.dumps(record) + "\n")


def _sample(k: int, prompt: str) -> dict[str, Any]:
    return {
        "id": k,
        "epoch": 1,
        "input": prompt,
        "messages": [{"role": "user", "content": prompt}],
        "scores": {"match": {"value": "C" if k % 3 else "I"}},
    }


def _inspect_json(path: Path, samples: int, prompt: str) -> None:
    log = {**HEADER, "samples": [_sample(k, prompt) for k in range(samples)]}
    path.write_text(json.dumps(log), encoding="utf-8")


def _inspect_eval(path: Path, samples: int, prompt: str) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(samples):
            archive.writestr(f"samples/{k}_epoch_1.json", json.dumps(_sample(k, prompt)))
        archive.writestr("header.json", json.dumps(HEADER))


def _lines(path: Path) -> None:
    with path.open("rb") as stream:
        for line in stream:
            json.loads(line)


def _whole(path: Path) -> None:
    json.loads(path.read_bytes())


def _members(path: Path, decode: Callable[[bytes], object] = json.loads) -> None:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            decode(archive.read(name))


KINDS: dict[str, tuple[str, Callable[[Path, int, str], None], Callable[[Path], None]]] = {
    "lm-eval .jsonl": ("samples_gsm8k.jsonl", _lm_eval, _lines),
    "Inspect .json": ("log.json", _inspect_json, _whole),
    "Inspect .eval": ("log.eval", _inspect_eval, _members),
}


def log(samples: int, *, kind: str, length: int) -> Case:
    """A log whose samples have so many characters, next to ``json.loads`` of all of it."""
    name, write, plain = KINDS[kind]
    path = _folder() / name
    write(path, samples, (TEXT * (length // 100))[: length // 2])
    size = f"{path.stat().st_size / 1e6:.0f} MB"
    return Case(partial(bt.read, path), {f"json.loads of {size}": partial(plain, path)})


def archive(samples: int) -> Case:
    """An archive of short samples, next to its decompression."""
    path = _folder() / "log.eval"
    _inspect_eval(path, samples, "What is 6 times 7? " * 13)
    return Case(
        partial(bt.read, path),
        {
            "floor: decompression": partial(_members, path, decode=len),
            "json.loads of members": partial(_members, path),
        },
    )


def long_csv(rows: int) -> Case:
    """A shuffled table with a row for every item and system."""
    path, half, rng = _folder() / "long.csv", rows // 2, np.random.default_rng(7)
    columns = {
        "item": [f"q{k}" for k in range(half)] * 2,
        "system": ["base"] * half + ["new"] * half,
        "score": rng.integers(0, 2, 2 * half),
    }
    pl.DataFrame(columns)[rng.permutation(2 * half)].write_csv(path)
    return Case(
        lambda: bt.read(path),
        {
            "floor: polars.read_csv": lambda: pl.read_csv(path),
            "polars.read_csv and pivot": lambda: pl.read_csv(path).pivot(
                on="system", index="item", values="score"
            ),
        },
    )


def wide_csv(rows: int) -> Case:
    """A table with a column for every system."""
    path, scores = _folder() / "wide.csv", np.random.default_rng(8).integers(0, 2, (2, rows))
    items = [f"q{k}" for k in range(rows)]
    pl.DataFrame({"item": items, "base": scores[0], "new": scores[1]}).write_csv(path)
    return Case(lambda: bt.read(path), {"floor: polars.read_csv": lambda: pl.read_csv(path)})


def counting(rows: int) -> Case:
    """Parquet whose items are counted where they are."""
    path, scores = _folder() / "wide.parquet", np.random.default_rng(8).integers(0, 2, (2, rows))
    frame = pl.DataFrame({"item": np.arange(rows), "base": scores[0], "new": scores[1]})
    frame.write_parquet(path)
    groups = pl.scan_parquet(path).group_by("base", "new").len()
    return Case(
        lambda: bt.compare(bt.read(path, items=False), "base", "new"),
        {"floor: one group-by": groups.collect},
    )


def corpus(segments: int) -> tuple[list[str], list[str]]:
    """References of 10 to 40 Zipfian words, and outputs with 40 % of them wrong."""
    rng = np.random.default_rng(2002)
    words = np.array([f"{chr(97 + k % 26)}ord{k}" for k in range(5000)])
    weights = 1.0 / np.arange(1, 5001)
    references, outputs = [], []
    for _ in range(segments):
        line = rng.choice(words, rng.integers(10, 41), p=weights / weights.sum())
        output = np.where(rng.random(line.size) < 0.6, line, rng.choice(words, line.size))
        references.append(" ".join(line) + " .")
        outputs.append(" ".join(output) + " .")
    return outputs, references


def text_metric(segments: int, *, metric: str) -> Case:
    """All that happens between reading the files and the Scores, next to a corpus score."""
    outputs, references = corpus(segments)
    tools: dict[str, Callable[[], object]] = {
        "bleu": lambda: BLEU(force=True).corpus_score(outputs, [references]),
        "chrf": lambda: CHRF().corpus_score(outputs, [references]),
    }
    others = {"sacrebleu's corpus score": tools[metric]} if metric in tools else {}

    def ours() -> object:
        sources = [Source("text", "\n".join(lines) + "\n") for lines in (outputs, references)]
        return text.score(sources[:1], sources[1:], [metric])

    return Case(ours, others)


ROWS = (10_000, 100_000, 1_000_000)
BENCHMARKS = (
    Benchmark("growth", "reading a shuffled long CSV", ROWS, long_csv),
    Benchmark("growth", "Inspect .eval archive", (1_000, *ROWS[:2]), archive),
    Benchmark("growth", "Parquet counted in place, to the verdict", ROWS, counting),
    Benchmark("logs", "reading a wide CSV", ROWS[2:], wide_csv),
    *(
        Benchmark(
            "logs",
            f"{kind}, samples of {length:,} characters",
            (samples,),
            partial(log, kind=kind, length=length),
        )
        for length, samples in ((500, 40_000), (20_000, 4_000))
        for kind in KINDS
    ),
    *(
        Benchmark("tasks", f"segments, {metric}", (2_000,), partial(text_metric, metric=metric))
        for metric in ("bleu", "chrf", "rouge1", "rougeL(stem)", "wer")
    ),
)
