"""The door: the right columns are read, or there is no verdict.

Every case is a small file: what was understood of it, on the line that says so, or the exit code
and the words of the message that tell the place and the remedy.
"""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import zstandard

from conftest import Run

Command = Callable[..., Run]
N = 12
RNG = np.random.default_rng(7)
BASE = RNG.integers(0, 2, N).tolist()
NEW = RNG.integers(0, 2, N).tolist()
REAL_BASE = RNG.normal(60, 10, N).round(2).tolist()
REAL_NEW = RNG.normal(63, 10, N).round(2).tolist()
STARS_BASE = RNG.integers(1, 6, N).tolist()
STARS_NEW = RNG.integers(1, 6, N).tolist()
IDS = [f"q{k}" for k in range(1, N + 1)]
COUNT = list(range(1, N + 1))
LEVEL = [k % 5 + 1 for k in range(N)]
SECTION = [22 + k % 3 for k in range(N)]
LENGTH = RNG.integers(5, 3000, N).tolist()
DOMAIN = ["news" if k % 2 else "web" for k in range(N)]
UNIT = {"base": BASE, "new": NEW}


class Case(NamedTuple):
    """A file, what is asked of it, and what is to be said."""

    name: str
    text: str | bytes
    words: str
    code: int
    said: tuple[str, ...]
    suffix: str = ".csv"


def csv(columns: dict[str, Sequence[object]], sep: str = ",") -> str:
    """A table as delimited text."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "\n".join(sep.join(map(str, row)) for row in rows) + "\n"


def records(columns: dict[str, Sequence[object]]) -> str:
    """A table as JSON Lines."""
    rows = zip(*columns.values(), strict=True)
    return "\n".join(json.dumps(dict(zip(columns, row, strict=True))) for row in rows)


def long(**more: Sequence[object]) -> dict[str, Sequence[object]]:
    """Columns of a long table; ``more`` has a value per item."""
    return {
        "item": IDS * 2,
        "system": ["base"] * N + ["new"] * N,
        **{name: [*values] * 2 for name, values in more.items()},
        "score": [*BASE, *NEW],
    }


def mixed() -> dict[str, Sequence[object]]:
    """Columns of a long table in which every other item has the systems turned."""
    order = [k + N * (k % 2 ^ turn) for k in range(N) for turn in (1, 0)]
    return {name: [values[at] for at in order] for name, values in long().items()}


def understood(
    name: str, columns: dict[str, Sequence[object]], *said: str, words: str = "compare"
) -> Case:
    """A table of which this is said, with a verdict on base and new alone."""
    return Case(name, csv(columns), words, 0, said)


def refused(
    name: str, columns: dict[str, Sequence[object]], *said: str, words: str = "compare"
) -> Case:
    """A table without a verdict."""
    return Case(name, csv(columns), words, 4, said)


ID_NAMES = "sample no line row n sentence problem task key case # nr line_no question".split()
PROPERTIES = "length level section year tokens avg_length n_tokens difficulty num_words".split()

INDEXES = [
    understood(
        "index", {"": range(N), "item": IDS, **UNIT}, "item=item", "not compared: (no name)"
    ),
    understood("index alone", {"": range(N), **UNIT}, "item=(no name)", "systems base, new"),
    understood(
        "Unnamed", {"Unnamed: 0": range(N), "item": IDS, **UNIT}, "not compared: Unnamed: 0"
    ),
    understood("Unnamed alone", {"Unnamed: 0": range(N), **UNIT}, "item=Unnamed: 0"),
    understood(
        "two indexes",
        {"": range(N), "Unnamed: 0": range(N), "id": IDS, **UNIT},
        "item=id",
        "not compared: (no name), Unnamed: 0",
    ),
    understood(
        "index at the end", {"item": IDS, **UNIT, "Unnamed: 3": range(N)}, "not compared: Unn"
    ),
    understood("index of filtered rows", {"": range(0, 5 * N, 5), "id": IDS, **UNIT}, "item=id"),
    understood(
        "index of a sample", {"": COUNT[::-1], "item": IDS, **UNIT}, "not compared: (no name)"
    ),
    understood("index_level", {"__index_level_0__": range(N), **UNIT}, "item=__index_level_0__"),
    understood("index beside sample", {"": range(N), "sample": COUNT, **UNIT}, "item=sample"),
]
NUMBERED = [
    case
    for name in ID_NAMES
    for case in (
        understood(
            f"{name} names items", {name: COUNT, **UNIT}, f"item={name}", "systems base, new"
        ),
        understood(
            f"{name} beside ids", {"item": IDS, name: COUNT, **UNIT}, f"not compared: {name}"
        ),
    )
]
COUNTING = [
    understood("unknown name counts", {"lfd": COUNT, **UNIT}, "item=lfd"),
    understood("counts from 1000", {"lfd": range(1000, 1000 + N), **UNIT}, "item=lfd"),
    understood("goes up", {"lfd": range(7, 7 * N + 7, 7), **UNIT}, "item=lfd"),
    understood("counts, shuffled", {"lfd": [*COUNT[5:], *COUNT[:5]], **UNIT}, "item=lfd"),
    understood("counts at the end", {**UNIT, "lfd": COUNT}, "item=lfd", "systems base, new"),
    refused(
        "goes up among its like",
        {"lfd": range(1, 100, 9), "base": [7] * 11, "new": [9] * 11},
        "'lfd' counts up",
        "label=lfd",
    ),
    refused(
        "goes up beside ids",
        {"item": IDS, "lfd": range(7, 7 * N + 7, 7), **UNIT},
        "'lfd' counts up",
        "label=lfd",
        "--systems lfd,base,new",
    ),
    understood("counts beside ids", {"item": IDS, "lfd": COUNT, **UNIT}, "not compared: lfd"),
    refused(
        "few rows count",
        {"item": IDS[:4], "x": COUNT[:4], "base": [1, 0, 1, 1], "new": [1, 1, 0, 1]},
        "'x' counts up",
        "label=x",
        "--systems x,base,new",
    ),
    refused(
        "everything counts", {"item": IDS, "x": COUNT, "y": COUNT}, "no other column", "'x', 'y'"
    ),
    understood(
        "task is a label",
        {"item": IDS, "task": LEVEL, **UNIT},
        "label task",
        words="compare --label task",
    ),
    refused("task of a few numbers", {"item": IDS, "task": LEVEL, **UNIT}, "label=task"),
    understood(
        "sample is a system", {"item": IDS, "greedy": BASE, "sample": NEW}, "systems greedy, sample"
    ),
    understood(
        "text names items", {"sentence": [f"the {k}" for k in IDS], **UNIT}, "item=sentence"
    ),
    understood("leading zeros stay", {"no": [f"{k:03}" for k in COUNT], **UNIT}, "item=no"),
]
DOUBTS = [
    *(
        refused(
            f"{name} first",
            {"item": IDS, name: LENGTH, **UNIT},
            f"label={name}",
            f"--systems {name},base,new",
        )
        for name in PROPERTIES
    ),
    *(
        refused(
            f"{name} among stars",
            {"item": IDS, "base": STARS_BASE, "new": STARS_NEW, name: LEVEL},
            f"label={name}",
        )
        for name in ("level", "grade", "turn", "label", "is_hard")
    ),
    *(
        refused(
            f"{kind} beside 0/1",
            {"item": IDS, "zzz": values, **UNIT},
            "'zzz'",
            "--systems base,new",
            "--systems zzz,base,new",
        )
        for kind, values in {
            "sections": SECTION,
            "levels": LEVEL,
            "lengths": LENGTH,
            "negatives": [-x for x in LENGTH],
            "years": [2019 + k % 4 for k in range(N)],
            "big floats": [x + 0.5 for x in LENGTH],
        }.items()
    ),
    refused(
        "lengths beside percents",
        {"item": IDS, "base": REAL_BASE, "new": REAL_NEW, "zzz": LENGTH},
        "whole numbers",
        "--systems base,new",
    ),
    refused(
        "sections beside percents",
        {"item": IDS, "zzz": SECTION, "base": REAL_BASE, "new": REAL_NEW},
        "--systems base,new",
    ),
    refused(
        "years beside stars",
        {"item": IDS, "zzz": [2019] * N, "base": STARS_BASE, "new": STARS_NEW},
        "--systems base,new",
    ),
    refused(
        "a rate beside percents", {"item": IDS, "base": BASE, "new": REAL_NEW}, "different kinds"
    ),
    refused("rank, too", {"item": IDS, "level": LEVEL, **UNIT}, "label=level", words="rank"),
    refused(
        "gate, too", {"item": IDS, "level": LEVEL, **UNIT}, "label=level", words="gate --margin 5"
    ),
    refused(
        "study, too", {"item": IDS, "level": LEVEL, **UNIT}, "label=level", words="study gains"
    ),
    refused(
        "power, too", {"item": IDS, "level": LEVEL, **UNIT}, "label=level", words="power --mde 5"
    ),
    refused("inspect, too", {"item": IDS, "level": LEVEL, **UNIT}, "label=level", words="inspect"),
    refused(
        "one candidate is not all",
        {"item": IDS, "zzz": LENGTH, **UNIT},
        "--systems base,new",
        words="compare --candidate new",
    ),
]
SETTLED = [
    understood(
        f"{words}",
        {"item": IDS, "level": LEVEL, "domain": DOMAIN, **UNIT},
        said,
        "systems base, new",
        words=words,
    )
    for words, said in {
        "compare --label level": "labels level, domain",
        "compare --systems base,new": "not compared: level",
        "compare --systems base --systems new": "not compared: level",
        "compare -b base --candidate new": "not compared: level",
        "compare --by level": "labels level, domain",
        "compare --cluster level": "cluster=level (5)",
        "compare --all --systems base,new": "not compared: level",
        "rank --systems base,new": "not compared: level",
        "rank --label level": "labels level, domain",
        "rank --columns task=level": "labels level, domain",
        "rank --by level": "labels level, domain",
        "inspect --systems base,new": "not compared: level",
        "study gains --by level": "labels level, domain",
        "study false-alarms --simulations 20 --label level": "labels level, domain",
        "power --mde 5 --label level": "labels level, domain",
        "compare --score base,new --input-format wide": "not compared: level",
    }.items()
]
MORE = [
    *(
        refused(f"{name} beside 0/1", {"item": IDS, **UNIT, name: [0.7] * N}, f"label={name}")
        for name in ("temperature", "base_conf", "new_stderr", "diff", "prob", "top_p")
    ),
    refused(
        "fractions beside 0/1",
        {"item": IDS, **UNIT, "zzz": [k / 13 for k in LEVEL]},
        "--systems base,new",
    ),
    refused(
        "a row of means",
        {"item": [*IDS, "mean"], "base": [*BASE, 0.5], "new": [*NEW, 0.5]},
        "'mean'",
        "delete that row",
    ),
    refused(
        "a row of totals",
        {"item": [*IDS, "Total"], "base": [*BASE, 5], "new": [*NEW, 7]},
        "'Total'",
        "delete that row",
    ),
    refused(
        "matches beside F1",
        {"item": IDS, "base": [100 * x for x in BASE], "new": REAL_NEW},
        "different kinds",
        "--systems base,new",
    ),
]
HONEST = [
    understood(f"honest {kind}", {"item": IDS, "base": base, "new": new}, "systems base, new")
    for kind, (base, new) in {
        "zeros and ones": (BASE, NEW),
        "all wrong": ([0] * N, NEW),
        "all right": (BASE, [1] * N),
        "stars": (STARS_BASE, STARS_NEW),
        "percents": (REAL_BASE, REAL_NEW),
        "error rates": ([x / 100 for x in REAL_BASE], [*(x / 100 for x in REAL_NEW[1:]), 3.0]),
        "counts of errors": (BASE, [2 * x for x in NEW]),
        "penalties": ([-x for x in STARS_BASE], [-x for x in STARS_NEW]),
        "signed": ([x - 60 for x in REAL_BASE], [x - 60 for x in REAL_NEW]),
        "perfect beside percents": ([100] * N, REAL_NEW),
        "counts": (LENGTH, LENGTH[::-1]),
        "lucky": ([0.0] * (N - 1) + [0.5], NEW),
    }.items()
]
LONG = [
    refused("long, shuffled", mixed(), "--baseline base", "--baseline new")._replace(code=2),
    refused("long, shuffled, gate", mixed(), "--baseline base", words="gate --margin 5")._replace(
        code=2
    ),
    understood("long, shuffled, told", mixed(), "systems base", words="compare --baseline base"),
    understood("long, shuffled, ranked", mixed(), "systems base, new", words="rank"),
    understood("long", long(), "item=item · system=system", "score score", "systems base, new"),
    understood("long, by level", long(level=LEVEL), "label level", words="compare --by level"),
    understood(
        "long, by section",
        long(section=SECTION),
        "label section",
        words="rank --columns task=section",
    ),
    understood(
        "long, cluster",
        long(section=SECTION),
        "cluster=section (3)",
        words="compare --cluster section",
    ),
    understood("long, label", long(year=SECTION), "label year", words="compare --label year"),
    understood(
        "long, score", long(tokens=LENGTH), "not compared: tokens", words="compare --score score"
    ),
    understood("long, level", long(level=LEVEL), "score score", "label level"),
    Case("long, of words", csv(long(words=LENGTH)), "compare", 2, ("2 columns (words, score)",)),
    understood("long, measured", long(level=LEVEL), "score score", words="compare -m mean(score)"),
    understood("long, index", {"": range(2 * N), **long()}, "not compared: (no name)"),
    understood("long, numbered rows", {"lfd": range(2 * N), **long()}, "not compared: lfd"),
    understood(
        "long, some systems",
        long(),
        "systems new, base",
        words="rank --systems new,base",
    ),
    understood("long, text", long(domain=DOMAIN), "label domain"),
    understood(
        "long, weak ids",
        {"no": COUNT * 2, "system": ["base"] * N + ["new"] * N, "score": [*BASE, *NEW]},
        "item=no",
    ),
    Case(
        "long, two numbers",
        csv({**long(), "tokens": [*LENGTH, *LENGTH[::-1]]}),
        "compare",
        2,
        ("2 columns (score, tokens)",),
    ),
    Case("long, unknown system", csv(long()), "rank --systems nobody", 2, ("no system 'nobody'",)),
    refused(
        "long, only lengths",
        {"item": IDS * 2, "system": ["base"] * N + ["new"] * N, "length": [*LENGTH, *LENGTH]},
        "'length' is the only column",
        "score=length",
    ),
    understood(
        "long, answers",
        long() | {"response": [f"The answer to {k} is no" for k in range(2 * N)]},
        "not compared: response",
    ),
    understood(
        "long, short answers", long() | {"response": [*"ABCD"] * (N // 2)}, "label response"
    ),
    understood(
        "long, repeats",
        {name: [*values] * 2 for name, values in long().items()}
        | {"response": ["first"] * 2 * N + ["second"] * 2 * N},
        "response=response (2 an item)",
    ),
]
AVERAGES = [
    refused(
        "averages",
        {"name": ["a", "b", "c"], "win_rate": [0.5, 0.6, 0.7], "avg_length": [9, 8, 7]},
        "there are no items",
        "nothing can be tested",
        words="rank",
    ),
    refused(
        "averages by model",
        {"model": ["a", "b", "c"], "mmlu": [0.5, 0.6, 0.7], "gsm8k": [0.2, 0.3, 0.3]},
        "'model' is a system",
        words="rank",
    ),
    refused(
        "averages by method",
        {"method": ["a", "b", "c"], "f1": [50.5, 60.1, 70.3]},
        "nothing can be tested",
    ),
    refused(
        "averages of one score", {"system": ["a", "b"], "score": [0.5, 0.6]}, "there are no items"
    ),
    refused(
        "averages by team",
        {"team": [*"abcdef"], "bleu": REAL_BASE[:6], "chrf": REAL_NEW[:6]},
        "'team' is a system",
        words="rank",
    ),
    understood("items have names", {"name": IDS, **UNIT}, "item=name"),
]
VALUES = [
    understood(
        "percents",
        {"item": IDS, "base": [f"{x}%" for x in REAL_BASE], "new": [f"{x} %" for x in REAL_NEW]},
        "85% as 85",
    ),
    refused(
        "some percents",
        {"item": IDS, "base": ["85%", *REAL_BASE[1:]], "new": REAL_NEW},
        "'85%' in line 2",
    ),
    refused(
        "percents beside shares",
        {"item": IDS, "base": [f"{x}%" for x in REAL_BASE], "new": [x / 100 for x in REAL_NEW]},
        "different kinds",
    ),
    understood(
        "truth",
        {"item": IDS, "base": [bool(x) for x in BASE], "new": [bool(x) for x in NEW]},
        "true/false as 1/0",
    ),
    refused(
        "a word",
        {"item": IDS, "base": [*BASE[:5], "oops", *BASE[6:]], "new": NEW},
        "column 'base'",
        "'oops' in line 7",
        "correct them",
    ),
    refused(
        "a comma",
        {"item": IDS, "base": ['"0,5"'] * N, "new": REAL_NEW},
        "commas",
        "'0,5' in line 2",
    ),
    refused(
        "no score",
        {"item": IDS, "base": [*BASE[:5], "", *BASE[6:]], "new": NEW},
        "system 'base' has no score for 1 of 12 items ('q6')",
        "--missing drop",
    ),
    refused(
        "no score, either",
        {"item": IDS, "base": ["", *BASE[1:]], "new": [*NEW[:-1], "NA"]},
        "'base' has no score for 1 of 12 items ('q1')",
        "'new' has no score for 1 of 12 items ('q12')",
    ),
    refused(
        "rank has its own",
        {"item": IDS, "base": ["", *BASE[1:]], "new": NEW},
        "--missing pairwise",
        words="rank",
    ),
    refused("infinite", {"item": IDS, "base": ["inf", *BASE[1:]], "new": NEW}, "infinite scores"),
    refused("no id", {"item": ["", *IDS[1:]], **UNIT}, "no item (line 2)"),
    refused("ids twice", {"item": ["q2", *IDS[1:]], **UNIT}, "'q2'", "response="),
    refused(
        "too large",
        {"item": IDS, "base": [2**53 + 1, *LENGTH[1:]], "new": LENGTH},
        "'base' holds 9007199254740993 in line 2",
        "beyond 2^53",
    ),
    understood("large ids", {"item": [2**60 + k for k in range(N)], **UNIT}, "item=item"),
    Case(
        "too large, JSON",
        records({"item": IDS, "base": [2**53 + 1, *LENGTH[1:]], "new": LENGTH}),
        "compare",
        4,
        ("9007199254740993 in line 1",),
        ".jsonl",
    ),
    Case(
        "a word, JSON",
        records({"item": IDS, "base": [*BASE[:-1], "oops"], "new": NEW}),
        "compare",
        4,
        ("'oops' in line 12",),
        ".jsonl",
    ),
    Case(
        "partly run again",
        records({"item": IDS, "score": BASE}) + '\n{"item": "q3", "score": 1}\n',
        "inspect",
        4,
        ("more than one score for 1 item ('q3')", "response="),
        ".jsonl",
    ),
    Case(
        "partly run again, with answers",
        records({"item": IDS, "response": IDS, "score": BASE})
        + '\n{"item": "q3", "response": "B", "score": 1}\n',
        "inspect",
        4,
        ("more than one score for 1 item ('q3')", "response="),
        ".jsonl",
    ),
    Case(
        "nested values",
        records({"item": IDS, **UNIT, "meta": [{"a": 1}] * N}),
        "compare",
        0,
        ("not compared: meta",),
        ".jsonl",
    ),
    Case(
        "blank lines count",
        "item,base,new\n\nq1,1,0\n\nq2,oops,1\nq3,1,1\nq4,1,1\n",
        "compare",
        4,
        ("'oops' in line 5",),
    ),
    Case(
        "lines within quotes",
        'item,base,new\n"q\n1",1,0\nq2,oops,1\nq3,1,1\nq4,1,1\n',
        "compare",
        4,
        ("'oops' in line 4",),
    ),
    Case("no rows", "item,base,new\n", "compare", 4, ("no rows",)),
    Case("nothing", "", "compare", 4, ("empty",)),
    Case(
        "no numbers",
        csv({"item": IDS, "base": IDS, "new": DOMAIN}),
        "compare",
        4,
        ("no column of numbers",),
    ),
    Case(
        "UTF-16", csv({"item": IDS, **UNIT}).encode("utf-16"), "compare", 0, ("systems base, new",)
    ),
    Case(
        "UTF-8 with a mark",
        csv({"item": IDS, **UNIT}).encode("utf-8-sig"),
        "compare",
        0,
        ("item=item",),
    ),
    Case(
        "Latin-1",
        csv({"item": [f"é{k}" for k in IDS], **UNIT}).encode("latin-1"),
        "compare",
        4,
        ("line 2", "UTF-8"),
    ),
    Case(
        "gzip",
        gzip.compress(csv({"item": IDS, **UNIT}).encode()),
        "compare",
        0,
        ("item=item",),
        ".csv.gz",
    ),
    *(
        Case(f"{kind[1:]}", squeezed, "compare", 0, ("item=item", "base, new"), f".csv{kind}")
        for kind, squeezed in {
            ".bz2": bz2.compress(csv({"item": IDS, **UNIT}).encode()),
            ".xz": lzma.compress(csv({"item": IDS, **UNIT}).encode()),
            ".zst": zstandard.compress(csv({"item": IDS, **UNIT}).encode()),
        }.items()
    ),
    Case("cut off", bz2.compress(csv(long()).encode())[:-20], "compare", 4, ("cut",), ".csv.bz2"),
    Case("cut off xz", lzma.compress(csv(long()).encode())[:-20], "compare", 4, ("cut",), ".xz"),
]
ALONE = [
    Case("alone", csv({"item": IDS, "correct": BASE}), "score", 0, ("Clopper-Pearson",)),
    Case(
        "alone among labels",
        csv({"item": IDS, "correct": BASE, "topic": DOMAIN}),
        "score --by topic",
        0,
        ("topic=news", "topic=web", "table of one system"),
    ),
    Case(
        "alone in clusters",
        csv({"item": IDS, "correct": BASE, "document": DOMAIN}),
        "score --cluster document",
        0,
        ("in 2 clusters", "Gaffke's bounds for scores from 0 to 1"),
    ),
    Case(
        "alone without bounds",
        csv({"item": IDS, "rating": STARS_BASE}),
        "score",
        0,
        ("12 items without bounds", "--bound"),
    ),
    Case(
        "alone with bounds",
        csv({"item": IDS, "rating": STARS_BASE}),
        "score --bounds 1,5",
        0,
        ("Gaffke's bounds for scores from 1 to 5",),
    ),
    Case(
        "alone beyond its bounds",
        csv({"item": IDS, "rating": STARS_BASE}),
        "score --bounds 0,3",
        2,
        ("do not lie within the bounds declared, 0 to 3",),
    ),
    Case(
        "bounds that are none",
        csv({"item": IDS, "rating": STARS_BASE}),
        "score --bounds 5",
        2,
        ("--bounds must be two numbers",),
    ),
    Case(
        "alone, compared",
        csv({"item": IDS, "correct": BASE, "document": DOMAIN}),
        "compare --cluster document --test t --all --alpha=0.1",
        4,
        ("only one system, 't'", "betterthan score t.csv --cluster document"),
    ),
    Case(
        "several responses, alone",
        csv({"item": IDS * 2, "seed": [1] * N + [2] * N, "correct": BASE + NEW}),
        "score --response seed",
        0,
        ("several responses an item", "Gaffke's bounds for scores from 0 to 1"),
    ),
    Case("two at once", csv({"item": IDS, **UNIT}), "score", 0, ("compare them", "new ")),
]
TURNED = (
    "model,"
    + ",".join(IDS)
    + "\n"
    + "\n".join(
        f"{name},{','.join(map(str, row))}"
        for name, row in (("base", REAL_BASE), ("new", REAL_NEW))
    )
)
NO_NAMES = "\n".join(f"{k},{a},{b}" for k, a, b in zip(IDS, REAL_BASE, REAL_NEW, strict=True))
ROW_PER = "compare --input-format transposed"
SHAPES = [
    Case("transposed", TURNED, "compare", 4, ("no items", "--input-format transposed")),
    Case(
        "transposed, asked", TURNED, ROW_PER, 0, ("a row per model", "systems base, new", "by id")
    ),
    Case(
        "transposed rank", TURNED, "rank --input-format transposed", 0, ("12 items paired by id",)
    ),
    Case("transposed twice", f"{TURNED}\n{TURNED}".replace("new", "base"), ROW_PER, 4, ("'base'",)),
    Case(
        "transposed with words",
        TURNED.replace(str(REAL_NEW[0]), "oops"),
        ROW_PER,
        4,
        ("'oops' in column 'q1'",),
    ),
    Case(
        "transposed by another column",
        "k," + TURNED.replace("base", "1,base").replace("new", "2,new").replace("model", "who"),
        f"{ROW_PER} --system who --label k",
        0,
        ("a row per who", "not compared: k"),
    ),
    Case(
        "transposed without names",
        TURNED.split("\n", 1)[1],
        "compare --input-format csv(transposed=yes,header=no)",
        0,
        ("a row per column_1", "systems base, new"),
    ),
    Case("no names", NO_NAMES, "compare", 4, ("does line 1", "csv(header=no)")),
    Case(
        "no names, asked",
        NO_NAMES,
        "compare --input-format csv(header=no)",
        0,
        ("item=column_1", "systems column_2, column_3", "12 items paired by id"),
    ),
    Case(
        "no names, no column",
        NO_NAMES,
        "compare --input-format csv(header=no) --item id",
        2,
        ("'column_1'",),
    ),
    Case(
        "names, denied",
        csv({"item": IDS, **UNIT}),
        "compare --input-format csv(header=no)",
        4,
        ("'base' in line 1",),
    ),
    Case(
        "names in records",
        records({"item": IDS, **UNIT}),
        "compare --input-format csv(header=no)",
        4,
        ("looks like json, not csv",),
        ".jsonl",
    ),
    refused(
        "partly rerun",
        {
            "item": [*IDS, "q1", *IDS],
            "system": ["base"] * (N + 1) + ["new"] * N,
            "seed": [1] * N + [2] + [1] * N,
            "score": [*BASE, 0, *NEW],
        },
        "'base' has 1 to 2 rows per item",
        "response=seed",
    ),
    understood(
        "partly rerun, asked",
        {
            "item": [*IDS, "q1", *IDS],
            "system": ["base"] * (N + 1) + ["new"] * N,
            "seed": [1] * N + [2] + [1] * N,
            "score": [*BASE, 0, *NEW],
        },
        "response=seed (1–2 an item)",
        words="compare --response seed",
    ),
]
INSTANCES = [f"django__django-{k}" for k in COUNT]
RESOLVED = [name for name, right in zip(INSTANCES, NEW, strict=True) if right]
TESTS = [
    {
        "input": f"What is {k}?",
        "success": bool(x),
        "metricsData": [{"name": "Bias", "score": 1 - x}],
    }
    for k, x in zip(COUNT, NEW, strict=True)
]
DETAILS: dict[str, object] = {
    str(k): {"predictions": "a", "references": "b", "correct": bool(x)} for k, x in enumerate(NEW)
}
LANGSMITH = csv({"inputs.q": IDS, "feedback.ok": NEW, "execution_time": LENGTH, "example_id": IDS})


def log(
    name: str,
    value: object,
    *said: str,
    code: int = 0,
    words: str = "inspect",
    suffix: str = ".json",
) -> Case:
    """A log of one system, or an export of several."""
    text = value if isinstance(value, str | bytes) else json.dumps(value)
    return Case(name, text, words, code, said, suffix)


def ragas(**columns: Sequence[object]) -> str:
    return csv({"": range(N), "user_input": IDS, "response": IDS} | columns)


def alpaca(preferences: Sequence[float]) -> list[dict[str, object]]:
    return [
        {"instruction": f"q{k}", "generator_1": "ref", "generator_2": "m", "preference": x}
        for k, x in enumerate(preferences)
    ]


LOGS = [
    log(
        "swe-bench report",
        {"total_instances": N, "submitted_ids": INSTANCES, "resolved_ids": RESOLVED},
        "1 x SWE-bench · item=instance_id · score resolved · system t",
    ),
    log("swe-bench, cut off", '{"resolved_ids": ["a", "b', "t.json is cut off", code=4),
    log("swe-bench, no list", {"resolved_ids": 7}, "t.json: resolved_ids is no list", code=4),
    log(
        "swe-bench, resolved alone",
        {"resolved": RESOLVED, "no_generation": [], "no_logs": []},
        "t.json lists",
        "JSON array of all instance ids",
        code=4,
    ),
    log(
        "swe-bench, too few",
        {"total_instances": 2, "submitted_ids": INSTANCES, "resolved_ids": RESOLVED},
        "t.json says that there are 2 instances",
        code=4,
    ),
    log(
        "swe-bench, details",
        {name: {"resolved": bool(x), "cost": 1.5} for name, x in zip(INSTANCES, NEW, strict=True)},
        "score resolved",
        "not compared: cost",
    ),
    log("deepeval", {"testCases": TESTS}, "item=input · score pass", "not compared: Bias"),
    log("deepeval, a word", {"testCases": [{"success": "yes"}]}, "t.json is not what", code=4),
    log(
        "ragas",
        ragas(faithfulness=REAL_NEW),
        "1 x ragas · item=user_input · score faithfulness · system t",
        suffix=".csv",
    ),
    log(
        "ragas, an index is no score",
        ragas(faithfulness=[""] * N),
        "holds no scores",
        suffix=".csv",
        code=4,
    ),
    log(
        "ragas, the same question",
        ragas(user_input=["q"] * N, faithfulness=NEW),
        "more than once",
        suffix=".csv",
        code=4,
    ),
    log(
        "langsmith",
        LANGSMITH,
        "item=example_id · score ok",
        "not compared: execution_time",
        suffix=".csv",
    ),
    log(
        "braintrust",
        [
            {"created": "", "input": k, "output": "", "scores": {"F": x}, "metrics": {"tokens": 3}}
            for k, x in zip(IDS, NEW, strict=True)
        ],
        "item=input · score F",
        "not compared: total_tokens",
    ),
    log("opencompass", {"accuracy": 1, "details": DETAILS}, "1 x OpenCompass", "score correct"),
    log(
        "opencompass, a sample is no record",
        {"accuracy": 1, "details": DETAILS | {"7": 3}},
        "t.json: sample 7 has no details",
        code=4,
    ),
    log(
        "lighteval, averages",
        {"config_general": {}, "results": {}},
        "t.json holds averages only",
        "--save-details",
        code=4,
    ),
    log(
        "promptfoo csv",
        "q,[a] P,Status,Score,Named Scores,Grader Reason,Comment\n"
        + "".join(f"{k},hm,{'PASS' if x else 'FAIL'},{x}.00,,,\n" for k, x in enumerate(NEW)),
        "1 x promptfoo · item=test · score pass · system a",
        suffix=".csv",
    ),
    log(
        "promptfoo csv, old",
        "q,[a] P,[b] P\n"
        + "".join(
            f"{k},[{'PASS' if x else 'FAIL'}] hm,[{'PASS' if y else 'FAIL'}] no\n"
            for k, (x, y) in enumerate(zip(BASE, NEW, strict=True))
        ),
        "systems a, b",
        suffix=".csv",
        words="compare",
    ),
    log(
        "promptfoo csv, a word",
        "q,[a] P\n1,[PASS] hm\n2,hm\n",
        "line 3 neither passed nor failed",
        suffix=".csv",
        code=4,
    ),
    log(
        "alpaca",
        alpaca([1 + x for x in NEW]),
        "judgments against ref · item=instruction",
        words="compare",
    ),
    log(
        "alpaca, beyond",
        alpaca([3.0] * N),
        "t.json: row 1",
        "lies between 1 and 2",
        code=4,
        words="compare",
    ),
    *(
        log(
            f"log in {end[1:]}",
            squeezed,
            "1 x deepeval · item=input",
            suffix=f".json{end}",
        )
        for end, squeezed in {
            ".gz": gzip.compress(json.dumps({"testCases": TESTS}).encode()),
            ".bz2": bz2.compress(json.dumps({"testCases": TESTS}).encode()),
            ".xz": lzma.compress(json.dumps({"testCases": TESTS}).encode()),
            ".zst": zstandard.compress(json.dumps({"testCases": TESTS}).encode()),
        }.items()
    ),
    log(
        "half a zst",
        zstandard.compress(json.dumps({"testCases": TESTS}).encode())[:-9],
        "t.json.zst, which is damaged or cut off",
        suffix=".json.zst",
        code=4,
    ),
    Case(
        "half a table in zst",
        zstandard.compress(csv({"item": IDS, **UNIT}).encode())[:-9],
        "compare",
        4,
        ("t.csv.zst, which is damaged or cut off",),
        ".csv.zst",
    ),
]
CASES = [
    *SHAPES,
    *LOGS,
    *ALONE,
    *INDEXES,
    *NUMBERED,
    *COUNTING,
    *DOUBTS,
    *SETTLED,
    *MORE,
    *HONEST,
    *LONG,
    *AVERAGES,
    *VALUES,
]


def test_there_are_many() -> None:
    assert len(CASES) >= 200
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_door(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, betterthan: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    text = case.text if isinstance(case.text, bytes) else case.text.encode()
    path = tmp_path / f"t{case.suffix}"
    path.write_bytes(text)
    command, *words = case.words.split()
    if command == "study":
        command = f"{command} {words.pop(0)}"
    run = betterthan(*command.split(), path.name, *words)
    assert run.code == case.code or (case.code == 0 and "gate" in case.words), run.err
    output = run.out + run.err
    for said in case.said:
        assert said in output
    if case.code:
        assert not any(word in run.out for word in ("BETTER", "WORSE", "CAN'T TELL"))
        assert "Traceback" not in output
