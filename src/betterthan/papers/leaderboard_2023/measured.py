"""What the authors' program does otherwise than the text says, and what that is worth: measured."""

from collections.abc import Sequence

import numpy as np

from betterthan.numeric import Floats
from betterthan.papers.exhibits import Exhibit
from betterthan.papers.leaderboard_2023.printed import Printed, of_all, printed, printed_number
from betterthan.papers.leaderboard_2023.studies import (
    DRAWS,
    ITEMS,
    RESPONSES,
    as_programmed,
    estimated,
    population,
    reference,
)
from betterthan.papers.printed_cells import Claim
from betterthan.papers.runner import Runner
from betterthan.responses import true_ps
from betterthan.responses.published_test import overlap_of
from betterthan.responses.response_metrics import as_response_metric, contrast
from betterthan.results.sheet import Table

NULLS = (
    (6, "wins", "bootstrap_items/all"),
    (6, "wins_vectorized", "bootstrap_items/all"),
    (7, "mae", "bootstrap_items/all"),
    (7, "wins", "bootstrap_items/first_element"),
    (8, "mse", "bootstrap_items/first_element"),
    (8, "spearman", "bootstrap_items/first_element"),
    (8, "cosine", "bootstrap_items/first_element"),
)
"""Printed estimates above zero which the null of the text, zero by construction, hardly gives."""

FIXED = ("bootstrap_items/all", "bootstrap_items/first_element")
DISTANCES = (("emd_aggregated", RESPONSES), ("emd_vectorized", RESPONSES), ("emd_aggregated", 1))
HEADERS = ("number", "published", "by the text", "by the program")


def text_and_program(runner: Runner) -> Exhibit:
    """Estimates and truths by the text and by the program, side by side."""
    repeats = 8 if runner.quick else 40
    parts = [part(runner, repeats) for part in (nulls, ties, first_sets)]
    return Exhibit(
        "Section 3.2",
        "the text and the program",
        on="simulated test sets",
        claims=tuple(claim for _, claim in parts),
        tables=tuple(table for table, _ in parts),
        remarks=(
            "The released program (Google Research, `vet`) draws null systems, breaks ties and "
            "counts test sets otherwise than the text says. What each is worth is measured here, "
            f"over {repeats} repeats, all else being equal: the mean and the range of p. The "
            "tables that follow are made the program's way, with `/redrawn` behind the sampling, "
            "earth mover's distances between heights of bars (`*_counts`), of 100 draws where they "
            "are estimated, and ties as rounding breaks them.",
        ),
    )


def _table(caption: str, rows: Sequence[Sequence[str]]) -> Table:
    return Table.of(HEADERS, rows, left=("number",), caption=caption)


def nulls(runner: Runner, repeats: int) -> tuple[Table, Claim]:
    """Null systems that hold the whole pool, and such as draw their responses from it."""
    jobs = [
        {"eps": _row(*cell).eps, "metric": cell[1], "sampling": of_all(cell[2])}
        for cell in NULLS
        for _ in range(repeats)
    ]
    found = np.array(runner.map("2023 nulls", by_null, jobs)).reshape(len(NULLS), repeats, 2)
    rows = [
        (_name(*cell, "estimated"), _row(*cell).estimated, *map(_range, drawn.T))
        for cell, drawn in zip(NULLS, found, strict=True)
    ]
    fixed = [row for row in printed() if row.sampling in FIXED and row.gap is not None]
    told = [printed_number(row.estimated) for row in fixed if not row.metric.startswith("emd")]
    above = [p for p in told if p > 0.0]
    thousandths = sum(abs(1e3 * p - round(1e3 * p)) < 1e-6 for p in above)
    return (
        _table("Null systems, estimated p.", rows),
        Claim(
            "(Ours) Estimates by `all` and `first_element` are those of null systems that draw "
            "their responses from the pool anew. The text hands both the same ones: their "
            "difference is zero, and p a share of 1,000 alternative draws.",
            thousandths < len(above) / 20,
            f"{thousandths} of {len(above)} such estimates, in Tables 5 to 14, are a whole number "
            "of thousandths.",
        ),
    )


def by_null(
    seed: np.random.SeedSequence, eps: float, metric: str, sampling: str
) -> tuple[float, float]:
    """Estimated p by the null of the text and by that of the program."""
    drawn, resampled = seed.spawn(2)
    data, measure = (
        reference("simulated", eps, np.random.default_rng(drawn)),
        as_response_metric(metric),
    )
    by_text, by_program = (
        estimated(data, measure, f"{sampling}{how}", DRAWS, resampled) for how in ("", "/redrawn")
    )
    return by_text, by_program


def ties(runner: Runner, repeats: int) -> tuple[Table, Claim]:
    """Wins among ratings on five levels, of which many are tied."""
    found = np.array(runner.map("2023 ties", by_ties, [{} for _ in range(repeats)]))
    samplings = ("all_items/sample(5)", "bootstrap_items/sample(5)", "bootstrap_items/all")
    rows = [
        (
            _name(12, "wins", sampling, "true"),
            _row(12, "wins", sampling).true,
            *map(_range, found.T),
        )
        for sampling in samplings
    ]
    means = found.mean(axis=0)
    error = (found[:, 1] - found[:, 0]).std(ddof=1) / len(found) ** 0.5
    return (
        _table("Ties among ratings, true p.", rows),
        Claim(
            "(Ours) Item means that are equal but for rounding count as wins in the program, and "
            "that makes p larger. It prints three numbers for one set of draws, in another order "
            "of responses.",
            bool(means[1] - means[0] > 3 * error),
            f"{means[0]:.4f} with ties, {means[1]:.4f} with rounding: {means[1] - means[0]:.4f} ± "
            f"{error:.4f} more.",
        ),
    )


def by_ties(seed: np.random.SeedSequence) -> list[float]:
    """True p of wins at eps = .1, ties counted as ties and as rounding breaks them."""
    laws = true_ps(
        population("toxicity", 0.1),
        ["wins", as_programmed("wins")],
        items=ITEMS,
        responses=RESPONSES,
        alternative="two-sided",
        resamples=DRAWS,
        rng=seed,
    )
    return [law.pvalue for law in laws]


def first_sets(runner: Runner, repeats: int) -> tuple[Table, Claim]:
    """The test set with real ratings as one of those that the true p is taken over."""
    found = np.array(runner.map("2023 first sets", by_first, [{} for _ in range(repeats)]))
    printed_ = (
        ("all_items/sample(5)", "emd_aggregated"),
        ("all_items/sample(5)", "emd_vectorized"),
        ("all_items/sample(1)", "emd_aggregated"),
    )
    rows = [
        (
            _name(14, metric, sampling, "true"),
            _row(14, metric, sampling).true,
            *(_range(found[:, at, k]) for k in (0, 1)),
        )
        for at, (sampling, metric) in enumerate(printed_)
    ]
    others = (
        _row(14, "emd_aggregated", s).true
        for s in ("bootstrap_items/sample(1)", "bootstrap_items/first_element")
    )
    rose = int((found[:, 1:, 1] > 10 * found[:, 1:, 0]).sum())
    return (
        _table(
            "The first of 1,000 test sets has real ratings (here: drawn from the law), true p.",
            rows,
        ),
        Claim(
            "(Ours) Around real ratings systems have the deviations that five ratings happen to "
            "have. That one test set among 1,000 gives true p-values of up to .001 to earth "
            f"mover's distances at eps = .7 ({', '.join(others)} printed).",
            bool(found[:, 1:, 1].mean() > 10 * found[:, 1:, 0].mean()),
            f"p is more than ten times as large with it in {rose} of {found[:, 1:, 0].size} cases, "
            f"and {found[:, 1:, 1].max():.6f} at most.",
        ),
    )


def by_first(seed: np.random.SeedSequence) -> list[list[float]]:
    """True p of three distances at eps = .7, with and without a test set around ratings."""
    drawn, *seeds = seed.spawn(1 + len(DISTANCES))
    ratings = reference("toxicity", 0.7, np.random.default_rng(drawn))
    pairs = []
    for (name, responses), child in zip(DISTANCES, seeds, strict=True):
        metric = as_response_metric(f"{name}_counts")
        (law,) = true_ps(
            population("toxicity", 0.7),
            [metric],
            items=ITEMS,
            responses=responses,
            alternative="two-sided",
            resamples=DRAWS,
            rng=child,
        )
        alternative = law.alternative.copy()
        alternative[0] = contrast(metric, *(x.values[:, :responses] for x in ratings))
        pairs.append([law.pvalue, overlap_of(law.null, alternative).pvalue])
    return pairs


def _row(table: int, metric: str, sampling: str) -> Printed:
    (found,) = (
        r for r in printed() if (r.table, r.metric, r.sampling) == (table, metric, sampling)
    )
    return found


def _name(table: int, metric: str, sampling: str, which: str) -> str:
    return f"Table {table}: {metric}, {sampling}, {which}"


def _range(drawn: Floats) -> str:
    low, mean, high = (f"{x:.2g}" for x in (drawn.min(), drawn.mean(), drawn.max()))
    return f"{mean} ({low}–{high})"
