"""``betterthan power``: how many items, repeats and raters, and what they will detect."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from betterthan.cli import panels as opt
from betterthan.cli.input import FilesOrNone, Input, Scan, read_rows
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import ExplainedAndDrawn, say
from betterthan.cli.workers import Workers

if TYPE_CHECKING:
    from betterthan.data.scores import Scores
    from betterthan.data.tallied import Tallied
    from betterthan.design.assumptions import Assumption


@dataclass(frozen=True, kw_only=True)
class PilotOptions:
    """Two systems of a pilot, by one metric."""

    baseline: opt.Baseline = None
    candidate: opt.Candidate = None
    metric: opt.Metric = None
    simulations: Annotated[int, opt.testing("Test sets, where power is simulated.")] = 500

    def read(self, files: list[str], source: Input, *, scan: bool) -> "Scores | Tallied":
        """Read the pilot."""
        candidates = [self.candidate] if self.candidate else None
        return read_rows(
            source, files, self.metric, scan=scan, baseline=self.baseline, candidates=candidates
        )


@dataclass(frozen=True, kw_only=True)
class Assumed:
    """What is assumed of systems to come."""

    accuracy: Annotated[float | None, opt.question("Accuracy of the baseline, 0 to 1.")] = None
    agreement: Annotated[
        float | None, opt.question("Share of items both get right or both wrong, 0 to 1.")
    ] = None
    sd: Annotated[
        float | None, opt.question("Standard deviation of items' differences, between items.")
    ] = None
    sd_repeats: Annotated[float, opt.question("Of a repeat's difference around its item.")] = 0.0
    sd_raters: Annotated[float, opt.question("Of a rating's around its repeat.")] = 0.0
    repeats: Annotated[
        int | None, opt.question("Responses of each system to an item.", min=1, max=10**6)
    ] = None
    raters: Annotated[int, opt.question("Raters of each response.", min=1, max=10**6)] = 1
    cluster_size: Annotated[int, opt.question("Items that belong together.", min=1, max=10**6)] = 1
    icc: Annotated[float, opt.question("Correlation of differences within a cluster.")] = 0.0

    def assumption(self, scores: "Scores | Tallied | None", pilot: PilotOptions) -> "Assumption":
        """Assume rates, a spread, or what a pilot shows, whichever is given."""
        from betterthan import design
        from betterthan.data.accepted import as_scores
        from betterthan.errors import UsageError

        rates = self.accuracy, self.agreement
        rated = rates != (None, None)
        if [scores is not None, rated, self.sd is not None].count(True) != 1:
            raise UsageError(
                "give a pilot (FILES), or assumed rates (--accuracy, --agreement), or an assumed "
                "spread (--sd): one of the three"
            )
        if rated:
            return design.Rates(*rates, cluster_size=self.cluster_size, icc=self.icc)
        pair = pilot.baseline, pilot.candidate
        if scores is None:
            spread = design.Spread(self.sd or 0.0, self.sd_repeats, self.sd_raters)
        elif self.repeats is None:
            return design.Pilot(scores, *pair, metric=pilot.metric, simulations=pilot.simulations)
        else:
            spread = design.variance_components(as_scores(scores), *pair)
        return replace(
            spread,
            repeats=self.repeats or 1,
            raters=self.raters,
            cluster_size=self.cluster_size,
            icc=self.icc,
        )


@grouped
def power(
    files: FilesOrNone = None,
    *,
    source: Input,
    scan: Scan = False,
    items: Annotated[
        list[int] | None,
        opt.numbers(int, "Size of the test set; several by commas, or repeated.", "--items", "-n"),
    ] = None,
    effect: Annotated[
        float | None,
        opt.question("Effect to detect, as printed: points for rates.", "--effect", "--mde"),
    ] = None,
    wanted: Annotated[float | None, opt.question("Chance of a verdict; 0.8.", "--power")] = None,
    assumed: Assumed,
    pilot: PilotOptions,
    budget: Annotated[
        float | None, opt.question("Ratings to spend: compare items with repeats and raters.")
    ] = None,
    item_cost: Annotated[float, opt.question("Of a new item, in ratings (with --budget).")] = 0.0,
    comparisons: Annotated[int, opt.testing("Tests that share alpha.")] = 1,
    alternative: opt.Alternative = "two-sided",
    alpha: opt.Alpha = 0.05,
    seed: opt.Seed = 0,
    shared: Workers,
    output: ExplainedAndDrawn,
) -> None:
    """Plan a test set: give two of items, effect and power, get the third.

    From assumed rates, from an assumed spread, or from a pilot (whose spread is used, never its
    effect). Accuracies are between 0 and 1, effects as printed (2 means two points of a rate):

        betterthan power --accuracy 0.7 --agreement 0.85 --effect 2
        betterthan power --sd 17 --items 2000 --effect 1
        betterthan power pilot.csv --mde 2
    """
    from betterthan import design
    from betterthan.design.power import Powers
    from betterthan.errors import UsageError
    from betterthan.resampling.work import Work
    from betterthan.results.wording import scale

    scores = pilot.read(files, source, scan=scan) if files else None
    given = assumed.assumption(scores, pilot)
    if budget is not None:
        if not isinstance(given, design.Spread) or effect is None:
            raise UsageError(
                "--budget trades items for repeats: give --effect and a spread (--sd, "
                "--sd-repeats), or a pilot with several responses an item and --repeats 1"
            )
        spent = design.allocations(
            given,
            budget,
            effect=effect,
            raters=tuple(dict.fromkeys((1, assumed.raters))),
            item_cost=item_cost,
            alpha=alpha,
            comparisons=comparisons,
            alternative=alternative,
        )
        output.emit(spent)
        return
    several = scores is not None and len(scores.systems) > 2
    if isinstance(given, design.Pilot) and several and not pilot.candidate:
        others = "(others by --baseline, --candidate)"
        say(f"Pilot: {given.candidate} against {given.baseline} {others}")
    delta = None if effect is None else effect / scale(given.percent)
    if delta is None and not items and scores is not None:
        items = [scores.n]
    if delta is None or not items:
        wanted = 0.8 if wanted is None else wanted
    sizes: list[int | None] = [*items] if items else [None]
    with shared.options() as workers:
        if isinstance(given, design.Pilot):
            given.work = Work(**workers)
        made = [
            design.power(
                given,
                n,
                delta,
                wanted,
                alpha=alpha,
                comparisons=comparisons,
                alternative=alternative,
                rng=seed,
            )
            for n in sizes
        ]
    output.emit(Powers(tuple(made)))
