"""Small valid files of every format, and how each is read."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "readers"))
import log_writers
import polars as pl

import betterthan as bt
from betterthan.readers.tally_files import encode_tally
from fuzz import uses
from fuzz.changes import (
    BINARY,
    NAMES,
    STRUCTURED,
    TEXTUAL,
    Change,
    compressed,
    flipped,
    rearchived,
    renamed,
    restructured,
    retold,
)
from fuzz.commands import COMMANDS, named, reworded, ruled
from fuzz.keeping import Content


@dataclass
class Seed:
    """A valid set of files, and how it is read."""

    files: Content
    read: Callable[[Path, list[Path]], Any]
    changes: list[Change] = field(default_factory=list)
    beside: Content = field(default_factory=dict)  # what is not changed
    every: int = 1  # turn of a campaign, where it takes long


RESULTS = {
    system: {str(i): float((i * k) % 3 > 0) for i in range(12)}
    for k, system in ((2, "base"), (5, "new"))
}
PLAN = b"""[gate]
sealed = "00000000"
alpha = 0.05
correction = "holm"
baseline = "base"
candidate = "new"
by = "topic"
missing = "error"
[[gate.checks]]
metric = "f1"
margin = 2
goal = "non-inferior"
assume = "large-sample"
[[gate.checks]]
metric = "mean(tp)"
margin = 2.5
bounds = [0, 100]
"""
SPELLINGS = b"""f1
fbeta(0.5)
mean(latency, lower_is_better)
ratio(2*tp / 2*tp + fp - "odd name")
bleu(lc,tok=intl)
f1(PER)
macro-f1
"""
OUTPUTS = ("gold", "base", "new")
TALLIES = [*TEXTUAL, retold, retold, retold]
BATTLES = "question_id,model_a,model_b,winner\n" + "".join(
    f"{i},a,{'bc'[i % 2]},{('model_a', 'model_b', 'tie')[i % 3]}\n" for i in range(9)
)

SINGLE = {
    f"{name}.csv": b"item,score\nq1,0.5\nq2,0.75\nq3,0.25\nq4,1\n" for name in ("base", "new")
}
TRANSPOSED = "system,q1,q2,q3\nbase,0,1,0\nnew,1,1,0\n"
CONLL = b"John NNP B-PER B-PER\nlives VBZ O O\n\nin IN O O\nYork NNP B-LOC B-ORG\n\n" * 3
TAGS = b"John B-PER\nlives O\n\nin O\nYork B-LOC\n\n" * 3
COMMAS = "item;base;new\n" + "".join(f"q{i};0,{i % 7}5;0,{i % 9}5\n" for i in range(12))


def seeds(folder: Path) -> dict[str, Seed]:
    """Make small valid files of every format."""
    bundled = resources("betterthan") / "bundled"
    found = {
        name: Seed({"t.csv": _lines(bundled, table, most)}, uses.anything, TEXTUAL)
        for name, table, most in (("csv", "qa.csv", 20), ("counts", "ner.csv", 19))
    }
    found["tsv"] = Seed(
        {"t.tsv": found["csv"].files["t.csv"].replace(b",", b"\t")}, uses.anything, TEXTUAL
    )
    found["commas"] = Seed({"t.csv": COMMAS.encode()}, uses.anything, TEXTUAL)
    found["plain"] = Seed(
        {"a.txt": b"1\n0\n1\n0.5\n" * 4, "b.txt": b"0\n0\n1\n1\n" * 4}, uses.anything, TEXTUAL
    )
    found["gzip"] = Seed(
        {"t.csv": found["csv"].files["t.csv"]}, uses.anything, [compressed, compressed, compressed]
    )
    found["single"] = Seed(SINGLE, uses.anything, TEXTUAL)
    found["two_counts"] = Seed({"t.csv": b"8,6\n5,5\n7,7\n" * 4}, uses.anything, TEXTUAL)
    found["transposed"] = Seed({"t.csv": TRANSPOSED.encode()}, uses.transposed, TEXTUAL)
    found["conll"] = Seed({f"{name}.conll": CONLL for name in OUTPUTS[1:]}, uses.anything, TEXTUAL)
    tags = {f"{name}.conll": TAGS for name in OUTPUTS}
    found["tags"] = Seed(tags, partial(uses.outputs, metric="f1"), TEXTUAL)
    found["json"] = Seed(_json_table(), uses.anything, STRUCTURED)
    found["jsonl"] = Seed(_jsonl_table(), uses.anything, STRUCTURED)
    found["battles"] = Seed({"b.csv": BATTLES.encode()}, uses.anything, TEXTUAL)
    found["parquet"] = Seed(_parquet(), uses.anything, BINARY)
    found["ratings"] = Seed({"r.csv": _lines(bundled, "ratings.csv", 49)}, uses.responses, TEXTUAL)
    found["frames"] = Seed(_columns(), uses.frames, [restructured])
    found["plan"] = Seed({"betterthan.toml": PLAN}, uses.plan, TEXTUAL)
    found["metrics"] = Seed({"metrics.txt": SPELLINGS}, uses.spellings, TEXTUAL)
    for name in ("lm_eval", "inspect_json", "inspect_eval", "inspect_zstd", "helm"):
        found[name] = _log(name, folder)
    for name in ("every_eval_ever", "openai_evals", "promptfoo", "comet", "mt_metrics"):
        found[name] = _log(name, folder)
    for name in ("lm_eval_old", "trec_eval", "ir_measures", "promptfoo_table", "promptfoo_csv"):
        found[name] = _log(name, folder)
    for name in ("promptfoo_old_csv", "swe_bench", "swe_bench_details", "swe_bench_instances"):
        found[name] = _log(name, folder)
    for name in ("deepeval", "ragas", "langsmith", "braintrust", "opencompass", "alpaca_eval"):
        found[name] = _log(name, folder)
    for name in ("lighteval", "lighteval_dunder", "lighteval_old", "opencompass_list"):
        found[name] = _log(name, folder)
    for ending, metric in (
        *(("txt", "bleu"), ("txt", "wer"), ("align", "aer"), ("conllu", "las"), ("mrg", "f1")),
        *(("json", "token-f1"), ("labels", "accuracy"), ("conllu", "uas"), ("conllu", "ud-words")),
        *(("conllu", "mlas"), ("conllu", "blex"), ("txt", "chrf"), ("txt", "ter")),
    ):
        names = [f"{name}.{ending}" for name in OUTPUTS]
        texts = {name: _outputs_of(bundled, name) for name in names}
        changes = STRUCTURED if ending == "json" else TEXTUAL
        found[f"{ending}-{metric}"] = Seed(texts, partial(uses.outputs, metric=metric), changes)
    found["lm_eval_tasks"] = _log("lm_eval_tasks", folder)
    found["tasks"] = Seed({"t.csv": _lines(bundled, "qa.csv", 30)}, uses.tasks, TEXTUAL)
    found["scan_csv"] = Seed({"t.csv": _lines(bundled, "qa.csv", 20)}, uses.scanned, TEXTUAL)
    found["scan_counts"] = Seed({"t.csv": _lines(bundled, "ner.csv", 19)}, uses.scanned, TEXTUAL)
    found["scan_jsonl"] = Seed(_jsonl_table(), uses.scanned, STRUCTURED)
    found["scan_parquet"] = Seed(_parquet(), uses.scanned, BINARY)
    found["scan_battles"] = Seed({"b.csv": BATTLES.encode()}, uses.battles_scanned, TEXTUAL)
    counts = "model_a,model_b,winner,count\n" + "".join(
        f"{a},{b},{won},{len(won)}\n" for a, b in ("xy", "yz") for won in ("model_a", "tie")
    )
    found["scan_counted_battles"] = Seed({"b.csv": counts.encode()}, uses.battles_scanned, TEXTUAL)
    battles = io.BytesIO()
    pl.read_csv(io.BytesIO(BATTLES.encode())).write_parquet(battles)
    found["scan_battles_parquet"] = Seed(
        {"b.parquet": battles.getvalue()}, uses.battles_scanned, BINARY
    )
    for suffix, changes in ((".csv", TALLIES), (".json", STRUCTURED), (".parquet", BINARY)):
        data = {f"t{suffix}": _tally(bundled, suffix)}
        found[f"tally_{suffix[1:]}"] = Seed(data, uses.tallied, changes)
    found["pages"] = Seed(found["csv"].files, uses.pages, TEXTUAL, every=20)
    odd = {"names.json": json.dumps(NAMES[:2]).encode()}
    found["names"] = Seed(odd, named, [renamed], every=4)
    words = {"words.json": json.dumps(COMMANDS[0]).encode()}
    found["commands"] = Seed(words, ruled, [reworded], _beside(bundled))
    return found


def _tally(bundled: Any, suffix: str) -> bytes:
    made = io.BytesIO(_lines(bundled, "qa.csv", 40))
    table = pl.read_csv(made)
    return encode_tally(bt.scan(table, cluster="document", by="domain"), suffix)


def _beside(bundled: Any) -> Content:
    rows = (f"q{i},{'uvw'[i % 3]},{i % 5 > 0:d},{i % 3 > 0:d}\n" for i in range(30))
    small = ("item,topic,base,new\n" + "".join(rows)).encode()
    table = pl.read_csv(io.BytesIO(small))
    return {
        "small.csv": small,
        "tally.json": encode_tally(bt.scan(table), ".json"),
        "betterthan.toml": b"[gate]\nmargin = 2\n",
        "ratings.csv": _lines(bundled, "ratings.csv", 49),
        **{f"{name}.txt": _lines(bundled / "outputs", f"{name}.txt") for name in OUTPUTS},
    }


def _lines(bundled: Any, name: str, most: int = 20) -> bytes:
    lines = (bundled / name).read_bytes().splitlines(keepends=True)
    return b"".join(lines[:most])


def _outputs_of(bundled: Any, name: str) -> bytes:
    if not name.endswith(".json"):
        return _lines(bundled / "outputs", name)
    whole = json.loads((bundled / "outputs" / name).read_bytes())
    if isinstance(whole, dict) and "data" in whole:
        whole["data"] = whole["data"][:2]
    else:
        whole = {name: answer for name, answer in whole.items() if name < "d02"}
    return json.dumps(whole).encode()


def _json_table() -> Content:
    rows = [{"id": i, "doc": f"d{i % 3}", "a": i % 2, "b": (i % 3) / 2} for i in range(9)]
    return {"t.json": json.dumps(rows).encode()}


def _columns() -> Content:
    wide = {
        "id": list(range(9)),
        "a": [0, 1, 1] * 3,
        "b": [0.5, 1, 0] * 3,
        "topic": list("xyz") * 3,
    }
    return {"columns.json": json.dumps(wide).encode()}


def _jsonl_table() -> Content:
    rows = [
        {"item": f"q{i}", "system": s, "score": (i * k) % 3 > 0, "seed": 1, "answer": "x"}
        for k, s in enumerate(("a", "b"), start=1)
        for i in range(6)
    ]
    return {"t.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows).encode()}


def _parquet() -> Content:
    import polars as pl

    made = io.BytesIO()
    pl.DataFrame(
        {"item": [f"q{i}" for i in range(30)]}
        | {name: [(i * k) % 5 / 4 for i in range(30)] for k, name in enumerate("ab", start=2)}
    ).write_parquet(made)
    return {"t.parquet": made.getvalue()}


def _lm_eval_tasks(results: Any, folder: Path) -> list[Path]:
    for task in ("gsm8k", "mmlu_law"):
        paths = log_writers.lm_eval(results, folder, task)
    return sorted({path.parent for path in paths})


def _log(name: str, folder: Path) -> Seed:
    home = folder / "seeds" / name
    home.mkdir(parents=True)
    write = getattr(log_writers, name, _lm_eval_tasks)
    named = [path.relative_to(home) for path in write(RESULTS, home)]
    content = {
        str(p.relative_to(home)): p.read_bytes() for p in sorted(home.rglob("*")) if p.is_file()
    }
    zipped = any(data.startswith(b"PK") for data in content.values())
    binary = any(data.startswith(b"PAR1") for data in content.values())
    changes: list[Change] = [rearchived, flipped] if zipped else [*STRUCTURED, *TEXTUAL]
    changes = BINARY if binary else [*changes, compressed]
    return Seed(content, partial(uses.anything, named=named), changes)
