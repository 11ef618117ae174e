"""Which module makes the sheet of which result."""

from betterthan.results.dispatch import by_type
from betterthan.results.sheet import Sheet

sheet_of = by_type(
    Sheet,
    "betterthan.render",
    {
        "comparison": "comparisons",
        "comparison.estimating": "estimates",
        "design": "design",
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
