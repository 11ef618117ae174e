"""Retrieval measures by query, one file per run, as trec_eval and ir_measures print them with -q.

Lines are ``measure query value`` of the former, ``query measure value`` of the latter.

Its files look like this::

    map                     301     0.0413
    P_10                    301     0.4000
    map                     all     0.1785
"""

import re
from collections.abc import Iterator, Sequence

from betterthan.errors import FormatError
from betterthan.readers.files import opened
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import Head, LogFile, Run, Sample, Value, as_number, run_of

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
COUNTS = re.compile(r"num_\w+|NumQ|NumRel.*|NumRet.*")


def known(head: Head) -> bool:
    """Tell by three fields per line, one of them a known measure."""
    return _places(head) is not None


def _places(head: Head) -> tuple[int, int] | None:
    """Where the measure and the query are in the lines; None where it is not such a file."""
    lines = head.data[:2048].decode(errors="replace").splitlines()
    rows = [line.split() for line in (lines[:-1] or lines) if line.strip()]
    if not rows or any(len(row) != 3 for row in rows):
        return None
    if all(TREC.fullmatch(row[0]) for row in rows):
        return 0, 1
    if all(IR.fullmatch(row[1]) and as_number(row[2]) is not None for row in rows):
        return 1, 0
    return None


def runs(files: Sequence[LogFile]) -> Iterator[Run]:
    """Runs of all files, one in each."""
    for file in files:
        measure_place, query_place = _places(file.head) or (0, 1)
        values: dict[str, dict[str, Value]] = {}
        runid = ""
        with opened(file.path) as lines:
            for number, line in enumerate(lines, start=1):
                fields = line.decode(errors="replace").split()
                if not fields:
                    continue
                if len(fields) != 3:
                    raise FormatError(
                        f"{file.path}: line {number:,} has {len(fields)} fields, not three: it is "
                        "cut off or not of trec_eval -q or ir_measures -q; write the file again"
                    )
                measure, query = fields[measure_place], fields[query_place]
                if measure == "runid":
                    runid = fields[2]
                elif query != "all":  # the query of averages
                    row, value = values.setdefault(query, {}), as_number(fields[2])
                    if measure in row or (value is None and not COUNTS.fullmatch(measure)):
                        raise FormatError(
                            f"{file.path}: line {number:,}: {fields[2]!r} is not the one value of "
                            f"{measure} on {query!r}: two runs may be in one file; separate them"
                        )
                    row[measure] = value
        if not values:
            raise file.averages("write it with -q, which prints each query")
        # The metric by default is map or else the first that is not a count.
        order = {m: (bool(COUNTS.fullmatch(m)), m != "map") for row in values.values() for m in row}
        names = sorted(order, key=lambda measure: order[measure])
        yield run_of(
            file,
            [Sample(q, {name: row.get(name) for name in names}) for q, row in values.items()],
            system=file.system(runid),
        )


HARNESS = Harness(
    names=("trec", "ir-measures"),
    title="trec_eval",
    source="trec_eval -q, ir_measures -q",
    command="betterthan compare base.txt new.txt --metric map",
    about=__doc__,
    known=known,
    runs=runs,
    item="query",
    texts=False,
)
