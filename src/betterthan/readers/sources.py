"""From any source to data: files, folders, logs, raw outputs, frames and tables in engines."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar

import narwhals as nw

from betterthan.blame import blames_arguments
from betterthan.data.frames.foreign import to_polars
from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.ids import as_labels
from betterthan.data.judgments import Judgments
from betterthan.data.scores import Scores
from betterthan.data.tallied import Tallied
from betterthan.data.values import Missing
from betterthan.errors import (
    AlignmentError,
    Choice,
    DataError,
    Remedy,
    TallyGivenError,
    UsageError,
    closest,
    first_few,
    how_many,
    quote,
)
from betterthan.metrics import Metric
from betterthan.readers import table_files, tally_files
from betterthan.readers.families import WITHOUT_TASKS, Family, family_of, read_scores, refuse_names
from betterthan.readers.files import expand_paths, is_address, with_name
from betterthan.readers.judgments import as_scores
from betterthan.readers.judgments.as_judgments import judgments_in, read_judgments, with_known_names
from betterthan.readers.judgments.judged_rows import pair_layout
from betterthan.readers.outputs.scoring import names_of, read_outputs, source_of
from betterthan.readers.request import (
    OF_COUNTED,
    OF_COUNTED_JUDGMENTS,
    OF_JUDGMENTS,
    OF_OUTPUTS,
    OF_SCORES,
    Limits,
    Paths,
    Request,
    Roles,
    format_of,
    request_of,
)
from betterthan.readers.streams import Stream, memory
from betterthan.readers.tables.table_files import frame_of

Data = Scores | Judgments | Tallied
Chosen = TypeVar("Chosen", Judgments, Tallied)


@blames_arguments
def read(
    *sources: str | PathLike[str] | Any,
    columns: Roles = None,
    where: Roles = None,
    systems: str | Sequence[str] | None = None,
    metric: str | Metric | Sequence[str | Metric] | None = None,
    ref: Paths | None = None,
    missing: Missing = "error",
    input_format: str | None = None,
    lower_is_better: bool | None = None,
    items: Literal["auto"] | bool = "auto",
    limits: Limits | None = None,
) -> Scores | Any:
    """Read results of systems, item by item; format and layout are detected.

    Sources are one table with a column per system, or with a row per item and system; a file for
    each system; logs of an evaluation harness; pairwise judgments; raw outputs with what they
    should have been (``ref``); a tally; a data frame; or a table in an engine.

    Parameters
    ----------
    *sources : path, data frame or lazy frame
        Files, folders of logs, or patterns such as ``runs/*.csv``; ``NAME=FILE`` names the system
        in a file. Or one frame of polars, pandas or pyarrow; or lazy frames of polars, DuckDB,
        Ibis, Dask or Spark.
    columns : mapping or str, optional
        Which column has which role, where names do not tell: ``{"item": "id", "score": "acc"}`` or
        ``"item=id,score=acc"``. Several columns are joined by ``+``: ``"passage+question"``. Roles
        are

        ========  ==========================================================================
        item      what was asked; rows of one item are paired
        system    whose result it is; of logs, ``file`` names systems by their files
        score     how good it is
        response  which repeat of an item it is: seed, run, rater
        cluster   items that belong together, such as a document; or ``@FILE``, a line an item
        label     what describes an item and is no score: year, level
        task      tasks, which are measured one by one and weigh the same
        judge     of judgments, who judged; ``left``, ``right`` and ``winner`` as well
        source    of word alignments with ``ref``, ``@FILE`` with the text; ``target`` as well
        ========  ==========================================================================
    where : mapping or str, optional
        Keep only these rows of a table, before anything else is looked at: ``{"split": "test"}``.
        Values may be patterns, and several are joined by ``+``: ``"task=mmlu_*+gsm8k"``. Of logs,
        ``task`` and ``filter`` choose among their tasks and answer filters.
    systems : str or sequence of str, optional
        Only these systems, in this order; the first is the baseline. The others have no influence.
    metric : str, Metric or sequence of these, optional
        Keep only the columns that these metrics need; of a log, its first metric by default.
        Judgments are read as scores by ``"win"``: the share of judgments that each system won
        against the first of ``systems``, or the one that took part in all.
    ref : path or sequence of paths, optional
        References or gold annotations: the sources are raw outputs, and ``metric`` scores them.
    missing : {"error", "drop", "worst", "pairwise"}
        What to do with items that a system has no score for: an error; leave them out for all;
        count the worst value; or keep them, for rankings.
    input_format : str, optional
        What detection cannot tell: a layout (wide, long, single, counts), an encoding (csv, tsv,
        json, jsonl, parquet), also as ``"csv(header=no)"`` and ``"csv(transposed=yes)"``, or a kind
        of log or raw output.
    lower_is_better : bool, optional
        Which way is better, where neither the metric nor the column's name says it.
    items : {"auto", True, False}
        True holds the single items; False groups and counts tables where they are, which takes
        hardly any memory and gives the same verdict, p-value and signature. What comes back is a
        tally; the items of each value of the first ``label`` are counted apart. By default a table
        is counted if its items would take more than a quarter of the memory.
    limits : Limits, optional
        Memory that reading may take.

    Returns
    -------
    Scores, Judgments or Tallied

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"id": ["q1", "q2"], "base": [0, 1], "new": [1, 1]})
    >>> read(frame, systems=["new", "base"]).systems
    ('new', 'base')
    >>> read(frame.lazy(), items=False)
    <Tallied: 2 items in 2 distinct rows, ('base', 'new')>
    """
    request = request_of(
        columns=columns,
        where=where,
        systems=systems,
        metric=metric,
        ref=ref,
        missing=missing,
        input_format=input_format,
        lower_is_better=lower_is_better,
        items=items,
    )
    if not sources:
        raise UsageError("there is nothing to read: at least one file is needed")
    if limits is not None and not isinstance(limits, Limits):
        raise UsageError(
            f"limits must be bt.Limits(...), not {quote(limits)}",
            Remedy("", "limits", Choice('bt.Limits(memory="8G")')),
        )
    with memory(None if limits is None else limits.memory):
        data = _data(request, sources)
    if lower_is_better is not False or isinstance(data, Judgments):
        return data
    # Asked for, whatever the columns are called.
    return replace(data, lower_is_better=False, lower=frozenset(), higher_is_better=True)


def _data(request: Request, sources: Sequence[Any]) -> Data:
    paths = [isinstance(source, str | PathLike) and not is_address(source) for source in sources]
    if any(paths) and not all(paths):
        raise UsageError("sources must be files or frames, not both")
    if request.ref is not None:
        if not all(paths):
            raise UsageError("ref scores raw outputs in files, not frames")
        return _outputs(request, sources, request.ref)
    files = expand_paths(sources) if all(paths) else []
    family = family_of(files, format_of(request.input_format)[0]) if files else None
    if family is tally_files:
        return _tally(request, files)
    judged = bool(request.pair) or family is as_scores
    judged = judged or (family is None and _is_judged_frame(request, sources[0]))
    if request.items is False or (
        request.items == "auto" and _in_place(request, sources, files, family)
    ):
        counted = _counted(request, sources, files, judged=judged)
        if counted is not None:
            return counted
    data = _of_files(request, sources, files, family) if family else _of_frames(request, sources)
    if request.items is not False or not isinstance(data, Scores):
        return data
    labels = names_given(request.columns.get("label"), data.groups)
    return Tallied.of(data, request.options().metrics, by=next(iter(labels), None))


def _in_place(
    request: Request, sources: Sequence[Any], files: Sequence[Path], family: Family | None
) -> bool:
    """Whether all that is asked for can be counted, and should: the items would fill the memory."""
    if family not in (None, table_files) or not request.is_countable:
        return False
    if any(map(nw.dependencies.is_into_dataframe, sources)):
        return False
    if not files and not (len(sources) == 1 and nw.dependencies.is_polars_lazyframe(sources[0])):
        return True
    from betterthan.readers.lazy_sources import fits, kind_of  # noqa: PLC0415 (heavy)

    known = files or sources
    return all(map(kind_of, known)) and not all(map(fits, known))


def _of_frames(request: Request, sources: Sequence[Any]) -> Data:
    if len(sources) > 1:
        raise UsageError("several data frames cannot be read at once, only one, or files")
    (held,) = sources
    if not nw.dependencies.is_into_dataframe(held):
        from betterthan.readers.lazy_sources import opened, reported  # noqa: PLC0415 (heavy)
        from betterthan.tables.counted import collected  # noqa: PLC0415

        with reported("the frame"):
            held = collected(opened(held))
    if _is_judged_frame(request, held):
        return _judged_frame(request, to_polars(held), "the data frame")
    return _scores(request, [held])


def _of_files(
    request: Request, sources: Sequence[Any], files: Sequence[Path], family: Family
) -> Data:
    held = files if any(isinstance(path, Stream) for path in files) else sources
    if request.pair:
        if len(files) > 1:
            raise UsageError("columns of judgments can be named for one file at a time")
        frame, _ = frame_of(files[0], Options(), as_text=True)
        return _judged_frame(request, frame, str(files[0]))
    if family is not as_scores:
        return _scores(request, held, of_logs=family not in WITHOUT_TASKS)
    return _judgments(request, files) if request.metric is None else _judged_scores(request, held)


def _scores(request: Request, sources: Sequence[Any], *, of_logs: bool = False) -> Scores:
    """Scores of tables and logs, and of frames."""
    request.check_roles(OF_SCORES, "scores")
    apart = request.cluster_file
    missing = request.missing if apart is None else "pairwise"
    scores = read_scores(sources, request.options(of_logs=of_logs, missing=missing))
    return scores if apart is None else _clustered(scores, apart).completed(request.missing, None)


def _clustered(scores: Scores, file: str) -> Scores:
    """Scores whose clusters are in a file, a line for each item."""
    (path,) = expand_paths([file])
    lines = [line.strip() for line in source_of(path).lines]
    if len(lines) != scores.n:
        raise AlignmentError(
            f"{path} has {how_many(len(lines), 'line')}, and there are "
            f"{how_many(scores.n, 'item')}: it needs a line for each"
        )
    labels = as_labels(lines)
    return replace(scores, clusters=labels, groups={**scores.groups, path.stem: labels})


def _judged_scores(request: Request, sources: Sequence[Any]) -> Scores:
    """Judgments as scores: the share that each system won against the baseline."""
    request.check_roles(OF_JUDGMENTS, "judgments")
    first, *others = request.systems or (None,)
    options = request.options(
        systems=None,
        baseline=first,
        opponents=others or None,
        missing="pairwise" if request.systems else request.missing,
    )
    scores = read_scores(sources, options)
    if request.systems is None:
        return scores
    chosen = scores.select(*request.systems) if others else scores
    return chosen.completed(request.missing, chosen.measured())


def _judgments(request: Request, files: Sequence[Path]) -> Judgments:
    """Judgments as they are, for rankings."""
    request.check_roles(OF_JUDGMENTS, "judgments")
    if request.lower_is_better:
        raise UsageError("lower_is_better is for scores, and these are judgments")
    return _chosen(read_judgments(files, request.options()), request)


def _judged_frame(request: Request, frame: Any, where: str) -> Judgments:
    """Judgments in a frame, or in a file whose columns were named."""
    request.check_roles(OF_JUDGMENTS, "judgments")
    if request.metric is not None:
        raise _no_scores()
    frame = with_known_names(frame, request.pair, where)
    return _chosen(judgments_in(frame, where, request.options()), request)


def _no_scores() -> UsageError:
    return UsageError("judgments in frames are ranked, and only those in files are read as scores")


def _is_judged_frame(request: Request, source: Any) -> bool:
    if request.pair:
        return True
    try:
        frame = nw.from_native(source)
    except (TypeError, nw.exceptions.DuplicateError):
        return False  # the reader says so
    return pair_layout(tuple(map(str, frame.collect_schema().names()))) is not None


def _outputs(request: Request, sources: Sequence[Any], ref: Paths) -> Scores:
    """Raw outputs, scored against references."""
    request.check_roles(OF_OUTPUTS, "outputs with a reference")
    if request.where or request.items is False:
        name = "where" if request.where else "items"
        raise UsageError(f"{name} is for scores that are read, and ref scores raw outputs")
    files = expand_paths(sources)
    if request.systems is not None:
        named = dict(zip(names_of(files), files, strict=True))
        if unknown := [name for name in request.systems if name not in named]:
            close = closest(unknown[0], named)
            raise UsageError(
                f"there is no system {unknown[0]!r}; there are {first_few(named)}",
                *([Remedy("", "systems", [close])] if close else []),
            )
        files = [with_name(named[name], name) for name in request.systems]
    document = request.cluster_file
    return read_outputs(
        files,
        gold=ref,
        metric=request.metric_names,
        input_format=request.input_format,
        docs=document,
        cluster=None if document else request.columns.get("cluster"),
        texts=[request.file(role) for role in ("source", "target") if role in request.columns],
        missing=request.missing,
        lower_is_better=request.lower_is_better is True,
    )


def _tally(request: Request, files: Sequence[Path]) -> Tallied:
    """Read a tally that was written, which says itself how its columns were understood."""
    if len(files) > 1 or request.items is True:
        raise TallyGivenError(files)
    request.check_unused("a tally", "where", "missing")
    request.check_roles(("label",), "tallies")
    tally = tally_files.read_tally(files[0])
    if request.lower_is_better:
        tally = replace(tally, lower_is_better=True)
    return _chosen(tally, request)


def _counted(
    request: Request, sources: Sequence[Any], files: Sequence[Path], *, judged: bool
) -> Tallied | Judgments | None:
    """Group and count tables where they are; None where reading tells more, or takes them."""
    from betterthan.readers.judgments.scanned import scan_judgments  # noqa: PLC0415 (heavy)
    from betterthan.readers.lazy_sources import count, fits  # noqa: PLC0415

    request.check_unused("what is counted in place", "missing", "input_format")
    roles, what = (OF_COUNTED_JUDGMENTS, "judgments") if judged else (OF_COUNTED, "tables")
    request.check_roles(roles, f"{what} that are counted in place")
    known = files or sources
    try:
        if judged:
            return _chosen(scan_judgments(known, request.options(), request.pair), request)
        tally = count(known, request.options())
    except DataError:
        if (files or len(sources) == 1) and all(map(fits, known)):
            return None
        raise
    refuse_names(files, () if request.systems else tally.systems)
    by_name = len(sources) == 1 < len(files) and len(tally.systems) > 1 and not request.systems
    return replace(tally, by_rows=True) if by_name else tally


def _chosen(data: Chosen, request: Request) -> Chosen:
    """Only the systems that were asked for."""
    return data if request.systems is None else data.select(*request.systems)
