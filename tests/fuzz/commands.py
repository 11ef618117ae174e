"""Command lines that no one meant: options of every command, and values of every kind."""

import io
import json
import os
import random
import re
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from betterthan.cli.app import flags, main
from betterthan.cli.options import TABLE
from fuzz.changes import NUMBERS, WORDS

# A quick way to run each command; what they write is read by no one.
COMMANDS = [
    line.split()
    for line in """
compare small.csv
compare small.csv --baseline base --metric mean(score) --by topic --show why,methods,items
compare small.csv --columns task=topic,item=item
compare tally.json --metric mean(score)
compare base.txt new.txt --ref gold.txt --metric bleu
score base.txt --ref gold.txt --metric wer --per-item x.csv
rank small.csv --resamples 50 --method bradley-terry(ties=drop)
inspect small.csv --columns label=topic -o x.parquet
gate small.csv --systems base,new --margin 2
gate small.csv --systems base,new --plan rules.toml
gate tally.json --systems base,new --margin 0
power --accuracy 70 --agreement 85 --effect 5
power --sd item=17,repeat=5 --items 100
power small.csv --systems base,new --items 100
responses compare ratings.csv --gold v1 --resamples 10
responses study --items 5 --draws 5 --repeats 1
responses simulate --items 5
reproduce
list formats
study gains small.csv --test t
study calibration small.csv --sizes 20 --test-sets 2 --test t
study false-alarms small.csv --simulations 5 --systems base,new
""".strip().splitlines()
]
VALUES = [
    *("fbeta(2)", "fbeta(1e999)", f"fbeta({'9' * 400})", f"fbeta({'9' * 5000})", "fbeta(-1)"),
    *("fbeta(nan)", "fbeta()", "fbeta(0)", "ratio(score / 0)", "ratio(1 / score)", "ratio(/)"),
    *("ratio(score / score - score)", f"ratio({'9' * 400}*score / score)", "mean(nosuch)"),
    *("mean(score, lower_is_better)", "(" * 3000, "f1(*)", "macro-f1", ".x:y", "os:path", ":"),
    *("base", "topic", "item", "score", "tally.json", "base.txt", "all", "md", "item=17"),
    *("x=small.csv", "item=item", "item=topic", "score=new", "cluster=topic", "cluster=@gold.txt"),
    *("0.5", "0.05", "1", "2", "20", "0,1", "1,0", "nan,nan", "0,inf", "-inf,inf", "a,b", ","),
    *("elo(k=nan)", "bootstrap(variant=x)", "rules.toml@00000000", "*.csv", "[", "nowhere.csv"),
    *("\ud83d", "\udcff", "x\0y", "x" * 5000, "\x1b[31m", "a\nb", "$x_1^2$", "../small.csv"),
]
PLACES = [
    *("x.json", "x.html", "x.png", "x.tex", "x.csv", "x.parquet", "x", "", ".", "nowhere/x.json"),
    *("small.csv", "x\n.csv", "x\0.csv", f"{'x' * 300}.json", "forest=x.png", "nosuch=x.svg"),
]
# Folders of the machine take as long to search as they are large.
INSIDE = [word for word in WORDS if word not in ("/", "../..", "~")]
NUMBERED = ["0", "-1", "1", "3", "1e3", "1_0", "9" * 5000, "9" * 25, "nan", "", "٣", "0x10", "1.0"]
SAMPLING = {"study", "responses"}  # take as long as they are asked to
LONG = {"--all"}  # of reproduce: hours
FLAGS = flags()


def reworded(data: bytes, rng: random.Random) -> bytes:
    """Take another command, or this one; add an option, change a word, move one."""
    words: list[str] = json.loads(data) if rng.random() < 0.3 else list(rng.choice(COMMANDS))
    own = FLAGS.get(" ".join(words[:2])) or FLAGS.get("".join(words[:1])) or set()
    for _ in range(rng.choice((1, 1, 2, 3))):
        how = rng.random()
        if how < 0.7 and own - LONG:
            flag = rng.choice(sorted(own - LONG))
            switch = flag in TABLE and not TABLE[flag].takes
            words.append(flag if switch else f"{flag}={_value(flag, rng)}")
        elif how < 0.85 and len(words) > 2:
            words[rng.randrange(2, len(words))] = rng.choice((*VALUES, *INSIDE))
        elif len(words) > 1:
            words.insert(rng.randint(1, len(words)), words.pop(rng.randrange(1, len(words))))
    return json.dumps(words).encode()


def _value(flag: str, rng: random.Random) -> str:
    """A value that the help names, or one that no one would give."""
    option = TABLE.get(flag)
    if option is not None and option.names_files:
        return rng.choice(PLACES)
    if option is not None and option.takes in ("N", "N,...", "X"):
        return rng.choice((*NUMBERED, *NUMBERS))
    if option is not None and rng.random() < 0.5:
        known: list[str] = re.findall(r"[\w-]+(?:\([^)]*\))?", f"{option.takes} {option.help}")
        return rng.choice(known)
    return rng.choice([*VALUES, *NUMBERS, *INSIDE])


def ruled(folder: Path, files: list[Path]) -> None:
    """Run a command line in this process; its exit code must say what happened."""
    del files
    run(json.loads((folder / "words.json").read_bytes()), folder)


def run(words: list[str], folder: Path) -> int:
    """Run a command line in a folder, in this process; return its exit code."""
    out, code = io.TextIOWrapper(io.BytesIO(), "utf-8"), 0
    with (
        patch.object(sys, "argv", ["betterthan", *words]),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO())),
        patch.dict(os.environ, BETTERTHAN_DEBUG="1"),
        chdir(folder),
        redirect_stdout(out),
        redirect_stderr(out),
    ):
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 2
    out.flush()
    text = out.buffer.getvalue().decode()
    if "HangError" in text and words[0] in SAMPLING:
        return code
    regression = code == 1 and words[0] == "gate" and "REGRESSION" in text
    if (code not in (0, 2, 3, 4) and not regression) or "Traceback" in text:
        raise AssertionError(f"exit {code}\n{text[-3000:]}")
    return code
