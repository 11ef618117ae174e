"""Items and responses: comparisons that know about raters, seeds and samples."""

from betterthan.responses.budget import Split, split_budget
from betterthan.responses.p_value_study import ResponseStudy, study
from betterthan.responses.population_fit import FittedPopulation, fit_population
from betterthan.responses.response_laws import (
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
from betterthan.responses.response_metrics import (
    RESPONSE_METRICS,
    ResponseMetric,
    item_metric,
    whole_metric,
    wins,
)
from betterthan.responses.response_test import ResponseComparison, p_value
from betterthan.responses.simulator import (
    Population,
    Simulation,
    draw_test_set,
    simulate,
    toxicity,
)
from betterthan.responses.strategies import SAMPLINGS, Strategy
from betterthan.responses.trio import Responses, Trio, from_scores, read_trio, trio
from betterthan.responses.truth import true_p, true_ps

__all__ = [
    "RESPONSE_METRICS",
    "SAMPLINGS",
    "Beta",
    "BetaResponses",
    "Categorical",
    "FittedPopulation",
    "FoldedNormal",
    "Likert",
    "Normal",
    "Population",
    "ResponseComparison",
    "ResponseLaw",
    "ResponseMetric",
    "ResponseStudy",
    "Responses",
    "Simulation",
    "Split",
    "Strategy",
    "Triangular",
    "Trio",
    "Uniform",
    "draw_test_set",
    "fit_population",
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
    "true_ps",
    "whole_metric",
    "wins",
]
