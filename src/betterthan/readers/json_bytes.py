"""JSON as it occurs: half a pair of surrogates, bytes that are not text, endless nesting."""

import re
from typing import Any

import msgspec

from betterthan.errors import FormatError

# Escapes of JSON in the order they stand, so that `\\ud83d` is not taken for one.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|u([dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
FAULTS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def decoded(data: Any, kind: Any = Any) -> Any:
    r"""Decode JSON; half an emoji, as Python writes what was cut, becomes the text ``\ud83d``.

    Raises
    ------
    msgspec.DecodeError
        Whatever is wrong.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except FAULTS as error:
        if (spelled := spelled_surrogates(bytes(data))) == data:
            raise msgspec.DecodeError(str(error)) from error
    return decoded(spelled, kind)


def spelled_surrogates(data: bytes) -> bytes:
    r"""Write halves of pairs of surrogates as text.

    >>> spelled_surrogates(rb'["\ud83d", "\ud83d\ude00", "\\ud83d"]')
    b'["\\\\ud83d", "\\ud83d\\ude00", "\\\\ud83d"]'
    """
    return _ESCAPE.sub(lambda found: b"\\\\u" + found[1] if found[1] else found[0], data)


def value_of(raw: msgspec.Raw | bytes, where: object) -> Any:
    """Decode a part of a record that was skipped over at first."""
    try:
        return decoded(raw)
    except msgspec.DecodeError as error:
        raise FormatError(f"{where} is not JSON ({error}): write it again") from error
