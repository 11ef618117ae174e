"""Pictures that are the same every time, whoever else is drawing.

The settings of matplotlib, its fonts and Python's filters of warnings belong to the whole process:
one thread at a time draws, and what it sets is put back before the next one starts.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from threading import RLock
from typing import Any

ALONE = RLock()
SALT = {"svg.hashsalt": "betterthan"}  # the same names inside a picture every time
UNDATED: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


@contextmanager
def settings(values: Mapping[str, Any]) -> Iterator[None]:
    """Draw with settings of matplotlib, and with nobody else drawing."""
    import matplotlib as mpl  # noqa: PLC0415 (slow to import)

    known: dict[Any, Any] = {**SALT, **values}
    with ALONE, warnings.catch_warnings(), mpl.rc_context(known):
        yield


def apart(width: float, height: float) -> Any:
    """Make axes of a figure that no window shows and pyplot does not know."""
    from matplotlib.figure import Figure  # noqa: PLC0415 (slow to import)

    return Figure(figsize=(width, height), layout="constrained").subplots()


def encoded(figure: Any, form: str) -> bytes:
    """Write a figure as a file of that form: the same bytes for the same figure."""
    picture = BytesIO()
    figure.savefig(picture, format=form, dpi=200, metadata=UNDATED.get(form))
    return picture.getvalue()
