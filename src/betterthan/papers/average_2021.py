"""Better than Average: every exhibit; Figures 5 and 6 and Appendix F are made here."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betterthan.data.scores import Scores
from betterthan.numeric import Floats
from betterthan.papers.average_disagreement import (
    FEWER,
    NO_BOARDS,
    PAPER,
    REAL,
    SETUPS,
    on_boards,
    table_1,
    table_3,
    table_4,
)
from betterthan.papers.average_simulated import figure_1, figure_2, figure_3
from betterthan.papers.average_sizes import figure_4
from betterthan.papers.boards import boards, scores_in, some_of_each
from betterthan.papers.exhibits import Exhibit, Panel, Picture
from betterthan.papers.printed_cells import Claim, Measured, cells_of
from betterthan.papers.runner import Runner
from betterthan.ranking import agreement, pairwise, score_matrix
from betterthan.ranking.aggregate import aggregate
from betterthan.ranking.diagnostics import Agreement
from betterthan.ranking.methods import BradleyTerry
from betterthan.results.sheet import Table


def figure_5(runner: Runner) -> Exhibit:
    """Every two systems of a board: how often one is better than the other."""
    chosen = boards(runner.data)
    claims: tuple[Claim, ...] = ()
    pictures: tuple[Picture, ...] = ()
    board = next((b for b in chosen if b.metric == "ROUGE_1"), next(iter(chosen), None))
    if board is not None:
        best = aggregate(board.scores, "bradley-terry", resamples=2).names[:10]
        pairs = pairwise(board.scores.select(*best), "bradley-terry", rng=runner.seed)
        above = pairs.effect[np.triu_indices(len(best), 1)]
        below = pairs.effect.T[np.triu_indices(len(best), 1)]
        claims = (
            Claim(
                "The probabilities that either of two systems is better add up to one.",
                bool(np.allclose(above + below, 1.0)),
                f"So do shares of items won, ties counting half. The higher ranked system wins "
                f"more than half of them in {int((above > 0.5).sum())} of {above.size} pairs here, "
                "in all 45 of the printed matrix.",
            ),
        )
        caption = f"Share of items won by the row, of the ten best systems of {board.name}."
        pictures = (Picture(caption, (Panel(pairs, "matrix"),)),)
    return Exhibit(
        "Figure 5",
        "pairwise comparison of systems with Bradley-Terry",
        cells=cells_of(PAPER, "Figure 5", {}, "", "the matrix is of WMT-17 by ROUGE-1; " + REAL),
        claims=claims,
        pictures=pictures,
        on=NO_BOARDS if board is None else f"the ten best systems of {board.name}",
    )


def figure_6(runner: Runner) -> Exhibit:
    """Which tests find the same pairs significant, pooled over boards or simulated setups."""
    chosen = boards(runner.data)
    chosen = some_of_each(chosen, 2) if runner.quick else chosen
    if chosen:
        rows = runner.map("figure 6", board_agreement, [board.arguments for board in chosen])
        found = [
            Agreement(tuple(row["tests"]), np.array(row["matrix"]), row["pairs"]) for row in rows
        ]
    else:
        generators = [
            np.random.default_rng([runner.seed, 6, k]) for k in range(2 if runner.quick else 20)
        ]
        setup: dict[str, Any] = {
            "systems": 10,
            "items": 60,
            "types": 3,
            "total": 20.0,
            "offset": 5.0,
        }
        found = [agreement(score_matrix(**setup, rng=rng).scores) for rng in generators]
    tests, pairs, matrix = found[0].tests, sum(one.pairs for one in found), pooled(found)
    share = dict(zip(tests, np.diag(matrix).tolist(), strict=True))
    after_mood = dict(zip(tests, matrix[tests.index("mood")].tolist(), strict=True))
    filled = [np.where(np.isnan(one.matrix), matrix, one.matrix) for one in found]
    errors = np.std(filled, axis=0) / len(found) ** 0.5, np.std(filled, axis=0) / SETUPS**0.5
    ours = {
        tests[i] if i == j else f"{tests[j]} given {tests[i]}": Measured(
            float(matrix[i, j]), *(float(error[i, j]) for error in errors)
        )
        for i, j in np.argwhere(~np.isnan(matrix)).tolist()
    }
    on = on_boards(chosen)
    return Exhibit(
        "Figure 6",
        "tests that find the same differences significant",
        cells=cells_of(PAPER, "Figure 6", ours if chosen else {}, FEWER, REAL),
        claims=(
            Claim(
                "Mood's test finds the fewest differences.",
                share["mood"] == min(share.values()),
                f"Of {pairs:,} pairs on {on}: "
                + ", ".join(f"{name} {value:.0%}" for name, value in share.items())
                + ".",
            ),
            Claim(
                "What Mood's test finds, the t test and the sign test nearly always find, too.",
                min(after_mood["t"], after_mood["sign"]) > 0.85,
                f"t {after_mood['t']:.0%}, sign {after_mood['sign']:.0%} of them.",
            ),
        ),
        tables=(
            Table.of(
                ("given", *tests),
                [
                    (name, *(f"{x:.2f}" for x in row))
                    for name, row in zip(tests, matrix, strict=True)
                ],
                left=("given",),
                caption=f"Ours, of {pairs:,} pairs on {on}: share found significant (diagonal), "
                "and among those that the test of the row finds.",
            ),
        ),
        remarks=("The paper's text gives 41 % for t and 40 % for Wilcoxon, its figure .42, .41.",),
        on=on,
    )


def board_agreement(seed: np.random.SeedSequence, board: str, content: int) -> dict[str, Any]:
    """Say which tests find the same pairs of systems of a board significant."""
    found = agreement(scores_in(board), rng=np.random.default_rng(seed))
    return {"tests": found.tests, "matrix": found.matrix.tolist(), "pairs": found.pairs}


def pooled(found: Sequence[Agreement]) -> Floats:
    """Agreement of tests over the pairs of several sets together.

    >>> one, two = (Agreement(("t",), np.array([[x]]), n) for x, n in ((0.5, 10), (0.2, 30)))
    >>> pooled([one, two]).round(3).tolist()
    [[0.275]]
    """
    hits = np.array([np.diag(a.matrix) * a.pairs for a in found])
    both = np.array([np.nan_to_num(a.matrix) for a in found]) * hits[:, :, None]
    base = np.broadcast_to(hits.sum(axis=0)[:, None], both.shape[1:])
    shares = np.divide(both.sum(axis=0), base, out=np.full(base.shape, np.nan), where=base > 0)
    np.fill_diagonal(shares, hits.sum(axis=0) / sum(a.pairs for a in found))
    return np.asarray(shares, dtype=np.float64)


def appendix_f(runner: Runner) -> Exhibit:
    """A third system changes the order of two."""
    rows = {"A": [1, 2, 3], "B": [2, 3, 1]}
    two = _strengths(rows)
    printed = _strengths(rows | {"C": [3, 2, 1]})
    cycle = _strengths(rows | {"C": [3, 1, 2]})
    slip = (
        "with C = [3, 2, 1] as printed C ties with A on an item and with B on another, so B keeps "
        "its lead however ties are treated alike; C = [3, 1, 2] gives the cycle that is described"
    )
    ours = {"strength of B against A": Measured(two["B"])}
    ours |= {f"strength of {name}, C as printed": Measured(x) for name, x in printed.items()}
    claims = [
        Claim(
            "A third system can make B no better than A (with C = [3, 1, 2]).",
            max(cycle.values()) - min(cycle.values()) < 1e-6,
            f"Strengths: {', '.join(f'{n} {s:.4f}' for n, s in cycle.items())}.",
        )
    ]
    chosen = boards(runner.data)
    if chosen:
        each = [changed_triples(board.scores) for board in chosen]
        changed, triples = (sum(column) for column in zip(*each, strict=True))
        items = [board.scores.n for board in chosen]
        claims.append(
            Claim(
                "No three systems show this with more than 10 items.",
                changed == 0,
                f"{changed:,} of {triples:,} triples do, on boards of {min(items)} to {max(items)} "
                "items.",
            )
        )
    return Exhibit(
        "Appendix F",
        "adding a system changes the order of others",
        cells=cells_of(PAPER, "Appendix F", ours, slip, REAL),
        claims=tuple(claims),
        on=f"the example of the paper, and {on_boards(chosen)}"
        if chosen
        else "the example of the paper",
    )


def changed_triples(scores: Scores) -> tuple[int, int]:
    """Count triples in which a third system takes the lead of one over another, and all triples.

    Where every two systems meet equally often, Bradley-Terry orders them by their wins.

    >>> changed_triples(Scores.from_arrays({"A": [1, 2, 3], "B": [2, 3, 1], "C": [3, 1, 2]}))
    (1, 1)
    """
    values, n = scores.values[:, :, 0], len(scores.systems)
    signs = np.sign(values[:, :, None] - values[:, None, :]).sum(axis=0)
    lead = signs[:, :, None] + signs[:, None, :] - signs[None, :, :]
    changed = (signs[:, :, None] > 0) & (lead + signs[:, :, None] <= 0)
    triples = {
        tuple(sorted(map(int, t))) for t in np.argwhere(changed) if len(set(t.tolist())) == 3
    }
    return len(triples), n * (n - 1) * (n - 2) // 6


def _strengths(rows: Mapping[str, list[int]]) -> dict[str, float]:
    found = aggregate(Scores.from_arrays(rows), BradleyTerry(ties="half-win"), resamples=2)
    strengths = [] if found.strengths is None else found.strengths.tolist()
    return dict(sorted(zip(found.names, strengths, strict=True)))


EXHIBITS = {
    "Figure 1": figure_1,
    "Figure 2": figure_2,
    "Figure 3": figure_3,
    "Table 1": table_1,
    "Table 3": table_3,
    "Figure 4": figure_4,
    "Table 4": table_4,
    "Figure 5": figure_5,
    "Figure 6": figure_6,
    "Appendix F": appendix_f,
}
UNAVAILABLE: dict[str, str] = {}
