"""Decide, with statistical honesty, whether one system is really better than another.

>>> import betterthan as bt
>>> bt.permutation_test([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]).pvalue
0.03125
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from betterthan.results.protocol import presented_by
from betterthan.results.version import __version__ as __version__

if TYPE_CHECKING:
    from betterthan import design as design
    from betterthan import exact as exact
    from betterthan import metrics as metrics
    from betterthan import papers as papers
    from betterthan import plots as plots
    from betterthan import ranking as ranking
    from betterthan import responses as responses
    from betterthan.comparison.comparing import Comparison as Comparison
    from betterthan.comparison.comparing import Comparisons as Comparisons
    from betterthan.comparison.comparing import compare as compare
    from betterthan.comparison.comparing import compare_all as compare_all
    from betterthan.comparison.comparing import compare_many as compare_many
    from betterthan.comparison.estimating import Estimates as Estimates
    from betterthan.comparison.estimating import estimate as estimate
    from betterthan.comparison.item_by_item import item_by_item as item_by_item
    from betterthan.data.pair import Pair as Pair
    from betterthan.data.scores import Scores as Scores
    from betterthan.data.tallied import Tallied as Tallied
    from betterthan.design.calibration import calibration as calibration
    from betterthan.design.gate import gate as gate
    from betterthan.design.null_check import aa_check as aa_check
    from betterthan.design.power import power as power
    from betterthan.design.thresholds import thresholds as thresholds
    from betterthan.errors import BetterthanError as BetterthanError
    from betterthan.intervals.bootstrapped import bootstrap_interval as bootstrap_interval
    from betterthan.ranking import Judgments as Judgments
    from betterthan.ranking import rank as rank
    from betterthan.ranking.leaderboard import leaderboard as leaderboard
    from betterthan.readers import read as read
    from betterthan.readers.judgments.as_judgments import read_judgments as read_judgments
    from betterthan.readers.judgments.scanned import scan_judgments as scan_judgments
    from betterthan.readers.outputs.scoring import read_outputs as read_outputs
    from betterthan.readers.scanning import scan as scan
    from betterthan.results.system_scores import score as score
    from betterthan.results.tests import TestResult as TestResult
    from betterthan.testing.bootstrap import bootstrap_test as bootstrap_test
    from betterthan.testing.classic import mcnemar as mcnemar
    from betterthan.testing.classic import mood_test as mood_test
    from betterthan.testing.classic import sign_test as sign_test
    from betterthan.testing.classic import t_test as t_test
    from betterthan.testing.classic import wilcoxon as wilcoxon
    from betterthan.testing.permutation import permutation_test as permutation_test


presented_by(render="betterthan.render", plots="betterthan.plots")

# Names are looked up on first use, so that `import betterthan` and `betterthan --help` stay quick.
_HOMES = {
    "BetterthanError": "errors",
    "Comparison": "comparison.comparing",
    "Comparisons": "comparison.comparing",
    "Estimates": "comparison.estimating",
    "Judgments": "data.judgments",
    "Pair": "data.pair",
    "Scores": "data.scores",
    "Tallied": "data.tallied",
    "TestResult": "results.tests",
    "aa_check": "design.null_check",
    "bootstrap_interval": "intervals.bootstrapped",
    "bootstrap_test": "testing.bootstrap",
    "calibration": "design.calibration",
    "compare": "comparison.comparing",
    "compare_all": "comparison.comparing",
    "compare_many": "comparison.comparing",
    "estimate": "comparison.estimating",
    "gate": "design.gate",
    "item_by_item": "comparison.item_by_item",
    "leaderboard": "ranking",
    "mcnemar": "testing.classic",
    "mood_test": "testing.classic",
    "permutation_test": "testing.permutation",
    "power": "design.power",
    "rank": "ranking",
    "read": "readers",
    "read_judgments": "readers.judgments.as_judgments",
    "read_outputs": "readers.outputs.scoring",
    "scan": "readers.scanning",
    "scan_judgments": "readers.judgments.scanned",
    "score": "results.system_scores",
    "sign_test": "testing.classic",
    "t_test": "testing.classic",
    "thresholds": "design.thresholds",
    "wilcoxon": "testing.classic",
}
_MODULES = ("design", "exact", "metrics", "papers", "plots", "ranking", "responses")

__all__ = [*_HOMES, *_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"betterthan.{name}")
    if name in _HOMES:
        return getattr(import_module(f"betterthan.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'betterthan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
