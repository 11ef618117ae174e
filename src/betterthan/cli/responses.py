"""``betterthan responses`` and ``betterthan simulate``: items with several responses."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import typer

from betterthan.cli import panels as opt
from betterthan.cli.commas import by_commas
from betterthan.cli.help_pages import Command, Group
from betterthan.cli.input import Tables, say_places
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import DrawnOutput, ExplainedAndDrawn, Output, say
from betterthan.cli.workers import Scheduler, Workers, cluster
from betterthan.errors import how_many

app = typer.Typer(
    help="Compare systems by raters' or seeds' responses; study which test to trust.",
    cls=Group,
    no_args_is_help=True,
)


@app.command("compare", cls=Command)
@grouped
def compare(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Gold, baseline and candidate; or one long table of all three.", metavar="FILES"
        ),
    ],
    *,
    source: Tables,
    gold: Annotated[
        str | None, opt.question("System with the gold responses, in a long table.")
    ] = None,
    baseline: opt.Baseline = None,
    candidate: opt.Candidate = None,
    metric: Annotated[
        str, opt.question("mae, mse, wins, cosine, emd_mean, spearman ...", "--metric", "-m")
    ] = "mae",
    test: Annotated[
        Literal["calibrated", "published", "sharp"],
        opt.testing(
            "calibrated: equally good over items? published: overlap of Wein et al. (2023). sharp: "
            "the same on every item?"
        ),
    ] = "calibrated",
    sampling: Annotated[
        str | None, opt.testing("Strategy of the published test: bootstrap_items/all ...")
    ] = None,
    even: Annotated[
        bool, opt.testing("Draw as many responses of each system to an item.", "--even")
    ] = False,
    alternative: opt.Alternative = "two-sided",
    alpha: opt.Alpha = 0.05,
    resamples: opt.Resamples = None,
    seed: opt.Seed = 0,
    shared: Workers,
    output: ExplainedAndDrawn,
) -> None:
    """Say whether the candidate agrees with the gold responses better than the baseline.

    Raters and seeds may be rows (item, rater, score) or columns (item, rater1, rater2 ...):

        betterthan responses compare gold.csv old.csv new.csv
        betterthan responses compare ratings.csv --gold human --metric wins
    """
    from betterthan.comparison.orchestrator import WORKERS
    from betterthan.errors import UsageError
    from betterthan.responses import ResponseComparison, p_value, read_trio

    if output.plot is not None and test != "published" and sampling is None:
        raise UsageError(
            "--plot draws the null and the alternative law of the published test: add "
            "--test published"
        )
    say_places(files)
    data, names = read_trio(
        *files, gold=gold, baseline=baseline, candidate=candidate, **source.options
    )
    counts = ", ".join(
        f"{name} {each.counts.mean():.3g}"
        for name, each in zip(("gold", *names), data, strict=True)
    )
    say(f"Read {how_many(data.n, 'item')}; responses an item: {counts}")
    with shared.options() as workers:
        tested = p_value(
            *data,
            metric,
            test=test,
            sampling=sampling,
            even=even,
            alternative=alternative,
            resamples=resamples,
            **{"workers": WORKERS, **workers},
            rng=seed,
        )
    first, second = names
    found = ResponseComparison(baseline=first, candidate=second, test=tested, alpha=alpha)
    output.emit(found)


@app.command("study", cls=Command)
@grouped
def study(
    gold: Annotated[
        str | None,
        typer.Argument(help="Your gold responses, scaled to [0, 1]; the paper's law without."),
    ] = None,
    *,
    source: Tables,
    eps: Annotated[
        list[float] | None,
        opt.numbers(
            float, "Perturbation of the baseline; several by commas, or repeated.", "--eps"
        ),
    ] = None,
    items: Annotated[int, opt.question("Items of a test set.", min=1)] = 1000,
    responses: Annotated[int, opt.question("To each item.", min=1)] = 5,
    law: Annotated[
        Literal["normal", "toxicity"],
        opt.question("The paper's simulated law, or the one it fitted to toxicity ratings."),
    ] = "normal",
    clamp: Annotated[
        bool, opt.question("Keep perturbed means within [0, 1], as the authors' program does.")
    ] = False,
    metric: Annotated[
        list[str] | None,
        opt.question("Metrics; the paper's by default.", "--metric", "-m", callback=by_commas),
    ] = None,
    sampling: Annotated[
        list[str] | None,
        opt.testing("Strategies; the paper's by default.", "--sampling", callback=by_commas),
    ] = None,
    resamples: Annotated[int, opt.testing("Draws of a law.", min=1)] = 1000,
    repeats: Annotated[int, opt.testing("Reference test sets at every eps.", min=1)] = 1,
    workers: Annotated[int, opt.testing("Threads.", min=1)] = 2,
    scheduler: Scheduler = None,
    seed: opt.Seed = 0,
    output: DrawnOutput,
) -> None:
    """Hold estimated against true p: which metric and sampling to trust, where to spend responses.

    The study of Wein et al. (2023), on their law or on one fitted to your gold responses:

        betterthan responses study --eps 0 --eps 0.1
        betterthan responses study gold.csv --repeats 10
    """
    from betterthan.errors import UsageError
    from betterthan.responses import SAMPLINGS, Population, toxicity
    from betterthan.responses import study as run
    from betterthan.responses.p_value_study import PAPER_EPS, PAPER_METRICS
    from betterthan.responses.trio import read_source

    own, population = None, None
    if gold is not None and (clamp or law != "normal"):
        raise UsageError("--law and --clamp are for simulated gold responses: leave out the file")
    if gold is None:
        population = toxicity() if law == "toxicity" else Population(clamp=clamp)
    if gold is not None:
        own = read_source(gold, **source.options)
        say(f"Read {how_many(own.n, 'item')} with {own.counts.mean():.3g} responses each")
    with cluster(scheduler) as executor:
        found = run(
            own,
            population=population,
            eps=eps or PAPER_EPS,
            items=items,
            responses=responses,
            metrics=metric or PAPER_METRICS,
            samplings=sampling or SAMPLINGS,
            resamples=resamples,
            repeats=repeats,
            workers=workers,
            executor=executor,
            rng=seed,
        )
    output.emit(found)


@dataclass(frozen=True, kw_only=True)
class SimulateOutput(Output):
    """Simulated responses are a table that can be read again."""

    default: ClassVar[str] = "csv"
    summarised: ClassVar[bool] = False


@grouped
def simulate(
    *,
    items: Annotated[int, opt.question("Number of items.", min=1)] = 1000,
    responses: Annotated[int, opt.question("To each item.", min=1)] = 5,
    eps_a: Annotated[float, opt.question("Perturbation of the baseline.")] = 0.1,
    eps_b: Annotated[float, opt.question("Perturbation of the candidate.")] = 0.0,
    sd: Annotated[float, opt.question("Items' standard deviations are U[0, sd].")] = 0.3,
    law: Annotated[
        Literal["normal", "likert", "beta", "categorical", "toxicity"],
        opt.question("Distribution of responses; toxicity is the paper's fitted law of items too."),
    ] = "normal",
    clamp: Annotated[
        bool, opt.question("Keep perturbed means within [0, 1], as the authors' program does.")
    ] = False,
    seed: opt.Seed = 0,
    output: SimulateOutput,
) -> None:
    """Simulate gold responses and two systems', as one long table (Wein et al. 2023, Alg. 3).

    The table can be read again:

        betterthan simulate --items 200 --eps-a 0.2 -o made.csv
        betterthan responses compare made.csv
    """
    from betterthan import responses as library

    laws: dict[str, library.ResponseLaw] = {
        "normal": library.Normal(),
        "likert": library.Likert(),
        "beta": library.BetaResponses(),
        "categorical": library.Categorical(),
    }
    if law == "toxicity":
        output.emit(library.draw_test_set(library.toxicity(eps_a, eps_b), items, responses, seed))
        return
    made = library.simulate(
        items, responses, eps_a, eps_b, sd, response=laws[law], clamp=clamp, rng=seed
    )
    output.emit(made)
