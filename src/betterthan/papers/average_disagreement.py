"""Better than Average: how often aggregations disagree (Tables 1, 3 and 4).

In the text of Table 3 five groups of three columns have lost their order. They are BLEU, ROUGE,
ROUGE-WE, MoverScore and BERTScore: shares of setups are multiples of 1/30, 1/90, 1/60, 1/30 and
1/30, that is of 30 test sets by 1, 3, 2, 1 and 1 variants of these metrics, and on the boards of
TAC and of the dialogues each group is closest to that metric. Within a group they are mean against
Bradley-Terry, median against Bradley-Terry, mean against median. Of TAC-08 by ROUGE-WE the first
two triples are printed in each other's place, and are exchanged here.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np

from betterthan.data.scores import Scores
from betterthan.numeric import Floats
from betterthan.papers.average_simulated import METHODS, Setup, grid, simulated
from betterthan.papers.boards import Board, boards, scores_in, some_of_each
from betterthan.papers.exhibits import Exhibit
from betterthan.papers.printed_cells import Claim, Measured, cells_of
from betterthan.papers.runner import Runner
from betterthan.ranking import disagreement
from betterthan.ranking.methods import Aggregation
from betterthan.results.sheet import Table

PAPER = "average_2021"
REAL = (
    "the scores of TAC, CNN/DM, WMT, MSCOCO, PersonaChat and TopicalChat are not bundled; "
    "`--data DIR` reads those that you have"
)
FEWER = "other boards: the paper's numbers are over 296, of which these are a part"
TIES = "ties: in a dialogue many items are tied, and the paper does not say how it orders them"
NO_BOARDS = "nothing, without `--data`"
SHARED = "the paper may draw one test set for all variants of a metric, and averages then vary more"
MEASURES = ("pairs", "winner", "top 3")
FAMILIES = {
    "BLEU": ("BLEU",),
    "ROUGE": ("ROUGE_1", "ROUGE_2", "ROUGE_L"),
    "ROUGE_WE": ("ROUGE_WE_1", "ROUGE_WE_2"),
    "MoverScore": ("MoverScore",),
    "BERTScore": ("BERTScore",),
}
"""The metrics of Table 3, and their variants."""

TASKS = {
    "08": "summaries",
    "09": "summaries",
    "11": "summaries",
    "pc": "dialogues",
    "tc": "dialogues",
}
SIZES = (10, 50, 100, 500, 1000, 5000)
"""Items of the test sets in Appendix A.3."""

DRAWS, SETUPS = 30, 296
"""Test sets behind a number of Table 3, and boards behind one of Table 1."""

Compared = dict[str, Floats]
"""Of every two aggregations: other pairs, another winner and another top 3 of each test set."""


def compared(
    runner: Runner, name: str, jobs: list[dict[str, Any]], methods: Sequence[str]
) -> Compared:
    """Compare every two aggregations of the test sets of all jobs."""
    some = [{**job, "methods": list(methods)} for job in jobs]
    function = board_disagreement if "board" in jobs[0] else setup_disagreement
    rows = np.array([row for part in runner.map(name, function, some) for row in part])
    short = [method.split("(")[0] for method in methods]
    return {f"{a} vs {b}": rows[:, k] for k, (a, b) in enumerate(combinations(short, 2))}


def setup_disagreement(
    seed: np.random.SeedSequence, setup: list[Any], methods: list[Aggregation]
) -> list[list[list[float]]]:
    """Compare every two aggregations on one simulated setup."""
    return [_disagreement(simulated(Setup(*setup), np.random.default_rng(seed)).scores, methods)]


def board_disagreement(
    seed: np.random.SeedSequence,
    *,
    board: str,
    content: int,
    methods: list[Aggregation],
    size: int = 0,
    draws: int = 1,
) -> list[list[list[float]]]:
    """Compare every two aggregations on a board, or on test sets of ``size`` drawn from it."""
    rng, scores = np.random.default_rng(seed), scores_in(board)
    if not size:
        return [_disagreement(scores, methods)]
    drawn = [np.sort(rng.choice(scores.n, size, replace=False)) for _ in range(draws)]
    return [_disagreement(scores.only(rows), methods) for rows in drawn]


def _disagreement(scores: Scores, methods: list[Aggregation]) -> list[list[float]]:
    return [[d.share, d.other_winner, d.other_top3] for d in disagreement(scores, methods)]


def whole(runner: Runner, methods: Sequence[str], chosen: Sequence[Board]) -> Compared:
    """Compare aggregations on whole boards, or on simulated setups if there are no boards."""
    if chosen:
        jobs = [board.arguments for board in chosen]
        return compared(runner, f"boards by {', '.join(methods)}", jobs, methods)
    repeats = 1 if runner.quick else 4
    setups = [
        {"setup": list(Setup(*at, way="released").key)}
        for at in grid()
        if at[3] in (5, 10) and at[2] in (30, 100)
        for _ in range(repeats)
    ]
    return compared(runner, f"disagreement of {len(methods)}", setups, methods)


@cache
def sampled(runner: Runner) -> dict[tuple[Board, int], Compared]:
    """Compare aggregations on test sets drawn from the boards, of every size that they have."""
    found = {}
    for board, size in product(boards(runner.data), SIZES):
        if size <= board.scores.n:
            job = {**board.arguments, "size": size, "draws": DRAWS}
            name = f"samples of {board.name}, {size}"
            found[board, size] = compared(runner, name, [job], METHODS)
    return found


def measured(rows: Floats, published: int, *, percent: bool = False) -> list[Measured]:
    """Average each measure over test sets; of shares of hits, none and all have errors, too."""
    n, scale = len(rows), 100.0 if percent else 1.0
    hits = (rows[:, 1:].sum(axis=0) + 1) / (n + 2)
    sds = [float(rows[:, 0].std(ddof=min(1, n - 1))), *np.sqrt(hits * (1 - hits)).tolist()]
    return [
        Measured(scale * float(mean), scale * sd / n**0.5, scale * sd / published**0.5)
        for mean, sd in zip(rows.mean(axis=0), sds, strict=True)
    ]


def _of_table(found: Compared) -> dict[str, Measured]:
    return {
        f"{pair}: {measure}, %": value
        for pair, rows in found.items()
        for measure, value in zip(MEASURES, measured(rows, SETUPS, percent=True), strict=True)
    }


def _listed(found: Compared) -> str:
    return "; ".join(
        f"{pair} {', '.join(f'{x:.0%}' for x in rows.mean(axis=0))}" for pair, rows in found.items()
    )


def on_boards(chosen: Sequence[Board]) -> str:
    """Say what an exhibit is made on."""
    if not chosen:
        return "simulated setups"
    setups = dict.fromkeys(board.setup for board in chosen)
    return f"{len(chosen)} boards ({', '.join(setups)})"


def table_1(runner: Runner) -> Exhibit:
    """Disagreement of three aggregations."""
    chosen = boards(runner.data)
    found = whole(runner, METHODS, chosen)
    means = {pair: rows.mean(axis=0) for pair, rows in found.items()}
    on, evidence = on_boards(chosen), f"On {on_boards(chosen)}: {_listed(found)}."
    against = [means[pair] for pair in means if "bradley" in pair]
    claims = [
        Claim(
            "The choice of aggregation matters: other pairs, winners and best threes.",
            all(pairs > 0.02 and winner > 0.05 for pairs, winner, _ in means.values()),
            evidence,
        )
    ]
    if chosen:
        claims += [
            Claim(
                "Mean and median agree more with one another than either does with BT.",
                all(means["mean vs median"][0] < one[0] for one in against),
                evidence,
            ),
            Claim(
                "The winner differs between BT and mean or median in about 40 % of the setups.",
                all(0.35 <= one[1] <= 0.45 for one in against),
                evidence,
            ),
        ]
    return Exhibit(
        "Table 1",
        "disagreement of mean, median and Bradley-Terry",
        cells=cells_of(PAPER, "Table 1", _of_table(found) if chosen else {}, FEWER, REAL),
        claims=tuple(claims),
        remarks=(
            "Ties are broken in every way before a winner is called another one; the released tool "
            "takes the first, and its `Same Top-3` compares winners only.",
        ),
        on=on,
    )


def table_3(runner: Runner) -> Exhibit:
    """Disagreement by data set and metric, on test sets of 10 items."""
    found = sampled(runner)
    ours: dict[str, Measured] = {}
    reasons: dict[str, str] = {}
    for setup, (family, metrics) in product(
        dict.fromkeys(board.setup for board, _ in found), FAMILIES.items()
    ):
        drawn = [
            each
            for (board, size), each in found.items()
            if size == SIZES[0] and board.setup == setup and board.metric in metrics
        ]
        for pair in drawn[0] if drawn else ():
            rows = np.concatenate([each[pair] for each in drawn])
            for measure, value in zip(MEASURES, measured(rows, len(rows)), strict=True):
                name = f"{setup} {family}, {pair}: {measure}"
                ours[name] = value
                reasons[name] = SHARED if len(metrics) > 1 else ""
                if TASKS.get(setup) == "dialogues":
                    reasons[name] = TIES
    chosen = boards(runner.data)
    cells = cells_of(PAPER, "Table 3", ours, reasons.__getitem__, REAL)
    return Exhibit(
        "Table 3",
        "disagreement by data set and metric",
        cells=cells,
        remarks=(
            f"Over {DRAWS} test sets of {SIZES[0]} items by every variant of a metric. The text of "
            "the table has lost the order of its columns: they are BLEU, ROUGE, ROUGE-WE, "
            "MoverScore, BERTScore, since shares of setups are multiples of 1/30, 1/90, 1/60, 1/30 "
            "and 1/30, and each is closest to that metric here. Of TAC-08 by ROUGE-WE the first "
            "two triples are exchanged.",
        ),
        on=f"test sets drawn from {on_boards(chosen)}" if chosen else NO_BOARDS,
    )


def table_4(runner: Runner) -> Exhibit:
    """Disagreement with Elo and TrueSkill as well, by the order of the file and over orders."""
    methods = (*METHODS, "elo", "trueskill")
    chosen = boards(runner.data)
    chosen = some_of_each(chosen, 2) if runner.quick else chosen
    averaged = whole(runner, methods, chosen)
    in_order = (*METHODS, "elo(order=file)", "trueskill(order=file)")
    by_file = whole(runner, in_order, chosen) if chosen else {}
    found = by_file or averaged
    paired = {
        pair: rows
        for pair, rows in found.items()
        if pair.startswith("me") and "bradley" not in pair
    }
    del paired["mean vs median"]
    claims = [
        Claim(
            "Elo and TrueSkill, too, disagree with mean and median.",
            all(rows[:, 0].mean() > 0.02 for rows in paired.values()),
            f"On {on_boards(chosen)}: {_listed(paired)}.",
        )
    ]
    tables: tuple[Table, ...] = ()
    if chosen:
        pair = "bradley-terry vs elo"
        claims.append(
            Claim(
                "(Ours) It is the order of the games that makes Elo disagree with BT.",
                bool(averaged[pair][:, 0].mean() < by_file[pair][:, 0].mean() / 2),
                f"Pairs in another order: {by_file[pair][:, 0].mean():.0%} in the order of the "
                f"file, {averaged[pair][:, 0].mean():.0%} averaged over orders.",
            )
        )
        tables = (
            Table.of(
                ("aggregations", *(f"{measure}, %" for measure in MEASURES)),
                [
                    (pair, *(f"{100 * x:.0f}" for x in rows.mean(axis=0)))
                    for pair, rows in averaged.items()
                ],
                left=("aggregations",),
                caption="Ours, with Elo and TrueSkill averaged over orders of the games.",
            ),
        )
    return Exhibit(
        "Table 4",
        "disagreement with Elo and TrueSkill as well",
        cells=cells_of(PAPER, "Table 4", _of_table(by_file), FEWER, REAL),
        claims=tuple(claims),
        tables=tables,
        remarks=(
            "The paper takes the order of the file for Elo and TrueSkill, which alone makes them "
            "disagree with Bradley-Terry; without its boards they are averaged over random orders.",
        ),
        on=on_boards(chosen),
    )
