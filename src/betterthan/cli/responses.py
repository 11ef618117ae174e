"""``betterthan responses``: compare by raters' or seeds' responses, study, simulate."""

from betterthan.cli.command import Options, asked, command
from betterthan.cli.output import Output
from betterthan.cli.reading import read_keywords
from betterthan.cli.screen import busy, say
from betterthan.errors import how_many


@command(
    "FILES@responses... tables missing input-format gold metric@responses test@responses "
    "alternative alpha resamples seed explained"
)
def compare(options: Options) -> None:
    """Does the candidate agree with the gold responses better than the baseline?

    betterthan responses compare gold.csv old.csv new.csv
    betterthan responses compare ratings.csv --gold human --metric wins
    """
    import betterthan.responses as library

    output, gold = Output(options), options.get("gold")
    with busy("reading"):
        trio, pair = library.read_trio(*options["files"], gold=gold, **read_keywords(options))
    sources = zip(("gold", *pair), trio, strict=True)
    counts = ", ".join(f"{name} {each.counts.mean():.3g}" for name, each in sources)
    say(f"Read {how_many(trio.n, 'item')}; responses per item: {counts}")
    with busy("testing"):
        test = library.p_value(*trio, **{"rng": 0, **asked(options, "gold", "alpha")})
    baseline, candidate = pair
    level = {"alpha": options["alpha"]} if "alpha" in options else {}
    output.emit(
        library.ResponseComparison(baseline=baseline, candidate=candidate, test=test, **level)
    )


@command(
    "[GOLD] roles metric@study items@responses responses eps law sampling draws repeats@study "
    "seed printed"
)
def study(options: Options) -> None:
    """Which metric and sampling can be trusted, and where should responses go?

    betterthan responses study --eps 0,0.1
    betterthan responses study gold.csv --repeats 10
    """
    import betterthan.responses as library

    output, gold = Output(options), None
    if "gold" in options:
        gold = library.read_source(options["gold"], **read_keywords(options))
        say(f"Read {how_many(gold.n, 'item')} with {gold.counts.mean():.3g} responses each")
    with busy("simulating"):
        result = library.study(gold, **{"rng": 0, **asked(options, "gold")})
    output.emit(result)


@command("items@responses responses eps-a eps-b sd@simulate law@simulate seed printed")
def simulate(options: Options) -> None:
    """Simulate gold responses and those of two systems, as one table.

    betterthan responses simulate --items 200 --eps-a 0.2 -o made.csv
    """
    import betterthan.responses as library

    output = Output(options, default="csv")
    output.emit(library.simulate(**{"rng": 0, **asked(options)}))
