"""``betterthan demo``: a tour on bundled data, its files, and a test of this installation."""

import os
import shlex
from contextlib import chdir
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

from cyclopts import App

from betterthan.cli import options as opt
from betterthan.cli.output import expanded
from betterthan.cli.screen import QUIET, say
from betterthan.errors import UsageError

app = App()
TOUR = (
    (
        "Is atlas better than base? 480 questions, right or wrong; questions share documents.",
        "compare qa.csv --systems base,atlas --cluster document",
    ),
    (
        "Every system against the baseline, adjusted for their number.",
        "compare qa.csv --cluster document",
    ),
    (
        "F1 of entity taggers, from counts per sentence: exact as well, no sampling.",
        "compare ner.csv --metric f1 --baseline bilstm",
    ),
    ("Four raters per item: raters are averaged, items are what counts.", "compare ratings.csv"),
    ("A leaderboard with the ranks each system may have.", "rank qa.csv --cluster document"),
    (
        "A release gate on two logs of an evaluation harness: no loss beyond 2 points?",
        "gate logs/base.jsonl logs/new.jsonl --margin 2",
    ),
)


@app.default
def demo(
    *,
    save: Annotated[str | None, opt.option("--save")] = None,
    check: Annotated[bool, opt.option("--check")] = False,
) -> int:
    """A tour on bundled data. --save DIR keeps the files, --check tests this installation."""
    from betterthan.cli.app import run

    if check:
        return _checked()
    with as_file(files("betterthan") / "bundled") as folder:
        if save is not None:
            _copy(folder, expanded(save))
        for number, (story, command) in enumerate(TOUR, start=1):
            print(f"\n{number}. {story}\n$ betterthan {command}", flush=True)
            with chdir(folder):  # where no betterthan.toml of the user's is
                run(shlex.split(command))
    if save is not None:
        say(f"Wrote the demonstration files to {save}")
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


def _copy(folder: Path, save: Path) -> None:
    """Copy the files where none of the same name is another's; before that, nothing is written."""
    from betterthan.results.atomic_write import write_whole

    if save.exists() and not save.is_dir():
        raise UsageError(f"{save} is a file: name a folder")
    new = []
    for source in sorted(folder.rglob("*")):
        target = save / source.relative_to(folder)
        if source.is_dir():
            same = target.is_dir()
        else:
            same = target.is_file() and target.read_bytes() == source.read_bytes()
            new += [] if same else [(source, target)]
        if os.path.lexists(target) and not same:
            raise UsageError(f"{target} exists and is not the demonstration's: name a new folder")
    for source, target in new:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, source.read_bytes())
