"""Retrieval measures by query, one file per run, as trec_eval and ir_measures print them with -q.

Lines are ``measure query value`` of the former, ``query measure value`` of the latter.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from betterthan.data.frames.reader_options import Options
from betterthan.data.scores import Scores
from betterthan.errors import FormatError
from betterthan.readers.examples import Example
from betterthan.readers.files import first_bytes, opened
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.runs import LogFile, Run, Value, as_number, log_files

FORMATS = ("trec", "ir-measures")
EXAMPLES = {
    "trec": Example(
        "trec_eval -q, ir_measures -q",
        "betterthan compare base.txt new.txt --metric map",
        """
map                     301     0.0413
P_10                    301     0.4000
map                     all     0.1785
""",
    )
}
LOOK = 2048  # bytes that show what a file is
ALL = "all"  # the query of averages
TREC = re.compile(
    r"runid|num_\w+|map(_cut_\d+)?|gm_map|Rprec(_mult_[\d.]+)?|bpref|recip_rank|[GR]?P_\d+|"
    r"iprec_at_recall_[\d.]+|recall_\d+|ndcg(_cut_\d+|_rel)?|infAP|11pt_avg|success_\d+|"
    r"set_\w+|relative_P_\d+|utility.*|binG|G|Rndcg|relstring.*|rbp.*"
)
IR = re.compile(
    r"(AP|MAP|nDCG|NDCG|P|R|RR|MRR|Rprec|Bpref|ERR|RBP|Success|Judged|NumQ|NumRel|NumRet|IPrec|"
    r"infAP|SetP|SetR|SetF|SetAP|BPM|INST|INSQ|Compat|Accuracy|alpha_nDCG|alpha_DCG|nERR|NRBP|"
    r"AP_IA|P_IA|StRecall|nNRBP|ERR_IA)(\(.*\))?(@[\d.]+)?"
)
COUNTS = re.compile(r"num_\w+|NumQ|NumRel.*|NumRet.*|runid")


def recognise(path: Path, head: bytes) -> bool:
    """Tell by three fields per line, one of them a known measure."""
    del path
    return _order(head) is not None


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all runs together, by query."""
    runs = [_run(file) for file in log_files(files, options)]
    return gather(runs, options, "trec_eval", item="query", texts=False)


def _run(log: LogFile) -> Run:
    path = log.path
    order = _order(first_bytes(path))
    if order is None:
        raise FormatError(
            f"{path}: lines are neither measure, query, value nor query, measure, value: write "
            "them with trec_eval -q or ir_measures -q"
        )
    measure_at, query_at = order
    values: dict[str, dict[str, Value]] = {}
    runid = ""
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            fields = line.decode(errors="replace").split()
            if not fields:
                continue
            if len(fields) != 3:
                raise FormatError(
                    f"{path}: line {number:,} has {len(fields)} fields, not three: it is cut off "
                    "or no line of trec_eval; write the file again"
                )
            measure, query = fields[measure_at], fields[query_at]
            if measure == "runid":
                runid = fields[2]
            if query == ALL or measure == "runid":
                continue
            column = values.setdefault(measure, {})
            if query in column:
                raise FormatError(
                    f"{path}: line {number:,} gives query {query!r} a second {measure}: two runs "
                    "are written to one file; separate them"
                )
            value = column[query] = as_number(fields[2])
            if value is None and not COUNTS.fullmatch(measure):
                raise FormatError(
                    f"{path}: line {number:,}: {fields[2]!r} is no value of {measure}"
                )
    if not values:
        raise FormatError(f"{path} holds averages only: write it with -q, which prints each query")
    queries = list(dict.fromkeys(query for column in values.values() for query in column))
    # Counts come last, so that they are nobody's default.
    names = sorted(values, key=lambda m: (COUNTS.fullmatch(m) is not None, m != "map"))
    return Run(
        system=log.system(runid),
        task="",
        where=str(path),
        items=queries,
        scores={m: [values[m].get(query) for query in queries] for m in names},
    )


def _order(head: bytes) -> tuple[int, int] | None:
    """Where the measure and the query are in the lines of a file; None where it is no such file."""
    lines = head[:LOOK].decode(errors="replace").splitlines()
    rows = [line.split() for line in (lines[:-1] or lines) if line.strip()]
    if not rows or any(len(row) != 3 for row in rows):
        return None
    if all(TREC.fullmatch(row[0]) for row in rows):
        return 0, 1
    if all(IR.fullmatch(row[1]) and as_number(row[2]) is not None for row in rows):
        return 1, 0
    return None
