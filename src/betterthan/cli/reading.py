"""What is read: options as the keywords of ``betterthan.read``, and its call."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from betterthan.cli.command import Options
from betterthan.cli.screen import busy, say
from betterthan.cli.values import Names
from betterthan.errors import BetterthanError
from betterthan.grammar import pairs_of

_ROLES = ("item", "system", "score", "response", "label")
_FURTHER = ("ref", "missing", "input_format", "lower_is_better")


def systems_of(options: Options) -> Names | None:
    """Return the systems that were named, the baseline first; a baseline alone leaves all."""
    candidates = options.get("candidate", ()) if options.keys() & {"baseline", "systems"} else ()
    others = (*options.get("systems", ()), *candidates)
    first = [options["baseline"]] if "baseline" in options else []
    return tuple(dict.fromkeys((*first, *others))) if others else None


def pair_of(options: Options) -> tuple[str | None, str | None]:
    """Return the baseline and the candidate, as far as they were named."""
    first, second, *_ = (*(systems_of(options) or ()), None, None)
    baseline = first if second else options.get("baseline")
    return baseline, second or next(iter(options.get("candidate", ())), None)


def roles_of(options: Options) -> dict[str, str]:
    """Return the column of each role; results are broken down by a label.

    >>> roles_of({"columns": ["item=a+b", "task=t"], "label": "year,level", "by": "day"})
    {'item': 'a+b', 'task': 't', 'label': 'year+level+day'}
    """
    roles = _pairs(options, "columns")
    roles |= {role: options[role].replace(",", "+") for role in _ROLES if role in options}
    if "cluster" in options:
        roles["cluster"] = options["cluster"]
    labels = roles["label"].split("+") if "label" in roles else []
    by = options.get("by")
    if by is not None and by not in (*labels, roles.get("task")):
        roles["label"] = "+".join([*labels, by])
    return roles


def read_keywords(options: Options) -> dict[str, Any]:
    """Return the keywords of ``betterthan.read`` that were typed."""
    keywords = {
        "columns": roles_of(options),
        "where": _pairs(options, "where"),
        "systems": systems_of(options),
        **{name: options.get(name) for name in _FURTHER},
    }
    return {name: value for name, value in keywords.items() if value not in (None, {})}


def read(
    options: Options,
    *,
    judged: bool = False,
    counted: bool = False,
    fixed: Mapping[str, Any] = {},
) -> Any:
    """Read files, and say how they were read.

    Judgments are read as scores, the share that each system won, except where they may be
    ``judged``. Tables that would fill the memory may be ``counted``, by commands that do not need
    the single items. ``fixed`` are keywords of a plan, which add to what was typed.
    """
    import betterthan as bt

    keywords = {**read_keywords(options), **fixed} | ({} if counted else {"items": True})
    if columns := {**roles_of(options), **fixed.get("columns", {})}:
        keywords["columns"] = columns
    metric = options.get("metric", ())
    metrics = [metric] if isinstance(metric, str) else list(metric)
    if metrics:
        keywords["metric"] = metrics
    files = options["files"] if judged else held(options["files"])
    with busy("reading"):
        data = bt.read(*files, **keywords)
        if isinstance(data, bt.Judgments) and not judged:
            baseline, _ = pair_of(options)
            against = {"systems": [baseline]} if baseline else {}
            data = bt.read(*files, **({"metric": "win"} | against | keywords))
        if "candidate" in options and "systems" not in keywords:  # named without a baseline
            data = data.select(data.baseline(None), *options["candidate"])
    say(f"Read {data.source}")
    return data


def texts_of(
    options: Options, items: Sequence[str], rows: Sequence[int]
) -> dict[str, dict[str, str]]:
    """Return what some items say, where the files hold it; results do without it."""
    from betterthan.readers.item_texts import item_texts

    keywords = {**read_keywords(options), "metric": options.get("metric")}
    try:
        return item_texts(options["files"], items, rows, **keywords)
    except BetterthanError:
        return {}


def held(files: Sequence[str | Path]) -> Sequence[str | Path]:
    """Return files that can be read twice: pipes among them are read now and kept."""
    from betterthan.readers.files import expand_paths, is_address
    from betterthan.readers.streams import Stream

    paths = [] if any(map(is_address, files)) else expand_paths(files)
    return paths if any(isinstance(path, Stream) for path in paths) else files


def _pairs(options: Options, name: str) -> dict[str, str]:
    return {k: v for text in options.get(name, ()) for k, v in pairs_of(text).items()}
