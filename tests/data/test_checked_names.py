"""Names that are too long for names, and tables that are too wide to be looked at."""

import polars as pl
import pytest

import betterthan as bt
from betterthan.errors import FormatError, UsageError
from betterthan.metrics import parse


def test_a_long_name_is_text_that_was_taken_for_one() -> None:
    with pytest.raises(FormatError, match=r"name of a system has 5,000 characters \('xxx"):
        bt.Scores.from_arrays({"a": [1, 0], "x" * 5000: [0, 1]})
    with pytest.raises(FormatError, match="2,000 characters"):
        bt.Judgments.from_arrays(["a"], ["b" * 2000], [1])


def test_a_long_metric_is_none() -> None:
    with pytest.raises(UsageError, match="40,007 characters"):
        parse(f"ratio({'a' * 40_000})")


def test_thousands_of_columns_must_be_said_to_be_systems() -> None:
    wide = pl.DataFrame({"item": ["x", "y", "z"]} | {f"s{k}": [k % 2, 1, 0] for k in range(2500)})
    with pytest.raises(FormatError, match="2,501 columns on 3 rows") as caught:
        bt.read(wide)
    named = [(remedy.parameter, remedy.value) for remedy in caught.value.remedies]
    assert ("input_format", "wide") in named
    assert len(bt.read(wide, input_format="wide").systems) == 2500
