"""Leaderboards: ratings, the ranks that systems may have, and why methods disagree."""

from betterthan.data.judgments import Judgments
from betterthan.ranking.board import Leaderboard, Leaderboards, Row
from betterthan.ranking.decisions import rating
from betterthan.ranking.diagnostics import Agreement, PairDiagnosis, agreement, diagnose
from betterthan.ranking.disagreement import (
    Disagreement,
    DisagreementStudy,
    by_size,
    compare_rankings,
    disagreement,
    study_disagreement,
)
from betterthan.ranking.leaderboard import rank
from betterthan.ranking.pairwise import Pairwise, pairwise, win_matrix
from betterthan.ranking.prepared import prepare
from betterthan.ranking.result import Ranking
from betterthan.ranking.score_spread import ScoreSpread, score_spread
from betterthan.ranking.simulate import Simulated, paired_marginals, score_matrix
from betterthan.ranking.structure import cycles, goodness_of_fit, leave_one_out, tie_sensitivity

__all__ = [
    "Agreement",
    "Disagreement",
    "DisagreementStudy",
    "Judgments",
    "Leaderboard",
    "Leaderboards",
    "PairDiagnosis",
    "Pairwise",
    "Ranking",
    "Row",
    "ScoreSpread",
    "Simulated",
    "agreement",
    "by_size",
    "compare_rankings",
    "cycles",
    "diagnose",
    "disagreement",
    "goodness_of_fit",
    "leave_one_out",
    "paired_marginals",
    "pairwise",
    "prepare",
    "rank",
    "rating",
    "score_matrix",
    "score_spread",
    "study_disagreement",
    "tie_sensitivity",
    "win_matrix",
]
