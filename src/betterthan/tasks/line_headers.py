"""Names of columns above the lines of a file: they would be scored as an item of their own."""

import re
from collections.abc import Sequence

from betterthan.errors import FormatError
from betterthan.tasks.sources import Source

LABELS = frozenset(
    "label labels prediction predictions predicted pred gold class category true target truth y "
    "y_true y_pred true_label gold_label predicted_label".split()
)
TEXTS = frozenset(
    "text texts sentence sentences source sources src target targets tgt reference references ref "
    "refs hypothesis hypotheses hyp hyps translation translations mt transcript transcripts "
    "transcription output outputs prediction predictions predicted pred response responses answer "
    "answers completion completions generation generations generated summary summaries "
    "generated_text predicted_text reference_text target_text source_text".split()
)
FEWEST = 3  # lines, with the header, that tell a header from an item
_NAMES_IDS = re.compile(r"(?i:(?:.*[_ .-])?(?:ids?|idx|index|[gu]uid|uid|qid|pid|sid))|\w+I[dD]|")


def check_no_header(files: Sequence[Source]) -> None:
    """Refuse texts that all begin with a column's name that none of them holds elsewhere.

    Where most lines are single words, such a word may be one of them, and is let pass.
    """
    if any(len(file.lines) < FEWEST or unquoted(file.lines[0]) not in TEXTS for file in files):
        return
    firsts = {unquoted(file.lines[0]) for file in files}
    first, *_ = files
    single = sum(len(line.split()) < 2 for line in first.lines[1:])
    if 2 * single > len(first.lines[1:]):
        return
    if any(unquoted(line) in firsts for file in files for line in file.lines[1:]):
        return
    raise FormatError(
        f"{first.at(1)} looks like a header: {unquoted(first.lines[0])!r} would be scored as an "
        f"item; leave it out of all files (tail -n +2 FILE){and_quotes(first.lines)}, or say "
        "unchecked=True if it is text"
    )


def and_quotes(lines: Sequence[str]) -> str:
    """Say that the quotes of CSV are to go, too, where lines end in one that began earlier."""
    quoted = any(len(line) > 1 and line.endswith('"') and line.count('"') > 1 for line in lines[1:])
    return " and write the texts without the quotes that CSV puts around them" * quoted


def names_ids(field: str) -> bool:
    """Tell names of columns of ids; that of an index, as pandas writes it, is empty.

    >>> [names_ids(name) for name in ("id", "PassengerId", "sentence_id", "", "covid", "no")]
    [True, True, True, True, False, False]
    """
    return _NAMES_IDS.fullmatch(field) is not None


def unquoted(field: str) -> str:
    """Leave out the quotes that CSV puts around a cell.

    >>> unquoted(' "id" '), unquoted('say "no"')
    ('id', 'say "no"')
    """
    field = field.strip()
    quoted = len(field) > 1 and field[0] == field[-1] == '"'
    return field[1:-1] if quoted else field
