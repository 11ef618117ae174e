"""Raw outputs of systems in files, scored against references by the tasks."""

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np

from betterthan.data.labels import Ids, as_labels
from betterthan.data.scores import Scores
from betterthan.errors import (
    AlignmentError,
    Choice,
    FormatError,
    Remedy,
    UsageError,
    first_few,
    how_many,
    not_one_of,
)
from betterthan.metrics import expand_classes, parse, resolve
from betterthan.metrics.named import UNIVERSAL
from betterthan.metrics.spelling import OVER_CLASSES, SETTINGS, split
from betterthan.readers.files import all_bytes, chosen, expand_paths
from betterthan.readers.options import Options
from betterthan.tables.delimited import as_utf8
from betterthan.tables.item_labels import may_share
from betterthan.tables.names import role_of
from betterthan.tasks import alignments, conllu, labels, squad, tags, text, trees
from betterthan.tasks.sources import Scored, Source

TASKS: dict[str, ModuleType] = {
    task.__name__.rpartition(".")[2]: task
    for task in (squad, trees, conllu, alignments, tags, labels, text)
}
"""In this order a reference file is asked what it is; text is what is nothing else."""
ONLY_OUTPUTS = {*SETTINGS, *UNIVERSAL, "wer", "cer", "aer", "exact-match", "token-f1"}
"""Metrics that are mostly scored from raw outputs."""


def read(files: Sequence[Path], options: Options) -> Scores:
    """Score files of outputs, one per system, against the references that were declared."""
    files, systems = chosen(files, options.systems)
    metrics = options.metric_names
    if not metrics:
        raise UsageError(
            "outputs are scored by a metric, such as bleu, wer, f1, las or aer",
            Remedy("", "metric", Choice("METRIC")),
        )
    golds = [source_of(path) for path in expand_paths(options.ref)]
    kind = kind_of(golds[0], metrics, options.input_format)
    scored = TASKS[kind].score([source_of(path) for path in files], golds, metrics)
    origin = f"{len(files)} x {kind} · --ref {' '.join(Path(g.name).name for g in golds)}"
    if cluster := options.columns.get("cluster"):
        origin += f" --columns cluster={cluster}"
    scores = scores_of(scored, systems, metrics, origin, options)
    return scores.select(*options.systems) if options.systems else scores


def source_of(path: Path) -> Source:
    """Text of a file, which must be UTF-8, with its name."""
    data = as_utf8(all_bytes(path), str(path))
    if not data.strip():
        raise FormatError(f"{path} is empty: there is nothing to compare")
    return Source(str(path), data.decode())


def kind_of(gold: Source, metrics: Sequence[str], input_format: str | None) -> str:
    """Tell which task files belong to: as declared, else by the metrics, else by the reference."""
    if input_format is not None:
        if input_format not in TASKS:
            raise not_one_of("input_format", input_format, TASKS)
        check_metrics(input_format, metrics)
        return input_format
    names = {split(metric)[0] for metric in metrics}
    kinds = [kind for kind, task in TASKS.items() if names <= {*task.METRICS}] or [*TASKS]
    text = gold.text.removeprefix("\ufeff").rstrip() + "\n"
    found = [kind for kind in kinds if len(kinds) == 1 or TASKS[kind].recognise(text)]
    if not found:
        raise FormatError(
            f"{gold.name} does not look like {' or '.join(kinds)}",
            *(Remedy(f"if it is {kind}", "input_format", kind) for kind in kinds[:3]),
        )
    check_metrics(found[0], metrics)
    return found[0]


def check_metrics(kind: str, metrics: Sequence[str]) -> None:
    """Raise an error for metrics that a kind of outputs does not have."""
    known = TASKS[kind].METRICS
    for metric in metrics:
        if split(metric)[0] not in known:
            if split(metric)[0] not in OVER_CLASSES:
                parse(metric)  # which knows the word that a mistyped one stands for
            raise UsageError(f"{kind} has no metric {metric}; it has {', '.join(known)}")


def labels_in(file: str, n: int) -> list[str]:
    """Labels of items in a file, a line for each."""
    (path,) = expand_paths([file])
    lines = [line.strip() for line in source_of(path).lines]
    if len(lines) != n or "" in lines:
        empty = f" (line {lines.index('') + 1:,} is empty)" if "" in lines else ""
        raise AlignmentError(
            f"{path} has {how_many(len(lines), 'line')}{empty}, and there are "
            f"{how_many(n, 'item')}: it needs a line for each"
        )
    return lines


def scores_of(
    scored: Scored, systems: Sequence[str], metrics: Sequence[str], origin: str, options: Options
) -> Scores:
    """Put scored columns together as Scores: those that the metrics need, or all."""
    known = tuple(scored.columns)
    chosen = [resolve(metric, known) for metric in expand_classes(metrics, known)]
    columns = tuple(dict.fromkeys(c for metric in chosen for c in metric.columns)) or known
    values = np.stack([np.asarray(scored.columns[c], dtype=np.float64) for c in columns], axis=2)
    notes, unanswered = scored.notes, int(np.isnan(values).any(axis=2).sum())
    if options.missing == "worst" and unanswered:
        notes += (f"{unanswered:,} missing answers counted as wrong",)
        values = np.nan_to_num(values, nan=0.0)
    groups = {name: as_labels(labels) for name, labels in scored.groups.items()}
    cluster = options.cluster or scored.cluster
    if cluster is None and not options.cluster_file:
        notes += tuple(
            may_share(name, len(set(labels)), len(values))
            for name, labels in groups.items()
            if role_of(name) == "cluster"
        )
    elif cluster and cluster not in groups:
        raise UsageError(
            f"the reference has no {cluster!r} to cluster by; it has {first_few(groups) or 'none'}",
            Remedy("a file with a line per item", "columns", {"cluster": Choice("@FILE")}),
        )
    items = f"{how_many(len(values), 'item')}, paired {'by id' if scored.items else 'in order'}"
    return Scores(
        values=values,
        systems=tuple(systems),
        columns=columns,
        items=Ids(as_labels(scored.items)) if scored.items else None,
        clusters=groups[cluster] if cluster else None,
        groups=groups,
        lower_is_better=options.lower_is_better,
        source=" · ".join([origin, *scored.signatures, items]),
        notes=notes,
    ).completed(options.missing, None)
