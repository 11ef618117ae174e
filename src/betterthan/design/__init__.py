"""Designing an evaluation: power, thresholds, calibration, gates."""

from betterthan.design.allocation import Allocation, allocations
from betterthan.design.assumptions import Rates, Spread
from betterthan.design.calibration import Calibration, calibration
from betterthan.design.checks import Check, GateResult
from betterthan.design.gate import gate
from betterthan.design.null_check import NullCheck, aa_check
from betterthan.design.pilot import Pilot, variance_components
from betterthan.design.plan import Plan, read_plan, seal
from betterthan.design.power import Power, power, power_curve
from betterthan.design.published_thresholds import (
    PUBLISHED_THRESHOLDS,
    against_published,
    published_thresholds,
)
from betterthan.design.system_groups import (
    by_class,
    groups_by_column,
    groups_by_name,
    read_groups,
)
from betterthan.design.thresholds import GainStudy, thresholds
from betterthan.design.thresholds_by import thresholds_by_domain, thresholds_by_size
from betterthan.design.training import TrainedSystems, resample_training, training_sets
from betterthan.design.training_files import TrainingFiles, write_training_sets

__all__ = [
    "PUBLISHED_THRESHOLDS",
    "Allocation",
    "Calibration",
    "Check",
    "GainStudy",
    "GateResult",
    "NullCheck",
    "Pilot",
    "Plan",
    "Power",
    "Rates",
    "Spread",
    "TrainedSystems",
    "TrainingFiles",
    "aa_check",
    "against_published",
    "allocations",
    "by_class",
    "calibration",
    "gate",
    "groups_by_column",
    "groups_by_name",
    "power",
    "power_curve",
    "published_thresholds",
    "read_groups",
    "read_plan",
    "resample_training",
    "seal",
    "thresholds",
    "thresholds_by_domain",
    "thresholds_by_size",
    "training_sets",
    "variance_components",
    "write_training_sets",
]
