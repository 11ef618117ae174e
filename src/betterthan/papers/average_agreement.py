"""Better than Average, Figure 6: tests that find the same differences significant."""

from collections.abc import Sequence

import numpy as np

from betterthan.numeric import Floats
from betterthan.papers.average_setups import REAL
from betterthan.papers.exhibits import Exhibit
from betterthan.papers.printed_cells import Cell, Claim
from betterthan.papers.runner import Runner
from betterthan.ranking import agreement, score_matrix
from betterthan.ranking.diagnostics import Agreement
from betterthan.results.sheet import Table

FIGURE_6 = {
    "t": (".42", ".50", ".74", ".94"),
    "mood": (".98", ".21", ".89", ".98"),
    "sign": (".89", ".55", ".35", ".90"),
    "wilcoxon": (".96", ".51", ".76", ".41"),
}
"""Share of pairs that a test finds significant (diagonal), and of those that it finds so the share
that the tests in this order find, too."""


def figure_6(runner: Runner) -> Exhibit:
    """Which tests find the same pairs significant, pooled over simulated setups."""
    repeats = 2 if runner.quick else 20
    found = []
    for k in range(repeats):
        rng = np.random.default_rng([runner.seed, 6, k])
        scores = score_matrix(systems=10, items=60, types=3, total=20.0, offset=5.0, rng=rng).scores
        found.append(agreement(scores))
    tests, pairs = found[0].tests, sum(one.pairs for one in found)
    matrix = pooled(found)
    share = dict(zip(tests, np.diag(matrix).tolist(), strict=True))
    after_mood = dict(zip(tests, matrix[tests.index("mood")].tolist(), strict=True))
    return Exhibit(
        "Figure 6",
        "tests that find the same differences significant",
        cells=tuple(
            Cell(f"{test} given {given}" if test != given else test, value, None, reason=REAL)
            for given, row in FIGURE_6.items()
            for test, value in zip(FIGURE_6, row, strict=True)
        ),
        claims=(
            Claim(
                "Mood's test finds the fewest differences.",
                share["mood"] == min(share.values()),
                f"Of {pairs:,} simulated pairs: "
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
                caption=f"Ours, on {pairs:,} simulated pairs: share found significant (diagonal), "
                "and among those that the test of the row finds.",
            ),
        ),
        remarks=("The paper's text gives 41 % for t and 40 % for Wilcoxon, its figure .42, .41.",),
    )


def pooled(found: Sequence[Agreement]) -> Floats:
    """Agreement of tests over the pairs of several sets together.

    >>> one, two = (Agreement(("t",), np.array([[x]]), n) for x, n in ((0.5, 10), (0.2, 30)))
    >>> pooled([one, two]).round(3).tolist()
    [[0.275]]
    """
    hits = np.array([np.diag(a.matrix) * a.pairs for a in found])
    both = np.array([np.nan_to_num(a.matrix) for a in found]) * hits[:, :, None]
    given = np.broadcast_to(hits.sum(axis=0)[:, None], both.shape[1:])
    shares = np.divide(both.sum(axis=0), given, out=np.full(given.shape, np.nan), where=given > 0)
    np.fill_diagonal(shares, hits.sum(axis=0) / sum(a.pairs for a in found))
    return np.asarray(shares, dtype=np.float64)
