"""What items say: the input, the target and what each system put out, read again for a few of them.

Scores are read without texts, which may be gigabytes. Those of the few items that a result lists
are looked up afterwards, in logs of lm-evaluation-harness and Inspect, in columns of tables and in
raw outputs by line.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from betterthan.data.labels import whole_text
from betterthan.readers.families import recognised
from betterthan.readers.files import PathName, expand_paths, first_bytes
from betterthan.readers.logs import inspect_ai, lm_eval
from betterthan.readers.logs.said import Said
from betterthan.readers.outputs.scoring import kind_of, names_of, source_of
from betterthan.readers.request import Request, request_of
from betterthan.readers.tables import table_files, table_texts

_LINES = ("text", "labels")


def item_texts(
    paths: Sequence[PathName], items: Collection[str], rows: Collection[int], **reading: Any
) -> dict[str, dict[str, str]]:
    """Return the texts of some items by their ids: ``input``, ``target``, ``SYSTEM: output``.

    ``items`` are the ids, ``rows`` the places of the same items, for outputs that have no ids. The
    keywords are those of :func:`betterthan.read`, as the files were read. What holds no texts gives
    none.
    """
    request = request_of(**reading)
    files, at = expand_paths(paths), dict(zip(items, rows, strict=True))
    if request.ref is not None:
        ref = [request.ref] if isinstance(request.ref, str | PathLike) else request.ref
        found = _of_lines(files, expand_paths(ref), at, request.metric_names)
    else:
        found = _of_files(files, at, request)
    texts: dict[str, dict[str, str]] = {}
    outputs: dict[str, dict[str, str]] = {}
    for said in found:
        shared = {"input": said.input, "target": said.target}
        texts.setdefault(said.item, {}).update({k: v for k, v in shared.items() if v})
        if said.output:
            outputs.setdefault(said.item, {})[f"{whole_text(said.system)}: output"] = said.output
    return {item: texts[item] | outputs.get(item, {}) for item in texts}


def _of_files(files: Sequence[Path], at: Mapping[str, int], request: Request) -> Iterator[Said]:
    wanted = frozenset(at)
    heads = [(path, first_bytes(path)) for path in files]
    if all(lm_eval.recognise(path, head) for path, head in heads):
        yield from lm_eval.texts(files, request.options(of_logs=True), wanted)
    elif all(inspect_ai.recognise(path, head) for path, head in heads):
        yield from inspect_ai.texts(files, request.options(of_logs=True), wanted)
    elif all(recognised(path) is table_files for path in files):
        yield from table_texts.texts(files, request.options(), at)


def _of_lines(
    files: Sequence[Path], gold: Sequence[Path], at: Mapping[str, int], metric: Sequence[str]
) -> Iterator[Said]:
    reference = source_of(gold[0])
    if kind_of(reference, list(metric), None) not in _LINES:
        return
    for system, path in zip(names_of(files), files, strict=True):
        lines = source_of(path).lines
        for item, row in at.items():
            if row < min(len(lines), len(reference.lines)):
                yield Said(system, item, "", reference.lines[row], lines[row])
