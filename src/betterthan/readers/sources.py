"""From any source to data: files, folders, logs, raw outputs, frames and tables in engines."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import narwhals as nw

from betterthan.blame import blames_arguments
from betterthan.data.judgments import Judgments
from betterthan.data.labels import as_labels
from betterthan.data.missing import Missing
from betterthan.data.scores import Scores
from betterthan.data.tallied import Tallied
from betterthan.errors import (
    Choice,
    DataError,
    Remedy,
    UsageError,
    closest,
    first_few,
    quote,
)
from betterthan.metrics import Metric
from betterthan.readers import table_files, tally_files
from betterthan.readers.families import (
    WITHOUT_TASKS,
    Family,
    check_names,
    family_of,
    read_scores,
)
from betterthan.readers.files import expand_paths, is_address, with_name
from betterthan.readers.judgments import as_scores
from betterthan.readers.judgments.as_judgments import (
    games_in_files,
    games_in_frame,
    games_in_place,
    judgments_of,
)
from betterthan.readers.judgments.pairs import is_judged
from betterthan.readers.options import names_given
from betterthan.readers.outputs.label_tables import counted_labels
from betterthan.readers.outputs.scoring import labels_in, names_of, read_outputs
from betterthan.readers.request import (
    OF_COUNTED,
    OF_JUDGMENTS,
    OF_LABELS,
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
from betterthan.readers.table_files import declared_of, frame_of, scores_of
from betterthan.tables.cells import Place
from betterthan.tables.frames import to_polars
from betterthan.tables.rows import typed

Data = Scores | Judgments | Tallied


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
        ref       of a table of labels, the right ones: its other columns are scored against them
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
    if "ref" in request.columns:
        return _labels(request, sources)
    paths = [isinstance(source, str | PathLike) and not is_address(source) for source in sources]
    if any(paths) and not all(paths):
        raise UsageError("sources must be files or frames, not both")
    if request.ref is not None:
        if not all(paths):
            raise UsageError("ref scores raw outputs in files, not frames")
        return _outputs(request, sources)
    files = expand_paths(sources) if all(paths) else []
    family = family_of(files, format_of(request.input_format)[0]) if files else None
    if family is tally_files:
        return _tally(request, files)
    known: Sequence[Any] = files or sources
    in_place = request.items is False or _should_count(request, known, family)
    if family is as_scores or request.sides or (not files and _is_judged_frame(sources[0])):
        return _judged(request, known, in_place=in_place)
    if in_place and (tally := _counted(request, sources, known)) is not None:
        return tally
    data = _scores(request, _held(sources, files), of_logs=family not in (None, *WITHOUT_TASKS))
    if request.items is not False:
        return data
    labels = names_given(request.columns.get("label"), data.groups)
    return Tallied.of(data, request.options().metrics, by=next(iter(labels), None))


def _should_count(request: Request, known: Sequence[Any], family: Family | None) -> bool:
    """Whether all that is asked for can be counted, and the items would fill the memory."""
    countable = family in (None, table_files) and request.is_countable
    if request.items is True or not countable or any(map(_in_memory, known)):
        return False
    lazy = len(known) == 1 and nw.dependencies.is_polars_lazyframe(known[0])
    if family is None and not lazy:
        return True
    from betterthan.readers.lazy_sources import fits, kind_of  # noqa: PLC0415 (heavy)

    return all(map(kind_of, known)) and not all(map(fits, known))


def _in_memory(source: Any) -> bool:
    return nw.dependencies.is_into_dataframe(source)


def _held(sources: Sequence[Any], files: Sequence[Path]) -> Sequence[Any]:
    """Files that pipes were read into, sources as they are, or the frame of an engine, computed."""
    if files:
        return files if any(isinstance(path, Stream) for path in files) else sources
    if len(sources) > 1:
        raise UsageError("several data frames cannot be read at once, only one, or files")
    if _in_memory(sources[0]):
        return sources
    from betterthan.readers.lazy_sources import opened, reported  # noqa: PLC0415 (heavy)
    from betterthan.tables.counted import collected  # noqa: PLC0415

    with reported("the frame"):
        return [collected(opened(sources[0]))]


def _scores(request: Request, sources: Sequence[Any], *, of_logs: bool = False) -> Scores:
    """Scores of tables and logs, and of frames."""
    request.check_roles(OF_SCORES, "scores")
    apart = request.cluster_file
    missing = request.missing if apart is None else "pairwise"
    scores = read_scores(sources, request.options(of_logs=of_logs, missing=missing))
    return scores if apart is None else _clustered(scores, apart).completed(request.missing, None)


def _clustered(scores: Scores, file: str) -> Scores:
    """Scores whose clusters are in a file, a line for each item."""
    labels = as_labels(labels_in(file, scores.n))
    return replace(scores, clusters=labels, groups={**scores.groups, Path(file).stem: labels})


def _judged(request: Request, known: Sequence[Any], *, in_place: bool) -> Judgments | Scores:
    """Judgments, for rankings; or if a metric asks for it, the share that each system won."""
    request.check_roles(OF_JUDGMENTS, "judgments")
    if request.lower_is_better:
        raise UsageError("lower_is_better is for scores, and these are judgments")
    options, sides = request.options(), request.sides
    if in_place and request.metric is None:
        from betterthan.readers.lazy_sources import opened, reported, stacked  # noqa: PLC0415

        request.check_unused("what is counted in place", "input_format")
        places = [str(x) if isinstance(x, Path) else "the frame" for x in known]
        origin = places[0] if len(known) == 1 else f"{len(known)} x judgments"
        with reported(origin):
            games = games_in_place(stacked(list(map(opened, known))), origin, options, sides)
        return judgments_of(games, request.systems, "counted in place")
    if all(isinstance(source, Path) for source in known):
        games = games_in_files(known, options, sides)
        check_names(known, games.systems)
    else:
        place = Place("the data frame")
        games = games_in_frame(to_polars(_held(known, [])[0]), place, options, sides)
    if request.metric is None:
        return judgments_of(games, request.systems)
    return as_scores.scores_of(games, options)


def _is_judged_frame(source: Any) -> bool:
    try:
        frame = nw.from_native(source)
    except (TypeError, nw.exceptions.DuplicateError):
        return False  # the reader says so
    return is_judged([str(name) for name in frame.collect_schema().names()])


def _outputs(request: Request, sources: Sequence[Any]) -> Scores:
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
    return read_outputs(request, files)


def _labels(request: Request, sources: Sequence[Any]) -> Scores:
    """Labels in a table, scored against its column of right answers."""
    request.check_roles(OF_LABELS, "tables of labels")
    if len(sources) > 1 or request.ref is not None:
        raise UsageError("the right answers are in one table, or in files of their own, not both")
    if isinstance(sources[0], str | PathLike):
        (path,) = expand_paths(sources)
        table, place = frame_of(path, request.options())[0], str(path)
    else:
        table, place = to_polars(sources[0]), "the data frame"
    long, read, counts = counted_labels(table, request, place)
    options = read.options()
    declared = replace(declared_of(options), score=counts)
    scores = scores_of(typed(long, declared, Place(place), where=read.where), options)
    ref = request.columns["ref"]
    return replace(scores, source=f"{place} · --columns ref={ref} · {scores.source}")


def _tally(request: Request, files: Sequence[Path]) -> Tallied:
    """Read a tally that was written, which says itself how its columns were understood."""
    if len(files) > 1 or request.items is True:
        raise tally_files.items_needed(files)
    request.check_unused("a tally", "where", "missing")
    request.check_roles(("label",), "tallies")
    tally = tally_files.read_tally(files[0])
    if request.lower_is_better:
        tally = replace(tally, lower_is_better=True)
    return tally if request.systems is None else tally.select(*request.systems)


def _counted(request: Request, sources: Sequence[Any], known: Sequence[Any]) -> Tallied | None:
    """Group and count tables where they are; None where reading says more, or takes them."""
    from betterthan.readers.lazy_sources import count, fits  # noqa: PLC0415 (heavy)

    request.check_unused("what is counted in place", "missing", "input_format")
    request.check_roles(OF_COUNTED, "tables that are counted in place")
    files = isinstance(known[0], Path)
    try:
        tally = count(known, request.options())
    except DataError:
        if (files or len(known) == 1) and all(map(fits, known)):
            return None
        raise
    check_names(known if files else (), () if request.systems else tally.systems)
    by_name = len(sources) == 1 < len(known) and len(tally.systems) > 1 and not request.systems
    return replace(tally, by_rows=True) if by_name else tally
