"""What the items that a result lists say, where the files tell."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from betterthan.cli.input import Input

if TYPE_CHECKING:
    from betterthan.readers.files import PathName


def texts_of_items(
    files: "Sequence[PathName]",
    source: Input,
    metric: Sequence[str],
    items: Sequence[str],
    rows: Sequence[int],
) -> dict[str, dict[str, str]]:
    """What some items say, where the files tell; the result stands without it."""
    from betterthan.data.frames.reader_options import Options
    from betterthan.errors import BetterthanError
    from betterthan.readers.item_texts import item_texts

    options = Options(**replace(source, systems=None).options)
    try:
        return item_texts(
            files,
            items,
            rows,
            gold=getattr(source, "ref", None) or (),
            metric=metric,
            options=options,
        )
    except BetterthanError:
        return {}
