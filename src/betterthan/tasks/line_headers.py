"""Names of columns above the lines of a file, which are scored as an item."""

import re
from collections.abc import Sequence

from betterthan.errors import Note
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


def header_note(files: Sequence[Source]) -> tuple[Note, ...]:
    """Say so if all texts begin with a column's name that none of them has elsewhere.

    Where most lines are single words, such a word may be one of them.
    """
    if any(len(file.lines) < FEWEST or unquoted(file.lines[0]) not in TEXTS for file in files):
        return ()
    firsts = {unquoted(file.lines[0]) for file in files}
    first, *_ = files
    single = sum(len(line.split()) < 2 for line in first.lines[1:])
    if 2 * single > len(first.lines[1:]):
        return ()
    if any(unquoted(line) in firsts for file in files for line in file.lines[1:]):
        return ()
    text = (
        f"{first.at(1)} looks like a header: {unquoted(first.lines[0])!r} is scored as an item; if "
        "it is not text, delete it in all files"
    )
    return (Note(text, beside_verdict=True),)


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
