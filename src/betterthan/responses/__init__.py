"""Items and responses: comparisons that know about raters, seeds and samples."""

from betterthan.responses.budget import Split, split_budget
from betterthan.responses.data import Responses, Trio, from_scores, trio
from betterthan.responses.fitting import Fit, fit
from betterthan.responses.laws import (
    Beta,
    BetaResponses,
    Categorical,
    FoldedNormal,
    Likert,
    Normal,
    ResponseLaw,
    Triangular,
    Uniform,
)
from betterthan.responses.metrics import METRICS, ResponseMetric, item_metric, whole_metric, wins
from betterthan.responses.pvalue import p_value
from betterthan.responses.reading import read_trio
from betterthan.responses.simulator import Population, Simulation, simulate, toxicity
from betterthan.responses.strategies import SAMPLINGS, Strategy
from betterthan.responses.study import Study, study
from betterthan.responses.truth import true_p

__all__ = [
    "METRICS",
    "SAMPLINGS",
    "Beta",
    "BetaResponses",
    "Categorical",
    "Fit",
    "FoldedNormal",
    "Likert",
    "Normal",
    "Population",
    "ResponseLaw",
    "ResponseMetric",
    "Responses",
    "Simulation",
    "Split",
    "Strategy",
    "Study",
    "Triangular",
    "Trio",
    "Uniform",
    "fit",
    "from_scores",
    "item_metric",
    "p_value",
    "read_trio",
    "simulate",
    "split_budget",
    "study",
    "toxicity",
    "trio",
    "true_p",
    "whole_metric",
    "wins",
]
