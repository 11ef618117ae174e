"""The public names of designs: those of the package, which looks them up here on first use."""

from betterthan.design.allocation import Allocation, Allocations, allocations
from betterthan.design.assumptions import Rates, Spread
from betterthan.design.calibrations import Calibration, Calibrations, calibration
from betterthan.design.checks import Check, GateResult
from betterthan.design.gains import GainStudy, thresholds
from betterthan.design.gates import gate
from betterthan.design.null_check import NullCheck, NullChecks, aa_check
from betterthan.design.pilot import Pilot, variance_components
from betterthan.design.plan import Plan, seal
from betterthan.design.powers import Power, Powers, power
from betterthan.design.published import (
    PUBLISHED_THRESHOLDS,
    PublishedComparison,
    PublishedThresholds,
    against_published,
    published_thresholds,
)
from betterthan.design.system_groups import by_class, read_groups
from betterthan.design.thresholds_by import SizeStudy, thresholds_by_domain, thresholds_by_size
from betterthan.design.training import (
    TrainedSystems,
    TrainingFiles,
    resample_training,
    training_sets,
    write_training_sets,
)

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
