"""Collections of systems on one test set, whose thresholds have intervals.

What should lie inside is what studies of that size find on average, over systems and items.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from betterthan.data.scores import Scores
from betterthan.design.system_pairs import BAND, StudyTest, gains_of_pairs
from betterthan.design.threshold_intervals import FEWEST_PAIRS
from betterthan.design.thresholds import PERCENTILE, thresholds
from calibrate.cells import Trial

STUDIES = 400  # whose mean is the truth: its error is a hundredth of an interval


@dataclass(frozen=True)
class Thresholds:
    """A gain-versus-confidence study of systems that differ in skill and in their own noise."""

    world: str
    items: int
    systems: int
    test: str
    clusters: int = 0

    packages = ("metrics", "data", "exact", "resampling", "testing", "design")

    def trial(self, rng: np.random.Generator) -> Trial:
        """Study once."""
        study = thresholds(self.draw(rng), test=self.test, rng=int(rng.integers(2**31)))
        (found,) = study.thresholds
        said: Trial = {f"thresholds/{self.test}": None}
        if found.low is not None and found.high is not None:
            said[f"thresholds/{self.test}"] = found.low <= _average(self) <= found.high
        return said

    def draw(self, rng: np.random.Generator) -> Scores:
        """Items of an ease and, if *unlike*, a scale of their own; systems likewise."""
        n, m = self.items, self.systems
        codes = np.arange(n) % self.clusters if self.clusters else np.arange(n)
        ease = 0.7 * rng.normal(size=n) + 0.7 * rng.normal(size=n)[codes]
        skill, own = rng.normal(0.0, 0.25, m), rng.uniform(0.4, 1.2, m)
        noise = 0.8 * rng.normal(size=(n, m)) + 0.6 * rng.normal(size=(n, m))[codes]
        if self.world == "unlike systems":
            own = rng.lognormal(-0.4, 0.6, m)
        if self.world == "unlike items":
            noise = rng.lognormal(0.0, 0.8, (n, 1)) * rng.standard_t(3, size=(n, m))
        values = ease[:, None] + skill + own * noise
        made = values > -0.5 if self.world == "0/1" else np.round(values, 2)
        return Scores.from_arrays(
            {f"s{k:02}": made[:, k] for k in range(m)},
            clusters=codes.tolist() if self.clusters else None,
        )


@cache
def _average(cell: Thresholds) -> float:
    """The threshold on (geometric) average, of studies with so many pairs in the band."""
    rng, asked, found = np.random.default_rng(2026), StudyTest.of(cell.test, 0, {}), []
    for _ in range(STUDIES):
        scores = cell.draw(rng)
        joint = scores.joint(scores.systems, scores.measured(None))
        gains = [
            one.gain
            for one in gains_of_pairs(joint, asked)
            if BAND[0] <= one.result.pvalue <= BAND[1]
        ]
        if len(gains) >= FEWEST_PAIRS:
            found.append(np.log(np.percentile(gains, PERCENTILE)))
    return float(np.exp(np.mean(found)))
