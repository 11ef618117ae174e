"""trec_eval and ir_measures: what they print with ``-q``, one file per run.

Lines are ``measure query value`` of the former, ``query measure value`` of the latter.

Its files look like this::

    map                     301     0.0413
    P_10                    301     0.4000
    map                     all     0.1785
    $ betterthan compare base.txt new.txt --metric map
"""

import re
from collections.abc import Iterator

from betterthan.readers.files import opened
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import LogFile, Run, Sample

MEASURE = re.compile(
    r"(runid|num|map|gm_map|Rprec|bpref|recip_rank|[GR]?P|iprec_at_recall|recall|ndcg|infAP|"
    r"11pt_avg|success|set|relative_P|utility|binG|G|Rndcg|relstring|rbp)([_.\d].*)?|"
    r"(\w*(AP|RR|DCG|RBP|Recall)(_IA)?|P|P_IA|R|Bpref|Success|Judged|Num\w+|IPrec|Set[PRF]|BPM|"
    r"INS[TQ]|Compat|Accuracy)(\(.*\))?(@[\d.]+)?"
)
"""Measures of trec_eval, and of ir_measures."""
COUNTS = re.compile(r"num_\w+|NumQ|NumRel.*|NumRet.*")


def known(file: LogFile) -> bool:
    """Tell by three fields per line, one of them a known measure."""
    return _places(file) is not None


def _places(file: LogFile) -> tuple[int, int] | None:
    """Where the measure and the query are in the lines; None where it is not such a file."""
    lines = file.head[:2048].decode(errors="replace").splitlines()
    rows = [line.split() for line in (lines[:-1] or lines) if line.strip()]
    for measure in (0, 1):
        if rows and all(len(row) == 3 and MEASURE.fullmatch(row[measure]) for row in rows):
            return measure, 1 - measure
    return None


def runs(file: LogFile) -> Iterator[Run]:
    """Yield the run in a file."""
    measure, query = _places(file) or (0, 1)
    rows: dict[str, dict[str, str]] = {}
    with opened(file.path) as lines:
        for number, line in enumerate(lines, start=1):
            fields = line.decode(errors="replace").split()
            if fields and (len(fields) != 3 or fields[measure] in rows.get(fields[query], ())):
                text = "is not the one value of a measure on a query: the file is cut off, or two "
                raise file.fault(f"{text}runs are in it; write it again", number)
            if fields:
                rows.setdefault(fields[query], {})[fields[measure]] = fields[2]
    runid = rows.pop("all", {}).get("runid", "")  # the query of averages
    # The metric by default is map or else the first that is not a count.
    names = dict.fromkeys(name for row in rows.values() for name in row)
    order = sorted(names, key=lambda name: (bool(COUNTS.fullmatch(name)), name != "map"))
    samples = [Sample(item, row) for item, row in rows.items()]
    if samples:  # the first tells the order of all
        samples[0].scores = dict.fromkeys(order) | dict(samples[0].scores)
    yield Run(file, samples, runid)


HARNESS = Harness(
    "trec", __doc__, known, runs, instead="write it with -q, which prints each query", item="query"
)
