"""``betterthan demo``: a tour on bundled data, its files, and a test of this installation."""

import shlex
from contextlib import chdir
from importlib import import_module
from importlib.resources import as_file, files
from shutil import copytree

from betterthan.cli.command import Options, command
from betterthan.cli.output import expanded
from betterthan.cli.screen import QUIET, say
from betterthan.errors import Choice, Remedy, UsageError

TOUR = """\
Is atlas better than base? 480 questions, right or wrong; questions share documents.
compare qa.csv --systems base,atlas --cluster document
Every system against the baseline, adjusted for their number.
compare qa.csv --cluster document
F1 of entity taggers, from counts per sentence: exact as well, no sampling.
compare ner.csv --metric f1 --baseline bilstm
Four raters per item: raters are averaged, items are what counts.
compare ratings.csv
A leaderboard with the ranks each system may have.
rank qa.csv --cluster document
A release gate on two logs of an evaluation harness: no loss beyond 2 points?
gate logs/base.jsonl logs/new.jsonl --margin 2
""".splitlines()
"""Questions, each with the command that answers it."""


@command("save check")
def demo(options: Options) -> int:
    """A tour on bundled data. --save DIR keeps the files, --check tests this installation."""
    run = import_module("betterthan.cli.app").run
    if "check" in options:
        return _checked()
    with as_file(files("betterthan") / "bundled") as folder:
        if "save" in options:
            target = expanded(options["save"])
            for source in (path for path in folder.rglob("*") if path.is_file()):
                there = target / source.relative_to(folder)
                if there.exists() and there.read_bytes() != source.read_bytes():
                    new = Remedy("a new folder", "save", Choice("DIR"))
                    raise UsageError(f"{there} exists and is another file", new)
            copytree(folder, target, dirs_exist_ok=True)
        for number, (story, line) in enumerate(zip(TOUR[::2], TOUR[1::2], strict=True), start=1):
            print(f"\n{number}. {story}\n$ betterthan {line}", flush=True)
            with chdir(folder):  # where no betterthan.toml of the user's is
                run(shlex.split(line))
    if "save" in options:
        say(f"Wrote the demonstration files to {options['save']}")
    else:
        say("Next: betterthan demo --save DIR keeps these files; then try your own.")
    return 0


def _checked() -> int:
    """Compute what is known on paper, and say what is wrong."""
    from betterthan.testing.selftest import selftest

    checks = selftest()
    for each in [c for c in checks if not (c.holds and QUIET.get())]:
        value = f"{10.0**each.log10_found:.10g}" if each.log10_found > -300 else "tiny"
        print(f"{'ok   ' if each.holds else 'WRONG'} {each.name}: p = {value} ({each.why})")
    wrong = sum(not each.holds for each in checks)
    if wrong:
        print(f"{wrong} of {len(checks)} numbers are wrong: do not trust this installation.")
        return 70
    print(f"All {len(checks)} numbers are right.")
    return 0
