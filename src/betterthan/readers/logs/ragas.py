"""ragas: what ``to_pandas()`` gives, as CSV, JSON or Parquet.

Its files look like this::

    user_input,retrieved_contexts,response,reference,faithfulness,answer_relevancy
    When was ...,['...'],In 1969,1969,1.0,0.93
    $ betterthan compare base.csv new.csv --metric faithfulness
"""

import re

from betterthan.readers.logs.exports import Row, export, text_of
from betterthan.readers.logs.runs import EXPECTED, Sample, numbers, short_id
from betterthan.tables.names import is_index

METRICS = re.compile(
    r"(faithfulness.*|.*(relevancy|relevance|precision|recall|correctness|similarity|accuracy|"
    r"groundedness|f1)|answer_.*|bleu_score|rouge_score|chrf_score|exact_match|string_present|"
    r"summary_score|topic_adherence|.*equivalence.*|conciseness|coherence|helpfulness.*|"
    r"rubrics?_score.*|.*_rubrics?)(\(.*\))?"
)
"""Metrics that ragas comes with and of which higher is better; some end in (mode=...)."""
INPUTS = ("user_input response", "question answer contexts", "user_input retrieved_contexts")
ASKED = ("user_input", "question")
REFERENCE = ("reference", "ground_truth", "ground_truths")
TEXTS = {*ASKED, *REFERENCE, "response", "answer", "retrieved_contexts", "contexts"}


def known(names: set[str]) -> bool:
    """Tell by the columns of the inputs, next to any known metric."""
    scored = any(METRICS.fullmatch(name) for name in names - TEXTS)
    return scored and any(names.issuperset(each.split()) for each in INPUTS)


def _sample(row: Row) -> Sample:
    cells = {name: x for name, x in row.items() if name not in TEXTS and not is_index(name)}
    values = numbers(cells, written=True)
    return Sample(
        short_id(text_of(row, *ASKED)),
        {name: x for name, x in values.items() if METRICS.fullmatch(name)},
        usage={name: x for name, x in values.items() if not METRICS.fullmatch(name)},
        marks={EXPECTED: text_of(row, *REFERENCE) or None},
    )


HARNESS = export("ragas", __doc__, known, _sample, item="user_input")
