"""``betterthan inspect``: what was understood of files, before anything is computed."""

from typing import TYPE_CHECKING, Any

from betterthan.cli import options as opt

if TYPE_CHECKING:
    from betterthan.data import Scores
    from betterthan.ranking.judgments import Judgments

MOST = 8


def inspect(
    files: opt.Files,
    cluster: opt.Cluster = None,
    item: opt.Item = None,
    system: opt.System = None,
    score: opt.Score = None,
    response: opt.Response = None,
    input_format: opt.InputFormat = None,
    task: opt.Task = None,
    filter: opt.Filter = None,
    baseline: opt.Baseline = None,
) -> None:
    """Show what was understood of files: systems, items, metrics, responses, clusters, missing.

    betterthan inspect runs.csv
    betterthan inspect base.eval new.eval
    """
    from betterthan.ranking.judgments import Judgments
    from betterthan.readers import read
    from betterthan.readers.judged import read_any

    options: dict[str, Any] = {
        "cluster": cluster,
        "item": item,
        "system": system,
        "score": score,
        "response": response,
        "input_format": input_format,
        "task": task,
        "filter": filter,
        "missing": "pairwise",  # what is missing is to be shown, not refused
    }
    found = read(*files, **options, baseline=baseline) if baseline else read_any(*files, **options)
    print(f"Read {found.source}")
    rows = _judgments(found) if isinstance(found, Judgments) else _scores(found)
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        print(f"  {name.ljust(width)}  {text}")
    for note in found.notes:
        print(f"! {note}")


def _scores(scores: "Scores") -> list[tuple[str, str]]:
    import numpy as np

    holes = np.isnan(scores.values).any(axis=2).sum(axis=0)
    rows = [
        ("systems", _listed(scores.systems)),
        ("items", f"{scores.n:,}, paired by {scores.paired_by}" + _example(scores)),
        ("metrics", _listed(scores.columns)),
        ("responses", _responses(scores)),
        ("clusters", "none" if scores.clusters is None else f"{len(set(scores.clusters)):,}"),
        ("labels", _listed([f"{k} ({len(set(v)):,})" for k, v in scores.groups.items()]) or "none"),
        ("missing", "none"),
    ]
    lacking = [f"{s} lacks {k:,}" for s, k in zip(scores.systems, holes, strict=True) if k]
    if lacking:
        rows[-1] = ("missing", f"{_listed(lacking)} of {scores.n:,} -> --missing drop")
    return rows


def _judgments(judgments: "Judgments") -> list[tuple[str, str]]:
    import numpy as np

    draws = int(np.sum(judgments.outcome == 0.5))
    return [
        ("systems", _listed(judgments.systems)),
        ("judgments", f"{judgments.n:,}, {draws:,} of them ties"),
        ("items", "unknown" if judgments.items is None else f"{len(set(judgments.items)):,}"),
        ("judges", "unknown" if judgments.judges is None else f"{len(set(judgments.judges)):,}"),
    ]


def _example(scores: "Scores") -> str:
    if scores.items is None:
        return ""
    return f" ({', '.join(scores.items[k] for k in range(min(3, scores.n)))} ...)"


def _responses(scores: "Scores") -> str:
    import numpy as np

    if scores.responses is None:
        return "one an item"
    counts = np.unique((~np.isnan(scores.responses[:, :, 0])).sum(axis=-1)).tolist()
    return f"{counts[0]} to {counts[-1]} an item" if len(counts) > 1 else f"{counts[0]} an item"


def _listed(names: "tuple[str, ...] | list[str]") -> str:
    shown = ", ".join(names[:MOST])
    return shown if len(names) <= MOST else f"{shown} and {len(names) - MOST} more"
