"""Decide, with statistical honesty, whether one system is really better than another.

>>> import betterthan as bt
>>> bt.permutation_test([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]).pvalue
0.03125
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from betterthan import design as design
    from betterthan import exact as exact
    from betterthan import metrics as metrics
    from betterthan import ranking as ranking
    from betterthan import responses as responses
    from betterthan.bootstrap import bootstrap_test as bootstrap_test
    from betterthan.bootstrap_intervals import bootstrap_interval as bootstrap_interval
    from betterthan.classic import mcnemar as mcnemar
    from betterthan.classic import mood_test as mood_test
    from betterthan.classic import sign_test as sign_test
    from betterthan.classic import t_test as t_test
    from betterthan.classic import wilcoxon as wilcoxon
    from betterthan.comparison import Comparison as Comparison
    from betterthan.comparison import Comparisons as Comparisons
    from betterthan.comparison import compare as compare
    from betterthan.comparison import compare_all as compare_all
    from betterthan.comparison import compare_many as compare_many
    from betterthan.data import Scores as Scores
    from betterthan.design.calibration import calibration as calibration
    from betterthan.design.gate import gate as gate
    from betterthan.design.null_check import aa_check as aa_check
    from betterthan.design.power import power as power
    from betterthan.design.thresholds import thresholds as thresholds
    from betterthan.errors import BetterthanError as BetterthanError
    from betterthan.permutation import permutation_test as permutation_test
    from betterthan.ranking import Judgments as Judgments
    from betterthan.ranking import rank as rank
    from betterthan.ranking.leaderboard import leaderboard as leaderboard
    from betterthan.readers import read as read
    from betterthan.readers.judged import read_judgments as read_judgments
    from betterthan.readers.outputs import read_outputs as read_outputs
    from betterthan.results import TestResult as TestResult

__version__ = "0.1.0"

# Names are looked up on first use, so that `import betterthan` and `betterthan --help` stay quick.
_HOMES = {
    "BetterthanError": "errors",
    "Comparison": "comparison",
    "Comparisons": "comparison",
    "Judgments": "ranking",
    "Scores": "data",
    "TestResult": "results",
    "aa_check": "design.null_check",
    "bootstrap_interval": "bootstrap_intervals",
    "bootstrap_test": "bootstrap",
    "calibration": "design.calibration",
    "compare": "comparison",
    "compare_all": "comparison",
    "compare_many": "comparison",
    "gate": "design.gate",
    "leaderboard": "ranking",
    "mcnemar": "classic",
    "mood_test": "classic",
    "permutation_test": "permutation",
    "power": "design.power",
    "rank": "ranking",
    "read": "readers",
    "read_judgments": "readers.judged",
    "read_outputs": "readers.outputs",
    "sign_test": "classic",
    "t_test": "classic",
    "thresholds": "design.thresholds",
    "wilcoxon": "classic",
}
_MODULES = ("design", "exact", "metrics", "ranking", "responses")

__all__ = [*_HOMES, *_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"betterthan.{name}")
    if name in _HOMES:
        return getattr(import_module(f"betterthan.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'betterthan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
