"""Which module makes the sheet of which result."""

from betterthan.results.protocol import by_type
from betterthan.results.sheet import Sheet

sheet_of = by_type(
    Sheet,
    "betterthan.render",
    {
        "comparison": "comparisons",
        "comparison.scoring": "scores",
        "design": "design",
        "design.calibrations": "studies",
        "design.checks": "gates",
        "design.null_check": "studies",
        "design.gains": "studies",
        "design.thresholds_by": "studies",
        "design.training": "studies",
        "papers": "papers",
        "ranking": "leaderboards",
        "ranking.disagreement": "disagreements",
        "ranking.pairwise": "rankings",
        "ranking.result": "rankings",
        "ranking.score_spread": "disagreements",
        "responses": "responses",
        "results": "single",
    },
)
"""Return the sheet of a result."""
