"""Items and responses: comparisons with several ratings, seeds or samples per item."""

from betterthan.responses.budget import Split, split_budget
from betterthan.responses.p_value_study import ResponseStudy, study
from betterthan.responses.population_fit import FittedPopulation, fit
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
from betterthan.responses.trio import Responses, Trio, from_scores, trio
from betterthan.responses.trio_files import read_source, read_trio
from betterthan.responses.truth import true_p, true_ps
from betterthan.responses.values import Calibrated, Published, Sharp

__all__ = [
    "RESPONSE_METRICS",
    "SAMPLINGS",
    "Beta",
    "BetaResponses",
    "Calibrated",
    "Categorical",
    "FittedPopulation",
    "FoldedNormal",
    "Likert",
    "Normal",
    "Population",
    "Published",
    "ResponseComparison",
    "ResponseLaw",
    "ResponseMetric",
    "ResponseStudy",
    "Responses",
    "Sharp",
    "Simulation",
    "Split",
    "Strategy",
    "Triangular",
    "Trio",
    "Uniform",
    "draw_test_set",
    "fit",
    "from_scores",
    "item_metric",
    "p_value",
    "read_source",
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
