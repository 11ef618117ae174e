"""Designing an evaluation: power, thresholds, calibration, gates."""

from betterthan.design.allocation import Allocation, Allocations, allocations
from betterthan.design.assumptions import Rates, Spread
from betterthan.design.calibration import Calibration, Calibrations, calibration
from betterthan.design.checks import Check, GateResult
from betterthan.design.gate import gate
from betterthan.design.null_check import NullCheck, NullChecks, aa_check
from betterthan.design.pilot import Pilot, variance_components
from betterthan.design.plan import Plan, seal
from betterthan.design.power import Power, Powers, power
from betterthan.design.published_thresholds import (
    PUBLISHED_THRESHOLDS,
    PublishedComparison,
    PublishedThresholds,
    against_published,
    published_thresholds,
)
from betterthan.design.system_groups import by_class, read_groups
from betterthan.design.thresholds import GainStudy, thresholds
from betterthan.design.thresholds_by import SizeStudy, thresholds_by_domain, thresholds_by_size
from betterthan.design.training import TrainedSystems, resample_training, training_sets
from betterthan.design.training_files import TrainingFiles, write_training_sets

__all__ = [
    "PUBLISHED_THRESHOLDS",
    "Allocation",
    "Allocations",
    "Calibration",
    "Calibrations",
    "Check",
    "GainStudy",
    "GateResult",
    "NullCheck",
    "NullChecks",
    "Pilot",
    "Plan",
    "Power",
    "Powers",
    "PublishedComparison",
    "PublishedThresholds",
    "Rates",
    "SizeStudy",
    "Spread",
    "TrainedSystems",
    "TrainingFiles",
    "aa_check",
    "against_published",
    "allocations",
    "by_class",
    "calibration",
    "gate",
    "power",
    "published_thresholds",
    "read_groups",
    "resample_training",
    "seal",
    "thresholds",
    "thresholds_by_domain",
    "thresholds_by_size",
    "training_sets",
    "variance_components",
    "write_training_sets",
]
