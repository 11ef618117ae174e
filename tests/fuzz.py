"""Files that nobody meant: small valid ones of every format, changed at random, and read.

``make fuzz``, or ``python -m tests.fuzz --seconds 600 --seed 1 csv helm``. Whatever a file holds,
reading it ends in data or in an error of ours; anything else is a finding: another exception, more
than five seconds, or a gigabyte of memory. Findings are made smaller, and kept in a folder with
the seed that repeats them.

A change knows the structure of what it changes: fields of a table, values inside JSON, members of
an archive, what gzip holds; and bytes, where there is none. Hypothesis tests of single functions
are elsewhere; this looks for what happens between them.
"""

import argparse
import bz2
import gzip
import io
import json
import lzma
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "readers"))
import log_writers
import zstandard

from betterthan.cli.flags import as_flags
from betterthan.comparison.comparing import compare
from betterthan.data.overview import overview
from betterthan.data.scores import Scores
from betterthan.design.plan import read_plan, seal
from betterthan.errors import BetterthanError
from betterthan.metrics import mean, parse
from betterthan.readers import read
from betterthan.readers.judgments.as_judgments import read_any
from betterthan.readers.outputs.scoring import read_outputs
from betterthan.responses.trio import read_trio

PATIENCE = 5.0  # seconds that a file may take
WAITING = 12  # times as long may be waited for
MEMORY = 1 << 30
TRIALS = 200  # attempts to make a finding smaller
Change = Callable[[bytes, random.Random], bytes]
Content = dict[str, bytes]

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


@dataclass
class Seed:
    """A valid set of files, and how it is read."""

    files: Content
    read: Callable[[Path, list[Path]], Any]
    changes: list[Change] = field(default_factory=list)


@dataclass
class Finding:
    """What went wrong, where, and the files that show it."""

    seed: str
    what: str
    content: Content
    trace: str


class HangError(BaseException):
    """A file took too long; nothing below may catch it."""


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
    made = rng.choice((gzip.compress, bz2.compress, lzma.compress, zstandard.compress))(data)
    return rng.choice((flipped, cut, flipped))(made, rng) if rng.random() < 0.7 else made


TEXTUAL: list[Change] = [flipped, cut, doubled, shuffled, inserted, inserted, refielded, refielded]
STRUCTURED: list[Change] = [restructured, restructured, restructured, flipped, cut, inserted]
BINARY: list[Change] = [flipped, flipped, cut, inserted]


def used(data: Any) -> None:
    """Do with data what most commands do first."""
    as_flags(overview(data))
    if isinstance(data, Scores) and len(data.systems) > 1 and data.n <= 1000:
        for column in data.columns[:1]:
            metric = mean(column, lower_is_better=False)
            result = compare(data, data.systems[0], data.systems[1], metric=metric)
            for style in ("table", "md", "latex", "csv", "json"):
                result.rendered(style)


def _any(folder: Path, files: list[Path], *, named: Sequence[Path] = ()) -> None:
    given = [folder / name for name in named] or files
    used(read_any(*given, missing="pairwise"))
    used(read_any(*given, missing="drop"))


def _outputs(folder: Path, files: list[Path], *, metric: str) -> None:
    gold = next(folder.glob("gold.*"))
    squad = "squad" if gold.suffix == ".json" else None
    outputs = [file for file in files if file != gold]
    used(read_outputs(outputs, gold=gold, metric=metric, input_format=squad, unchecked=True))


def _plan(folder: Path, files: list[Path]) -> None:
    del folder
    read_plan(files[0])
    seal(files[0])
    read_plan(files[0])


def _metrics(folder: Path, files: list[Path]) -> None:
    del folder
    for line in files[0].read_bytes().decode(errors="replace").split("\n"):
        if ":" not in line:
            try:
                repr(parse(line))
            except BetterthanError:
                continue


def _responses(folder: Path, files: list[Path]) -> None:
    del folder
    read_trio(*files, gold="v1")


def _frames(folder: Path, files: list[Path]) -> None:
    """Frames of every library that takes such columns; which do not is theirs to say."""
    del folder
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    columns = json.loads(files[0].read_bytes())
    makers: list[Callable[[Any], Any]] = [
        pd.DataFrame,
        lambda c: pl.DataFrame(c, strict=False),
        pa.table,
        lambda c: pd.DataFrame(c).set_index(next(iter(c))),
        lambda c: pd.concat([pd.DataFrame(c), pd.DataFrame(c)], axis=1),
    ]
    for make in makers:
        try:
            frame = make(columns)
        except Exception:  # no frame
            continue
        with suppress(BetterthanError):
            used(read(frame))


RESULTS = {
    system: {str(i): float((i * k) % 3 > 0) for i in range(12)}
    for k, system in ((2, "base"), (5, "new"))
}
PLAN = b'[gate]\nalpha = 0.05\ncorrection = "holm"\n[[gate.checks]]\nmetric = "f1"\nmargin = 2\n'
SPELLINGS = b"""f1
fbeta(0.5)
mean(latency, lower_is_better)
ratio(2*tp / 2*tp + fp - "odd name")
bleu(lc,tok=intl)
f1(PER)
macro-f1
"""
BATTLES = "question_id,model_a,model_b,winner\n" + "".join(
    f"{i},a,{'bc'[i % 2]},{('model_a', 'model_b', 'tie')[i % 3]}\n" for i in range(9)
)


def seeds(folder: Path) -> dict[str, Seed]:
    """Make small valid files of every format."""
    bundled = resources("betterthan") / "bundled"
    found = {
        name: Seed({"t.csv": _lines(bundled, table, most)}, _any, TEXTUAL)
        for name, table, most in (("csv", "qa.csv", 20), ("counts", "ner.csv", 19))
    }
    found["tsv"] = Seed({"t.tsv": found["csv"].files["t.csv"].replace(b",", b"\t")}, _any, TEXTUAL)
    found["plain"] = Seed(
        {"a.txt": b"1\n0\n1\n0.5\n" * 4, "b.txt": b"0\n0\n1\n1\n" * 4}, _any, TEXTUAL
    )
    found["gzip"] = Seed(
        {"t.csv": found["csv"].files["t.csv"]}, _any, [compressed, compressed, compressed]
    )
    found["json"] = Seed(_json_table(), _any, STRUCTURED)
    found["jsonl"] = Seed(_jsonl_table(), _any, STRUCTURED)
    found["battles"] = Seed({"b.csv": BATTLES.encode()}, _any, TEXTUAL)
    found["parquet"] = Seed(_parquet(), _any, BINARY)
    found["ratings"] = Seed({"r.csv": _lines(bundled, "ratings.csv", 49)}, _responses, TEXTUAL)
    found["frames"] = Seed(_columns(), _frames, [restructured])
    found["plan"] = Seed({"betterthan.toml": PLAN}, _plan, TEXTUAL)
    found["metrics"] = Seed({"metrics.txt": SPELLINGS}, _metrics, TEXTUAL)
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
        *(("json", "token-f1"), ("labels", "accuracy"), ("conllu", "uas")),
    ):
        names = [f"{name}.{ending}" for name in ("gold", "base", "new")]
        texts = {name: _outputs_of(bundled, name) for name in names}
        changes = STRUCTURED if ending == "json" else TEXTUAL
        found[f"{ending}-{metric}"] = Seed(texts, partial(_outputs, metric=metric), changes)
    return found


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


def _log(name: str, folder: Path) -> Seed:
    home = folder / "seeds" / name
    home.mkdir(parents=True)
    named = [path.relative_to(home) for path in getattr(log_writers, name)(RESULTS, home)]
    content = {
        str(p.relative_to(home)): p.read_bytes() for p in sorted(home.rglob("*")) if p.is_file()
    }
    zipped = any(data.startswith(b"PK") for data in content.values())
    binary = any(data.startswith(b"PAR1") for data in content.values())
    changes: list[Change] = [rearchived, flipped] if zipped else [*STRUCTURED, *TEXTUAL]
    changes = BINARY if binary else [*changes, compressed]
    return Seed(content, partial(_any, named=named), changes)


@contextmanager
def impatient(seconds: float) -> Iterator[None]:
    """Raise HangError in what takes longer."""

    def ring(*_: object) -> None:
        raise HangError

    timers = {
        signal.SIGPROF: (signal.ITIMER_PROF, seconds),  # of work, however busy the machine is
        signal.SIGALRM: (signal.ITIMER_REAL, WAITING * seconds),
    }
    before = {number: signal.signal(number, ring) for number in timers}
    for timer, limit in timers.values():
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for number, (timer, _) in timers.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


def tried(seed: Seed, content: Content, folder: Path) -> tuple[str, str] | None:
    """Read files; return what went wrong and the trace, or None where nothing did."""
    for old in folder.iterdir():
        if old.is_file():
            old.unlink()
    paths = written(content, folder)
    try:
        _forget_peak()
        held = _peak()  # by whatever else this process has done
        with impatient(PATIENCE), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seed.read(folder, paths)
    except (BetterthanError, OSError):
        pass
    except HangError:
        return "hang", traceback.format_exc()
    except BaseException as error:  # panics are no Exceptions
        if isinstance(error, KeyboardInterrupt):
            raise
        frames = traceback.extract_tb(error.__traceback__)
        last = next((f for f in reversed(frames) if "betterthan" in f.filename), None)
        where = f"{Path(last.filename).name}:{last.lineno}" if last else "?"
        return f"{type(error).__name__} at {where}", traceback.format_exc()
    more = _peak() - held
    return ("memory", f"{more:,} bytes") if more > MEMORY else None


def _forget_peak() -> None:
    with suppress(OSError):  # Linux only; elsewhere the peak of all files together
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """Most bytes that the process has held since the peak was forgotten."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def written(content: Content, folder: Path) -> list[Path]:
    """Write files into a folder."""
    paths = []
    for name, data in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        paths.append(path)
    return paths


def smaller(seed: Seed, content: Content, what: str, folder: Path, rng: random.Random) -> Content:
    """Leave out of the files what the finding does not need, for a while."""
    if what in ("hang", "memory"):
        return content
    for _ in range(TRIALS):
        name = max(content, key=lambda n: len(content[n]))
        data = content[name]
        size = max(1, len(data) // rng.choice((2, 4, 8, 32)))
        at = rng.randint(0, max(0, len(data) - size))
        less = content | {name: data[:at] + data[at + size :]}
        found = tried(seed, less, folder)
        if found is not None and found[0] == what:
            content = less
    return content


def campaign(
    seconds: float, number: int, only: list[str] | None = None
) -> tuple[Counter[str], list[Finding]]:
    """Read changed files until the time is up; return executions by format and the findings."""
    rng = random.Random(number)
    findings: dict[str, Finding] = {}
    done: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        known = seeds(Path(place))
        chosen = {name: seed for name, seed in known.items() if not only or name in only}
        for name, seed in chosen.items():
            (Path(place) / name).mkdir()
            found = tried(seed, seed.files, Path(place) / name)
            if found is not None:
                findings[found[0]] = Finding(name, found[0], seed.files, found[1])
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for name, seed in chosen.items():
                content = dict(seed.files)
                for _ in range(rng.choice((1, 1, 1, 2, 3))):
                    victim = rng.choice(list(content))
                    content[victim] = rng.choice(seed.changes)(content[victim], rng)
                found = tried(seed, content, Path(place) / name)
                done[name] += 1
                if found is not None and found[0] not in findings:
                    less = smaller(seed, content, found[0], Path(place) / name, rng)
                    findings[found[0]] = Finding(name, found[0], less, found[1])
                if time.monotonic() > end:
                    break
    return done, list(findings.values())


def main() -> int:
    """Run a campaign from the command line."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("only", nargs="*", help="formats; all by default")
    arguments.add_argument("--seconds", type=float, default=600.0)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--keep", type=Path, default=Path("fuzz-findings"))
    asked = arguments.parse_args()
    done, findings = campaign(asked.seconds, asked.seed, asked.only)
    for name, count in sorted(done.items()):
        print(f"{name:16} {count:>8,}")
    print(f"{'all':16} {done.total():>8,} executions, {len(findings)} findings, seed {asked.seed}")
    for number, finding in enumerate(findings):
        home = asked.keep / f"{asked.seed}-{number}-{finding.seed}"
        for name, data in finding.content.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes(data)
        print(f"\n{finding.seed}: {finding.what} ({home})\n{finding.trace}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
