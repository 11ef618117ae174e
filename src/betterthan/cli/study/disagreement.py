"""``betterthan study disagreement``: how often mean, median and Bradley-Terry disagree."""

from typing import TYPE_CHECKING, Annotated, Any

from betterthan.cli import panels as opt
from betterthan.cli.commas import by_commas
from betterthan.cli.input import Files, Input
from betterthan.cli.option_groups import grouped
from betterthan.cli.output import DrawnOutput
from betterthan.cli.workers import Workers

if TYPE_CHECKING:
    from betterthan.data.scores import Scores


@grouped
def disagreement(
    files: Files,
    *,
    source: Input,
    metrics: opt.Metrics = None,
    each: Annotated[
        bool, opt.question("Every file is a data set by itself, with all its systems.", "--each")
    ] = False,
    by: Annotated[
        str | None, opt.question("Every value of this column is a data set by itself.")
    ] = None,
    methods: Annotated[
        list[str] | None,
        opt.testing(
            "mean, median, bradley-terry (these by default), elo, trueskill; by commas.",
            "--method",
            callback=by_commas,
        ),
    ] = None,
    sizes: Annotated[
        list[int] | None,
        opt.numbers(int, "Also on so many random items; several by commas, or repeated.", "--size"),
    ] = None,
    repeats: Annotated[int, opt.testing("Random test sets of every size.", min=1)] = 20,
    seed: opt.Seed = 0,
    shared: Workers,
    output: DrawnOutput,
) -> None:
    """Count how often aggregations order systems differently and name another winner.

    The study of Peyrard et al. (2021), Tables 1 and 4 and Figure 4; every metric is a data set:

        betterthan study disagreement wmt17.csv wmt18.csv --each --size 10,50,100,500
    """
    from betterthan.comparison.orchestrator import WORKERS
    from betterthan.ranking import study_disagreement

    setups: dict[str, Scores] = {}
    for group in [[name] for name in files] if each else [files]:
        scores = source.read(group, metrics, by=by)
        named = str(group[0]) if each else "all"
        if by is None:
            setups[named] = scores
        else:
            setups |= {f"{named} {part}": rows for part, rows in scores.parts(by)}
    chosen: dict[str, Any] = {"methods": methods} if methods else {}
    with shared.options() as workers:
        found = study_disagreement(
            setups,
            **chosen,
            metrics=metrics or (None,),
            sizes=sizes or (),
            repeats=repeats,
            **{"workers": WORKERS, **workers},
            rng=seed,
        )
    output.emit(found)
