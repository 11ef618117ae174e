"""Scores as programs print them."""

from collections.abc import Callable

import numpy as np

from betterthan.numeric import Floats


def single_digits(value: float) -> str:
    """As pandas writes a column of single precision to CSV, and orjson to JSON."""
    return str(np.float32(value))


# How programs print numbers: pandas' to_json has ten places, numpy prints eight digits.
PRINTINGS: dict[str, Callable[[float], str]] = {
    "repr": repr,
    "shortest single": single_digits,
    **{
        form: ("{:" + form + "}").format
        for form in (".10f", ".8f", ".7f", ".6f", ".4f", ".9g", ".8g", ".7g")
    },
}


def printed(values: Floats, form: str) -> Floats:
    """Values as they are read from what was printed."""
    return np.array([float(PRINTINGS[form](x)) for x in values.tolist()])
