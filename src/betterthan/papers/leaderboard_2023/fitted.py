"""Figures 3 and 4: laws of item means and deviations, fitted to ratings on five levels."""

from dataclasses import replace

import numpy as np

from betterthan.numeric import Floats
from betterthan.papers.boards import ratings_arguments, ratings_in
from betterthan.papers.exhibits import Curves, Exhibit, Panel, Picture, Series
from betterthan.papers.printed_cells import Cell, Claim
from betterthan.papers.runner import Runner
from betterthan.responses import Likert, draw_test_set, fit, toxicity
from betterthan.responses.population_fit import FittedLaw
from betterthan.results.sheet import Table

RATINGS = "a property of the 107,620 rated comments of Kumar et al. (2021), which are not bundled"
SAMPLE = 1_000
"""Items behind the moments that Figure 3 gives."""


def figures_3_4(runner: Runner) -> Exhibit:
    """Histograms of item means and deviations, and the laws fitted to them."""
    items = 2_000 if runner.quick else 20_000
    law = replace(toxicity(), eps_a=0.0)
    ratings = ratings_arguments(runner.data)
    gold = draw_test_set(law, items, 5, runner.seed).gold
    if ratings:
        gold = ratings_in(ratings["ratings"])
    deviations = gold.std(axis=1, ddof=1)
    found = fit(gold, response=Likert(5))
    generator = np.random.default_rng([runner.seed, 3])
    means, sds = (np.maximum(x.draw(200_000, generator), 0.0) for x in (law.means, law.sds))
    new_means, new_sds = (
        np.maximum(x.draw(200_000, generator), 0.0) for x in (found.means.law, found.sds.law)
    )
    again = draw_test_set(found.population(eps_a=0.0), items, 5, runner.seed + 1).gold
    seen = deviations.mean()
    rows = [
        (name, *(f"{x:.3f}" for x in numbers))
        for name, *numbers in (
            ("mean of item means", means.mean(), new_means.mean(), gold.mean(), again.mean()),
            ("their spread", means.std(), new_means.std(), *_spreads(gold, again)),
            (
                "mean deviation within items",
                sds.mean(),
                new_sds.mean(),
                seen,
                again.std(axis=1, ddof=1).mean(),
            ),
        )
    ]
    return Exhibit(
        "Figures 3 and 4",
        "laws fitted to item means and deviations",
        on="ratings.csv" if ratings else "ratings drawn from the paper's law",
        cells=(
            *_moments("Figure 3, folded normal law", means, (".20", ".16")),
            *(
                _moments("Figure 4, ratings", deviations, (".19", ".11"))
                if ratings
                else (
                    Cell("Figure 4, ratings: mean deviation", ".19", None, reason=RATINGS),
                    Cell("Figure 4, ratings: spread of deviations", ".11", None, reason=RATINGS),
                )
            ),
            Cell("Appendix B: error of the bars of means, items", "2000", None, reason=RATINGS),
            Cell(
                "Appendix B: error of the bars of deviations, items", "2000", None, reason=RATINGS
            ),
        ),
        claims=(
            Claim(
                "Histograms of means and deviations are close to those of the fitted laws.",
                max(found.means.error, found.sds.error) < 0.02,
                f"Mean absolute error of the bars: {found.means.error:.4f} and "
                f"{found.sds.error:.4f} of the items; about .0186 in the paper (2,000 of 107,620).",
            ),
            Claim(
                "(Ours) The fit recovers the deviations that items have, not those that five "
                "floored ratings show.",
                bool(abs(new_sds.mean() - sds.mean()) < abs(seen - sds.mean())),
                f"Mean deviation {sds.mean():.3f} in the law, {seen:.3f} in its ratings, "
                f"{new_sds.mean():.3f} recovered.",
            ),
        ),
        pictures=(
            Picture(
                "Item means (Figure 3) and deviations (Figure 4): ratings drawn from the paper's "
                "law, and the fit.",
                tuple(
                    Panel(_bars(name, fitted))
                    for name, fitted in (
                        ("item means", found.means),
                        ("item deviations", found.sds),
                    )
                ),
            ),
        ),
        tables=(
            Table.of(
                ("", "law of the paper", "fitted", "ratings", "simulated by the fit"),
                rows,
                left=("",),
                caption=f"Items and their ratings, {items:,} of them drawn from the law that the "
                "paper fitted.",
            ),
        ),
        remarks=(
            f"Means: {law.means} in the paper, {found.means.law} fitted here; deviations: "
            f"{law.sds} and {found.sds.law}. The paper takes observed deviations for the items' "
            "own.",
        ),
    )


def _moments(name: str, drawn: Floats, printed: tuple[str, str]) -> tuple[Cell, Cell]:
    """Hold mean and deviation of a law against those of a sample of 1,000."""
    mean, sd = float(drawn.mean()), float(drawn.std())
    fourth = float(((drawn - mean) ** 4).mean())
    errors = sd, (fourth - sd**4) ** 0.5 / (2 * sd)
    first, second = (
        Cell(f"{name}: {what}", text, value, error / drawn.size**0.5, error / SAMPLE**0.5)
        for what, text, value, error in zip(
            ("mean", "deviation"), printed, (mean, sd), errors, strict=True
        )
    )
    return first, second


def _spreads(*ratings: Floats) -> tuple[float, ...]:
    return tuple(float(x.mean(axis=1).std()) for x in ratings)


def _bars(name: str, fitted: FittedLaw) -> Curves:
    at = ((fitted.edges[1:] + fitted.edges[:-1]) / 2).tolist()
    return Curves(
        name.capitalize(),
        name,
        "share of items",
        (
            Series("ratings", at, fitted.observed.tolist(), look="bars"),
            Series("fitted", at, fitted.expected.tolist(), look="bars"),
        ),
    )
