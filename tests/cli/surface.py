"""What the tests of the command line share: its functions, and small files with faults."""

import inspect
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np

from betterthan.resampling.work import Sampling

# What each command calls, by the keywords of these functions.
CALLS = {
    "compare": ("read", "compare_many"),
    "rank": ("read", "rank"),
    "score": ("read", "score"),
    "gate": ("read", "gate"),
    "power": ("read", "power", "Pilot", "Rates", "Spread", "design.allocations"),
    "responses compare": (
        *("read", "responses.read_trio", "responses.p_value", "responses.ResponseComparison"),
    ),
    "responses study": ("read", "responses.study"),
    "responses simulate": ("responses.simulate",),
    "study gains": (
        *("read", "design.thresholds", "design.thresholds_by_size", "design.thresholds_by_domain"),
    ),
    "study calibration": ("read", "design.calibration"),
    "study false-alarms": ("read", "design.aa_check"),
    "study aggregation": ("read", "compare_many", "ranking.study_disagreement"),
    "study published": ("read", "design.against_published", "design.published_thresholds"),
    "study training": ("design.write_training_sets",),
    "reproduce": ("papers.reproduce",),
    "demo": (),
    "inspect": ("read",),
    "list": (),
}


def keywords(name: str) -> set[str]:
    """Keywords of a public function, those of sampling among them."""
    *path, last = name.split(".")
    home = import_module(".".join(["betterthan", *path]))
    parameters = inspect.signature(getattr(home, last)).parameters
    names = {p.name for p in parameters.values() if p.kind is not p.VAR_KEYWORD}
    return names | (set(Sampling.__annotations__) if names != set(parameters) else set())


def keywords_of(command: str) -> set[str]:
    """Keywords of all functions that a command calls."""
    return {keyword for name in CALLS[command] for keyword in keywords(name)}


def write_files(folder: Path) -> None:
    """Small files, most of them with one fault."""
    rng = np.random.default_rng(5)
    ids = [f"q{k}" for k in range(1, 41)]
    base, new, third = rng.integers(0, 2, (3, 40)).tolist()
    stars = rng.integers(1, 6, (2, 40)).tolist()

    def table(name: str, head: str, *columns: Sequence[object]) -> None:
        rows = [
            ",".join("" if x is None else str(x) for x in row) for row in zip(*columns, strict=True)
        ]
        (folder / name).write_text("\n".join([head, *rows, ""]))

    def spoiled(column: list[int], value: object) -> list[object]:
        return [value if k in (3, 9) else x for k, x in enumerate(column)]

    domains = [f"d{k % 2}" for k in range(40)]
    documents = [f"doc{k // 4}" for k in range(40)]
    table("t.csv", "item,domain,document,base,new,third", ids, domains, documents, base, new, third)
    table("pair.csv", "item,base,new", ids, base, new)
    table("one.csv", "item,base", ids, base)
    table("holes.csv", "item,base,new", ids, base, spoiled(new, None))
    table("bad.csv", "item,base,new", ids, base, spoiled(new, "oops"))
    table("stars.csv", "item,base,new", ids, *stars)
    table("commas.csv", 'item,"a,b",new,words', ids, base, new, [k / 7 for k in range(40)])
    table("tasks.csv", "item,task,base,new", ids, domains, base, new)
    table("a.csv", "item,score", ids, base)
    table("b.csv", "item,score", ids, new)
    table("upper.csv", "item,score", [name.upper() for name in ids], new)
    table(
        "mixed.csv",
        "item,base,new,gpt",
        ids,
        *rng.random((2, 40)).round(2).tolist(),
        rng.integers(100, 4500, 40).tolist(),
    )
    orders = [s for k in range(40) for s in (("base", "new"), ("new", "base"))[k % 2]]
    table("shuffled.csv", "item,system,score", [x for x in ids for _ in "ab"], orders, base + new)
    pairs = [("u", "v"), ("v", "w"), ("w", "u")] * 20
    winner = rng.choice(["model_a", "model_b", "tie"], 60).tolist()
    table(
        "battles.csv",
        "item,model_a,model_b,winner",
        [f"q{k // 3}" for k in range(60)],
        [a for a, _ in pairs],
        [b for _, b in pairs],
        winner,
    )
    responses = [
        (f"q{k}", s, r, int(rng.integers(1, 6)))
        for k in range(12)
        for s in ("gold", "old", "new")
        for r in "xyz"
    ]
    table("ratings.csv", "item,system,rater,score", *map(list, zip(*responses, strict=True)))
    for name, first in (("gold", "the"), ("a", "the"), ("b", "a")):
        lines = [f"{first if k % 3 else 'one'} cat sat on mat {k}" for k in range(40)]
        (folder / f"{name}.txt").write_text("\n".join([*lines, ""]))
    (folder / "rules.toml").write_text('[gate]\n[[gate.checks]]\nmetric = "accuracy"\nmargin = 9\n')
