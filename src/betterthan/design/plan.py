"""The plan of a gate, written down before the data are seen: ``betterthan.toml``.

::

    [gate]
    alpha = 0.05
    correction = "holm"

    [[gate.checks]]
    metric = "accuracy"
    margin = 2            # points: the metric is a rate

Margins and bounds are as they are printed. A plan has a hash, which goes into every signature.
``sealed`` records the hash in the plan itself, so that a plan changed afterwards no longer fits its
own seal.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from betterthan.checks import check_flag, check_level
from betterthan.data.scores import Scores
from betterthan.design.checks import Check, GateResult, same_checks
from betterthan.design.gates import GATE_CORRECTIONS, rule
from betterthan.design.plan_files import NAMES, OF_PLANS, rules_of, sealed_texts, table_of
from betterthan.errors import (
    FormatError,
    Remedy,
    UsageError,
    as_keyword,
    not_one_of,
    quote,
)
from betterthan.intervals.bounded import Bounds
from betterthan.metrics import Metric
from betterthan.metrics.parsing import is_imported
from betterthan.readers.toml_files import parsed_toml, toml_text
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling
from betterthan.results.atomic_write import is_stream, write_whole
from betterthan.tables.accepted import Frame, as_rows

FILE = "betterthan.toml"
_MISSING = ("error", "drop", "worst")
_OPEN = ("baseline", "candidate")  # systems may be left open by a plan


@dataclass(frozen=True, slots=True)
class Plan:
    """The rules of a gate: what is checked, at which level, and how the data are read.

    Attributes
    ----------
    checks : tuple of Check
        Metrics and margins, as they are printed.
    alpha, correction, by
        As in :func:`betterthan.gate`.
    lower_is_better, cluster, missing, where
        As in :func:`betterthan.read`, which takes them from :attr:`reading`.
    baseline, candidate : str or None
        The systems; left open where they are None.
    """

    checks: tuple[Check, ...]
    alpha: float = 0.05
    correction: str = "holm"
    lower_is_better: bool = False
    cluster: str | None = None
    missing: str = "error"
    baseline: str | None = None
    candidate: str | None = None
    by: str | None = None
    where: str | None = None

    def __post_init__(self) -> None:
        if not self.checks:
            raise UsageError("a plan needs at least one check: a metric and a margin")
        check_level(self.alpha, most=0.5)
        if self.correction not in GATE_CORRECTIONS:
            raise not_one_of("correction", self.correction, GATE_CORRECTIONS)
        check_flag(self.lower_is_better, "lower_is_better")
        if self.missing not in _MISSING:
            raise not_one_of("missing", self.missing, _MISSING)
        for name in NAMES:
            if not isinstance(getattr(self, name), str | None):
                raise UsageError(f"{name} must be text, got {quote(getattr(self, name))}")

    @classmethod
    def read(cls, path: str | Path = FILE) -> "Plan":
        """Read a plan; one that was changed after it was sealed is an error.

        A path may end in ``@HASH``: then any other rules are an error.

        Raises
        ------
        FormatError
            If the file cannot be read as TOML.
        UsageError
            If it is not a plan, or does not fit its own seal or the hash.
        """
        name, _, registered = str(path).rpartition("@")
        apart = bool(name) and not Path(path).is_file()
        file = Path(name if apart else path)
        table = table_of(parsed_toml(toml_text(file), file), file)
        plan = _plan(table, file)
        hashes = {"sealed": table.get("sealed"), "registered": registered if apart else None}
        for what, known in hashes.items():
            if known not in (None, plan.hash):
                raise UsageError(
                    f"{file} was changed after it was {what}: its hash was {quote(known)}, and is "
                    f"now {plan.hash}",
                    Remedy("restore it, or seal the new plan before new data are seen"),
                )
        return plan

    @classmethod
    def here(cls) -> "Plan | None":
        """Read the plan in this folder; None if there is none, as in a file of other defaults.

        The user did not name it: one that would have code imported is an error.
        """
        path = Path(FILE)
        if not path.is_file() or "gate" not in parsed_toml(toml_text(path), path):
            return None
        plan = cls.read(path)
        for check in plan.checks:
            if isinstance(check.metric, str) and is_imported(check.metric):
                raise UsageError(
                    f"{FILE} in this folder has the metric {check.metric}, whose code would be run",
                    Remedy("if you trust it", "plan", FILE),
                )
        return plan

    @classmethod
    def of(
        cls,
        margin: float | None,
        metric: str | Metric | Sequence[str | Metric] | None = None,
        bounds: Bounds | None = None,
        **rules: Any,
    ) -> "Plan":
        """Make a plan of one printed margin for all metrics; 0 asks for a gain.

        ``rules`` are further attributes; those that are None have their defaults.

        >>> Plan.of(2, ["f1", "recall"], alpha=None) == Plan((Check("f1", 2), Check("recall", 2)))
        True
        """
        checks = same_checks(margin, metric, "non-inferior" if margin else "superior", bounds)
        return cls(checks, **{name: value for name, value in rules.items() if value is not None})

    @property
    def hash(self) -> str:
        """Eight hexadecimal digits that change with anything that the plan says.

        Comments, order of the keys and the way numbers are written do not matter.
        """
        content: dict[str, object] = {
            "alpha": float(self.alpha),
            "correction": self.correction,
            "checks": [_content(check) for check in self.checks],
        }
        if self.lower_is_better:
            content["lower_is_better"] = True
        if self.missing != "error":
            content["missing"] = self.missing
        names = {name: getattr(self, name) for name in NAMES}
        content |= {name: value for name, value in names.items() if value is not None}
        text = json.dumps(content, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()

    @property
    def reading(self) -> dict[str, Any]:
        """Keywords of :func:`betterthan.read` that the plan fixes."""
        options = {
            "columns": {"cluster": self.cluster} if self.cluster else None,
            "where": self.where,
            "missing": None if self.missing == "error" else self.missing,
            "lower_is_better": self.lower_is_better or None,
        }
        return {name: value for name, value in options.items() if value is not None}

    def check_options(self, **options: object) -> None:
        """Check that options do not change the plan; those that are None were not set."""
        for name, value in options.items():
            fixed = getattr(self, name, None)
            agrees = name in OF_PLANS and (value == fixed or (fixed is None and name in _OPEN))
            if value is not None and not agrees:
                now = f"has {name} = {fixed}" if name in OF_PLANS else "fixes what is checked"
                raise UsageError(
                    f"the plan {now}, which {name} = {quote(value)} would change",
                    Remedy("change the plan, or work in a folder without one"),
                )

    def gate(
        self,
        data: Scores | Frame,
        baseline: str | None = None,
        candidate: str | None = None,
        *,
        rng: Rng = 0,
        **sampling: Unpack[Sampling],
    ) -> GateResult:
        """Decide by this plan whether a candidate may replace the baseline.

        ``baseline`` and ``candidate`` are only for a plan that leaves them open. The other
        arguments are those of :func:`betterthan.gate`.

        >>> scores = Scores.from_arrays({"base": [0, 1] * 100, "new": [1, 1] * 100})
        >>> Plan((Check("mean", 2),)).gate(scores).ruling
        'PASS'
        """
        self.check_options(baseline=baseline, candidate=candidate)
        systems = (baseline or self.baseline, candidate or self.candidate)
        metrics = [check.metric for check in self.checks if check.metric is not None]
        scores = as_rows(data, systems=systems, label=self.by, metric=metrics or None)
        return rule(
            self._as_planned(scores),
            systems,
            self.checks,
            by=self.by,
            alpha=self.alpha,
            correction=self.correction,
            rng=rng,
            sampling=sampling,
            plan=self.hash,
        )

    def _as_planned(self, scores: Scores) -> Scores:
        """Scores in the plan's direction and with its clusters."""
        if self.lower_is_better and not scores.lower_is_better:
            scores = replace(scores, lower_is_better=True)
        if self.cluster is not None and scores.clusters is None:
            if self.cluster not in scores.groups:
                raise UsageError(
                    f"the plan has clusters ({self.cluster}), and these scores have none",
                    Remedy("", "columns", {"cluster": self.cluster}),
                )
            scores = replace(scores, clusters=scores.groups[self.cluster])
        return scores


def seal(path: str | Path = FILE) -> str:
    """Write the plan's hash into the plan, in one step, and return it.

    Nothing else in the file changes: not its comments, nor its other tables.
    """
    path = Path(path)
    if not path.is_file():
        raise FormatError(f"there is no file {path} to seal")
    if is_stream(path):
        raise FormatError(f"{path} is a stream, which cannot be sealed")
    text = toml_text(path)
    sealed_tables = parsed_toml(text, path)
    table = table_of(sealed_tables, path)
    table.pop("sealed", None)
    seal_hash = table["sealed"] = _plan(table, path).hash
    bare = text.removeprefix("\ufeff")  # Notepad's mark stays before all else
    for sealed in sealed_texts(bare, seal_hash):
        with suppress(FormatError):  # what looked like the header was in the middle of something
            if parsed_toml(sealed, path) == sealed_tables:
                write_whole(path, text[: len(text) - len(bare)] + sealed)
                return seal_hash
    raise FormatError(
        f"{path} was left as it is: no line can safely become its seal",
        Remedy(f'write [gate] on its own line, sealed = "{seal_hash}" below it, and no other seal'),
    )


def _plan(table: Mapping[str, Any], path: Path) -> Plan:
    """Make a plan of its table; what is wrong in it can only be fixed in the file."""
    try:
        return Plan(**rules_of(table))
    except UsageError as error:
        remedies = (
            Remedy(f"write {as_keyword(r)} into it") if r.parameter else r for r in error.remedies
        )
        raise UsageError(f"{path}: {error.message}", *remedies) from error


def _content(check: Check) -> dict[str, object]:
    """What a check says; bounds and models only where there are any."""
    metric = check.metric if isinstance(check.metric, str | None) else repr(check.metric)
    content: dict[str, object] = {
        "metric": metric,
        "margin": float(check.margin),
        "goal": check.goal,
    }
    if check.bounds is not None:
        content["bounds"] = tuple(map(float, check.bounds))
    return content if check.assume is None else content | {"assume": check.assume}
