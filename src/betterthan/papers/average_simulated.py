"""Better than Average on simulated scores: Figures 1 to 3, and the setups of Appendix A.2."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass
from itertools import product
from typing import Any

import numpy as np

from betterthan.comparison.item_by_item import item_by_item
from betterthan.data.scores import Scores
from betterthan.numeric import Floats
from betterthan.papers.exhibits import Curves, Exhibit, Panel, Picture, Series
from betterthan.papers.printed_cells import Claim
from betterthan.papers.runner import Runner
from betterthan.ranking import Simulated, paired_marginals, score_matrix
from betterthan.ranking.aggregate import aggregate
from betterthan.ranking.methods import Aggregation, BradleyTerry, Mean, Median
from betterthan.ranking.order_agreement import kendall_tau

METHODS: tuple[Aggregation, ...] = ("mean", "median", "bradley-terry")
MEASURED = {
    "systems": "systems",
    "items": "items",
    "outliers": "share of outliers",
    "types": "types of items",
}
RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Setup:
    """Parameters of one simulated table; ``way`` is how outliers are made, printed or released."""

    types: int
    outliers: float
    items: int
    systems: int
    way: str

    @property
    def key(self) -> tuple[Any, ...]:
        """Its parameters, as JSON holds them."""
        return astuple(self)


def grid() -> Iterator[tuple[int, float, int, int]]:
    """The 288 parameter choices of Appendix A.2."""
    return product((1, 3, 5, 10), (0.0, 0.01, 0.025), (10, 30, 100, 200), (2, 3, 5, 10, 25, 50))


def simulated(setup: Setup, rng: np.random.Generator) -> Simulated:
    """Draw the table of a setup."""
    released = setup.way == "released"
    return score_matrix(
        systems=setup.systems,
        items=setup.items,
        types=setup.types,
        outliers=setup.outliers,
        outlier="gross" if released else "permuted",
        total=10.0 if released else None,
        offset=100.0 if released else 5.0,
        rng=rng,
    )


def tau_with_truth(seed: np.random.SeedSequence, setups: list[list[Any]]) -> list[list[float]]:
    """Kendall's tau of every aggregation with the true strengths, for each setup."""
    rng = np.random.default_rng(seed)
    taus = []
    for setup in setups:
        made = simulated(Setup(*setup), rng)
        row = []
        for method in (Mean(), Median(), BradleyTerry(ties="half-win")):
            found = aggregate(made.scores, method, resamples=2)
            truth = made.strengths[[made.scores.position(name) for name in found.names]]
            row.append(kendall_tau(found.scores, truth))
        taus.append(row)
    return taus


def means_with_errors(tau: Floats) -> tuple[float, float, float]:
    """Mean of what is there with a 95 % percentile bootstrap interval; tied boards have no tau."""
    known = tau[~np.isnan(tau)]
    draws = np.random.default_rng(0).choice(known, (RESAMPLES, known.size)).mean(axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(known.mean()), float(low), float(high)


FIGURE_1 = {
    "A": [3.0, 5.0, 10.0, 14.0, 18.0],
    "B": [5.0, 10.0, 14.0, 18.0, 3.0],
    "C": [4.9, 7.0, 13.9, 17.8, 6.4],
}
"""Scores with every property that the paper tells of its Figure 1, whose own are only drawn."""


def figure_1(runner: Runner) -> Exhibit:
    """Three systems with one mean, whose items tell them apart."""
    scores = Scores.from_arrays(FIGURE_1)
    found = {m: aggregate(scores, m, resamples=2) for m in METHODS}
    values = scores.values[:, :, 0]
    wins = {x + y: int((scores.of(x) > scores.of(y)).sum()) for x, y in ("BA", "CA", "BC")}
    medians = dict(zip(scores.systems, np.median(values, axis=0).tolist(), strict=True))
    order = found["bradley-terry"].names
    series = tuple(Series(name, range(1, 6), row) for name, row in FIGURE_1.items())
    return Exhibit(
        "Figure 1",
        "one mean, three systems",
        on="made-up scores",
        claims=(
            Claim(
                "All systems have the same mean.",
                bool(np.ptp(values.mean(axis=0)) < 1e-9),
                f"{values.mean():.6g} each.",
            ),
            Claim(
                "B is better than A, C better than A, and B better than C, on all items but one.",
                set(wins.values()) == {4},
                f"Items won of five: {wins}.",
            ),
            Claim(
                "The median of A is greater than that of C (10 against 7); A and B have the same.",
                (medians["A"], medians["B"], medians["C"]) == (10.0, 10.0, 7.0),
                f"Medians: {medians}.",
            ),
            Claim(
                "Bradley-Terry declares B > C > A.",
                order == ("B", "C", "A"),
                f"Its order: {' > '.join(order)}.",
            ),
        ),
        pictures=(
            Picture(
                "Scores of three systems with the same mean on five items.",
                (Panel(Curves("Three systems, one mean", "item", "score", series)),),
            ),
        ),
        remarks=(
            "The paper's scores are only drawn; these have every property that it tells of them.",
        ),
    )


def figure_2(runner: Runner) -> Exhibit:
    """Three pairings of the same scores."""
    orders = ([0, 1, 2, 3, 4], [1, 2, 3, 4, 0], [4, 0, 1, 2, 3])
    sets = [paired_marginals(order, rng=runner.seed) for order in orders]
    same = all(
        np.array_equal(np.sort(sets[0].of(name), axis=0), np.sort(other.of(name), axis=0))
        for other in sets
        for name in sets[0].systems
    )
    share = [float((s.of("S") > s.of("B")).mean()) for s in sets]
    leaders = [{m: aggregate(s, m, resamples=2).names[0] for m in METHODS} for s in sets]
    unpaired = [{at[m] for at in leaders} for m in ("mean", "median")]
    paired = {at["bradley-terry"] for at in leaders}
    panels = tuple(
        Panel(item_by_item(s, "B", "S"), "scatter", f"S is better on {100 * p:.0f} % of items")
        for s, p in zip(sets, share, strict=True)
    )
    return Exhibit(
        "Figure 2",
        "three pairings of the same scores",
        on="scores simulated as in Appendix A.1",
        claims=(
            Claim("The marginal scores of both systems stay the same.", same, "Sorted, equal."),
            Claim(
                "Mean and median decide alike in all three.",
                all(len(names) == 1 for names in unpaired),
                f"Mean: {leaders[0]['mean']}, median: {leaders[0]['median']}, three times.",
            ),
            Claim(
                "Bradley-Terry decides by the pairing, and otherwise in one of them.",
                len(paired) == 2,
                f"Best: {', '.join(at['bradley-terry'] for at in leaders)}.",
            ),
        ),
        pictures=(Picture("The same two lists of scores, paired in three ways.", panels),),
        remarks=(
            "Five types of items with the strengths of Table 2, whose ten numbers are where the "
            "scores start (Appendix A.1); one system's types are permuted.",
        ),
    )


def figure_3(runner: Runner) -> Exhibit:
    """Kendall's tau with the truth, on 2,880 simulated setups."""
    repeats = 1 if runner.quick else 10
    setups = {
        way: [Setup(*at, way=way) for at in grid() for _ in range(repeats)]
        for way in ("printed", "released")
    }
    found: dict[str, np.ndarray] = {}
    for way, some in setups.items():
        chunks = [some[k : k + 48] for k in range(0, len(some), 48)]
        jobs = [{"setups": [list(s.key) for s in chunk]} for chunk in chunks]
        taus = runner.map(f"figure 3 {way}", tau_with_truth, jobs)
        found[way] = np.concatenate([np.array(part, dtype=float) for part in taus])
    pictures = tuple(
        Picture(
            f"Kendall's tau with the true strengths; outliers as {way}. Bars: 95 %, bootstrap.",
            _panels(setups[way], found[way]),
        )
        for way in setups
    )
    return Exhibit(
        "Figure 3",
        "tau with the truth on simulated setups",
        on=f"{len(setups['printed']):,} setups simulated as in Appendix A.2, in two ways",
        claims=_claims_3(setups, found),
        pictures=pictures,
        remarks=(
            f"{len(setups['printed']):,} setups in each of two ways. *As printed* (Appendix A.2) "
            "an outlier's scores are permuted among the systems; they stay on the same scale, so "
            "the mean does not fail and panels c, e and f cannot come of it. *As released* (the "
            "authors' program) outliers are uniform on a hundred times the scale and contradict "
            "the true order, strengths add up to ten and types differ by up to a hundred: that is "
            "what the paper's figure shows.",
        ),
    )


def _claims_3(
    setups: Mapping[str, list[Setup]], found: Mapping[str, np.ndarray]
) -> tuple[Claim, ...]:
    def ends(keep: Callable[[Setup], bool], way: str) -> dict[str, tuple[float, float, float]]:
        rows = np.array([keep(s) for s in setups[way]])
        return {m: means_with_errors(found[way][rows, k]) for k, m in enumerate(METHODS)}

    def means(keep: Callable[[Setup], bool], way: str = "released") -> dict[str, float]:
        return {m: mean for m, (mean, *_) in ends(keep, way).items()}

    def said(values: Mapping[str, float]) -> str:
        return ", ".join(f"{name} {value:.2f}" for name, value in values.items())

    easy = means(lambda s: s.outliers == 0 and s.types == 1)
    grossly = means(lambda s: s.outliers > 0 and s.types == 1)
    with_types = ends(lambda s: s.outliers == 0 and s.types > 1, "released")
    typed = {m: mean for m, (mean, *_) in with_types.items()}
    everything = means(lambda s: True)
    printed = means(lambda s: s.outliers > 0 and s.types == 1, "printed")
    printed_easy = means(lambda s: s.outliers == 0 and s.types == 1, "printed")
    few = means(lambda s: s.outliers == 0 and s.types == 1 and s.systems <= 5)
    many = means(lambda s: s.outliers == 0 and s.types == 1 and s.systems >= 25)
    small = means(lambda s: s.outliers == 0 and s.types == 1 and s.items <= 30)
    large = means(lambda s: s.outliers == 0 and s.types == 1 and s.items >= 100)
    return (
        Claim(
            "Without outliers and types all three work about equally well (a, b).",
            max(easy.values()) - min(easy.values()) < 0.1,
            f"Tau: {said(easy)}.",
        ),
        Claim(
            "They improve with more samples (b) and deteriorate with more systems (a).",
            all(large[m] > small[m] and few[m] > many[m] for m in METHODS),
            f"Up to 30 items: {said(small)}; 100 or more: {said(large)}. "
            f"Up to 5 systems: {said(few)}; 25 or more: {said(many)}.",
        ),
        Claim(
            "The mean fails in the presence of outliers; median and BT are unaffected (c).",
            grossly["mean"] < 0.5 * easy["mean"]
            and all(grossly[m] > 0.8 * easy[m] for m in METHODS[1:]),
            f"Tau with outliers: {said(grossly)}.",
        ),
        Claim(
            "With several types of items the median begins to fail (d).",
            with_types["median"][2] < with_types["bradley-terry"][1],
            f"Tau with types: {said(typed)}; the intervals of median and BT lie apart.",
        ),
        Claim(
            "Overall, BT is more robust (g, h).",
            everything["bradley-terry"] == max(everything.values()),
            f"Tau over all setups: {said(everything)}.",
        ),
        Claim(
            "(Ours) The permutation of Appendix A.2 as printed does not make the mean fail.",
            printed["mean"] > 0.8 * printed_easy["mean"],
            f"Tau of the mean {printed['mean']:.2f} with such outliers, {printed_easy['mean']:.2f} "
            "without.",
        ),
    )


def _panels(setups: list[Setup], tau: np.ndarray) -> tuple[Panel, ...]:
    """Draw the eight panels a to h."""
    panels = []
    for name, across, keep in (
        ("a) no outliers, one type", "systems", lambda s: s.outliers == 0 and s.types == 1),
        ("b) no outliers, one type", "items", lambda s: s.outliers == 0 and s.types == 1),
        ("c) outliers, one type", "outliers", lambda s: s.types == 1),
        ("d) no outliers, types", "types", lambda s: s.outliers == 0),
        ("e) outliers and types", "types", lambda _: True),
        ("f) outliers and types", "outliers", lambda _: True),
        ("g) all setups", "items", lambda _: True),
        ("h) all setups", "systems", lambda _: True),
    ):
        kept = np.array([keep(s) for s in setups])
        at = np.array([getattr(s, across) for s in setups])
        series = []
        for k, method in enumerate(METHODS):
            x = sorted(set(at[kept].tolist()))
            each = [means_with_errors(tau[kept & (at == value), k]) for value in x]
            mean, low, high = (list(column) for column in zip(*each, strict=True))
            series.append(Series(method, x, mean, low, high))
        panels.append(Panel(Curves(name, MEASURED[across], "tau with truth", tuple(series))))
    return tuple(panels)
