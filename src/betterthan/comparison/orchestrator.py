"""The orchestrator: from aligned scores to verdicts, for systems x metrics x subsets."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from betterthan.checks import check_keywords
from betterthan.comparison.multiplicity import CORRECTIONS
from betterthan.comparison.over_tasks import (
    TaskJoint,
    ahead,
    metrics_of,
    shared_units,
    slots,
    why_apart,
)
from betterthan.comparison.verdicts import HOLM, Comparison, Comparisons, Tested, judge
from betterthan.data.pair import Joint
from betterthan.data.scores import Scores
from betterthan.errors import Note, Remedy, UsageError, not_one_of
from betterthan.metrics import Metric, expand_classes
from betterthan.numeric import Ints
from betterthan.resampling.work import Sampling
from betterthan.results.number_format import CORRECTIONS as SAID
from betterthan.results.signature import signature
from betterthan.testing.bootstrap import check_clusters
from betterthan.testing.by_name import run_tests
from betterthan.testing.permutation import permute
from betterthan.testing.request import Request
from betterthan.testing.values import Bootstrap, PairedTest, Permutation, as_test

WORKERS = min(8, os.cpu_count() or 1)
"""Threads that draw resamples; what they draw is the same for any number."""


@dataclass(frozen=True, slots=True)
class Comparing:
    """How pairs are tested and judged: the same for every pair of one call."""

    test: PairedTest
    correction: str
    request: Request

    @classmethod
    def of(
        cls, test: str | PairedTest, correction: str, sampling: Sampling, **options: Any
    ) -> Self:
        """Check what was asked for: a test, a correction and the options of :class:`Request`."""
        check_keywords(sampling, Sampling)
        if correction not in CORRECTIONS:
            raise not_one_of("correction", correction, CORRECTIONS)
        chosen, threads = as_test(test), Sampling(workers=WORKERS)
        if correction == "max-t" and not isinstance(chosen, Permutation):
            raise UsageError(
                f"max-t belongs to the permutation test, not to {chosen.name}",
                Remedy("adjusts any tests", "correction", "holm"),
                Remedy("", "test", "permutation"),
            )
        return cls(chosen, correction, Request(**options, **(threads | sampling)))

    def run(
        self,
        scores: Scores,
        pairs: Sequence[tuple[str, str]],
        metrics: Sequence[str | Metric] = (),
        by: str | None = None,
    ) -> Comparisons:
        """Test all pairs on all metrics, overall and in parts, and judge them.

        Overall is all items together; of data with tasks, unless they are broken down by another
        column, the tasks' mean. The overall rows and those of parts are judged each among
        themselves.
        """
        for first, second in pairs:
            if first == second:
                raise UsageError(f"{first!r} cannot be compared with itself: name two systems")
        # Sorted, so that the order of the systems in the data leaves no trace in what is drawn.
        names = sorted({name for both in pairs for name in both}, key=str)
        notes: list[str] = []
        if scores.tasks is not None and (
            by is None or (by == scores.tasks and scores.unmeasured.any())
        ):
            notes, overall, within = self._over_tasks(scores, names, pairs, metrics)
        else:
            whole = [
                scores.joint(names, x) for x in expand_classes(metrics, scores.columns) or (None,)
            ]
            overall = [self._tested(joint, pairs) for joint in whole]
            within = [
                self._tested(part.joint(names, joint.metric), pairs, f"{by}={label}")
                for label, part in (() if by is None else scores.parts(by))
                for joint in whole
            ]
        families = [family for family in (overall, within) if family]
        judged = [x for family in families for x in judge(family, self.correction, self.request)]
        rows = [sum(len(tested.places) for tested in family) for family in families]
        applied = self.correction if max(rows) > 1 else "none"
        if within:
            how = SAID.get(applied, applied)
            notes.append(f"the {rows[-1]} subset rows are adjusted among themselves ({how})")
        return Comparisons(
            comparisons=tuple(judged),
            correction=applied,
            alpha=self.request.alpha,
            source=scores.source,
            notes=(*scores.notes, *notes),
            signature=self._signature(families[0], judged, applied),
        )

    def _over_tasks(
        self,
        scores: Scores,
        names: Sequence[str],
        pairs: Sequence[tuple[str, str]],
        metrics: Sequence[str | Metric],
    ) -> tuple[list[str], list[Tested], list[Tested]]:
        """Test all pairs over all tasks, and on every task by its own metrics; say how."""
        if self.correction == "max-t":
            raise UsageError("tasks have different items, which max-T cannot use", HOLM)
        parts = scores.by_task()
        chosen = {task: metrics_of(task, part, metrics) for task, part in parts.items()}
        tested = {
            (task, metric): self._tested(part.joint(names, metric), pairs, f"{scores.tasks}={task}")
            for task, part in parts.items()
            for metric in chosen[task]
        }
        units = shared_units(scores, parts)
        overall: list[Tested] = []
        notes: list[str] = []
        aggregates = slots(chosen) if len(parts) > 1 else []
        if len(parts) > 1 and not aggregates:
            notes.append("no aggregate over tasks: they have several metrics, none of them all")
        for slot in aggregates:
            of_tasks = [tested[both] for both in zip(parts, slot, strict=True)]
            measured = {k: (parts[k], metric) for k, metric in zip(parts, slot, strict=True)}
            apart = why_apart(measured, declared=scores.tasks_declared or bool(metrics))
            if apart is not None:
                counted = "Counted instead: on how many tasks a system is ahead"
                note = (
                    f"no mean over tasks: {apart}. {counted} (exact sign test; tasks are the units)"
                )
                notes.append(Note(note, apart.remedy))
                overall += [self._ahead(of_tasks, k) for k in range(len(pairs))]
            elif not isinstance(self.test, Permutation):
                remedy = Remedy("tests the mean over tasks", "test", "permutation")
                notes.append(Note(f"the {self.test.name} test has no mean over tasks", remedy))
            elif units is not None and any(metric.form != "mean" for metric in slot):
                notes.append(
                    f"no mean over tasks of {slot[0]!r}: what lies in several tasks (clusters, "
                    "samples) is swapped as one, which is done for means of items only"
                )
            else:
                together = ", what lies in several tasks (clusters, samples) as one"
                notes.append(
                    f"overall is the mean of {len(parts)} tasks, which weigh the same whatever "
                    f"their size; items are swapped within their tasks{together if units else ''}"
                )
                overall.append(self._mean_of(of_tasks, units))
        return notes, overall, list(tested.values())

    def _mean_of(self, of_tasks: Sequence[Tested], units: tuple[Ints, ...] | None) -> Tested:
        """Test all pairs by the mean of the tasks."""
        first = of_tasks[0]
        joint = TaskJoint(tuple(t.joint for t in of_tasks if isinstance(t.joint, Joint)), units)
        method = self.test.options["method"]
        results = [permute(joint.pair(*place), self.request, method) for place in first.places]
        return replace(first, joint=joint, results=results, subset=None)

    def _ahead(self, of_tasks: Sequence[Tested], k: int) -> Tested:
        """Test one pair by the number of tasks that either is ahead on."""
        joint, test = ahead([t.joint.pair(*t.places[k]) for t in of_tasks]), Permutation()
        return Tested(joint, [(0, 1)], run_tests(joint, [(0, 1)], test, self.request), test)

    def _tested(
        self, joint: Joint, pairs: Sequence[tuple[str, str]], subset: str | None = None
    ) -> Tested:
        """Test the pairs on one metric and one set of items."""
        index = joint.systems.index
        places = [(index(first), index(second)) for first, second in pairs]
        if isinstance(self.test, Bootstrap):
            check_clusters(joint)
        results = run_tests(joint, places, self.test, self.request)
        source = None if joint.items is None else joint.items.source
        responses = () if source is None else source.response_notes(joint.systems)
        return Tested(joint, places, results, self.test, responses, subset)

    def _signature(
        self, overall: Sequence[Tested], judged: Sequence[Comparison], correction: str
    ) -> str:
        joint = overall[0].joint
        return signature(
            "+".join(sorted({f"{c.test.test}-{c.kind}" for c in judged})),
            metric="+".join(dict.fromkeys(c.metric for c in judged)),
            n=joint.n,
            clusters=joint.clusters,
            alpha=self.request.alpha,
            alternative=self.request.alternative,
            correction=correction,
            resamples=judged[0].resamples_adjusted,
            seed=self.request.rng if self.request.rng is not None else "none",
            data=[array for tested in overall for array in tested.joint.hashed],
        )
