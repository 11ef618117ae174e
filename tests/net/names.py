"""The present spelling of the library: the only place of the net that knows it.

Cases are written in the net's own words. When a function, a keyword, an option, a field or the shape
of a document is called otherwise, its line changes here; golden.json does not.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

PACKAGE = "betterthan"
GONE = object()

# ---------------------------------------------------------------- functions in Python
# The net's name -> where it is now; what is not listed is called as in the net.
FUNCTIONS = {
    "published.exact_test": "exact.published.exact_test",
    "published.monte_carlo": "exact.published.monte_carlo",
    "estimate": "score",
    "rank": "ranking.rating",
    "leaderboard": "rank",
    "ranking.agreement_of_tests": "ranking.agreement",
    "thresholds": "design.thresholds",
    "calibration": "design.calibration",
    "aa_check": "design.aa_check",
    "scan": "read",
    "Scores.from_frame": "read",
    "Tallied.of": "tally",
    "Judgments.from_frame": "read",
    "scan_judgments": "read",
    "responses.fit_population": "responses.fit",
    "papers.Runner": "papers.runner.Runner",
}
# Of a function, or of all ("*"): the net's keyword -> the present one, or a function of its value that
# returns keywords: {"*": {"seed": "rng"}, "read": {"item": lambda x: {"columns": {"item": x}}}}.
KEYWORDS: dict[str, dict[str, str | Callable[[Any], dict]]] = {
    "ranking.study_disagreement": {"methods": "method"},
    "compare_many": {"metrics": "metric"},
    "compare_all": {"metrics": "metric"},
    "estimate": {"metrics": "metric", "confidence": lambda x: {"alpha": 1 - x}},
    "bootstrap_interval": {"confidence": lambda x: {"alpha": 1 - x}},
    "gate": {"margin": lambda x: {"margin": x / 100 if x >= 1 else x}},  # rates are shares
    "design.Rates": {"baseline": "accuracy"},
    "design.Spread": {"sd": "item", "sd_repeats": "repeat", "sd_raters": "rater"},
    "design.Pilot": {"simulations": lambda _: {}},
    "thresholds": {"method": lambda x: {"test": f"bootstrap(method={x})"}},
    "calibration": {"size": "sizes", "on": lambda x: {"by": f"domain={x}"}},
    "papers.reproduce": {"runner": lambda x: {"quick": x.quick, "rng": x.seed, "workers": x.workers}},
    "responses.simulate": {"response": "law"},
    "responses.study": {"metrics": "metric", "samplings": "sampling", "resamples": "draws"},
}
# What readers are told of columns is one mapping now; and who counts in place.
ROLES = {"item": "item", "system": "system", "score": "score", "response": "response", "cluster": "cluster", "label": "label", "by": "label", "tasks": "task"}
COUNTED = ("scan", "scan_judgments")
# What is given by position in the net and is a keyword now: {"rank": [None, "method"]}.
POSITIONS: dict[str, list[str | None]] = {"score": [None, "metric"]}
# Of tests that are named, the net's keywords -> their options: test="bootstrap", variant="sign" is "bootstrap(variant=sign)".
OF_TESTS = ("method", "variant", "recentre", "strict")
TESTED = ("compare", "compare_many", "compare_all")
# Of methods that rank likewise; functions and what they do by default where a system won everything.
OF_METHODS = ("ties", "solver", "separation", "interval", "k", "order", "repeats")
RANKED = {"rank": "error", "leaderboard": "ghost"}
# What a function gives, as the net knows it.
GIVEN: dict[str, Callable[[Any], Any]] = {"score": lambda found: {"values": [[row.score] for row in found]}}

# ---------------------------------------------------------------- the command line
COMMANDS: dict[str, str] = {"estimate": "score", "tally": "inspect"}
FLAGS = {"--all", "--scan", "--unchecked", "--no-header", "--lower-is-better", "--seal", "--quick"}
# {"--candidate": "--systems"}; with a template the values go into one option, joined by commas:
# {"--item": "--columns item={}", "--response": "--columns response={}"}; "" leaves the option out.
OPTIONS: dict[str, str] = {
    "--gold": "--ref", "--bound": "--bounds", "-n": "--items", "--tasks": "--columns task={}", "--docs": "--columns cluster=@{}",
    "--no-header": "--input-format=csv(header=no)", "--ties": "--method bradley-terry(ties={})", "--unchecked": "", "--scan": "",
    "tally --by": "--columns label={}", "--plan": "--plan {}", "--plan-hash": "--plan @{}", "--seal": "",
}
# What a command of the net did by default and is asked for now, where none of the options is given.
USUAL = {"rank": (("--method", "--ties"), ["--method", "bradley-terry"])}
VALUES: dict[tuple[str, str], str] = {}  # {("--metric", "token-f1"): "f1"}
JSON_FORMAT = ["-f", "json"]
FORMATS = {"md": ["-f", "md"], "latex": ["-f", "latex"], "csv": ["-f", "csv"]}
PLAN_FILE = "betterthan.toml"  # where a plan is looked for
# The hash of plan([{"metric": "accuracy", "margin": 4}], alpha=0.1).
PLAN_HASH = "22d8c1e3"
# Options that a message may name as the remedy: the present one -> the net's; "" where it is none.
REMEDIES = {"--help": "", "--version": ""}

# ---------------------------------------------------------------- results and documents
# Of each kind: the net's field -> where it is now, a path of attributes or keys. What is not listed is
# called as in the net. DOCUMENTS overrides where JSON has another shape than the result in Python.
P = {"p": "pvalue", "p_low": "pvalue_low", "p_high": "pvalue_high", "log10_p": "log10_pvalue"}
INTERVAL = {"low": "interval.low", "high": "interval.high", "confidence": "interval.level"}
ADJUSTED = {"adjusted": "pvalue_adjusted", "adjusted_low": "pvalue_adjusted_low", "adjusted_high": "pvalue_adjusted_high",
            "log10_adjusted": "log10_pvalue_adjusted"}
RESULTS: dict[str, dict[str, str]] = {
    "test": P,
    "interval": {"confidence": "level"},
    "comparison": P | ADJUSTED | INTERVAL,
    "comparisons": {"rows": ""},
    "estimate": INTERVAL,
    "estimates": {"rows": ""},
    "board": {},
    "board row": {"name": "system", "p_best": "comes_first"},
    "ranking": {"p_best": "comes_first"},
    "gate": {"rows": "checks"},
    "gate row": P | INTERVAL | {"p_regression": "pvalue_regression"},
    "power": {},
    "thresholds": {"rows": "thresholds", "sets": "studies"},
    "gain": {"p": "pvalue"},
    "calibration": {},
    "null check": {},
    "pairwise": {"p": "pvalue"},
    "paper": {},
    "scores": {},
    "trio": {},
    "published": {"score": "score"} | INTERVAL,
}
DOCUMENTS: dict[str, dict[str, str]] = {
    "comparisons": {"rows": "rows"},
    "estimates": {"rows": "rows"},
    "gate": {"rows": "rows"},
    "gate row": {"low": "interval_low", "high": "interval_high", "part": "subset"},
    "thresholds": {"rows": "rows"},
    "part of boards": {},
}
# Of a field, the present value -> the net's: {"metric": {"f1": "token-f1"}, "verdict": {"unclear": "can't tell"}}.
SAID: dict[str, dict[str, str]] = {}
ERRORS: dict[str, str] = {}  # a class of errors now -> the net's
# The name in "schema" -> the net's kind.
SCHEMAS = {"comparisons": "comparisons", "estimates": "estimates", "leaderboard": "board", "ranking": "board", "leaderboards": "boards",
           "gate": "gate", "responses": "test", "power": "power", "scores": "estimates", "thresholds": "thresholds", "gains": "thresholds"}


def plan(checks: Sequence[Mapping[str, Any]], **more: Any) -> str:
    """A plan of a gate in TOML."""
    say = lambda x: f'"{x}"' if isinstance(x, str) else str(x)  # noqa: E731
    text = "[gate]\n" + "".join(f"{k} = {say(v)}\n" for k, v in more.items())
    return text + "".join("\n[[gate.checks]]\n" + "".join(f"{k} = {say(v)}\n" for k, v in one.items()) for one in checks)


def schema_of(document: Mapping[str, Any]) -> str:
    part = str(document.get("schema", "")).split("/")[1:2]
    kind = SCHEMAS.get(part[0], part[0]) if part else "none"
    return "boards" if kind == "board" and len({r.get("subset") for r in document["rows"]}) > 1 else kind


# ---------------------------------------------------------------- how they are used


def thing(name: str) -> Any:
    """What the net calls so, wherever it lies now."""
    if name in ("published.dp", "published.fft"):
        return name.partition(".")[2]
    parts = FUNCTIONS.get(name, name).split(".")
    for k in range(len(parts) - 1, -1, -1):
        try:
            found = import_module(".".join([PACKAGE, *parts[:k]]))
        except ModuleNotFoundError as error:
            if not str(error.name).startswith(PACKAGE):
                raise
            continue
        for part in parts[k:]:
            found = getattr(found, part)
        return found
    raise AttributeError(name)


def selected(name: str, args: tuple, more: dict) -> tuple:
    """Tell scores what functions were told: their systems and tasks; and tests their options."""
    if name in ("compare_many", "compare_all", "estimate") and "systems" in more:
        data, systems, first = args[0], more.pop("systems"), ()
        if name == "compare_many":
            first = (args[1] if len(args) > 1 else more.get("baseline") or data.baseline(None, systems),)
        args = (data.select(*first, *systems), *args[1:])
    if "tasks" in more and args and hasattr(args[0], "with_tasks"):
        args = (args[0].with_tasks(more.pop("tasks")), *args[1:])
    if name in TESTED and (options := {k: more.pop(k) for k in OF_TESTS if k in more}):
        said = ",".join(f"{k}={'yes' if v is True else 'no' if v is False else v}" for k, v in options.items())
        more["test"] = f"{more.get('test', 'permutation')}({said})"
    if name in ("read", "Scores.from_frame", *COUNTED):
        columns = {ROLES[k]: more.pop(k) for k in ROLES if k in more}
        more |= {"columns": {k: v.replace(",", "+") if isinstance(v, str) else v for k, v in columns.items()}} if columns else {}
        more |= {"items": False} if name in COUNTED else {}
    if name == "responses.p_value" and (options := {k: more.pop(k) for k in ("sampling", "even") if k in more}):
        kind = more.get("test") or ("published" if "sampling" in options else "calibrated")
        more["test"] = f"{kind}({','.join(f'{k}={v}' for k, v in options.items()).replace('=True', '=yes')})"
    if name in RANKED:
        args, more["method"] = args[:1], method_of(name, args, more)
    return args


def method_of(name: str, args: tuple, more: dict) -> str:
    """A method that ranks with its options: "bradley-terry", ties="drop" is "bradley-terry(ties=drop)"."""
    uneven = getattr(args[0], "uneven", None)
    method = (args[1] if len(args) > 1 else more.pop("method", None)) or ("mean" if uneven and uneven() else "bradley-terry")
    options = {"separation": RANKED[name]} if method == "bradley-terry" else {}
    options |= {k: more.pop(k) for k in OF_METHODS if k in more}
    if "order" in options:
        options["order"] = {"data": "file"}.get(options["order"], options["order"])
    return f"{method}({','.join(f'{k}={v}' for k, v in options.items())})"


def call(name: str, *args: Any, **more: Any) -> Any:
    if name == "gate" and "checks" in more:  # several margins are a plan
        return thing("design.Plan")(tuple(more.pop("checks"))).gate(*args, **more)
    args = selected(name, args, more)
    renamed = KEYWORDS.get("*", {}) | KEYWORDS.get(name, {})
    given: dict[str, Any] = {}
    for key, value in more.items():
        now = renamed.get(key, key)
        given |= now(value) if callable(now) else {now: value}
    places = POSITIONS.get(name, [])
    given |= {places[k]: x for k, x in enumerate(args) if k < len(places) and places[k]}
    found = thing(name)(*(x for k, x in enumerate(args) if k >= len(places) or not places[k]), **given)
    return GIVEN[name](found) if name in GIVEN else found


class Named:
    """``bt.compare(...)``, ``bt.Scores.from_arrays(...)``: calls by the net's names."""

    def __init__(self, path: str = "") -> None:
        self.path = path

    def __getattr__(self, name: str) -> Named:
        return Named(f"{self.path}.{name}".lstrip("."))

    def __call__(self, *args: Any, **more: Any) -> Any:
        return call(self.path, *args, **more)


bt = Named()


def field(kind: str, name: str, document: bool = False) -> str:
    """Where a field of that kind of result or document is."""
    return (RESULTS.get(kind, {}) | (DOCUMENTS.get(kind, {}) if document else {})).get(name, name)


def get(found: Any, kind: str, name: str) -> Any:
    """A field of a result, or of a part of a JSON document; GONE where it is not there."""
    for path in field(kind, name, isinstance(found, Mapping)).split("|"):
        here = found
        for step in filter(None, path.split(".")):
            if here is None:
                break
            try:
                here = here[step] if isinstance(here, Mapping) else getattr(here, step)
            except (KeyError, AttributeError):
                here = GONE
                break
        if here is not GONE:
            return SAID.get(name, {}).get(here, here) if isinstance(here, str) else here
    return GONE


def words(text: str) -> list[str]:
    """A command line of the net as it is typed now."""
    parts, made, joined = text.split(" "), [], {}
    made.append(COMMANDS.get(parts[0], parts[0]))
    others, usual = USUAL.get(parts[0], ((), []))
    made += [] if {*others} & {*parts} else usual
    k = 1
    while k < len(parts):
        option, values = parts[k], []
        k += 1
        if not option.startswith("-"):
            made.append(option)
            continue
        if option not in FLAGS and k < len(parts):
            values = [VALUES.get((option, parts[k]), parts[k])]
            k += 1
        now = OPTIONS.get(f"{parts[0]} {option}", OPTIONS.get(option, option))
        if "{}" in now:
            option, _, template = now.partition(" ")
            if option not in joined:
                joined[option] = len(made) + 1
                made += [option, template.format(*values)]
            else:
                made[joined[option]] += ("" if template.startswith("@") else ",") + template.format(*values)
        elif now:
            made += [now, *values]
    return made


def remedies(message: str) -> list[str]:
    """The options that a message names, in the net's words: of a command that it types, what it adds at the end."""
    flag, said = r"(?<![\w-])--[a-z][a-z0-9-]+", ""
    for line in message.splitlines():
        if line.startswith("Read "):  # how it was read, as options
            continue
        typed = re.match(rf"(?:try:)? +{PACKAGE} .*?({flag}(?: (?:'[^']*'|\S+))?)?(?: {{5}}.*)?$", line)
        said += f" {(typed[1] or '') if typed else line}"
    for value in re.findall(r"--columns '?([^\s']+)", said):  # the net knows each role as an option
        said = said.replace("--columns", " ".join(f"--{role.partition('=')[0]}" for role in value.split(",")), 1)
    named = {REMEDIES.get(x, x) for x in re.findall(flag, said)}
    return sorted(named - {""})


def numbers(printed: str, form: str) -> list[float]:
    """The numbers of a printed table in their order; the signature and the preamble left out."""
    if form == "csv":
        cells = (x for row in csv.reader(printed.splitlines()) for x in row)
        return [float(x) for x in cells if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", x)]
    kept = [x for x in printed.splitlines() if f"{PACKAGE}:" not in x and not x.lstrip().startswith(("%", "\\setlength", "\\cmidrule"))]
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", "\n".join(kept))
    text = text.replace("−", "-").replace("--", " ")
    return [float(x) for x in re.findall(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])", text)]


# ---------------------------------------------------------------- what is recorded of each kind


def number(x: Any) -> Any:
    return None if x is None or x is GONE else float(x)


def plain(x: Any) -> Any:
    if hasattr(x, "tolist"):
        return x.tolist()
    if isinstance(x, Mapping):
        return sorted([str(k), plain(v)] for k, v in x.items())
    if isinstance(x, (list, tuple)):
        return [plain(y) for y in x]
    return x if x is None or isinstance(x, (bool, int, float, str)) else str(x)


def x_of(found: Any, kind: str, name: str, tol: float) -> list:
    value = get(found, kind, name)
    return ["missing"] if value is GONE else ["x", number(value), tol]


def is_of(found: Any, kind: str, name: str) -> list:
    value = get(found, kind, name)
    return ["missing"] if value is GONE else ["is", plain(value)]


def map_of(pairs: Mapping[str, Any], tol: float) -> list:
    return ["missing"] if GONE in list(pairs.values()) else ["map", {str(k): number(v) for k, v in pairs.items()}, tol]


def p_of(found: Any, kind: str, name: str = "p", how: str = "kind") -> list:
    value, of = get(found, kind, name), get(found, kind, how)
    if value is GONE or of is GONE:
        return ["missing"]
    more = [get(found, kind, n) for n in (f"{name}_low", f"{name}_high", f"log10_{name}")]
    return ["p", *map(number, [value, *more]), str(of)]


def of_test(found: Any, *, delta: float = 1e-12) -> dict:
    fields = {"p": p_of(found, "test"), "delta": x_of(found, "test", "delta", delta)}
    fields |= {n: is_of(found, "test", n) for n in ("n", "clusters")}
    if get(found, "test", "statistic") not in (None, GONE):
        fields["statistic"] = x_of(found, "test", "statistic", 1e-9)
    return fields


def of_comparison(c: Any) -> dict:
    fields = {n: is_of(c, "comparison", n) for n in ("n", "clusters", "wins", "ties", "losses", "verdict")}
    fields |= {n: x_of(c, "comparison", n, 1e-12) for n in ("delta", "score_baseline", "score_candidate")}
    return fields | {"p": p_of(c, "comparison"), "p_adjusted": p_of(c, "comparison", "adjusted", "kind_adjusted")}


def one_comparison(c: Any) -> dict:
    return {"who": ["is", [plain(get(c, "comparison", n)) for n in ("baseline", "candidate", "metric", "subset")]], **of_comparison(c)}


def key_of(row: Any, kind: str, *names: str) -> str:
    said = (get(row, kind, n) for n in names)
    return ", ".join(str(x) for x in said if x is not GONE and x is not None)


def of_comparisons(found: Any) -> dict:
    every = list(get(found, "comparisons", "rows"))
    fields: dict = {"comparisons": ["is", len(every)], "correction": is_of(found, "comparisons", "correction")}
    for c in every:
        key = key_of(c, "comparison", "candidate", "baseline", "metric", "subset")
        fields |= {f"{key}: {k}": v for k, v in of_comparison(c).items()}
    return fields


def of_interval(found: Any, kind: str = "interval") -> dict:
    """Of an interval by itself, or of what has one."""
    error = get(found, kind, "error") if kind == "interval" else get(get(found, kind, "interval"), "interval", "error")
    tol = 1e-6 if error in (GONE, None) else max(1e-6, 4 * float(error))
    return {end: x_of(found, kind, end, tol) for end in ("low", "high", "confidence")}


def distinct(values: Sequence[float]) -> bool:
    made = sorted(values)
    return all(b - a > 1e-7 * max(1, abs(a)) for a, b in zip(made, made[1:]))


def of_ranking(found: Any, draws: int, tol: float = 1e-6) -> dict:
    at = lambda name: get(found, "ranking", name)  # noqa: E731
    names = [str(n) for n in at("names")]
    fields: dict = {n: is_of(found, "ranking", n) for n in ("method", "units", "n")}
    for name, how in (("scores", tol), ("strengths", tol), ("rank_low", 0), ("rank_high", 0)):
        value = at(name)
        if value is not None:
            fields[name] = ["missing"] if value is GONE else map_of(dict(zip(names, value)), how)
    if at("p_best") is not None:
        fields["p_best"] = ["missing"] if at("p_best") is GONE else ["shares", dict(zip(names, map(float, at("p_best")))), draws]
    if at("scores") is not GONE and distinct([float(x) for x in at("scores")]):
        fields["order"] = ["is", names]
    return fields


def of_board(found: Any, draws: int, tol: float = 1e-6) -> dict:
    rows = {get(r, "board row", "name"): r for r in get(found, "board", "rows")}
    fields: dict = {"decided_by": is_of(found, "board", "decided_by")}
    for name, how in (("score", tol), ("rating", tol), ("rank_low", 0), ("rank_high", 0), ("tier", 0), ("n", 0)):
        fields[name] = map_of({k: get(r, "board row", name) for k, r in rows.items()}, how)
    best = {k: get(r, "board row", "p_best") for k, r in rows.items()}
    fields["p_best"] = ["missing"] if GONE in best.values() else ["shares", {k: number(v) for k, v in best.items()}, draws]
    letters = {name: letter(k) for k, name in enumerate(rows)}  # the net has letters, boards have names
    beaten = {k: get(r, "board row", "beats") or () for k, r in rows.items()}
    beaten = {k: x.split("; ") if isinstance(x, str) else x for k, x in beaten.items()}
    fields["beats"] = ["is", sorted([k, sorted(letters[x] for x in names)] for k, names in beaten.items())]
    return fields


def letter(k: int) -> str:
    return (letter(k // 26 - 1) if k > 25 else "") + chr(97 + k % 26)


def of_gate(found: Any) -> dict:
    fields = {n: is_of(found, "gate", n) for n in ("ruling", "exit_code", "baseline", "candidate")}
    for k, r in enumerate(get(found, "gate", "rows")):
        fields |= {f"{k} {n}": is_of(r, "gate row", n) for n in ("metric", "ruling", "kind", "n")}
        fields |= {f"{k} {n}": x_of(r, "gate row", n, t) for n, t in (("delta", 1e-12), ("p", 1e-6), ("p_regression", 1e-6), ("low", 1e-6), ("high", 1e-6))}
    return fields


def of_estimates(found: Any) -> dict:
    rows = list(get(found, "estimates", "rows"))
    fields: dict = {"estimates": ["is", len(rows)]}
    for e in rows:
        key = key_of(e, "estimate", "system", "metric", "subset")
        fields |= {f"{key}: score": x_of(e, "estimate", "score", 1e-12)} | {f"{key}: {n}": is_of(e, "estimate", n) for n in ("n", "clusters")}
    return fields


def of_power(found: Any) -> dict:
    error = get(found, "power", "error")
    tol = 1e-7 if error in (GONE, None) else max(1e-7, 5 * float(error))
    sure = tol <= 1e-6
    fields = {n: is_of(found, "power", n) for n in ("kind", "solved_for")}
    for n, t in (("power", tol), ("items", 0 if sure else 0.2), ("effect", 1e-7 if sure else 0.2),
                 ("type_s", max(tol, 1e-6)), ("type_m", 1e-5 if sure else 0.3)):
        fields[n] = x_of(found, "power", n, t)
    return fields


def of_thresholds(found: Any) -> dict:
    at = lambda name: get(found, "thresholds", name)  # noqa: E731
    sampled, gains = at("kind") == "sampled", list(at("gains"))
    fields = {"kind": is_of(found, "thresholds", "kind"), "gains": ["is", len(gains)]}
    for t in at("rows"):
        group = get(t, "threshold", "group")
        fields |= {f"{group}: value": x_of(t, "threshold", "value", 0.5 if sampled else 1e-9), f"{group}: pairs": is_of(t, "threshold", "pairs")}
        if not sampled:
            fields[f"{group}: in_band"] = is_of(t, "threshold", "in_band")
    who = [f"{get(g, 'gain', 'baseline')}-{get(g, 'gain', 'candidate')}" for g in gains]
    for name, tol in (("p", 0.05 if sampled else 2e-3 if at("kind") == "certified" else 1e-9), ("gain", 1e-12)):
        fields[name] = map_of(dict(zip(who, (get(g, "gain", name) for g in gains))), tol)
    return fields


def of_threshold_sets(found: Any) -> dict:
    """Thresholds by size or by domain."""
    fields: dict = {}
    for one in get(found, "thresholds", "sets"):
        label = get(one, "thresholds", "label")
        fields |= {f"{label}: {k}": v for k, v in of_thresholds(one).items() if k not in ("p", "gain")}
    for d in get(found, "thresholds", "decay"):
        fields |= {f"{get(d, 'decay', 'group')}: {n}": x_of(d, "decay", n, 1e-9) for n in ("exponent", "constant")}
    return fields


def of_calibration(found: Any) -> dict:
    bins = sorted(get(found, "calibration", "bins").items())
    rows = [[t, [[plain(get(b, "bin", n)) for n in ("low", "high", "tests", "agreeing")] for b in made]] for t, made in bins]
    return {n: is_of(found, "calibration", n) for n in ("pairs", "size")} | {"bins": ["is", rows]}


def of_pairwise(found: Any) -> dict:
    names = [str(n) for n in get(found, "pairwise", "names")]
    order = sorted(range(len(names)), key=names.__getitem__)
    fields = {n: is_of(found, "pairwise", n) for n in ("method", "test", "correction")}
    for name, tol in (("p", 1e-9), ("adjusted", 1e-9), ("effect", 1e-9), ("lead", 1e-9), ("wins", 0), ("ties", 0), ("beats", 0)):
        value = get(found, "pairwise", name)
        fields[name] = ["missing"] if value is GONE else map_of({f"{names[i]}, {names[j]}": value[i][j] for i in order for j in order if i < j}, tol)
    return fields


def of_parts(found: Any, kind: str, tol: float = 1e-9, **names: Sequence[str]) -> dict:
    """Some fields of a result: ``x`` numbers, ``same`` what is not a number."""
    fields = {n: x_of(found, kind, n, tol) for n in names.get("x", ())}
    return fields | {n: is_of(found, kind, n) for n in names.get("same", ())}


def of_table(found: Any, names: Sequence[str], tol: float = 1e-9) -> list:
    """A square of numbers as a map."""
    return ["is", None] if found is None else map_of({f"{a}, {b}": found[i][j] for i, a in enumerate(names) for j, b in enumerate(names)}, tol)


def of_disagreements(found: Sequence[Any], key: str = "") -> dict:
    fields: dict = {}
    for d in found:
        pair = key + key_of(d, "disagreement", "first", "second")
        fields |= {f"{pair}: {n}": x_of(d, "disagreement", n, 1e-9) for n in ("tau", "share", "other_winner", "other_top3")}
    return fields


def of_paper(found: Any) -> dict:
    """Every number and claim of a paper, with the exhibit it stands in."""
    fields: dict = {}
    for e in get(found, "paper", "exhibits"):
        exhibit = get(e, "exhibit", "name")
        for k, c in enumerate(get(e, "exhibit", "cells")):
            key = f"{exhibit}, {k} {get(c, 'cell', 'name')}"
            error = number(get(c, "cell", "error")) or 0.0
            ours = number(get(c, "cell", "ours"))
            # a relative part for times and other large numbers, 4.5 standard errors of a difference
            fields[key] = ["about", ours, max(1e-6, 4.5 * 2**0.5 * error)]
            fields[f"{key}: printed"] = is_of(c, "cell", "published")
        for k, c in enumerate(get(e, "exhibit", "claims")):
            fields[f"{exhibit}, claim {k}"] = is_of(c, "claim", "holds")
    return fields


def of_document(document: Any, draws: int) -> dict:
    """What counts of a JSON document; names of fields that are gone say missing."""
    if not isinstance(document, Mapping):
        return {"json": ["is", "no object"]}
    kind = schema_of(document)
    fields: dict = {"schema": ["is", kind]}
    rows = get(document, kind, "rows")
    if kind == "comparisons":
        who = [[plain(get(r, "comparison", n)) if get(r, "comparison", n) is not GONE else None for n in ("baseline", "candidate", "metric", "subset")] for r in rows]
        fields |= {"who": ["is", who], **of_comparisons(document)}
    elif kind == "board":
        fields |= of_board(document, draws)
    elif kind == "boards":
        for part in dict.fromkeys(r["subset"] for r in document["rows"]):
            one = {**document, "rows": [r for r in document["rows"] if r["subset"] == part]}
            fields |= {f"{part or 'all'}: {k}": v for k, v in of_board(one, draws).items()}
    elif kind == "gate":
        fields |= of_gate(document) | {f"{k} part": is_of(r, "gate row", "part") for k, r in enumerate(rows)}
    elif kind == "estimates":
        fields |= of_estimates(document)
    elif kind == "test":
        document = {**document, **rows[0]}
        fields |= {"p": p_of(document, "test"), "delta": x_of(document, "test", "delta", 1e-12), "n": is_of(document, "test", "n")}
    elif kind == "power":
        for k, r in enumerate(rows):
            fields |= {f"{k} {n}": x_of(r, "power", n, 1e-6) for n in ("items", "effect", "power")}
    elif kind == "scores":
        fields["scores"] = map_of({key_of(r, "score", "system", "metric"): get(r, "score", "value") for r in rows}, 1e-9)
    elif kind == "thresholds":
        for k, r in enumerate(rows):
            fields |= {f"{k} {n}": is_of(r, "threshold", n) for n in ("group", "pairs", "in_band", "n")} | {f"{k} value": x_of(r, "threshold", "value", 1e-9)}
    else:
        fields["keys"] = ["is", sorted(document)]
    return fields
