"""Raw outputs of systems in files, scored against references by the tasks.

Files in conlleval's format hold their references: the gold tags are next to the predicted ones.
"""

from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

from betterthan.data.labels import Ids, as_labels
from betterthan.data.scores import Scores
from betterthan.errors import (
    Choice,
    FormatError,
    Remedy,
    UsageError,
    Where,
    first_few,
    how_many,
    not_one_of,
)
from betterthan.metrics import expand_classes, parse, resolve
from betterthan.metrics.named import UNIVERSAL
from betterthan.metrics.parsing import OVER_CLASSES, SETTINGS, split
from betterthan.readers.files import all_bytes, chosen, expand_paths, plain_name
from betterthan.readers.options import Options
from betterthan.readers.outputs.samples import CONLL
from betterthan.tables.delimited import as_utf8
from betterthan.tables.item_labels import may_share
from betterthan.tables.names import role_of
from betterthan.tasks import tags
from betterthan.tasks.labels import labels_of
from betterthan.tasks.sources import Scored, Source, check_counts

FORMATS = ("conll",)
EXAMPLES = {"conll": CONLL}
KINDS = ("squad", "trees", "conllu", "alignments", "tags", "labels", "text")
"""Tasks; where several have a metric, the first that recognises a reference file scores it."""
ONLY_OUTPUTS = {*SETTINGS, *UNIVERSAL, "wer", "cer", "aer", "exact-match", "token-f1"}
"""Metrics that are mostly scored from raw outputs."""


def task(kind: str) -> ModuleType:
    """Return the module that scores a kind of outputs."""
    return import_module(f"betterthan.tasks.{kind}")


def recognise(path: Path, head: bytes) -> bool:
    """Tell lines that end in two tags, and files that are called so."""
    if plain_name(path).suffix == ".conll":
        return True
    text = head.decode(errors="replace").removeprefix("\ufeff")
    return tags.recognise(text if len(head) < 1 << 16 else text[: text.rfind("\n") + 1], tags=2)


def read(files: Sequence[Path], options: Options) -> Scores:
    """Score files of outputs, one per system, against the references that were declared."""
    files, systems = chosen(files, options.systems)
    golds = [source_of(path) for path in expand_paths(options.ref)]
    metrics = options.metric_names if golds else []
    if golds and not metrics:
        raise UsageError(
            "outputs are scored by a metric: text by bleu or wer, labels by accuracy, tags and "
            "trees by f1, dependencies by las, alignments by aer",
            Remedy("choose one", "metric", Choice("METRIC")),
        )
    kind = kind_of(golds[0], metrics, options.input_format) if golds else "tags"
    sources = [source_of(path) for path in files]
    scored = task(kind).score(sources, golds, options.metric_names)
    names = " ".join(Path(gold.name).name for gold in golds)
    origin = f"{len(files)} x {kind} · --ref {names}" if golds else f"{len(files)} x conll"
    if cluster := options.columns.get("cluster"):
        origin += f" --columns cluster={cluster}" if golds else ""
    scores = scores_of(scored, systems, metrics, origin, options)
    return scores.select(*options.systems) if options.systems else scores


def source_of(path: Path) -> Source:
    """Text of a file, which must be UTF-8, with its name."""
    data = as_utf8(all_bytes(path), str(path))
    if not data.strip():
        raise FormatError(f"{path} is empty: there is nothing to compare", where=Where(path))
    return Source(str(path), data.decode())


def kind_of(gold: Source, metrics: Sequence[str], input_format: str | None) -> str:
    """Tell which task files belong to: as declared, else by the metrics, else by the reference."""
    if input_format not in (None, *KINDS):
        raise not_one_of("input_format", input_format, KINDS)
    kinds = kinds_with(metrics, [input_format] if input_format else KINDS)
    if len(kinds) == 1:
        return kinds[0]
    for kind in kinds:
        recognised = getattr(task(kind), "recognise", bool)  # any text is text
        if recognised(f"{gold.text.rstrip()}\n"):
            return kind
    text = f"{gold.name} does not look like {' or '.join(kinds)}"
    raise FormatError(
        text, *(Remedy(f"if it is {kind}", "input_format", kind) for kind in kinds), where=gold.at()
    )


def kinds_with(metrics: Sequence[str], kinds: Collection[str]) -> list[str]:
    """Return those kinds of outputs that have all of these metrics, which must not be none."""
    names = {split(metric)[0] for metric in metrics}
    if matching := [kind for kind in kinds if names <= {*task(kind).METRICS}]:
        return matching
    for metric in metrics:
        if split(metric)[0] not in OVER_CLASSES:
            parse(metric)  # which knows the word that a mistyped one stands for
    known = "; ".join(f"{kind} by {', '.join(task(kind).METRICS)}" for kind in kinds)
    raise UsageError(f"no outputs are scored by {' and '.join(metrics)}: {known}")


def labels_in(file: str, n: int) -> list[str]:
    """Labels of items in a file, a line for each."""
    (path,) = expand_paths([file])
    source = source_of(path)
    names = labels_of(source)
    check_counts("line", source, len(names), "the data", n)
    return names


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
