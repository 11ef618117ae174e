"""``betterthan list``: metrics, tests, formats or plots, with an example of each."""

from textwrap import indent, wrap

from betterthan.cli.command import Options, command
from betterthan.cli.listing import Entry, Listing
from betterthan.cli.output import Output
from betterthan.cli.screen import QUIET
from betterthan.cli.usage import MistypedError
from betterthan.errors import closest


@command("WHAT [NAME] format")
def list_(options: Options) -> None:
    """List metrics, tests, formats or plots, with an example of each.

    betterthan list metrics
    betterthan list formats lm-eval
    """
    output, what, name = Output(options), options["what"], options.get("name")
    entries = {"metrics": _metrics, "tests": _tests, "formats": _formats, "plots": _plots}[what]()
    shown = [entry for entry in entries if name in (None, entry.name)]
    if not shown:
        known = [entry.name for entry in entries]
        near = closest(name or "", known)
        message = f"there is no {what[:-1]} {name!r}; there are {', '.join(known)}"
        raise MistypedError(message, ["list", what, *filter(None, [near])])
    if output.styled()[0] != "table":
        output.emit(Listing(what, shown))
    elif QUIET.get():
        print("\n".join(entry.name for entry in shown))
    else:
        print("\n".join(map(_written, shown)))


def _written(entry: Entry) -> str:
    """Write the name at the margin, and all else below it."""
    lines = [f"  {line}" for text in (entry.about, entry.needs) for line in wrap(text, 90)]
    return "\n".join([entry.name, *lines, *filter(None, [indent(entry.example, "    ")])])


def _metrics() -> list[Entry]:
    from betterthan.metrics.named import BUILT_IN, WRITTEN
    from betterthan.readers.outputs.scoring import ONLY_OUTPUTS

    entries = []
    for name, (about, (metric, *_)) in BUILT_IN.items():
        lower = " (lower is better)" if metric.lower_is_better else ""
        needs = "any column of scores" if name in ("mean", "median") else ", ".join(metric.columns)
        raw = "raw outputs and --ref, or " if name in ONLY_OUTPUTS else ""
        entries.append(Entry(metric.spelling, f"{about}{lower}", f"needs {raw}{needs}"))
    return entries + [Entry(name, about) for name, about in WRITTEN.items()]


def _tests() -> list[Entry]:
    from betterthan.testing.values import KINDS

    entries = []
    for name, test in KINDS.items():
        idea = test.idea.format(units="items")
        options = "; ".join(f"{k}={v}" for k, v in test().options.items())
        about = f"{test.title}{f' ({test.citation})' if test.citation else ''}: {idea}"
        entries.append(Entry(name, about, f"options: {options}" if options else ""))
    return entries


def _formats() -> list[Entry]:
    from betterthan.readers.families import FAMILIES
    from betterthan.readers.outputs.samples import EXAMPLES

    known = {name: each for family in reversed(FAMILIES) for name, each in family.EXAMPLES.items()}
    return [
        Entry(name, shown.title, example=f"{shown.sample.strip()}\n$ {shown.command}")
        for name, shown in (known | EXAMPLES).items()
    ]


def _plots() -> list[Entry]:
    from betterthan.plots import KINDS

    return [Entry(name, about, example=f"-o {name}=FILE.pdf") for name, about in KINDS.items()]
