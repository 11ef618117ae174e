"""Decide, with statistical honesty, whether one system is really better than another.

>>> import betterthan as bt
>>> bt.permutation_test([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]).pvalue
0.03125
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from betterthan.results.signature import __version__ as __version__

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
    from betterthan.comparison.item_by_item import item_by_item as item_by_item
    from betterthan.comparison.scoring import SystemScores as SystemScores
    from betterthan.comparison.scoring import score as score
    from betterthan.data.judgments import Judgments as Judgments
    from betterthan.data.pair import Pair as Pair
    from betterthan.data.scores import Scores as Scores
    from betterthan.data.tallied import tally as tally
    from betterthan.design.assumptions import Rates as Rates
    from betterthan.design.assumptions import Spread as Spread
    from betterthan.design.gates import gate as gate
    from betterthan.design.pilot import Pilot as Pilot
    from betterthan.design.plan import Plan as Plan
    from betterthan.design.powers import power as power
    from betterthan.errors import BetterthanError as BetterthanError
    from betterthan.errors import Remedy as Remedy
    from betterthan.intervals.bootstrapped import bootstrap_interval as bootstrap_interval
    from betterthan.ranking import methods as methods
    from betterthan.ranking import rank as rank
    from betterthan.readers.sources import read as read
    from betterthan.readers.streams import Limits as Limits
    from betterthan.results.tests import TestResult as TestResult
    from betterthan.testing import values as tests  # noqa: F401
    from betterthan.testing.bootstrap import bootstrap_test as bootstrap_test
    from betterthan.testing.classic import mcnemar as mcnemar
    from betterthan.testing.classic import mood_test as mood_test
    from betterthan.testing.classic import sign_test as sign_test
    from betterthan.testing.classic import t_test as t_test
    from betterthan.testing.classic import wilcoxon as wilcoxon
    from betterthan.testing.permutation import permutation_test as permutation_test


# Names are looked up on first use, so that `import betterthan` and `betterthan --help` stay quick.
_HOMES = {
    "BetterthanError": "errors",
    "Comparison": "comparison.comparing",
    "Comparisons": "comparison.comparing",
    "Judgments": "data.judgments",
    "Limits": "readers.streams",
    "Pair": "data.pair",
    "Pilot": "design.pilot",
    "Plan": "design.plan",
    "Rates": "design.assumptions",
    "Remedy": "errors",
    "Scores": "data.scores",
    "Spread": "design.assumptions",
    "SystemScores": "comparison.scoring",
    "tally": "data.tallied",
    "TestResult": "results.tests",
    "bootstrap_interval": "intervals.bootstrapped",
    "bootstrap_test": "testing.bootstrap",
    "compare": "comparison.comparing",
    "compare_all": "comparison.comparing",
    "compare_many": "comparison.comparing",
    "gate": "design.gates",
    "item_by_item": "comparison.item_by_item",
    "mcnemar": "testing.classic",
    "mood_test": "testing.classic",
    "permutation_test": "testing.permutation",
    "power": "design.powers",
    "rank": "ranking",
    "read": "readers.sources",
    "score": "comparison.scoring",
    "sign_test": "testing.classic",
    "t_test": "testing.classic",
    "wilcoxon": "testing.classic",
}
_MODULES = {
    "design": "design",
    "exact": "exact",
    "methods": "ranking.methods",
    "metrics": "metrics",
    "papers": "papers",
    "plots": "plots",
    "ranking": "ranking",
    "responses": "responses",
    "tests": "testing.values",
}

__all__ = [*_HOMES, *_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"betterthan.{_MODULES[name]}")
    if name in _HOMES:
        return getattr(import_module(f"betterthan.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'betterthan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
