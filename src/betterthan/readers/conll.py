"""Predicted tags beside the gold ones, in conlleval's format: token ... gold predicted."""

from collections.abc import Sequence
from pathlib import Path

from betterthan.data import Scores
from betterthan.frames.roles import Options
from betterthan.readers.files import all_bytes
from betterthan.readers.outputs import names_of, scores_of
from betterthan.readers.text import check_utf8
from betterthan.tasks import spans
from betterthan.tasks.sources import Source

FORMATS = ("conll",)


def recognise(path: Path, head: bytes) -> bool:
    """Tell lines that end in two tags."""
    del path
    text = head.decode(errors="replace").removeprefix("\ufeff")
    return spans.recognise_pairs(text if len(head) < 1 << 16 else text[: text.rfind("\n") + 1])


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of each sentence: spans in all and by type, and tokens."""
    sources = []
    for path in files:
        data = all_bytes(path)
        check_utf8(data, str(path))
        sources.append(Source(str(path), data.decode()))
    return scores_of(
        spans.score_pairs(sources),
        names_of(files),
        metrics=None,
        origin=f"{len(files)} x conll",
        cluster=options.cluster,
        missing=options.missing,
        lower_is_better=options.lower_is_better,
    )
