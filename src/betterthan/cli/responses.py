"""``betterthan responses``: compare by raters' or seeds' responses, study, simulate."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from cyclopts import App

from betterthan.cli import options as opt
from betterthan.cli.output import EXPLAINED, OUTPUT, Output, Written, WrittenAndExplained
from betterthan.cli.reading import Tables
from betterthan.cli.screen import busy, say
from betterthan.cli.values import given, names, numbers
from betterthan.errors import how_many

app = App(help="By raters' or seeds' responses: compare, study, simulate.")
Items = Annotated[int | None, opt.option("--items@responses")]
Responses = Annotated[int | None, opt.option("--responses")]
Seed = Annotated[int, opt.option("--seed")]  # the functions draw anew each time


@dataclass(frozen=True, kw_only=True)
class ResponsesReading(Tables):
    """Responses are tables."""

    missing: Annotated[Literal["error", "drop", "worst"] | None, opt.option("--missing")] = None
    input_format: Annotated[str | None, opt.option("--input-format")] = None


@dataclass(frozen=True, kw_only=True)
class SimulatedOutput(Output):
    """Simulated responses are a table that can be read again."""

    default: ClassVar[str] = "csv"


READING, TABLES, SIMULATED = ResponsesReading(), Tables(), SimulatedOutput()


@app.command(name="compare")
def compare(
    files: Annotated[
        list[str],
        opt.positional("FILES", "Gold, baseline and candidate; or one table of all three."),
    ],
    /,
    *,
    reading: Annotated[ResponsesReading, opt.GROUP] = READING,
    gold: Annotated[str | None, opt.option("--gold")] = None,
    metric: Annotated[str | None, opt.option("--metric@responses")] = None,
    test: Annotated[str | None, opt.option("--test@responses")] = None,
    alternative: opt.Alternative = None,
    alpha: opt.Alpha = None,
    resamples: opt.Resamples = None,
    seed: Seed = 0,
    output: WrittenAndExplained = EXPLAINED,
) -> None:
    """Does the candidate agree with the gold responses better than the baseline?

    betterthan responses compare gold.csv old.csv new.csv
    betterthan responses compare ratings.csv --gold human --metric wins
    """
    import betterthan.responses as library

    options = given(locals(), "metric", "test", "alternative", "resamples", "seed")
    level = given(locals(), "alpha")
    with busy("reading"):
        trio, pair = library.read_trio(*files, gold=gold, **reading.options())
    sources = zip(("gold", *pair), trio, strict=True)
    counts = ", ".join(f"{name} {each.counts.mean():.3g}" for name, each in sources)
    say(f"Read {how_many(trio.n, 'item')}; responses per item: {counts}")
    with busy("testing"):
        tested = library.p_value(*trio, **options)
    baseline, candidate = pair
    output.emit(
        library.ResponseComparison(baseline=baseline, candidate=candidate, test=tested, **level)
    )


@app.command(name="study")
def study(
    gold: Annotated[
        str | None, opt.positional("GOLD", "Your gold responses, scaled to [0, 1].")
    ] = None,
    /,
    *,
    reading: Annotated[Tables, opt.GROUP] = TABLES,
    metric: Annotated[opt.Several, opt.option("--metric@responses")] = None,
    items: Items = None,
    responses: Responses = None,
    eps: Annotated[opt.Several, opt.option("--eps")] = None,
    law: Annotated[str | None, opt.option("--law")] = None,
    sampling: Annotated[opt.Several, opt.option("--sampling")] = None,
    draws: Annotated[int | None, opt.option("--draws")] = None,
    repeats: Annotated[int | None, opt.option("--repeats@study")] = None,
    seed: Seed = 0,
    output: Written = OUTPUT,
) -> None:
    """Which metric and sampling can be trusted, and where should responses go?

    betterthan responses study --eps 0,0.1
    betterthan responses study gold.csv --repeats 10
    """
    import betterthan.responses as library

    asked = ("items", "responses", "law", "draws", "repeats", "seed")
    options = given(locals(), *asked)
    lists = {
        "eps": numbers(eps, "--eps", float),
        "metric": names(metric),
        "sampling": names(sampling),
    }
    own = None if gold is None else library.read_source(gold, **reading.options())
    if own is not None:
        say(f"Read {how_many(own.n, 'item')} with {own.counts.mean():.3g} responses each")
    with busy("simulating"):
        result = library.study(own, **options, **given(lists, *lists))
    output.emit(result)


@app.command(name="simulate")
def simulate(
    *,
    items: Items = None,
    responses: Responses = None,
    eps_a: Annotated[float | None, opt.option("--eps-a")] = None,
    eps_b: Annotated[float | None, opt.option("--eps-b")] = None,
    sd: Annotated[float | None, opt.option("--sd@simulate")] = None,
    law: Annotated[str | None, opt.option("--law@simulate")] = None,
    seed: Seed = 0,
    output: Annotated[SimulatedOutput, opt.GROUP] = SIMULATED,
) -> None:
    """Simulate gold responses and those of two systems, as one table.

    betterthan responses simulate --items 200 --eps-a 0.2 -o made.csv
    """
    import betterthan.responses as library

    options = given(locals(), "items", "responses", "eps_a", "eps_b", "sd", "law", "seed")
    output.emit(library.simulate(**options))
