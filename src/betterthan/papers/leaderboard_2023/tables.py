"""Tables 5 to 14 cell by cell; Tables 1 to 4 and Figures 1 and 2, the least gaps."""

from collections.abc import Iterator

import numpy as np

from betterthan.papers.boards import ratings_arguments
from betterthan.papers.exhibits import Curves, Exhibit, Series, pictured
from betterthan.papers.leaderboard_2023.printed import (
    ALIKE,
    Printed,
    PrintedLeast,
    of_all,
    printed,
    printed_behind,
    printed_least,
)
from betterthan.papers.leaderboard_2023.studies import (
    PRIOR,
    Study,
    estimated_cells,
    studied,
    true_cell,
)
from betterthan.papers.printed_cells import Cell, Claim
from betterthan.papers.runner import Runner
from betterthan.responses.p_value_study import PAPER_EPS
from betterthan.results.sheet import Table

ILLEGIBLE = "the text of the table is damaged in the copy that was transcribed"
RATINGS = (
    "the estimate is from 1,000 of the toxicity ratings of Kumar et al. (2021), which are not "
    "bundled; `--data DIR` reads those of DIR/ratings.csv"
)
FIRST_SET = (
    "the program counts the test set with the real ratings among the 1,000 that the true p is "
    "taken over; Section 3.2 above measures that with a stand-in, and gets numbers of this size"
)
LONG_TAIL = 2.75
"""Minima of positive gaps are spread like an exponential law, whose limits at 1e-5 are so much
farther out, in standard deviations, than those of a normal one."""

FINEST = 1e-5


def full_table(runner: Runner, law: str, table: int) -> Exhibit:
    """One of Tables 5 to 14: every combination at one perturbation."""
    study = studied(runner, law)
    rows = [row for row in printed() if row.table == table]
    if law == "simulated" or ratings_arguments(runner.data):
        legible = [row for row in rows if row.estimated]
        held = iter(
            estimated_cells(study, [(_name(r, "estimated"), r.key, r.estimated) for r in legible])
        )
    else:
        held = (
            Cell(_name(row, "estimated"), row.estimated, None, reason=RATINGS)
            for row in rows
            if row.estimated
        )
    cells = [cell for row in rows for cell in _row_cells(row, study, held)]
    return Exhibit(
        f"Table {table}",
        f"{law} law, eps = {rows[0].eps:g}",
        tuple(cells),
        on=f"test sets of the {law} law",
        remarks=(
            "A study has one reference test set and one truth, in the paper as here; ours are "
            f"means over {len(next(iter(study.true.values())))} studies, those of estimates on the "
            "normal scale. A printed 0 is below the program's precision of 1e-5.",
        ),
    )


def _row_cells(row: Printed, study: Study, held: Iterator[Cell]) -> Iterator[Cell]:
    if row.estimated:
        yield next(held)
    else:
        yield Cell(_name(row, "estimated"), "nan", None, reason=ILLEGIBLE)
    if row.true:
        first = row.table == 14 and row.metric.startswith("emd")
        reason = FIRST_SET if first else ""
        yield true_cell(_name(row, "true"), row.true, study.true[row.key], reason)
    else:
        yield Cell(_name(row, "true"), "nan", None, reason=ILLEGIBLE)


def _name(row: Printed, which: str) -> str:
    return f"{row.metric}, {row.sampling}: {which}"


def least_table(runner: Runner, table: int) -> Exhibit:
    """One of Tables 1 to 4: the least gap between estimated and true p."""
    law = "simulated" if table <= 2 else "toxicity"
    by = "sampling" if table in (1, 3) else "metric"
    rows = [row for row in printed_least() if row.table == table]
    known = law == "simulated" or bool(ratings_arguments(runner.data))
    least = least_gaps(studied(runner, law), by)
    cells = [
        _least_cell(row, eps, least[of_all(row.row), eps], known)
        for row in rows
        for eps in PAPER_EPS
    ]
    shown = {
        row.row: [float(np.mean(least[of_all(row.row), e])) for e in PAPER_EPS] for row in rows
    }
    found = [(row.row, str(row.n), *(_small(x) for x in shown[row.row])) for row in rows]
    figure = {2: "Figure 1", 4: "Figure 2"}.get(table, f"Table {table}")
    return Exhibit(
        f"Table {table}",
        f"least error of the estimated p by {by}, {law} law{_also(figure, table)}",
        tuple(cells),
        on=f"test sets of the {law} law",
        claims=(_minima(rows), *_claims(shown, table)),
        pictures=pictured(
            f"Least difference between estimated and true p by {by} ({figure}), mean over studies.",
            Curves(
                f"Least error of p by {by}",
                "eps",
                "error",
                tuple(
                    Series(label, list(PAPER_EPS), [max(x, 1e-6) for x in row])
                    for label, row in shown.items()
                ),
                "y",
            ),
        ),
        tables=(
            Table.of(
                (by, "n", *(f"eps = {eps:g}" for eps in PAPER_EPS)),
                found,
                left=(by,),
                caption="Ours: the least gap of a study, mean over studies. n is the number of "
                "combinations that it is the least of.",
            ),
        ),
        remarks=_remarks(known),
    )


def _also(figure: str, table: int) -> str:
    return "" if figure == f"Table {table}" else f" ({figure})"


def _remarks(known: bool) -> tuple[str, ...]:
    common = (
        "The least of six or nine gaps, each off by its own chance, is spread like an exponential "
        "law; its error allows for that."
    )
    if known:
        return (common,)
    return (
        "Ratings drawn from the fitted law stand in for the real ones in the table and figure of "
        "ours, which cannot be held against the printed numbers.",
    )


def least_gaps(study: Study, by: str) -> dict[tuple[str, float], list[float]]:
    """The least gap of every study, by strategy or metric and by eps."""
    gaps: dict[tuple[str, float], list[np.ndarray]] = {}
    for (eps, sampling, metric), estimated in study.estimated.items():
        row = sampling if by == "sampling" else ALIKE.get(metric, metric)
        gap = np.abs(np.subtract(estimated, study.true[eps, sampling, metric][: len(estimated)]))
        gaps.setdefault((row, eps), []).append(gap)
    return {key: np.min(found, axis=0).tolist() for key, found in gaps.items()}


def _least_cell(row: PrintedLeast, eps: float, gaps: list[float], known: bool) -> Cell:
    name, published = f"{row.row}, eps = {eps:g}", row.least[eps]
    if not known:
        return Cell(name, published, None, reason=RATINGS)
    mean, freedom = float(np.mean(gaps)), len(gaps) - 1
    variance = (PRIOR * max(mean, FINEST) ** 2 + freedom * np.var(gaps, ddof=1)) / (PRIOR + freedom)
    sd = float(variance) ** 0.5
    return Cell(name, published, mean, sd / len(gaps) ** 0.5, LONG_TAIL * sd)


def _minima(rows: list[PrintedLeast]) -> Claim:
    """Check a table of minima against the full tables that it is taken from."""
    right, wrong, unknown = 0, [], 0
    for row in rows:
        for eps, value in row.least.items():
            lines = printed_behind(row, eps)
            gaps = [line.gap for line in lines]
            known = [gap for gap in gaps if gap is not None]
            cell = Cell("", value, min(known, default=1.0))
            if len(lines) == row.n and cell.ruling(0.0) == "agrees":
                right += 1
            elif len(known) < len(gaps):
                unknown += 1
            else:
                wrong.append(f"{row.row} at eps = {eps:g} ({value} here, {min(known):.2g} there)")
    law = "5 to 9" if rows[0].table <= 2 else "10 to 14"
    return Claim(
        f"The numbers are the least differences of Tables {law}, over n combinations.",
        len(wrong) <= (rows[0].table == 4),
        f"{right} of {right + unknown + len(wrong)} are"
        + (f", {unknown} hang on rows that are illegible" if unknown else "")
        + (f", and the paper contradicts itself for {', '.join(wrong)}" if wrong else "")
        + ".",
    )


def _claims(shown: dict[str, list[float]], table: int) -> Iterator[Claim]:
    at = dict(zip(PAPER_EPS, range(len(PAPER_EPS)), strict=True))
    if table > 2:
        return
    largest = max(row[at[0.7]] for row in shown.values())
    yield Claim(
        "Errors vanish as the systems draw apart: below .001 at eps = .7 for every one.",
        largest < 1e-3,
        f"Largest: {largest:.1e}.",
    )
    if table == 1:
        several = ("all_items/sample(5)", "bootstrap_items/all", "bootstrap_items/sample(5)")
        most = max(shown[s][at[0.1]] for s in several)
        fewest = min(row[at[0.1]] for s, row in shown.items() if s not in several)
        yield Claim(
            "Strategies that use several responses per item do best at eps = .1.",
            most <= fewest,
            f"{most:.2g} against {fewest:.2g}.",
        )
    else:
        sums = {metric: row[at[0.05]] + row[at[0.1]] for metric, row in shown.items()}
        best = min(sums, key=lambda metric: sums[metric])
        yield Claim(
            "Wins have the least error of all metrics above eps = 0.",
            best == "wins",
            f"The least sum of errors at .05 and .1 is that of {best}.",
        )


def _small(value: float) -> str:
    return "< 1e-5" if value < FINEST else f"{value:.5f}"
