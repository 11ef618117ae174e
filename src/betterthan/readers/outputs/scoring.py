"""Raw outputs of systems, scored against gold: text, tags, trees, alignments, answers, labels."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import ModuleType

import numpy as np

from betterthan.data.frames.item_labels import may_share
from betterthan.data.labels import Ids, as_labels
from betterthan.data.missing import Missing
from betterthan.data.scores import Scores
from betterthan.errors import Choice, FormatError, Remedy, UsageError, first_few, how_many
from betterthan.metrics import expand_classes, parse, resolve
from betterthan.metrics.named import UNIVERSAL
from betterthan.metrics.spelling import OVER_CLASSES, SETTINGS, split
from betterthan.readers.files import (
    PathName,
    all_bytes,
    expand_paths,
    given_or,
    plain_name,
    system_names,
    without_prefix,
)
from betterthan.readers.streams import memory
from betterthan.readers.tables.delimited import check_utf8
from betterthan.tasks import brackets, classification, conllu, spans, squad, text, word_alignment
from betterthan.tasks.sources import Scored, Source, check_counts

# In this order a gold file is asked what it is; text is what is nothing else.
OUTPUT_KINDS: dict[str, ModuleType] = {
    "squad": squad,
    "trees": brackets,
    "conllu": conllu,
    "alignments": word_alignment,
    "tags": spans,
    "labels": classification,
    "text": text,
}
# Kinds whose lines may belong to others without being of the wrong form.
CHECKED = {"text": text, "labels": classification}
HEAD = 1 << 16
# Metrics of raw outputs that no other data are scored by.
OF_OUTPUTS = {*SETTINGS, *UNIVERSAL, "wer", "cer", "aer", "exact-match", "token-f1"}


def needs_gold(metrics: Sequence[str]) -> str | None:
    """Return the first metric that is scored from raw outputs and their gold, if there is any.

    >>> needs_gold(["accuracy", "bleu(lc)"]), needs_gold(["mean(x)"])
    ('bleu(lc)', None)
    """
    return next((metric for metric in metrics if split(metric)[0] in OF_OUTPUTS), None)


def read_outputs(
    paths: PathName | Sequence[PathName],
    *,
    gold: PathName | Sequence[PathName],
    metric: str | Sequence[str],
    input_format: str | None = None,
    docs: PathName | None = None,
    cluster: str | None = None,
    texts: Sequence[PathName] = (),
    missing: Missing = "error",
    lower_is_better: bool = False,
    max_memory: str | int | None = None,
) -> Scores:
    """Score what systems put out against references or gold annotations, item by item.

    Parameters
    ----------
    paths : path or sequence of paths
        One file of outputs per system.
    gold : path or sequence of paths
        References or gold files.
    metric : str or sequence of str
        What to score; the columns that these need are made.
    input_format : str, optional
        ``text``, ``labels``, ``tags``, ``conllu``, ``trees``, ``alignments`` or ``squad``, where
        the metrics and the gold do not tell.
    docs : path, optional
        A file with one line per item that names its document: the clusters.
    cluster : str, optional
        Which labels of the gold are the clusters, such as ``document``.
    texts : sequence of paths, optional
        For alignments, the source and the target text: links must be to their words.
    missing : {"error", "drop", "worst", "pairwise"}
        What to do about questions that a system does not answer.
    lower_is_better : bool
        Turn the metrics' direction.
    max_memory : str or int, optional
        Memory that files may take, as in ``"8G"``; half of the machine's by default.
    """
    metrics = [metric] if isinstance(metric, str) else list(metric)
    if not metrics:
        raise UsageError(
            "outputs are scored by a metric, such as bleu, wer, f1, las or aer",
            Remedy("", "metric", Choice("METRIC")),
        )
    with memory(max_memory):
        files = _files(paths)
        systems = [source_of(path) for path in files]
        golds = [source_of(path) for path in _files(gold)]
        kind = kind_of(golds[0], metrics, input_format)
        if kind == "alignments":
            scored = word_alignment.score(
                systems, golds, metrics, [source_of(path) for path in _files(texts)]
            )
        elif texts:
            raise UsageError("texts are for word alignments, and these files are not")
        else:
            scored = OUTPUT_KINDS[kind].score(systems, golds, metrics)
        if kind in CHECKED:
            scored = replace(scored, notes=(*CHECKED[kind].doubts(systems, golds), *scored.notes))
        if docs is not None:
            scored = _documents(scored, source_of(_files(docs)[0]), golds[0])
            cluster = cluster or "document"
    return scores_of(
        scored,
        names_of(files),
        metrics=metrics,
        cluster=cluster,
        missing=missing,
        lower_is_better=lower_is_better,
        origin=f"{len(files)} x {kind} · gold {', '.join(Path(g.name).name for g in golds)}",
    )


def names_of(files: Sequence[Path]) -> list[str]:
    """Name systems by their files, without the suffix that all of them share.

    >>> names_of([Path("out/base.conllu"), Path("out/gpt-3.5.conllu")])
    ['base', 'gpt-3.5']
    """
    return given_or(files, _without_suffix)


def _without_suffix(files: Sequence[Path]) -> Sequence[str]:
    plain = [plain_name(path) for path in files]
    stems = [path.stem for path in plain]
    suffixes = {path.suffix for path in plain}
    shared = len(suffixes) == 1 and all(suffix[1:].isalpha() for suffix in suffixes)
    if shared and len(set(stems)) == len(stems):
        return without_prefix(stems)
    return system_names(files)


def kind_of(gold: Source, metrics: Sequence[str], input_format: str | None) -> str:
    """Tell what the files are: as asked, else by the metrics, else by what the gold looks like."""
    if input_format is not None:
        if input_format not in OUTPUT_KINDS:
            raise UsageError(
                f"outputs to be scored are of the formats {', '.join(OUTPUT_KINDS)}, not "
                f"{input_format!r}"
            )
        _check_known(input_format, metrics)
        return input_format
    names = {split(metric)[0] for metric in metrics}
    fitting = [kind for kind, task in OUTPUT_KINDS.items() if names <= set(task.METRICS)]
    if not fitting:
        looks = _looks_like(gold, tuple(OUTPUT_KINDS))
        _check_known(looks, metrics)
    return fitting[0] if len(fitting) == 1 else _looks_like(gold, fitting)


def scores_of(
    scored: Scored,
    systems: Sequence[str],
    *,
    metrics: Sequence[str] | None,
    origin: str,
    cluster: str | None = None,
    missing: Missing = "error",
    lower_is_better: bool = False,
) -> Scores:
    """Put scored columns together as Scores, with those columns that the metrics need."""
    known = tuple(scored.columns)
    asked = None if metrics is None else [*map(str, expand_classes(metrics, known))]
    chosen = None if asked is None else [resolve(metric, known) for metric in asked]
    kept = dict.fromkeys(c for metric in chosen for c in metric.columns) if chosen else known
    values = np.stack([np.asarray(scored.columns[c], dtype=np.float64) for c in kept], axis=2)
    notes = scored.notes
    if missing == "worst" and np.isnan(values).any():
        notes += (f"{int(np.isnan(values).any(axis=2).sum()):,} missing answers counted as wrong",)
        values = np.nan_to_num(values, nan=0.0)
    cluster = cluster or scored.cluster
    groups = {name: as_labels(labels) for name, labels in scored.groups.items()}
    if cluster is not None and cluster not in groups:
        raise UsageError(
            f"the gold has no {cluster!r} to cluster by; it has {first_few(groups) or 'no labels'}",
            Remedy("a file with a line per item", "columns", {"cluster": Choice("@FILE")}),
        )
    if cluster is None:
        notes += tuple(may_share(len(set(labels)), name) for name, labels in groups.items())
    scores = Scores(
        values=values,
        systems=tuple(systems),
        columns=tuple(kept),
        items=None if scored.items is None else Ids(as_labels(scored.items)),
        clusters=None if cluster is None else groups[cluster],
        groups=groups,
        lower_is_better=lower_is_better,
        notes=notes,
    ).completed(missing, None)
    return _with_source(scores, origin, asked, cluster, scored.signatures, total=len(values))


def _with_source(
    scores: Scores,
    origin: str,
    asked: Sequence[str] | None,
    cluster: str | None,
    signatures: Sequence[str],
    *,
    total: int,
) -> Scores:
    parts = [origin]
    if asked:
        parts.append(", ".join(asked))
    parts += signatures
    if scores.clusters is not None:
        parts.append(f"cluster={cluster} ({len(set(scores.clusters)):,})")
    parts.append(f"system{'s' * (len(scores.systems) > 1)} {', '.join(scores.systems)}")
    how = "by id" if scores.items is not None else "in order"
    kept = "" if scores.n == total else f"{scores.n:,}/"
    parts.append(f"{kept}{how_many(total, 'item')} paired {how}")
    return replace(scores, source=" · ".join(parts))


def _files(paths: PathName | Sequence[PathName]) -> list[Path]:
    several = [paths] if isinstance(paths, str | PathLike) else paths
    return expand_paths(several)


def source_of(path: Path) -> Source:
    """Text of a file, which must be UTF-8, with its name."""
    data = all_bytes(path, text=True)
    check_utf8(data, str(path))
    return Source(str(path), data.decode())


def _documents(scored: Scored, docs: Source, gold: Source) -> Scored:
    n = len(next(iter(scored.columns.values())))
    lines = [line.strip() for line in docs.lines]
    check_counts("line", (docs, len(lines)), (gold, n))
    if "" in lines:
        raise FormatError(f"{docs.at(lines.index('') + 1)} is empty: name the item's document")
    return replace(scored, groups={**scored.groups, "document": lines})


def _looks_like(gold: Source, among: Sequence[str]) -> str:
    head = gold.text.removeprefix("\ufeff")[:HEAD]
    lines = head if len(gold.text) <= HEAD else head[: head.rfind("\n") + 1] or head
    whole = lines if lines.endswith("\n") else f"{lines}\n"
    for kind in among:
        if OUTPUT_KINDS[kind].recognise(whole):
            return kind
    raise FormatError(
        f"{gold.name} looks like none of {', '.join(among)}",
        *(Remedy(f"if it is {kind}", "input_format", kind) for kind in among[:3]),
    )


def _check_known(kind: str, metrics: Sequence[str]) -> None:
    """Refuse metrics that a kind of output has not, in the words of the misspelt one if it is."""
    for metric in metrics:
        name = split(metric)[0]
        if name not in OUTPUT_KINDS[kind].METRICS:
            if name not in OVER_CLASSES and "*" not in metric:
                parse(metric)
            known = ", ".join(OUTPUT_KINDS[kind].METRICS)
            raise UsageError(f"{metric} is no metric of {kind}, which has {known}")
