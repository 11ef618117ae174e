"""ragas: what ``to_pandas()`` gives, as CSV, JSON or Parquet.

Its files look like this::

    user_input,retrieved_contexts,response,reference,faithfulness,answer_relevancy
    When was ...,['...'],In 1969,1969,1.0,0.93
"""

import re
from functools import partial

from betterthan.readers.logs.exports import Row, columns_of, export_runs, number_of, text_of
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import Head, Sample, numbers, short_id
from betterthan.tables.names import is_index

METRICS = re.compile(
    r"(faithfulness.*|.*(relevancy|relevance|precision|recall|correctness|similarity|accuracy|"
    r"groundedness|f1)|answer_.*|bleu_score|rouge_score|chrf_score|exact_match|string_present|"
    r"summary_score|topic_adherence|.*equivalence.*|conciseness|coherence|helpfulness.*|"
    r"rubrics?_score.*|.*_rubrics?)(\(.*\))?"
)
"""Metrics that ragas comes with and of which higher is better; some end in (mode=...)."""
TEXTS = set(
    "user_input response reference retrieved_contexts reference_contexts retrieved_context_ids "
    "reference_context_ids multi_responses rubrics question answer contexts ground_truth "
    "ground_truths reference_tool_calls".split()
)
INPUTS = ("user_input response", "question answer contexts", "user_input retrieved_contexts")


def known(head: Head) -> bool:
    """Tell by the columns of the inputs, next to any known metric."""
    names = columns_of(head)
    scored = any(METRICS.fullmatch(name) for name in names - TEXTS)
    return scored and any(names.issuperset(each.split()) for each in INPUTS)


def _sample(row: Row) -> Sample:
    values = numbers({name: x for name, x in row.items() if name not in TEXTS}, number_of)
    scores = {name: value for name, value in values.items() if METRICS.fullmatch(name)}
    unnamed = {name for name in values if is_index(name)}
    return Sample(
        item=short_id(text_of(row, "user_input", "question")),
        scores=scores,
        usage={n: x for n, x in values.items() if n not in scores and n not in unnamed},
        mark=(None, text_of(row, "reference", "ground_truth", "ground_truths") or None),
    )


HARNESS = Harness(
    names=("ragas",),
    title="ragas",
    source="ragas, to_pandas().to_csv()",
    command="betterthan compare base.csv new.csv --metric faithfulness",
    about=__doc__,
    known=known,
    runs=partial(export_runs, sample=_sample, item="user_input", repeated=False),
    item="user_input",
)
