"""From any source to data: files, folders, logs, raw outputs, frames and tables in engines."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from betterthan.data.judgments import Judgments
from betterthan.data.labels import as_labels
from betterthan.data.scores import Missing, Scores
from betterthan.data.tallied import tally
from betterthan.errors import UsageError
from betterthan.metrics import Metric
from betterthan.readers.families import check_names, check_use, reader_of
from betterthan.readers.files import expand_paths, is_address
from betterthan.readers.options import Options, Paths, Roles
from betterthan.readers.outputs.scoring import labels_in
from betterthan.readers.streams import Limits, limited


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
    Scores or Judgments

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"id": ["q1", "q2"], "base": [0, 1], "new": [1, 1]})
    >>> read(frame, systems=["new", "base"]).systems
    ('new', 'base')
    >>> read(frame.lazy(), items=False)
    <Scores: 2 items x 2 systems, in 2 distinct rows>
    """
    options = Options.of(
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
    with limited(limits):
        return _data(sources, options)


def _data(sources: Sequence[Any], options: Options) -> Scores | Judgments:
    paths = [isinstance(source, str | PathLike) and not is_address(source) for source in sources]
    if any(paths) and not all(paths):
        raise UsageError("sources must be files or frames, not both")
    files = expand_paths(sources) if all(paths) else []
    reader = reader_of(files or sources, options)
    check_use(reader, options)
    file = options.cluster_file
    every = replace(options, missing="pairwise")  # as the file has a line for each item
    data: Scores | Judgments = reader.read(
        files or sources, every if file and options.missing == "drop" else options
    )
    check_names(files, () if options.systems else data.systems)
    if isinstance(data, Judgments):
        return replace(data, clusters=as_labels(labels_in(file, data.n))) if file else data
    if file and isinstance(data, Scores):
        clusters = as_labels(labels_in(file, data.n))
        groups = {**data.groups, Path(file).stem: clusters}
        data = replace(data, clusters=clusters, groups=groups).completed(options.missing, None)
    if options.items is False and isinstance(data, Scores) and data.counts is None:
        label = next((name for name in options.columns_of("label") if name in data.groups), None)
        data = tally(data, options.metrics or None, by=label)
    # Files of a folder or a pattern are in the order of their names, which no one intended.
    pattern = len(sources) == 1 < len(files) and len(data.systems) > 1 and not options.systems
    if pattern and data.order == "given":
        data = replace(data, order="by rows")
    return data
