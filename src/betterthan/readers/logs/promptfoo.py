"""promptfoo: ``--output results.json`` (or ``.jsonl``, ``.csv``), one result per answer.

A provider is a system; so is each prompt where there are several. Tests are items: ``--repeat``
numbers every repeat as a separate test, so tests with the same variables and assertions are one.
Versions 1 and 2 name neither provider nor test: there prompts are systems. Where an export has the
table of the web page alone, its columns are systems.

Its files look like this::

    {"evalId": "eval-...", "results": {"version": 3, "results": [
      {"provider": {"id": "openai:gpt-4o"}, "promptIdx": 0, "testIdx": 0, "success": true,
       "score": 1, "namedScores": {}, ...}]}}
    $ betterthan compare results.json
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Union

from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.promptfoo_tables import IN_CSV, Answer, Table, answers_of, csv_table
from betterthan.readers.logs.runs import LogFile, Run, Sample, numbers

LONGEST_PROMPT = 40
TOKENS = {"prompt": "input_tokens", "completion": "output_tokens", "total": "total_tokens"}


class Export(Table):
    """A file: version 1 has at its top what later versions have in ``results``."""

    results: Union["Export", list[Answer], None] = None
    table: Table | None = None


def known(file: LogFile) -> bool:
    """Tell by the fields of the file, or of a line."""
    keys = file.keys
    return (
        {"provider", "success", "promptIdx"} <= keys
        or ("results" in keys and bool(keys & {"evalId", "shareableUrl"}))
        or (bool(keys & {"results", "table", "body"}) and file.has(b'"prompt', b'"vars"'))
        or (not keys and bool(IN_CSV.search(file.head)))
    )


def runs(file: LogFile) -> Iterator[Run]:
    """Yield the runs of all systems."""
    answers = list(_answers(file))
    by_system: defaultdict[str, list[Sample]] = defaultdict(list)
    for answer, system, item in zip(answers, _systems(answers), _items(answers), strict=True):
        by_system[system].append(_sample(answer, item))
    for system, samples in by_system.items():
        yield Run(file, samples, system)


def _answers(file: LogFile) -> Iterable[Answer]:
    """Answers in the lines, the results or the table of a file."""
    if not file.keys:
        return answers_of(csv_table(file.path), file.path)
    if not file.keys & {"results", "table", "body"}:
        return (answer for _, answer in file.records(Answer))
    export = file.decode(Export)
    inner = export.results if isinstance(export.results, Export) else export
    if isinstance(inner.results, list) and inner.results:
        return inner.results
    return answers_of(inner.table or inner, file.path)


def _systems(answers: Sequence[Answer]) -> list[str]:
    """Name the system of each answer: its provider, and its prompt where there are several.

    Long prompts are named by number or beginning, columns alike in all this by their number.
    """
    asked = [str(answer.prompt or "") for answer in answers]
    prompts = list(dict.fromkeys(asked))
    starts = Counter(prompt[:LONGEST_PROMPT] for prompt in prompts)
    short = {"": ""}
    for k, prompt in enumerate(prompts, start=1):
        start = prompt[:LONGEST_PROMPT]
        numbered = starts[start] > 1 or answers[0].prompt_idx is not None
        cut = f"prompt {k}" if numbered else f"{start.rstrip()} ..."
        short[prompt] = "" if len(prompts) == 1 else prompt if prompt == start else cut
    names = [
        " · ".join(filter(None, (str(answer.provider or ""), short[prompt])))
        for answer, prompt in zip(answers, asked, strict=True)
    ]
    columns = [answer.prompt_idx or 0 for answer in answers]
    alike = Counter(name for name, _ in {*zip(names, columns, strict=True)})
    return [
        f"{name} · column {column + 1}" if alike[name] > 1 else name
        for name, column in zip(names, columns, strict=True)
    ]


def _items(answers: Sequence[Answer]) -> list[str]:
    """Name the test of each answer by its number, or where some are repeats, by their order."""
    tests = [answer.test for answer in answers]
    numbers = [k if x.test_idx is None else x.test_idx for k, x in enumerate(answers)]
    first: dict[bytes, int] = {}
    for test, number in zip(tests, numbers, strict=True):
        first[test] = min(number, first.get(test, number))
    if len(first) < len(set(numbers)):
        first = {test: k for k, test in enumerate(sorted(first, key=first.__getitem__))}
    return [str(first[test]) for test in tests]


def _sample(answer: Answer, item: str) -> Sample:
    """How one answer fared: whether it passed, how well, named scores; and what it took."""
    response = None if isinstance(answer.response, str) else answer.response
    used = numbers(response and response.token_usage)
    tokens = {name: used.get(key) for key, name in TOKENS.items()}
    return Sample(
        item,
        {"pass": answer.success, "score": answer.score, **numbers(answer.named_scores)},
        usage={"cost": answer.cost, "latency_ms": answer.latency_ms, **tokens},
        marks={"vars": answer.vars},
    )


HARNESS = Harness(
    "promptfoo",
    __doc__,
    known,
    runs,
    item="test",
    response="repeat",
)
