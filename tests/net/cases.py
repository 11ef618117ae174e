"""The cases in Python: made-up data from a seed, and real data where they lie beside the net."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from names import (
    GONE, bt, get, is_of, map_of, of_board, of_calibration, of_comparisons, of_disagreements, of_estimates, of_gate, of_interval, of_pairwise,
    of_paper, of_parts, of_power, of_ranking, of_table, of_test, of_threshold_sets, of_thresholds, one_comparison, plain, thing, x_of,
)

HERE = Path(__file__).resolve()
DATA = next((d for d in (HERE.parents[3] / "shared" / "data", HERE.parents[1] / "data") if d.is_dir()), HERE.parents[1] / "data")  # tests/data are tests


class Later:
    """A module that is imported when a case needs it."""

    def __init__(self, name: str) -> None:
        self.called = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.called), name)


pd, pl = Later("pandas"), Later("polars")


class Case(NamedTuple):
    """A name, an area, and what makes the fields; or command lines, files and what is printed."""

    name: str
    area: str
    run: Callable[[], dict] | None
    words: list[list[str]] | None = None
    write: Callable[[Path], None] | None = None
    form: str = "json"
    draws: int = 1_000


# ---------------------------------------------------------------- made-up data


def binary(rng: np.random.Generator, n: int, pull: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Right or wrong; the gain is so many standard errors."""
    pull = rng.uniform(0.4, 3.4) if pull is None else pull
    ease = rng.random(n)
    a = (ease + rng.normal(0, 0.25, n) < 0.6).astype(int)
    b = (ease + rng.normal(0, 0.25, n) < 0.6 + pull * 0.5 / np.sqrt(n)).astype(int)
    return a, b


def whole(rng: np.random.Generator, n: int, top: int, pull: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    pull = rng.uniform(0.4, 3.4) if pull is None else pull
    a = rng.integers(0, top + 1, n)
    step = max(1, top // 4)
    b = a + rng.integers(-step, step + 1, n) + (rng.random(n) < pull * 0.6 * step / np.sqrt(n))
    return a, np.clip(b, 0, top)


def reals(rng: np.random.Generator, n: int, law: str = "normal", pull: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    pull = rng.uniform(0.4, 3.6) if pull is None else pull
    a = rng.random(n)
    noise = {
        "normal": rng.normal(0, 0.1, n),
        "lognormal": 0.05 * (rng.lognormal(0, 1, n) - np.exp(0.5)),
        "cauchy": 0.05 * rng.standard_cauchy(n),
        "uniform": rng.uniform(-0.15, 0.15, n),
        "sparse": rng.normal(0, 0.2, n) * (rng.random(n) < 0.3),
        "rounded": rng.normal(0, 0.1, n).round(3),
    }[law]
    b = a + noise + (pull * 0.1 / np.sqrt(n)) * (noise != 0)
    return (a.round(3), b.round(3)) if law == "rounded" else (a, b)


def labels(rng: np.random.Generator, n: int, kind: str) -> list[str]:
    if kind == "equal":
        return [f"d{k // 4}" for k in range(n)]
    if kind == "pairs":
        return [f"d{k // 2}" for k in range(n)]
    if kind == "one":
        return ["d"] * n
    if kind == "single":
        return [f"d{k}" for k in range(n)]
    return [f"d{k}" for k in rng.geometric(4 / n, n)]


def counts(rng: np.random.Generator, n: int, metric: str, pull: float = 0.15) -> tuple[np.ndarray, np.ndarray]:
    """Counts of two systems in the order of the metric's columns."""
    gold = rng.poisson(3, n) + (metric in ("wer", "error-rate", "token-accuracy", "uas"))
    if metric in ("f1", "precision", "recall", "fbeta(2)"):
        made = []
        for p in (0.6, 0.6 + pull):
            tp = rng.binomial(gold, p)
            fp, fn = rng.poisson(0.8, n), gold - tp
            made.append(np.stack({"precision": [tp, fp], "recall": [tp, fn]}.get(metric, [tp, fp, fn]), axis=1))
        return made[0], made[1]
    if metric == "aer":
        sure = rng.poisson(4, n) + 1
        made = []
        for p in (0.6, 0.6 + pull):
            hits = rng.binomial(sure, p)
            possible = hits + rng.binomial(2, p, n)
            made.append(np.stack([possible + rng.poisson(1, n), sure, hits, possible], axis=1))
        return made[0], made[1]
    lower = metric in ("wer", "error-rate")
    first = [rng.binomial(gold, 0.3 - 0.5 * p if lower else 0.6 + p) for p in (0.0, pull)]
    return tuple(np.stack([x, gold], axis=1) for x in first)


def systems(rng: np.random.Generator, n: int, many: int, kind: str = "binary", spread: float = 1.0) -> dict[str, np.ndarray]:
    ease = rng.random(n)
    skill = np.sort(rng.normal(0, 0.12 * spread, many))
    made = {}
    for k in rng.permutation(many):
        raw = ease + skill[k] + rng.normal(0, 0.3, n)
        made[f"s{k}"] = {
            "binary": (raw > 0.45).astype(int),
            "stars": np.clip(np.round(1 + 4 * raw), 1, 5).astype(int),
            "reals": raw,
            "percent": np.clip(100 * raw, 0, 100).round(1),
        }[kind]
    return made


def scores(rng: np.random.Generator, n: int, many: int, kind: str = "binary", spread: float = 1.0, **more: Any) -> Any:
    return bt.Scores.from_arrays(systems(rng, n, many, kind, spread), **more)


COLUMNS = {"f1": ["tp", "fp", "fn"], "precision": ["tp", "fp"], "aer": ["links", "sure", "sure_hits", "possible_hits"], "wer": ["errors", "words"]}


def counted(rng: np.random.Generator, n: int, metric: str, pull: float, **more: Any) -> Any:
    return bt.Scores.from_arrays(dict(zip(("base", "new"), counts(rng, n, metric, pull))), columns=COLUMNS[metric], **more)


# ---------------------------------------------------------------- real data


@cache
def table(name: str, sep: str = ",") -> dict[str, list[str]]:
    with (DATA / name).open(newline="") as file:
        rows = list(csv.reader(file, delimiter=sep))
    return {head: [row[k] for row in rows[1:]] for k, head in enumerate(rows[0])}


def real_columns(name: str, ids: str | None) -> dict[str, np.ndarray]:
    """Systems of a wide table of real data; rows with a blank are left out."""
    columns = {k: v for k, v in table(name).items() if k != ids}
    full = [all(v[i] not in ("", "None") for v in columns.values()) for i in range(len(next(iter(columns.values()))))]
    return {k: np.array([float(x) for x, keep in zip(v, full) if keep]) for k, v in columns.items()}


def mqm() -> dict[str, np.ndarray]:
    rows = [line.split() for line in (DATA / "mqm2021_ende/mqm_newstest2021_ende.avg_seg_scores.tsv").read_text().splitlines()[1:]]
    rated: dict[str, dict[int, float]] = {}
    for system, value, segment in rows:
        if value != "None":
            rated.setdefault(system, {})[int(segment)] = float(value)
    shared = sorted(set.intersection(*(set(x) for x in rated.values())))
    return {name: np.array([x[s] for s in shared]) for name, x in rated.items()}


def battles(rng: np.random.Generator, many: int) -> dict[str, list[str]]:
    """Some judgments of real battles, with workers and prompts."""
    made = table("llmfao/crowd-comparisons.csv")
    keep = np.sort(rng.choice(len(made["id"]), many, replace=False))
    return {k: [v[i] for i in keep] for k, v in made.items()}


REAL = {
    "dialogue": lambda: real_columns("dialogue/dialogue_example_df.csv", None),
    "prime": lambda: real_columns("llmdrift/prime_correct.csv", "id"),
    "sensitive": lambda: real_columns("llmdrift/sensitiveq_response.csv", "id"),
    "wildbench": lambda: real_columns("wildbench/v2.0625_score.v2_eval-gpt-4o-2024-05-13.csv", "session_id"),
    "wildbench9": lambda: real_columns("wildbench/v2.0522_score.v2_eval-gpt-4o-2024-05-13.csv", "session_id"),
    "wildbench12": lambda: real_columns("wildbench/v2.0522_score.v2_eval-gpt-4-turbo-2024-04-09.csv", "session_id"),
    "mqm": mqm,
}


def bt_eval(rng: np.random.Generator, year: str, most: int | None = None) -> dict[str, np.ndarray]:
    files = sorted((DATA / "bt_eval").glob(f"{year}__*.csv"))
    made = real_columns(f"bt_eval/{files[rng.integers(len(files))].name}", "item")
    if most is None or most >= len(made):
        return made
    keep = sorted(rng.choice(len(made), most, replace=False))
    names = list(made)
    return {names[k]: made[names[k]] for k in keep}


def two_of(rng: np.random.Generator, made: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    a, b = rng.choice(sorted(made), 2, replace=False)
    return made[a], made[b]


# ---------------------------------------------------------------- exact


def exact(add: Callable) -> None:
    test = lambda a, b, *args, **more: of_test(bt.permutation_test(a, b, *args, **more))  # noqa: E731

    for n in (1, 2, 5, 8, 20, 50, 200, 1_000, 10_000, 100_000):
        add(f"binary {n}", lambda rng, n=n: test(*binary(rng, n)))
    for n in (12, 300, 5_000):
        for side in ("greater", "less"):
            add(f"binary {n} {side}", lambda rng, n=n, side=side: test(*binary(rng, n), alternative=side))
    for top in (4, 10, 100, 1_000):
        for n in (12, 60, 300, 2_000):
            add(f"whole 0-{top} {n}", lambda rng, n=n, top=top: test(*whole(rng, n, top)))
        add(f"whole 0-{top} greater", lambda rng, top=top: test(*whole(rng, 150, top), alternative="greater"))
        add(f"whole 0-{top} less", lambda rng, top=top: test(*whole(rng, 150, top), alternative="less"))
    add("whole 0-10 10000", lambda rng: test(*whole(rng, 10_000, 10)))
    add("whole 0-10 100000", lambda rng: test(*whole(rng, 100_000, 10)))
    for unit, name in ((2, "halves"), (3, "thirds"), (4, "quarters"), (5, "fifths"), (7, "sevenths"), (10, "tenths"), (100, "hundredths")):
        for n in (15, 400):
            add(f"{name} {n}", lambda rng, n=n, unit=unit: test(*(x / unit for x in whole(rng, n, 2 * unit))))
    for name, change in {
        "float32 tenths": lambda x: (x / 10).astype(np.float32),
        "float32 thirds as doubles": lambda x: (x / 3).astype(np.float32).astype(float),
        "float16 fifths": lambda x: (x / 5).astype(np.float16),
        "thirds in four places": lambda x: (x / 3).round(4),
        "thirds in percent": lambda x: (100 * x / 3).round(2),
        "percents": lambda x: (x * 1.37).round(2),
        "six decimals": lambda x: (x / 7 + 0.123456).round(6),
        "summed in float32": lambda x: (x / 10).astype(np.float32) + np.float32(0.1),
        "float noise": lambda x: x * 0.1 + 0.3 - 0.1,
        "scaled by 1e-6": lambda x: x * 1e-6,
        "scaled by 1e6": lambda x: x * 1e6,
        "plus 1e6": lambda x: x + 1e6,
        "plus 1e9": lambda x: x + 1e9,
        "halves plus 2^40": lambda x: x / 2 + 2.0**40,
        "int8": lambda x: x.astype(np.int8),
        "uint8": lambda x: x.astype(np.uint8),
        "int64 lists": lambda x: x.tolist(),
        "negative": lambda x: -x,
    }.items():
        add(name, lambda rng, change=change: test(*(change(x) for x in whole(rng, 120, 10))))
    add("booleans", lambda rng: test(*(x.astype(bool) for x in binary(rng, 80))))
    for law in ("normal", "lognormal", "cauchy", "uniform", "sparse", "rounded"):
        for n in (20, 60, 400):
            add(f"real {law} {n}", lambda rng, n=n, law=law: test(*reals(rng, n, law)))
    for n in (1, 2, 10, 30, 34, 35, 38, 100, 1_000, 5_000, 30_000):
        add(f"real normal size {n}", lambda rng, n=n: test(*reals(rng, n)))
    for side in ("greater", "less"):
        for n in (25, 150):
            add(f"real {n} {side}", lambda rng, n=n, side=side: test(*reals(rng, n), alternative=side))
    add("real plus 1e6", lambda rng: test(*(x + 1e6 for x in reals(rng, 200))))
    add("real scaled by 1e-12", lambda rng: test(*(x * 1e-12 for x in reals(rng, 200))))
    add("real float32", lambda rng: test(*(x.astype(np.float32) for x in reals(rng, 200))))
    add("real at 5 %", lambda rng: test(*reals(rng, 300, pull=1.96)))
    add("real strong", lambda rng: test(*reals(rng, 300, pull=9)))
    add("real extreme", lambda rng: test(*reals(rng, 2_000, pull=25)))
    for kind in ("equal", "pairs", "one", "single", "unequal"):
        add(f"clusters {kind} binary", lambda rng, kind=kind: test(*binary(rng, 200), clusters=labels(rng, 200, kind)))
        add(f"clusters {kind} stars", lambda rng, kind=kind: test(*whole(rng, 200, 5), clusters=labels(rng, 200, kind)))
        add(f"clusters {kind} reals", lambda rng, kind=kind: test(*reals(rng, 200), clusters=labels(rng, 200, kind)))
    add("clusters unequal thirds", lambda rng: test(*(x / 3 for x in whole(rng, 240, 6)), clusters=labels(rng, 240, "unequal")))
    add("clusters unequal greater", lambda rng: test(*binary(rng, 300), alternative="greater", clusters=labels(rng, 300, "unequal")))
    add("clusters numbered", lambda rng: test(*binary(rng, 100), clusters=rng.integers(0, 30, 100)))
    for metric in ("f1", "precision", "recall", "fbeta(2)", "aer", "wer", "error-rate", "token-accuracy"):
        for n in (8, 60, 500):
            add(f"{metric} {n}", lambda rng, n=n, metric=metric: test(*counts(rng, n, metric, 0.6 / np.sqrt(n)), metric))
        add(f"{metric} clusters", lambda rng, metric=metric: test(*counts(rng, 120, metric, 0.05), metric, clusters=labels(rng, 120, "unequal")))
    for metric in ("f1", "wer"):
        for side in ("greater", "less"):
            add(f"{metric} {side}", lambda rng, metric=metric, side=side: test(*counts(rng, 100, metric, 0.06), metric, side))
    add("f1 strong", lambda rng: test(*counts(rng, 300, "f1", 0.3), "f1"))
    add("f1 zeros", lambda rng: test(np.zeros((20, 3), int), np.zeros((20, 3), int), "f1"))
    add("f1 3000", lambda rng: test(*counts(rng, 3_000, "f1", 0.01), "f1"))
    add("median sampled", lambda rng: test(*reals(rng, 101), "median", rng=1, resamples=5_000))
    add("median few", lambda rng: test(*reals(rng, 9), "median"))
    add("macro-f1 sampled", lambda rng: test(*(rng.integers(0, 3, (80, 9)) for _ in "ab"), bt.metrics.macro_f1(list("xyz")), rng=1, resamples=3_000))
    for n in (1_000, 1_074, 2_000):
        add(f"all wins {n}", lambda rng, n=n: test([0] * n, [1] * n))
    add("p 1e-300", lambda rng: test([0] * 1_300, [1] * 1_150 + [0] * 100 + [-1] * 50))
    add("p small, whole", lambda rng: test(*(lambda a: (a, a + rng.integers(-1, 4, 3_000)))(rng.integers(0, 9, 3_000))))
    add("p small, greater", lambda rng: test([0] * 900, [1] * 850 + [-1] * 50, alternative="greater"))
    add("p small, less", lambda rng: test([0] * 900, [1] * 850 + [-1] * 50, alternative="less"))
    add("identical binary", lambda rng: test(*(lambda a: (a, a))(binary(rng, 50)[0])))
    add("identical reals", lambda rng: test(*(lambda a: (a, a.copy()))(rng.random(50))))
    add("constant gain", lambda rng: test(*(lambda a: (a, a + 0.125))(rng.integers(0, 8, 20) / 8)))
    add("sum of zero", lambda rng: test([0, 1, 0, 1, 2, 2], [1, 0, 1, 0, 1, 3]))
    add("mostly ties", lambda rng: test([0] * 5_000, [1] * 7 + [-1] * 2 + [0] * 4_991))
    for top, n in ((10**6, 40), (10**6, 200), (10**9, 60), (10**12, 40), (10**12, 150), (2**50, 80)):
        add(f"large whole {top} {n}", lambda rng, n=n, top=top: test(rng.integers(0, top, n), rng.integers(0, top, n) + int(top * 0.6 / np.sqrt(n))))
    add("large, one outlier", lambda rng: test([0] * 60, [*rng.integers(-3, 6, 59), 10**9]))
    for method in ("lattice", "meet", "certified", "enumeration", "rational", "dp", "fft", "monte-carlo"):
        add(f"method {method}", lambda rng, method=method: test(*whole(np.random.default_rng(5), 14, 5, 3.0), method=method, rng=0, resamples=20_000 if method == "monte-carlo" else None))
    for method in ("grid", "dp", "fft", "enumeration", "rational", "monte-carlo"):
        add(f"method {method} f1", lambda rng, method=method: test(*counts(np.random.default_rng(6), 12, "f1", 0.25), "f1", method=method, rng=0, resamples=20_000 if method == "monte-carlo" else None))
    for method in ("meet", "certified", "lattice"):
        add(f"method {method} reals", lambda rng, method=method: test(*reals(rng, 24), method=method))
    for name in ("dialogue", "prime", "sensitive", "wildbench", "wildbench9", "wildbench12", "mqm"):
        for k in range(2):
            add(f"real data {name} {k}", lambda rng, name=name: test(*two_of(rng, REAL[name]())))
    for year in ("08", "09", "11", "tc", "pc"):
        for k in range(2):
            add(f"real data bt_eval {year} {k}", lambda rng, year=year: test(*two_of(rng, bt_eval(rng, year))))
    for name, a, b, more in (
        ("unequal lengths", [1, 2], [1, 2, 3], {}),
        ("nothing", [], [], {}),
        ("nan", [1.0, float("nan")], [1.0, 2.0], {}),
        ("inf", [1.0, float("inf")], [1.0, 2.0], {}),
        ("words", ["a", "b"], ["a", "c"], {}),
        ("unknown metric", [1, 0], [0, 1], {"metric": "no-such"}),
        ("unknown method", [1, 0], [0, 1], {"method": "no-such"}),
        ("unknown side", [1, 0], [0, 1], {"alternative": "no-such"}),
        ("negative counts", [[1, -1, 0]], [[1, 1, 0]], {"metric": "f1"}),
        ("too few columns", [[1, 1]], [[1, 1]], {"metric": "f1"}),
        ("clusters too short", [1, 0, 1], [0, 1, 1], {"clusters": ["a", "b"]}),
        ("beyond 2^53", [2**60, 2**60 + 1], [2**60 + 1, 2**60 + 5], {}),
        ("lattice of reals", [0.1234567, 0.7654321, 3.14159265], [0.7182818, 0.57721566, 2.2360679], {"method": "lattice"}),
    ):
        add(f"refused {name}", lambda rng, a=a, b=b, more=more: test(a, b, **more))


def classic(add: Callable) -> None:
    for side in ("two-sided", "greater", "less"):
        add(f"wilcoxon {side}", lambda rng, side=side: of_test(bt.wilcoxon(*reals(rng, 40), alternative=side), delta=1e-9))
        add(f"sign {side}", lambda rng, side=side: of_test(bt.sign_test(*whole(rng, 60, 5), alternative=side)))
        add(f"mcnemar {side}", lambda rng, side=side: of_test(bt.mcnemar(*binary(rng, 120), alternative=side)))
        add(f"t {side}", lambda rng, side=side: of_test(bt.t_test(*reals(rng, 50), alternative=side)))
        add(f"mood {side}", lambda rng, side=side: of_test(bt.mood_test(*reals(rng, 50), alternative=side)))
    for zeros in ("wilcox", "pratt", "zsplit"):
        add(f"wilcoxon ties {zeros}", lambda rng, zeros=zeros: of_test(bt.wilcoxon(*whole(rng, 80, 6), zeros=zeros), delta=1e-9))
    for variant in ("mid-p", "chi2"):
        add(f"mcnemar {variant}", lambda rng, variant=variant: of_test(bt.mcnemar(*binary(rng, 150), variant=variant)))
    add("mcnemar chi2 plain", lambda rng: of_test(bt.mcnemar(*binary(rng, 150), variant="chi2", continuity=False)))
    add("mood chi2", lambda rng: of_test(bt.mood_test(*whole(rng, 100, 9), variant="chi2")))
    for kind in ("equal", "unequal"):
        add(f"wilcoxon clusters {kind}", lambda rng, kind=kind: of_test(bt.wilcoxon(*whole(rng, 100, 6), clusters=labels(rng, 100, kind)), delta=1e-9))
        add(f"sign clusters {kind}", lambda rng, kind=kind: of_test(bt.sign_test(*whole(rng, 100, 6), clusters=labels(rng, 100, kind))))
        add(f"t clusters {kind}", lambda rng, kind=kind: of_test(bt.t_test(*reals(rng, 100), clusters=labels(rng, 100, kind))))
        add(f"mcnemar clusters {kind}", lambda rng, kind=kind: of_test(bt.mcnemar(*binary(rng, 100), clusters=labels(rng, 100, kind))))
    add("wilcoxon 3000", lambda rng: of_test(bt.wilcoxon(*whole(rng, 3_000, 20)), delta=1e-9))
    add("wilcoxon lower is better", lambda rng: of_test(bt.wilcoxon(*reals(rng, 30), lower_is_better=True), delta=1e-9))
    add("t lower is better", lambda rng: of_test(bt.t_test(*reals(rng, 30), lower_is_better=True)))
    add("t constant", lambda rng: of_test(bt.t_test([1, 2, 3, 4], [2, 3, 4, 5])))
    add("t identical", lambda rng: of_test(bt.t_test([1, 2, 3], [1, 2, 3])))
    add("sign all ties", lambda rng: of_test(bt.sign_test([1, 2, 3], [1, 2, 3])))
    add("sign large", lambda rng: of_test(bt.sign_test(*whole(rng, 20_000, 50))))
    add("mcnemar of stars", lambda rng: of_test(bt.mcnemar(*whole(rng, 40, 5))))
    add("one item", lambda rng: of_test(bt.t_test([1], [2])))
    add("mcnemar small p", lambda rng: of_test(bt.mcnemar([0] * 1_500, [1] * 1_400 + [0] * 100)))


def bootstrap(add: Callable) -> None:
    test = lambda a, b, *args, **more: of_test(bt.bootstrap_test(a, b, *args, **more))  # noqa: E731
    for n in (6, 40, 300, 3_000):
        add(f"ideal binary {n}", lambda rng, n=n: test(*binary(rng, n)))
    for variant in ("shift", "sign"):
        for side in ("two-sided", "greater", "less"):
            add(f"ideal stars {variant} {side}", lambda rng, v=variant, s=side: test(*whole(rng, 90, 5), variant=v, alternative=s))
            add(f"sampled f1 {variant} {side}", lambda rng, v=variant, s=side: test(*counts(rng, 80, "f1", 0.05), "f1", variant=v, alternative=s, resamples=4_000, rng=3))
    add("ideal quarters", lambda rng: test(*(x / 4 for x in whole(rng, 200, 8))))
    for law in ("normal", "lognormal", "sparse"):
        add(f"ideal reals {law}", lambda rng, law=law: test(*reals(rng, 120, law)))
    add("ideal reals greater", lambda rng: test(*reals(rng, 500), alternative="greater"))
    for kind in ("equal", "unequal"):
        add(f"ideal binary clusters {kind}", lambda rng, k=kind: test(*binary(rng, 200), clusters=labels(rng, 200, k)))
        add(f"ideal reals clusters {kind}", lambda rng, k=kind: test(*reals(rng, 200), clusters=labels(rng, 200, k)))
        add(f"sampled f1 clusters {kind}", lambda rng, k=kind: test(*counts(rng, 100, "f1", 0.05), "f1", clusters=labels(rng, 100, k), resamples=3_000, rng=3))
    for metric in ("wer", "token-accuracy", "recall"):
        add(f"ideal {metric}", lambda rng, m=metric: test(*counts(rng, 120, m, 0.05), m))
    add("ideal small p", lambda rng: test([0] * 2_000, [1] * 200 + [0] * 1_800, alternative="greater"))
    add("ideal asked", lambda rng: test(*whole(rng, 50, 5), method="ideal"))
    add("ideal of f1 asked", lambda rng: test(*counts(rng, 50, "f1"), "f1", method="ideal"))
    add("strict", lambda rng: test([0] * 6 + [1] * 6, [0] * 4 + [1] * 8, alternative="greater", strict=True))
    add("strict stars", lambda rng: test(*whole(rng, 40, 4), alternative="greater", strict=True))
    for seed in (0, 1, 2):
        add(f"sampled mean, seed {seed}", lambda rng, s=seed: test(*reals(rng, 100), method="sample", resamples=5_000, rng=s))
    add("sampled recentred", lambda rng: test(*counts(rng, 80, "f1", 0.05), "f1", recentre=True, rng=1))
    add("sampled median", lambda rng: test(*reals(rng, 60), "median", resamples=2_000, rng=1))
    add("sampled precision", lambda rng: test(*counts(rng, 200, "precision", 0.04), "precision", resamples=4_000, rng=1))
    add("sampled aer", lambda rng: test(*counts(rng, 100, "aer", 0.05), "aer", resamples=4_000, rng=1))
    add("identical", lambda rng: test([1, 0, 1, 1], [1, 0, 1, 1]))
    add("one item", lambda rng: test([1], [2]))
    add("all wins", lambda rng: test([0] * 6, [1] * 6))
    for name in ("dialogue", "prime", "wildbench", "mqm"):
        add(f"real data {name}", lambda rng, name=name: test(*two_of(rng, REAL[name]())))


# ---------------------------------------------------------------- comparisons


def renamed(made: dict[str, Any], names: str) -> dict[str, Any]:
    return dict(zip(names.split(","), made.values()))


def long_rows(rng: np.random.Generator, n: int, shuffle: bool) -> dict[str, list]:
    made = renamed(systems(rng, n, 3, "stars"), "base,new,third")
    rows = [(f"q{k}", name, int(v[k])) for name, v in made.items() for k in range(n)]
    if shuffle:
        rows = [rows[k] for k in rng.permutation(len(rows))]
    return {"item": [r[0] for r in rows], "system": [r[1] for r in rows], "score": [r[2] for r in rows]}


def doors(rng: np.random.Generator, kind: str) -> dict:
    """The same scores as arrays, frames and files."""
    n = 60
    made = renamed(systems(rng, n, 2, kind), "base,new")
    wide = {"item": [f"q{k}" for k in range(n)], **made}
    long = {"item": wide["item"] * 2, "system": ["base"] * n + ["new"] * n, "score": np.concatenate([made["base"], made["new"]])}
    order = rng.permutation(n)
    turned = {k: [v[j] for j in order] for k, v in wide.items()}
    with TemporaryDirectory() as folder:
        where = Path(folder)
        pl.DataFrame(wide).write_csv(where / "wide.csv")
        pl.DataFrame(wide).write_csv(where / "wide.tsv", separator="\t")
        pl.DataFrame(turned).write_csv(where / "turned.csv")
        pl.DataFrame(long).write_csv(where / "long.csv")
        pl.DataFrame(wide).write_ndjson(where / "wide.jsonl")
        pl.DataFrame(long).write_parquet(where / "long.parquet")
        for name in made:
            pl.DataFrame({"item": wide["item"], "score": made[name]}).write_csv(where / f"{name}.csv")
        ways = {
            "arrays": lambda: bt.Scores.from_arrays(made),
            "lists": lambda: bt.Scores.from_arrays({k: v.tolist() for k, v in made.items()}),
            "polars": lambda: pl.DataFrame(wide),
            "pandas": lambda: pd.DataFrame(wide),
            "pyarrow": lambda: pl.DataFrame(wide).to_arrow(),
            "polars, long": lambda: pl.DataFrame(long),
            "two files": lambda: bt.read(where / "base.csv", where / "new.csv"),
            **{name: lambda name=name: bt.read(where / name) for name in ("wide.csv", "wide.tsv", "turned.csv", "long.csv", "wide.jsonl", "long.parquet")},
        }
        found = {name: bt.compare(way(), "base", "new") for name, way in ways.items()}
    return {
        n: map_of({k: get(c, "comparison", n) for k, c in found.items()}, tol)
        for n, tol in (("p", 1e-3 if kind == "reals" else 1e-9), ("delta", 1e-12), ("wins", 0))
    }


def comparing(add: Callable) -> None:
    one = lambda *args, **more: one_comparison(bt.compare(*args, **more))  # noqa: E731
    many = lambda *args, **more: of_comparisons(bt.compare_many(*args, **more))  # noqa: E731
    every = lambda *args, **more: of_comparisons(bt.compare_all(*args, **more))  # noqa: E731

    for kind in ("binary", "stars", "reals", "percent"):
        add(f"two {kind}", lambda rng, k=kind: one(scores(rng, 120, 2, k)))
        add(f"many {kind}", lambda rng, k=kind: many(scores(rng, 100, 4, k)))
        add(f"all {kind}", lambda rng, k=kind: every(scores(rng, 80, 4, k)))
    for test in ("bootstrap", "wilcoxon", "sign", "mcnemar", "t", "mood"):
        add(f"two by {test}", lambda rng, t=test: one(scores(rng, 90, 2), test=t))
        add(f"all by {test}", lambda rng, t=test: every(scores(rng, 90, 3), test=t))
    for correction in ("max-t", "bonferroni", "hochberg", "sidak", "bh", "by", "none"):
        add(f"many by {correction}", lambda rng, c=correction: many(scores(rng, 120, 5), correction=c, rng=0))
    add("many by max-t clusters", lambda rng: many(scores(rng, 120, 4, clusters=labels(rng, 120, "unequal")), correction="max-t", rng=0))
    add("many by max-t greater", lambda rng: many(scores(rng, 100, 4, "stars"), correction="max-t", alternative="greater", rng=0))
    add("many by max-t f1", lambda rng: many(counted(rng, 60, "f1", 0.1), metrics=["f1"], correction="max-t", resamples=500, rng=0))
    add("median by mood", lambda rng: one(scores(rng, 51, 2, "reals"), metric="median", test="mood"))
    for kind in ("stars", "reals"):
        add(f"all by mood {kind}", lambda rng, k=kind: every(scores(rng, 51, 4, k), test="mood"))
        add(f"all by max-t less {kind}", lambda rng, k=kind: every(scores(rng, 60, 3, k), correction="max-t", alternative="less", rng=0))
    add("all by max-t stars", lambda rng: every(scores(rng, 120, 4, "stars"), correction="max-t", rng=0))
    add("all by bh reals", lambda rng: every(scores(rng, 60, 5, "reals"), correction="bh"))
    for side in ("greater", "less"):
        add(f"many {side}", lambda rng, s=side: many(scores(rng, 100, 4), alternative=s))
    add("alpha 0.2", lambda rng: many(scores(rng, 60, 4, "stars"), alpha=0.2))
    for kind in ("equal", "unequal"):
        add(f"many clusters {kind}", lambda rng, k=kind: many(scores(rng, 120, 3, clusters=labels(rng, 120, k))))
        add(f"many stars clusters {kind}", lambda rng, k=kind: many(scores(rng, 120, 3, "stars", clusters=labels(rng, 120, k))))
    add("lower is better", lambda rng: many(scores(rng, 80, 3, "reals", lower_is_better=True)))
    add("named baseline", lambda rng: many(scores(rng, 80, 4), "s2"))
    add("some systems", lambda rng: many(scores(rng, 80, 5), "s2", systems=["s0", "s4"]))
    add("by domain", lambda rng: many(scores(rng, 120, 3, groups={"domain": rng.choice(["news", "web", "chat"], 120)}), by="domain"))
    add("tasks", lambda rng: many(scores(rng, 120, 3, groups={"task": ["a"] * 30 + ["b"] * 60 + ["c"] * 30}), tasks="task"))
    add("tasks all pairs", lambda rng: every(scores(rng, 90, 3, "stars", groups={"task": ["a"] * 20 + ["b"] * 70}), tasks="task"))
    for metric in ("f1", "precision", "aer", "wer"):
        add(f"metric {metric}", lambda rng, m=metric: one(counted(rng, 100, m, 0.08), metric=m))
    add("metrics", lambda rng: many(counted(rng, 100, "f1", 0.08), metrics=["f1", "precision", "recall"]))
    add("metric default", lambda rng: one(counted(rng, 100, "f1", 0.08)))
    add("median", lambda rng: one(scores(rng, 41, 2, "reals"), metric="median", resamples=2_000))
    add("f1 by bootstrap", lambda rng: one(counted(rng, 100, "f1", 0.08), metric="f1", test="bootstrap", resamples=4_000))
    add("missing refused", lambda rng: one(bt.Scores.from_arrays({"a": [1, 0, np.nan, 1], "b": [1, 1, 1, 0]})))
    for how in ("drop", "worst"):
        add(f"missing {how}", lambda rng, h=how: one(bt.Scores.from_arrays({k: np.where(rng.random(60) < 0.1, np.nan, v) for k, v in systems(rng, 60, 2).items()}, missing=h, metric="accuracy" if h == "worst" else None)))
    add("three without names", lambda rng: one(scores(rng, 40, 3)))
    add("unknown system", lambda rng: one(scores(rng, 40, 3), "s0", "nobody"))
    add("one system", lambda rng: many(bt.Scores.from_arrays({"a": [1, 0, 1]})))
    add("same system twice", lambda rng: one(scores(rng, 40, 3), "s0", "s0"))
    add("identical", lambda rng: one(bt.Scores.from_arrays({"a": [1, 0, 1, 1], "b": [1, 0, 1, 1]})))
    add("unknown correction", lambda rng: many(scores(rng, 40, 3), correction="tukey"))
    for n in (1, 5, 6):
        add(f"{n} items", lambda rng, n=n: one(bt.Scores.from_arrays({"a": [0] * n, "b": [1] * n})))
    for kind in ("wide", "long", "shuffled"):
        for library in ("polars", "pandas"):

            def framed(rng: np.random.Generator, kind: str = kind, library: str = library) -> dict:
                made = renamed(systems(rng, 70, 3, "stars"), "base,new,third")
                if kind == "wide":
                    columns = {"item": [f"q{k}" for k in range(70)], **made}
                else:
                    columns = long_rows(rng, 70, kind == "shuffled")
                frame = (pl if library == "polars" else pd).DataFrame(columns)
                return many(frame, None if kind == "wide" else "base")

            add(f"{library} {kind}", framed)
    add("pandas indexed", lambda rng: one(pd.DataFrame(renamed(systems(rng, 50, 2), "base,new"), index=[f"q{k}" for k in range(50)])))
    add("pandas series in another order", lambda rng: one(bt.Scores.from_arrays({k: pd.Series(v, index=[f"q{j}" for j in range(50)]).iloc[rng.permutation(50)] for k, v in renamed(systems(rng, 50, 2), "base,new").items()}), "base", "new"))
    add("pandas nullable", lambda rng: one(pd.DataFrame({k: pd.array(v, dtype="Int64") for k, v in renamed(systems(rng, 50, 2), "base,new").items()})))
    add("long, baseline not named", lambda rng: many(pl.DataFrame(long_rows(rng, 40, True))))
    add("long, counts", lambda rng: one(pl.DataFrame({"item": [f"s{k}" for k in range(60)] * 2, "system": ["crf"] * 60 + ["bert"] * 60, **dict(zip(("tp", "fp", "fn"), np.concatenate(counts(rng, 60, "f1", 0.1)).T))}), "crf", "bert", metric="f1"))
    add("long, raters", lambda rng: one(bt.Scores.from_frame(pl.DataFrame({"item": [f"q{k}" for k in range(40)] * 6, "system": (["base"] * 40 + ["new"] * 40) * 3, "rater": ["r1"] * 80 + ["r2"] * 80 + ["r3"] * 80, "score": rng.integers(1, 6, 240)}), response="rater"), "base", "new"))
    for spread in ("even", "uneven"):

        def several(rng: np.random.Generator, spread: str = spread) -> Any:
            sizes = [[3] * 50] * 2 if spread == "even" else [rng.integers(1, 4, 50), rng.integers(1, 4, 50)]
            return bt.Scores.from_responses({name: [rng.integers(1, 6, s).tolist() for s in size] for name, size in zip(("base", "new"), sizes)})

        add(f"responses {spread}", lambda rng, f=several: one(f(rng)))
        add(f"responses {spread} by sign", lambda rng, f=several: one(f(rng), test="sign"))
    for kind in ("binary", "stars", "percent", "reals"):
        add(f"doors {kind}", lambda rng, k=kind: doors(rng, k))
    add("real data dialogue", lambda rng: every(bt.Scores.from_arrays(REAL["dialogue"]())))
    add("real data prime", lambda rng: many(bt.Scores.from_arrays(REAL["prime"]())))
    add("real data sensitive", lambda rng: every(bt.Scores.from_arrays(REAL["sensitive"]())))
    add("real data wildbench", lambda rng: many(bt.Scores.from_arrays(REAL["wildbench"]())))
    add("real data wildbench max-t", lambda rng: many(bt.Scores.from_arrays(REAL["wildbench"]()), correction="max-t", resamples=2_000))
    add("real data mqm", lambda rng: many(bt.Scores.from_arrays(mqm()), systems=[str(s) for s in rng.choice(sorted(mqm())[1:], 4, replace=False)]))
    add("real data bt_eval", lambda rng: many(bt.Scores.from_arrays(bt_eval(rng, "11", 6))))
    add("real data read wildbench", lambda rng: many(bt.read(DATA / "wildbench/v2.0522_score.v2_eval-gpt-4o-2024-05-13.csv", missing="drop"), metrics=None, alpha=0.01))
    add("real data read squality", lambda rng: many(bt.read(DATA / "squality/ratings.csv", item="passage,question", system="system", response="worker", score=["correctness-rating", "overall-rating", "selection-rating"][rng.integers(3)], cluster="passage"), "bart"))
    add("real data read mqm", lambda rng: many(bt.read(DATA / "mqm2021_ende/mqm_newstest2021_ende.avg_seg_scores.tsv", item="seg_id", missing="drop"), "Facebook-AI"))
    add("real data read refused", lambda rng: many(bt.read(DATA / "wildbench/v2.0522_score.v2_eval-gpt-4o-2024-05-13.csv")))


def intervals(add: Callable) -> None:
    def one(*args: Any, **more: Any) -> dict:
        return of_interval(bt.compare(*args, **more), "comparison")

    for kind in ("binary", "stars", "reals"):
        for n in (10, 100):
            add(f"compare {kind} {n}", lambda rng, k=kind, n=n: one(scores(rng, n, 2, k)))
    add("compare clusters", lambda rng: one(scores(rng, 120, 2, clusters=labels(rng, 120, "unequal"))))
    add("compare stars clusters", lambda rng: one(scores(rng, 120, 2, "stars", clusters=labels(rng, 120, "equal"))))
    add("compare greater", lambda rng: one(scores(rng, 120, 2), alternative="greater"))
    add("compare bootstrap", lambda rng: one(scores(rng, 100, 2, "reals"), test="bootstrap"))
    add("compare f1", lambda rng: one(counted(rng, 100, "f1", 0.08), metric="f1"))
    for n in (12, 40):
        add(f"shift {n}", lambda rng, n=n: (lambda d: of_parts(bt.exact.shift_interval(d), "shift", 1e-6, x=("low", "high")))(rng.normal(0.05, 0.1, n)))
    add("estimate shares beside 0/1", lambda rng: of_interval(get(bt.estimate(bt.Scores.from_arrays({"a": rng.integers(0, 2, 40), "b": rng.random(40).round(2)})), "estimates", "rows")[1], "estimate"))
    add("compare identical", lambda rng: one(bt.Scores.from_arrays({"a": [1, 0, 1, 1], "b": [1, 0, 1, 1]})))
    for kind in ("bca", "percentile", "basic"):
        add(f"bootstrap {kind} ideal", lambda rng, k=kind: of_interval(bt.bootstrap_interval(*whole(rng, 60, 5), kind=k)))
        add(f"bootstrap {kind} sampled", lambda rng, k=kind: of_interval(bt.bootstrap_interval(*counts(rng, 60, "f1", 0.1), "f1", kind=k, resamples=4_000, rng=0)))
    add("bootstrap one system", lambda rng: of_interval(bt.bootstrap_interval(binary(rng, 80)[0])))
    add("bootstrap reals", lambda rng: of_interval(bt.bootstrap_interval(*reals(rng, 80))))
    for name, more in (("binary", {}), ("stars", {}), ("stars bounds", {"bounds": (1, 5)}), ("reals", {}), ("binary 99", {"confidence": 0.99}), ("median", {"metrics": ["median"]})):
        kind = name.split()[0] if name != "median" else "reals"
        add(f"estimate {name}", lambda rng, k=kind, more=more: of_interval(get(bt.estimate(scores(rng, 60, 2, k), **more), "estimates", "rows")[0], "estimate"))
    add("estimate clusters", lambda rng: of_interval(get(bt.estimate(scores(rng, 60, 2, clusters=labels(rng, 60, "unequal"))), "estimates", "rows")[0], "estimate"))
    def ranked(found: Any) -> dict:
        names = get(found, "ranking", "names")
        return {e: map_of(dict(zip(names, get(found, "ranking", e))), 1e-6) for e in ("low", "high")}

    for method in ("bradley-terry", "mean"):
        add(f"rank {method}", lambda rng, m=method: ranked(bt.rank(scores(rng, 80, 4), m, resamples=200)))
    add("rank sandwich", lambda rng: ranked(bt.rank(scores(rng, 80, 4), interval="sandwich", resamples=50)))


# ---------------------------------------------------------------- rankings


def made_battles(rng: np.random.Generator, rows: int, many: int, ties: float = 0.2) -> dict[str, list]:
    names = [f"m{k}" for k in range(many)]
    skill = rng.normal(0, 0.8, many)
    left = rng.integers(0, many, rows)
    right = (left + rng.integers(1, many, rows)) % many
    wins = rng.random(rows) < 1 / (1 + np.exp(skill[right] - skill[left]))
    outcome = np.where(rng.random(rows) < ties, "tie", np.where(wins, "left", "right"))
    return {"left": [names[k] for k in left], "right": [names[k] for k in right], "outcome": outcome.tolist(),
            "items": [f"p{k}" for k in rng.integers(0, max(2, rows // 6), rows)],
            "judges": [f"w{k}" for k in rng.integers(0, 25, rows)]}


def judged(rng: np.random.Generator, rows: int, many: int, *parts: str, ties: float = 0.2) -> Any:
    made = made_battles(rng, rows, many, ties)
    return bt.Judgments.from_arrays(made["left"], made["right"], made["outcome"], **{p: made[p] for p in parts})


def ranking(add: Callable) -> None:
    def rank(data: Any, method: str | None = None, draws: int = 100, tol: float = 1e-6, **more: Any) -> dict:
        return of_ranking(bt.rank(data, method, resamples=draws, **more), draws, tol)

    def board(data: Any, method: str | None = None, draws: int = 100, tol: float = 1e-6, **more: Any) -> dict:
        return of_board(bt.leaderboard(data, method, resamples=draws, **more), draws, tol)

    for method in ("bradley-terry", "mean", "median", "elo", "trueskill"):
        slow = {"draws": 10, "repeats": 5} if method in ("elo", "trueskill") else {}
        for kind in ("binary", "stars", "reals"):
            add(f"{method} {kind}", lambda rng, m=method, k=kind, s=slow: rank(scores(rng, 60, 5, k), m, **s))
        add(f"{method} board", lambda rng, m=method, s=slow: board(scores(rng, 100, 5, "stars"), m, **({"draws": 10} if s else {})))
        for name in ("dialogue", "wildbench"):
            add(f"{method} real data {name}", lambda rng, m=method, name=name, s=slow: rank(bt.Scores.from_arrays({k: v[:200] for k, v in REAL[name]().items()}), m, **s))
        add(f"{method} real data bt_eval", lambda rng, m=method, s=slow: rank(bt.Scores.from_arrays(bt_eval(rng, "08", 12)), m, **s))
    for method in ("elo", "trueskill"):
        add(f"{method} in the order of data", lambda rng, m=method: rank(scores(rng, 50, 4), m, 10, order="data"))
        add(f"{method} battles in order", lambda rng, m=method: rank(judged(rng, 300, 5), m, 10, order="data"))
        for seed in (0, 7):
            add(f"{method} battles, seed {seed}", lambda rng, m=method, s=seed: rank(judged(rng, 300, 5), m, 10, repeats=10, rng=s))
    add("elo k 10", lambda rng: rank(scores(rng, 50, 4), "elo", 10, order="data", k=10.0))
    for ties in ("davidson", "rao-kupper", "half-win", "drop"):
        add(f"ties {ties}", lambda rng, t=ties: rank(scores(rng, 80, 5, "stars"), ties=t))
        add(f"battles ties {ties}", lambda rng, t=ties: rank(judged(rng, 400, 5), ties=t))
    for how in ("ghost", "firth", "error"):
        add(f"separation {how}", lambda rng, h=how: rank(bt.Scores.from_arrays({"best": [3, 3, 3, 3], "x": [1, 2, 1, 2], "y": [2, 1, 2, 1]}), separation=h, draws=20, ties="half-win" if h == "firth" else "davidson"))
    add("solver mm", lambda rng: rank(scores(rng, 60, 4, "stars"), solver="mm", ties="half-win", draws=20))
    add("sandwich", lambda rng: rank(scores(rng, 60, 4, "stars"), interval="sandwich", draws=50))
    add("clusters", lambda rng: rank(scores(rng, 120, 4, clusters=labels(rng, 120, "unequal"))))
    add("tasks", lambda rng: rank(scores(rng, 120, 4, groups={"task": ["a"] * 30 + ["b"] * 90}), "mean", tasks="task"))
    add("lower is better", lambda rng: rank(scores(rng, 60, 4, "reals", lower_is_better=True), "mean"))
    add("uneven responses", lambda rng: rank(bt.Scores.from_responses({f"s{k}": [rng.integers(1, 6, s).tolist() for s in rng.integers(1, 4, 30)] for k in range(3)})))
    add("metric f1", lambda rng: rank(bt.Scores.from_arrays({f"s{k}": counts(rng, 60, "f1", 0.1)[k % 2] for k in range(4)}, columns=["tp", "fp", "fn"]), "mean", metric="f1"))
    add("identical systems", lambda rng: rank(bt.Scores.from_arrays({"a": [1, 0, 1], "b": [1, 0, 1]}), "mean", 20))
    add("cycle", lambda rng: rank(bt.Scores.from_arrays({"A": [1, 2, 3], "B": [2, 3, 1], "C": [3, 1, 2]}), draws=20))
    add("missing pairwise", lambda rng: rank(bt.Scores.from_arrays({k: np.where(rng.random(80) < 0.15, np.nan, v) for k, v in systems(rng, 80, 4, "stars").items()}, missing="pairwise")))
    for test in ("permutation", "t", "sign", "wilcoxon", "mood", "model"):
        add(f"decided by {test}", lambda rng, t=test: board(scores(rng, 120, 5, "stars", 2), test=t))
    for correction in ("bonferroni", "bh", "none"):
        add(f"board by {correction}", lambda rng, c=correction: board(scores(rng, 100, 6, "binary", 2), correction=c))
    add("board of many", lambda rng: board(scores(rng, 150, 15, "binary", 2), "mean"))
    add("board of clusters", lambda rng: board(scores(rng, 160, 4, "stars", 2, clusters=labels(rng, 160, "equal"))))
    add("board of tasks", lambda rng: board(scores(rng, 150, 4, "stars", 2, groups={"task": ["a"] * 50 + ["b"] * 100}), tasks="task"))
    add("board of 300000 items", lambda rng: board(bt.Scores.from_arrays({k: rng.integers(0, 2, 300_000) for k in "abc"}), "mean", 10))
    for name in ("prime", "sensitive", "wildbench9", "mqm"):
        add(f"board real data {name}", lambda rng, name=name: board(bt.Scores.from_arrays({k: v[:300] for k, v in REAL[name]().items()})))
        add(f"board by mean real data {name}", lambda rng, name=name: board(bt.Scores.from_arrays(REAL[name]()), "mean"))
    for year in ("09", "11", "tc", "pc"):
        add(f"board real data bt_eval {year}", lambda rng, y=year: board(bt.Scores.from_arrays(bt_eval(rng, y, 10))))
    add("battles", lambda rng: rank(judged(rng, 500, 6)))
    add("battles with items", lambda rng: rank(judged(rng, 500, 6, "items")))
    add("battles with judges", lambda rng: rank(judged(rng, 500, 6, "items", "judges")))
    add("battles without ties", lambda rng: rank(judged(rng, 500, 6, ties=0)))
    add("battles board", lambda rng: board(judged(rng, 600, 6, "items")))
    add("battles board few", lambda rng: board(judged(rng, 60, 6, "items")))
    add("battles board sign", lambda rng: board(judged(rng, 600, 5, "items"), test="sign"))
    add("battles by mean", lambda rng: rank(judged(rng, 200, 4), "mean"))
    add("battles apart", lambda rng: rank(bt.Judgments.from_arrays(["a", "c"] * 5, ["b", "d"] * 5, ["left", "right"] * 5)))
    add("battles of numbers", lambda rng: rank(bt.Judgments.from_arrays(["a", "b", "a", "b", "c", "c"], ["b", "c", "c", "a", "a", "b"], [1, 0.5, 0, 1, 1, 0]), draws=20))
    add("battles of names", lambda rng: rank(bt.Judgments.from_arrays(["a", "b", "a", "b", "c", "c"], ["b", "c", "c", "a", "a", "b"], ["a", "c", "c", "a", "tie", "b"]), draws=20))
    add("battles of strange words", lambda rng: rank(bt.Judgments.from_arrays(["a", "b"], ["b", "a"], ["perhaps", "left"])))
    for many in (800, 3_000):

        def crowd(rng: np.random.Generator, many: int = many) -> Any:
            made = battles(rng, many)
            top = sorted(set(made["left"]) | set(made["right"]))[:: 1 if many > 1_000 else 3]
            keep = [k for k in range(many) if made["left"][k] in top and made["right"][k] in top]
            part = lambda name: [made[name][k] for k in keep]  # noqa: E731
            return bt.Judgments.from_arrays(part("left"), part("right"), part("winner"), items=part("prompt"), judges=part("worker"))

        add(f"battles real data {many}", lambda rng, f=crowd: rank(f(rng), separation="ghost", draws=20))
        add(f"battles real data board {many}", lambda rng, f=crowd: board(f(rng), draws=20))


# ---------------------------------------------------------------- responses, design, gates


def three_of(m: Any) -> list:
    return [get(m, "trio", n) for n in ("gold", "a", "b")]


def response_cases(add: Callable) -> None:
    made = lambda rng, items=80, many=4, **more: bt.responses.simulate(items=items, responses=many, rng=int(rng.integers(1_000)), **{"eps_a": 0.1, **more})  # noqa: E731

    def test(rng: np.random.Generator, metric: str = "mae", sim: dict | None = None, **more: Any) -> dict:
        m = made(rng, **(sim or {}))
        return of_test(bt.responses.p_value(*three_of(m), metric, **{"rng": 0, **more}))

    for metric in ("mae", "mse", "wins", "wins(mse)", "wins(emd_mean)", "wins_vectorized", "emd_mean"):
        add(f"calibrated {metric}", lambda rng, m=metric: test(rng, m))
    for metric in ("cosine", "cosine_means", "emd_aggregated", "emd_vectorized", "spearman"):
        add(f"calibrated {metric}", lambda rng, m=metric: test(rng, m, resamples=1_000))
    for side in ("greater", "less"):
        add(f"calibrated {side}", lambda rng, s=side: test(rng, alternative=s))
    add("calibrated clusters", lambda rng: test(rng, clusters=labels(rng, 80, "unequal")))
    for metric in ("mae", "wins", "spearman"):
        add(f"sharp {metric}", lambda rng, m=metric: test(rng, m, test="sharp", resamples=2_000))
        add(f"published {metric}", lambda rng, m=metric: test(rng, m, test="published", resamples=1_000))
    for sampling in ("all_items/sample(1)", "all_items/sample(k)", "bootstrap_items/all", "bootstrap_items/first_element",
                     "bootstrap_items/sample(1)", "bootstrap_items/sample(k)", "bootstrap_items/split", "bootstrap_items/all/redrawn"):
        add(f"sampling {sampling}", lambda rng, s=sampling: test(rng, "mse", sampling=s, resamples=1_000))
    gold = [[4, 5, 4], [1, 2], [3, 3, 2], [5, 5], [2, 1, 1], [4, 4], [1, 1, 2], [3, 4]]
    old = [[2, 3], [3, 3], [4, 4], [3, 3], [3, 4], [2, 3], [3, 2], [2, 2]]
    new = [[4, 4], [2, 2], [3, 3], [4, 5], [1, 2], [4, 3], [1, 2], [3, 3]]
    for metric in ("mae", "mse", "wins", "emd_mean", "cosine_means"):
        add(f"lists {metric}", lambda rng, m=metric: of_test(bt.responses.p_value(gold, old, new, m, rng=0)))
    stars = lambda rng, *shape: rng.integers(1, 6, shape)  # noqa: E731
    for metric in ("mae", "wins", "wins_vectorized", "cosine"):
        add(f"stars {metric}", lambda rng, m=metric: of_test(bt.responses.p_value(stars(rng, 60, 3), stars(rng, 60, 3), stars(rng, 60, 3), m, rng=0, resamples=1_000)))
    uneven = [x[:1] for x in old]
    add("uneven refused", lambda rng: of_test(bt.responses.p_value(gold, uneven, new)))
    add("uneven even", lambda rng: of_test(bt.responses.p_value(gold, uneven, new, even=True, rng=0)))
    add("uneven sharp", lambda rng: of_test(bt.responses.p_value(gold, uneven, new, test="sharp", rng=0, resamples=2_000)))
    add("unequal items", lambda rng: of_test(bt.responses.p_value(gold, old, new[:-1])))
    add("unknown metric", lambda rng: of_test(bt.responses.p_value(gold, old, new, "no-such")))
    for seed in (1, 2):

        def simulated(rng: np.random.Generator, seed: int = seed) -> dict:
            m = bt.responses.simulate(items=50, responses=(3, 4, 4), eps_a=0.2, eps_b=0.05, rng=seed)
            return {k: ["x", float(np.nanmean(v)), 1e-9] for k, v in zip("gab", three_of(m))} | {
                f"shape {k}": ["is", list(np.shape(v))] for k, v in zip("gab", three_of(m))}

        add(f"simulate {seed}", simulated)
    add("true p", lambda rng: {"p": x_of(bt.responses.true_p(bt.responses.Population(eps_a=0.15), "mae", items=60, responses=3, resamples=300, rng=1), "test", "p", 0.08)})
    def from_ratings(rng: np.random.Generator) -> dict:
        made = table("squality/ratings.csv")
        score = ["correctness-rating", "overall-rating", "selection-rating"][rng.integers(3)]
        cells: dict = {}
        for p, q, s, w, x in zip(made["passage"], made["question"], made["system"], made["worker"], made[score]):
            cells.setdefault(s, {}).setdefault((p, q), []).append(float(x))
        names = sorted(cells)
        items = sorted(set.intersection(*(set(c) for c in cells.values())))
        return of_test(bt.responses.p_value(*([cells[s][i] for i in items] for s in names[:3]), "mae", rng=0, even=True))

    add("real data squality", from_ratings)
    for sampling in ("all_items/sample(1)", "all_items/sample(k)", "bootstrap_items/first_element", "bootstrap_items/sample(1)", "bootstrap_items/sample(k)", "bootstrap_items/split"):
        add(f"sampling {sampling}/redrawn", lambda rng, s=f"{sampling}/redrawn": test(rng, "mae", sampling=s, resamples=500))
    for metric in ("mse", "wins(mse)", "wins_vectorized", "cosine", "emd_aggregated_counts", "emd_vectorized_counts", "emd_mean_counts"):
        add(f"published {metric}", lambda rng, m=metric: test(rng, m, {"items": 30}, test="published", resamples=300))
    laws = {"likert": lambda: bt.responses.Likert(5), "categorical": lambda: bt.responses.Categorical(2), "beta": lambda: bt.responses.BetaResponses()}
    for name, law in laws.items():
        add(f"simulate {name}", lambda rng, f=law: {k: ["x", float(np.mean(v)), 1e-9] for k, v in zip("gab", three_of(bt.responses.simulate(40, 4, response=f(), rng=1)))})
    for name in ("likert", "categorical"):
        add(f"sharp {name}", lambda rng, f=laws[name]: test(rng, sim={"response": f()}, test="sharp", resamples=1_000))

    def fitted(rng: np.random.Generator, **more: Any) -> dict:
        found = bt.responses.fit_population(np.clip(three_of(made(rng, 120, 5, **more))[0], 0, 1))
        return {f"{n}: error": x_of(get(found, "fitted", n), "fitted law", "error", 1e-6) for n in ("means", "sds")} | {"law": is_of(found, "fitted", "response")}

    add("fit", fitted)
    add("fit likert", lambda rng: fitted(rng, response=bt.responses.Likert(5)))

    def study(rng: np.random.Generator, **more: Any) -> dict:
        found = bt.responses.study(eps=(0.0, 0.2), items=40, responses=3, metrics=("mae", "wins"), resamples=60, rng=3, **more)
        cell = lambda c: " ".join(str(get(c, "cell", n)) for n in ("eps", "sampling", "metric"))  # noqa: E731
        return {cell(c): x_of(c, "cell", "estimated", 0.25) for c in get(found, "response study", "cells")} | {
            f"{cell(c)}: true": x_of(c, "cell", "true", 0.25) for c in get(found, "response study", "cells")}

    add("study", study)
    add("study of one strategy", lambda rng: study(rng, samplings=("bootstrap_items/all",)))
    add("split of a budget", lambda rng: {f"{get(s, 'split', 'items')} x {get(s, 'split', 'responses')}": x_of(s, "split", "power", 0.02) for s in bt.responses.split_budget(bt.responses.Population(eps_a=0.1), 400, simulated=20_000, rng=1)})
    add("true p of toxicity", lambda rng: {"p": x_of(bt.responses.true_p(bt.responses.toxicity(0.2), "mae", items=50, responses=3, resamples=200, rng=1), "test", "p", 0.1)})


def power_cases(add: Callable) -> None:
    Rates = lambda *args, **more: bt.design.Rates(*args, **more)  # noqa: E731
    Spread = lambda *args, **more: bt.design.Spread(*args, **more)  # noqa: E731
    Pilot = lambda *args, **more: bt.design.Pilot(*args, **more)  # noqa: E731
    plan = lambda given, **more: of_power(bt.power(given, **more))  # noqa: E731
    for n, effect in ((50, 0.1), (250, 0.02), (500, 0.02), (2_000, 0.02)):
        add(f"rates {n} {effect}", lambda rng, n=n, e=effect: plan(Rates(baseline=0.8, agreement=0.9), items=n, effect=e))
    add("rates items", lambda rng: plan(Rates(agreement=0.9), effect=0.02, power=0.8))
    add("rates effect", lambda rng: plan(Rates(baseline=0.7, agreement=0.85), items=1_000, power=0.8))
    add("rates independent", lambda rng: plan(Rates(baseline=0.7), items=400, effect=0.05))
    add("rates drawn", lambda rng: plan(Rates(baseline=round(float(rng.uniform(0.5, 0.8)), 3), agreement=round(float(rng.uniform(0.8, 0.95)), 3)), items=int(rng.integers(100, 900)), effect=0.03))
    add("rates greater", lambda rng: plan(Rates(baseline=0.7, agreement=0.85), items=500, effect=0.03, alternative="greater"))
    add("rates ten comparisons", lambda rng: plan(Rates(baseline=0.7, agreement=0.85), items=500, effect=0.05, comparisons=10))
    add("rates alpha", lambda rng: plan(Rates(baseline=0.7, agreement=0.85), items=500, effect=0.05, alpha=0.01))
    add("rates clusters", lambda rng: plan(Rates(baseline=0.7, agreement=0.85, cluster_size=10, icc=0.2), items=400, effect=0.06))
    add("rates negative effect", lambda rng: plan(Rates(baseline=0.7, agreement=0.85), items=500, effect=-0.05))
    add("rates five items", lambda rng: plan(Rates(agreement=0.2), items=5, effect=0.5))
    add("rates impossible", lambda rng: plan(Rates(baseline=0.9, agreement=0.99), items=500, effect=0.3))
    add("spread", lambda rng: plan(Spread(1.0), items=100, effect=0.25))
    add("spread items", lambda rng: plan(Spread(17.0), effect=1.0, power=0.75))
    add("spread effect", lambda rng: plan(Spread(0.5), items=300, power=0.9))
    add("spread few", lambda rng: plan(Spread(1.0), items=6, effect=1.4))
    add("spread repeats", lambda rng: plan(Spread(0.4, sd_repeats=0.3, repeats=3), items=200, effect=0.1))
    add("spread clusters", lambda rng: plan(Spread(0.4, cluster_size=5, icc=0.3), items=200, effect=0.1))
    add("two given", lambda rng: plan(Rates(agreement=0.9), items=100))
    add("pilot binary", lambda rng: plan(Pilot(scores(rng, 150, 2)), items=400, effect=0.05))
    add("pilot binary items", lambda rng: plan(Pilot(scores(rng, 150, 2)), effect=0.05, power=0.8))
    add("pilot stars", lambda rng: plan(Pilot(scores(rng, 100, 2, "stars")), items=300, effect=0.2))
    add("pilot reals", lambda rng: plan(Pilot(scores(rng, 100, 2, "reals")), items=200, effect=0.05))
    add("pilot clusters", lambda rng: plan(Pilot(scores(rng, 120, 2, clusters=labels(rng, 120, "equal"))), items=400, effect=0.05))
    add("pilot f1", lambda rng: plan(Pilot(counted(rng, 60, "f1", 0.1), metric="f1", simulations=100), items=100, effect=0.05))
    add("pilot real data", lambda rng: plan(Pilot(bt.Scores.from_arrays(REAL["prime"]()), "gpt-4-0314", "gpt-4-0613"), items=100, effect=0.1))


def gate_cases(add: Callable) -> None:
    def gate(data: Any, *args: Any, **more: Any) -> dict:
        return of_gate(bt.gate(data, *args, **more))

    def two(rng: np.random.Generator, n: int, gain: float, **more: Any) -> Any:
        ease = rng.random(n)
        return bt.Scores.from_arrays({k: (ease + rng.normal(0, 0.1, n) < 0.6 + g).astype(int) for k, g in (("old", 0), ("new", gain))}, **more)

    for n in (30, 200, 1_000, 5_000):
        for gain in (-0.1, -0.01, 0.05):
            add(f"binary {n} {gain}", lambda rng, n=n, g=gain: gate(two(rng, n, g), margin=2))
    for goal in ("superior", "equivalent"):
        add(f"{goal}", lambda rng, g=goal: gate(two(rng, 800, 0.05), margin=2, goal=g))
        add(f"{goal} equal", lambda rng, g=goal: gate(two(rng, 800, 0.0), margin=3, goal=g))
    add("margin 0", lambda rng: gate(two(rng, 300, 0.03), margin=0))
    add("alpha 0.2", lambda rng: gate(two(rng, 300, -0.01), margin=3, alpha=0.2))
    add("clusters", lambda rng: gate(two(rng, 400, 0.02, clusters=labels(rng, 400, "equal")), margin=5))
    stars = lambda rng, n, gain=0.0: bt.Scores.from_arrays((lambda a: {"old": a, "new": np.clip(a + rng.integers(-1, 2, n) + (rng.random(n) < gain), 1, 5)})(rng.integers(1, 6, n)))  # noqa: E731
    add("stars without bounds", lambda rng: gate(stars(rng, 200), margin=0.3))
    add("stars bounds", lambda rng: gate(stars(rng, 200), margin=0.3, bounds=(1, 5)))
    add("stars bounds pass", lambda rng: gate(stars(rng, 800, 0.3), margin=0.3, bounds=(1, 5)))
    add("stars regression", lambda rng: gate(bt.Scores.from_arrays((lambda a: {"old": a, "new": np.maximum(a - (rng.random(200) < 0.4), 1)})(rng.integers(1, 6, 200))), margin=0.1))
    for assume in ("shift", "large-sample"):
        add(f"stars assume {assume}", lambda rng, a=assume: gate(stars(rng, 200, 0.1), margin=0.3, assume=a))
        add(f"reals assume {assume}", lambda rng, a=assume: gate(scores(rng, 120, 2, "reals"), margin=0.05, assume=a))
    add("rates", lambda rng: gate(bt.Scores.from_arrays((lambda a: {"old": a, "new": np.clip(a + rng.normal(0.01, 0.05, 200), 0, 1)})(rng.random(200))), margin=0.03))
    add("bounds broken", lambda rng: gate(stars(rng, 100), margin=0.3, bounds=(1, 3)))
    counted = lambda rng, pull: bt.Scores.from_arrays(dict(zip(("old", "new"), counts(rng, 300, "f1", pull))), columns=["tp", "fp", "fn"])  # noqa: E731
    for pull in (-0.1, 0.0, 0.1):
        add(f"f1 {pull}", lambda rng, p=pull: gate(counted(rng, p), checks=[bt.design.Check("f1", 2.0)]))
        add(f"f1 and recall {pull}", lambda rng, p=pull: gate(counted(rng, p), checks=[bt.design.Check("f1", 2.0), bt.design.Check("recall", 3.0)]))
    add("by domain", lambda rng: gate(two(rng, 600, 0.05, groups={"domain": rng.choice(["x", "y"], 600)}), margin=4, by="domain"))
    add("no margin", lambda rng: gate(two(rng, 100, 0.0)))
    add("named", lambda rng: gate(scores(rng, 200, 3), "s1", "s2", margin=5))
    add("three without names", lambda rng: gate(scores(rng, 200, 3), margin=5))
    add("lower is better", lambda rng: gate(scores(rng, 200, 2, "reals", lower_is_better=True), margin=0.1, assume="large-sample"))
    add("identical", lambda rng: gate(bt.Scores.from_arrays({"old": [1, 0] * 50, "new": [1, 0] * 50}), margin=2))
    add("real data prime", lambda rng: gate(bt.Scores.from_arrays(REAL["prime"]()), "gpt-4-0613", "gpt-4-0314", margin=2))
    add("real data prime turned", lambda rng: gate(bt.Scores.from_arrays(REAL["prime"]()), "gpt-4-0314", "gpt-4-0613", margin=2))


def study_cases(add: Callable) -> None:
    thresholds = lambda data, **more: of_thresholds(bt.thresholds(data, **more))  # noqa: E731
    calibration = lambda data, **more: of_calibration(bt.calibration(data, **more))  # noqa: E731
    add("thresholds binary", lambda rng: thresholds(scores(rng, 200, 12)))
    add("thresholds stars", lambda rng: thresholds(scores(rng, 150, 10, "stars")))
    add("thresholds permutation", lambda rng: thresholds(scores(rng, 150, 8), test="permutation"))
    add("thresholds t", lambda rng: thresholds(scores(rng, 150, 8, "reals"), test="t"))
    add("thresholds groups", lambda rng: thresholds(scores(rng, 150, 10), groups={f"s{k}": "odd" if k % 2 else "even" for k in range(10)}))
    add("thresholds band", lambda rng: thresholds(scores(rng, 150, 10), band=(0.01, 0.1), percentile=50.0))
    add("thresholds sampled", lambda rng: thresholds(scores(rng, 150, 8), method="sample", resamples=2_000, rng=0))
    add("thresholds real data", lambda rng: thresholds(bt.Scores.from_arrays(REAL["mqm"]())))
    add("thresholds of two", lambda rng: thresholds(scores(rng, 50, 2)))

    add("calibration binary", lambda rng: calibration(scores(rng, 400, 6), size=100, test_sets=4))
    add("calibration permutation", lambda rng: calibration(scores(rng, 300, 5), size=100, test_sets=3, test="permutation"))
    add("calibration domains", lambda rng: calibration(scores(rng, 400, 5, groups={"domain": ["x"] * 200 + ["y"] * 200}), by="domain", on="x", size=100, test_sets=3))
    add("calibration seed 5", lambda rng: calibration(scores(rng, 300, 5), size=80, test_sets=3, rng=5))

    aa = lambda data, **more: of_parts(bt.aa_check(data, **more), "null check", x=("rate",), same=("simulations", "alarms", "n"))  # noqa: E731
    add("aa check", lambda rng: aa(scores(rng, 100, 2), simulations=100))
    add("aa check by bootstrap", lambda rng: aa(scores(rng, 100, 2), simulations=60, test="bootstrap"))


def estimate_cases(add: Callable) -> None:
    made = lambda *args, **more: of_estimates(bt.estimate(*args, **more))  # noqa: E731
    for kind in ("binary", "stars", "reals", "percent"):
        add(kind, lambda rng, k=kind: made(scores(rng, 70, 3, k)))
    add("clusters", lambda rng: made(scores(rng, 90, 2, clusters=labels(rng, 90, "unequal"))))
    add("by", lambda rng: made(scores(rng, 90, 2, groups={"domain": ["x"] * 40 + ["y"] * 50}), by="domain"))
    add("f1", lambda rng: made(counted(rng, 60, "f1", 0.1), metrics=["f1", "precision"]))
    add("median", lambda rng: made(scores(rng, 31, 2, "reals"), metrics=["median"]))
    add("one item", lambda rng: made(bt.Scores.from_arrays({"a": [1]})))
    add("responses", lambda rng: made(bt.Scores.from_responses({"a": [rng.integers(1, 6, s).tolist() for s in rng.integers(1, 4, 30)]})))
    add("unknown system", lambda rng: made(scores(rng, 30, 2), systems=["nobody"]))
    add("real data", lambda rng: made(bt.Scores.from_arrays(REAL["wildbench"]())))

    def scored(data: Any, *args: Any) -> dict:
        values = get(bt.score(data, *args), "scores", "values")
        return {"values": ["is", len(values)], "first": ["x", float(values[0][0]), 1e-12], "last": ["x", float(values[-1][0]), 1e-12]}

    add("score", lambda rng: scored(scores(rng, 40, 3, "reals")))
    add("score f1", lambda rng: scored(counted(rng, 60, "f1", 0.1), ["f1"]))


# ---------------------------------------------------------------- what research asks


def structure(add: Callable) -> None:
    """Pairs of systems, what rankings disagree on, and made-up scores."""
    pairs = lambda data, *args, **more: of_pairwise(bt.ranking.pairwise(data, *args, **more))  # noqa: E731
    few = lambda rng, kind="stars", n=60, many=4: scores(rng, n, many, kind, 2)  # noqa: E731
    for method in ("mean", "median", "bradley-terry"):
        for kind in ("stars", "reals"):
            add(f"pairwise {method} {kind}", lambda rng, m=method, k=kind: pairs(few(rng, k), m))
    for method, test in (("mean", "t"), ("median", "sign"), ("bradley-terry", "wilcoxon")):
        add(f"pairwise {method} by {test}", lambda rng, m=method, t=test: pairs(few(rng), m, test=t))
    add("pairwise bh", lambda rng: pairs(few(rng, "binary"), "mean", correction="bh"))
    add("pairwise clusters", lambda rng: pairs(scores(rng, 80, 3, "stars", clusters=labels(rng, 80, "equal")), "bradley-terry"))
    add("pairwise battles", lambda rng: pairs(judged(rng, 300, 5, "items")))
    add("pairwise trueskill", lambda rng: {k: v for k, v in pairs(few(rng), "trueskill").items() if k not in ("effect", "lead")})
    add("pairwise real data", lambda rng: pairs(bt.Scores.from_arrays(REAL["dialogue"]()), "bradley-terry"))
    for method in ("bradley-terry", "mean"):

        def matrix(rng: np.random.Generator, method: str = method) -> dict:
            ranked = bt.rank(few(rng), method, resamples=20)
            return {"wins": of_table(bt.ranking.win_matrix(ranked), get(ranked, "ranking", "names"), 1e-6)}

        add(f"win matrix {method}", matrix)
    seen = {"x": ("mean_difference", "median_difference", "median_of_differences", "trimmed_difference", "correlation", "variance_ratio",
                  "skewness", "kurtosis", "bimodality"), "same": ("n", "wins", "ties", "losses", "outliers", "preferred")}
    diagnose = lambda data, a, b, **more: of_parts(bt.ranking.diagnose(data, a, b, **more), "diagnosis", **seen)  # noqa: E731
    for kind in ("binary", "stars", "reals"):
        add(f"diagnose {kind}", lambda rng, k=kind: diagnose(few(rng, k), "s0", "s3"))
    add("diagnose outliers", lambda rng: diagnose(bt.Scores.from_arrays((lambda a, b: {"a": a, "b": np.where(np.arange(60) < 3, b + 40, b)})(*reals(rng, 60))), "a", "b"))
    add("diagnose real data", lambda rng: diagnose(bt.Scores.from_arrays(REAL["mqm"]()), *sorted(REAL["mqm"]())[:2]))
    for name, make in {"stars": lambda rng: few(rng, many=6), "battles": lambda rng: judged(rng, 400, 5, "items"), "real data": lambda rng: bt.Scores.from_arrays(bt_eval(rng, "08", 8))}.items():

        def agreement(rng: np.random.Generator, make: Callable = make) -> dict:
            tests = ("t", "mood", "sign", "wilcoxon")
            found = bt.ranking.agreement_of_tests(make(rng), tests)
            return {"matrix": of_table(get(found, "agreement", "matrix"), tests), "pairs": is_of(found, "agreement", "pairs")}

        if name != "battles":
            add(f"agreement of tests {name}", agreement)
            add(f"disagreement {name}", lambda rng, f=make: of_disagreements(bt.ranking.disagreement(f(rng))))
        add(f"cycles {name}", lambda rng, f=make: of_parts(bt.ranking.cycles(f(rng)), "cycles", same=("triples", "condorcet_winner")))
        add(f"leave one out {name}", lambda rng, f=make: {"flips": ["is", sorted([get(x, "flip", n) for n in ("without", "first", "second")] for x in bt.ranking.leave_one_out(f(rng)))]})
    add("cycle", lambda rng: of_parts(bt.ranking.cycles(bt.Scores.from_arrays({"A": [1, 2, 3], "B": [2, 3, 1], "C": [3, 1, 2]})), "cycles", same=("triples", "condorcet_winner")))
    for method in ("elo", "trueskill"):
        for name, make in {"scores": few, "battles": lambda rng: judged(rng, 300, 5), "real data": lambda rng: bt.Scores.from_arrays(bt_eval(rng, "11", 8))}.items():

            def ordered(rng: np.random.Generator, method: str = method, make: Callable = make) -> dict:
                data = make(rng)
                two = [bt.rank(data, "bradley-terry", resamples=10, separation="ghost"), bt.rank(data, method, order="data", resamples=5)]
                return of_disagreements([bt.ranking.compare_rankings(*two)])

            add(f"disagreement {method} in the order of data, {name}", ordered)

    def study(rng: np.random.Generator, **more: Any) -> dict:
        found = bt.ranking.study_disagreement({f"set{k}": few(rng, n=40 + 20 * k, many=5) for k in range(3)}, rng=0, **more)
        fields = of_disagreements(get(found, "disagreement study", "overall"))
        for size, here in get(found, "disagreement study", "sizes").items():
            fields |= of_disagreements(here, f"{size}: ")
        return fields

    add("disagreement study", study)
    add("disagreement study sizes", lambda rng: study(rng, sizes=(10, 30), repeats=5))
    add("disagreement study two methods", lambda rng: study(rng, methods=("mean", "bradley-terry"), sizes=(20,), repeats=3))
    add("score spread", lambda rng: of_parts(bt.ranking.score_spread(few(rng)), "spread", x=("outliers", "within_items", "of_ranks", "between_items"), same=("n",)))
    add("tie sensitivity", lambda rng: {f"{get(t, 'ties', 'rule')}: {k}": v for t in bt.ranking.tie_sensitivity(few(rng)) for k, v in of_parts(t, "ties", 1e-6, x=("largest_shift",), same=("reversed_pairs",)).items()})
    add("goodness of fit", lambda rng: of_parts(bt.ranking.goodness_of_fit(judged(rng, 300, 4), resamples=200), "fit", 1e-6, x=("statistic",)))

    def by_task(rng: np.random.Generator) -> dict:
        found = bt.ranking.rank_by_task(scores(rng, 90, 4, "stars", 2, groups={"task": ["a"] * 30 + ["b"] * 60}), "task", resamples=50)
        fields = {f"overall: {k}": v for k, v in of_ranking(get(found, "by task", "overall"), 50).items()}
        for task, one in get(found, "by task", "by_task").items():
            fields |= {f"{task}: {k}": v for k, v in of_ranking(one, 50).items()}
        return fields

    add("ranks by task", by_task)

    def made(found: Any) -> dict:
        inner = get(found, "simulated", "scores")
        values = np.asarray(get(found if inner is GONE else inner, "scores", "values"), float)
        return {"shape": ["is", list(values.shape)], "mean": ["x", float(values.mean()), 1e-9], "sd": ["x", float(values.std()), 1e-9],
                "of systems": ["map", {str(k): float(x) for k, x in enumerate(values.reshape(values.shape[0], values.shape[1], -1).mean(axis=(1, 2)))}, 1e-9]}

    seeded = lambda rng: int(rng.integers(1_000))  # noqa: E731
    add("paired marginals", lambda rng: made(bt.ranking.paired_marginals(items=50, rng=seeded(rng))))
    add("paired marginals reordered", lambda rng: made(bt.ranking.paired_marginals((1, 2, 3, 4, 0), items=50, rng=seeded(rng))))
    for name, more in {"plain": {}, "types": {"types": 3}, "outliers": {"outliers": 0.1}, "gross": {"outliers": 0.05, "outlier": "gross"}, "independent": {"independent": True}}.items():
        add(f"score matrix {name}", lambda rng, m=more: made(bt.ranking.score_matrix(systems=4, items=40, rng=seeded(rng), **m)))
    for factor in (1.0, 0.9):
        add(f"simulated taggers {factor}", lambda rng, f=factor: made(bt.papers.simulate_taggers(60, f, rng=seeded(rng))))
    for n, more in ((40, {}), (12, {"copies": 2, "sizes": [12, 5]})):
        add(f"training sets of {n}", lambda rng, n=n, m=more: {"drawn": ["is", [[get(d, "training set", "name"), plain(get(d, "training set", "places"))] for d in bt.design.training_sets(n, rng=seeded(rng), **m)]]})

    def trained(rng: np.random.Generator) -> Any:
        draw = lambda n: [(x, y) for x, y in zip(rng.normal(size=n).round(3), rng.integers(0, 2, n))]  # noqa: E731
        middle = lambda seen: (lambda cut: lambda item: item[0] > cut)(np.median([x for x, _ in seen]))  # noqa: E731
        common = lambda seen: (lambda y: lambda item: y)(np.mean([y for _, y in seen]) > 0.5)  # noqa: E731
        return bt.design.resample_training({"middle": middle, "common": common}, draw(60), draw(50), lambda p, item: float(p == item[1]), copies=3)

    def training(rng: np.random.Generator) -> dict:
        found = trained(rng)
        return made(get(found, "trained", "scores")) | {n: is_of(found, "trained", n) for n in ("models", "sizes")}

    add("resampled training", training)
    add("resampled training thresholds", lambda rng: (lambda f: of_thresholds(bt.thresholds(get(f, "trained", "scores"), groups=get(f, "trained", "models"))))(trained(rng)))
    many = lambda rng, kind="binary", **more: scores(rng, 240, 7, kind, **more)  # noqa: E731
    for how in ("prefix", "subsample"):
        add(f"thresholds by size {how}", lambda rng, h=how: of_threshold_sets(bt.design.thresholds_by_size(many(rng), [60, 120, 240], how=h)))
    add("thresholds by size, t", lambda rng: of_threshold_sets(bt.design.thresholds_by_size(many(rng, "reals"), test="t")))
    add("thresholds by domain", lambda rng: of_threshold_sets(bt.design.thresholds_by_domain(many(rng, groups={"domain": rng.choice(["x", "y", "z"], 240)}), "domain")))
    against = lambda data, x, **more: (lambda f: of_parts(f, "published", x=("score", "gain", "threshold"), same=("n", "clear", "exceeds")))(bt.design.against_published(data, x, **more))  # noqa: E731
    for name, more in {"f1": {"metric": "f1"}, "same": {"metric": "f1", "similarity": "same"}, "given": {"threshold": 0.02}}.items():
        add(f"against published {name}", lambda rng, m=more: against(counted(rng, 150, "f1", 0.05), 0.6, candidate="new", **{"metric": "f1", **m}))
    add("against published mean", lambda rng: against(scores(rng, 80, 1), 0.5))


def published(add: Callable) -> None:
    """Algorithms and exhibits of the papers."""
    whole_p = lambda p: {"p": ["x", float(p), 1e-9]}  # noqa: E731
    two = lambda rng, n, parts, top=4: (rng.integers(0, top, (n, parts)), rng.integers(0, top, (n, parts)))  # noqa: E731
    ways = {
        "two parts": (2, lambda a, b: a * a - 3 * b),
        "three parts": (3, lambda a, b, c: abs(a * c - b)),
        "four parts": (4, lambda a, b, c, d: abs(a * d - b * c)),
        "a maximum": (2, lambda a, b: np.maximum(a, b)),
    }
    for name, (parts, h) in ways.items():
        for n in (5, 14):
            add(f"exact test of {name}, {n}", lambda rng, n=n, p=parts, h=h: whole_p(bt.published.exact_test(*two(rng, n, p), h)))
        add(f"monte carlo of {name}", lambda rng, p=parts, h=h: {"p": ["x", float(bt.published.monte_carlo(*two(np.random.default_rng(p), 14, p), h, 20_000, rng=1)), 0.02]})
        add(f"exact {name}", lambda rng, p=parts, h=h: whole_p(get(bt.exact.test(*two(rng, 10, p), h), "probability", "value")))
    for convolve in ("dp", "fft"):
        add(f"exact test by {convolve}", lambda rng, c=convolve: whole_p(bt.published.exact_test(*(lambda d: (d, -d))(rng.integers(-9, 12, 60)), np.abs, convolve=thing(f"published.{c}"))))
    add("rational", lambda rng: whole_p(bt.exact.signed_sum_pvalue(rng.integers(-9, 12, 40).tolist())))
    for paper, exhibits in EXHIBITS.items():
        for exhibit in exhibits:
            add(f"{paper} {exhibit}", lambda rng, p=paper, e=exhibit: of_paper(bt.papers.reproduce(p, [e], runner=bt.papers.Runner(quick=True, seed=0))))


# Of the exhibits at quick sizes those that take a few seconds each; times are compared by their claims alone.
EXHIBITS: dict[str, list[str]] = {
    "permutation-draft": ["Table 1", "Table 2", "Appendix B"],
    "permutation-2022": ["Table 1", "Figure 2", "Appendix B"],
    "average-2021": ["Figure 1", "Figure 2", "Figure 3", "Table 1", "Figure 4", "Table 4", "Figure 6", "Appendix F"],
}


def engines(add: Callable) -> None:
    """The same table in other engines, tallies and other processes."""
    frame = lambda rng, kind="stars": pl.DataFrame({"item": [f"q{k}" for k in range(80)], **renamed(systems(rng, 80, 3, kind), "base,new,third")})  # noqa: E731
    relation = lambda f: import_module("duckdb").from_arrow(f.to_arrow())  # noqa: E731
    doors = {"lazy": lambda f: f.lazy(), "scan lazy": lambda f: bt.scan(f.lazy()), "relation": relation, "scan relation": lambda f: bt.scan(relation(f)),
             "tally": lambda f: bt.Tallied.of(bt.read(f)), "scan long": lambda f: bt.scan(f.unpivot(index="item", variable_name="system", value_name="score").lazy()),
             "dask frame": lambda f: import_module("dask.dataframe").from_pandas(f.to_pandas(), npartitions=3)}
    for name, door in doors.items():
        for kind in ("binary", "stars"):
            add(f"{name} {kind}", lambda rng, d=door, k=kind: of_comparisons(bt.compare_many(d(frame(rng, k)), "base")))
    for name in ("scan lazy", "tally"):
        add(f"{name} gate", lambda rng, d=doors[name]: of_gate(bt.gate(d(frame(rng, "binary").drop("third")), "base", "new", margin=5)))
        add(f"{name} board", lambda rng, d=doors[name]: of_board(bt.leaderboard(d(frame(rng)), "mean", resamples=50), 50))

    def fought(rng: np.random.Generator) -> Any:
        made = made_battles(rng, 300, 5)
        return pl.DataFrame({"model_a": made["left"], "model_b": made["right"], "winner": [{"left": "model_a", "right": "model_b"}.get(x, "tie") for x in made["outcome"]], "item": made["items"]})

    for name, door in {"frame": lambda f: bt.Judgments.from_frame(f), "scan lazy": lambda f: bt.scan_judgments(f.lazy()), "scan relation": lambda f: bt.scan_judgments(relation(f))}.items():
        add(f"battles {name}", lambda rng, d=door: of_ranking(bt.rank(d(fought(rng)), resamples=50), 50))

    def cluster(rng: np.random.Generator) -> dict:
        distributed = import_module("dask.distributed")
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as local, distributed.Client(local) as client:
            fields = of_test(bt.permutation_test(*reals(rng, 101), "median", rng=1, resamples=3_000, executor=client))
            fields |= {f"many: {k}": v for k, v in of_comparisons(bt.compare_many(scores(rng, 60, 4, "reals"), correction="max-t", resamples=1_000, executor=client)).items()}
        return fields

    add("two workers of a cluster", cluster)


AREAS = {
    "exact": exact,
    "classic": classic,
    "bootstrap": bootstrap,
    "compare": comparing,
    "interval": intervals,
    "rank": ranking,
    "responses": response_cases,
    "power": power_cases,
    "gate": gate_cases,
    "study": study_cases,
    "estimate": estimate_cases,
    "structure": structure,
    "published": published,
    "engine": engines,
}


def build(seed: int) -> list[Case]:
    made: list[Case] = []
    for area, fill in AREAS.items():

        def add(name: str, function: Callable[[np.random.Generator], dict], area: str = area) -> None:
            full = f"{area}/{name}"

            def run() -> dict:
                return function(np.random.default_rng([seed, zlib.crc32(full.encode())]))

            made.append(Case(full, area, run))

        fill(add)
    return made
