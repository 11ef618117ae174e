"""Predicted tags next to the gold ones, in conlleval's format: token ... gold predicted."""

from collections.abc import Sequence
from pathlib import Path

from betterthan.data.scores import Scores
from betterthan.readers.examples import Example
from betterthan.readers.files import system_names
from betterthan.readers.options import Options
from betterthan.readers.outputs.scoring import scores_of, source_of
from betterthan.tasks import tags

FORMATS = ("conll",)
EXAMPLES = {
    "conll": Example(
        "predicted tags next to the gold ones (conlleval)",
        "betterthan compare base.conll new.conll --metric f1",
        "John NNP B-PER B-PER\nlives VBZ O O",
    )
}


def recognise(path: Path, head: bytes) -> bool:
    """Tell lines that end in two tags."""
    del path
    text = head.decode(errors="replace").removeprefix("\ufeff")
    return tags.recognise(text if len(head) < 1 << 16 else text[: text.rfind("\n") + 1], tags=2)


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of each sentence: spans in all and by type, and tokens."""
    scored = tags.score_pairs([source_of(path) for path in files])
    return scores_of(scored, system_names(files), (), f"{len(files)} x conll", options)
