"""How options are written: what is written is read back, whatever it holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.errors import UsageError
from betterthan.grammar import call_of, names_of, names_text, pairs_of, pairs_text, split_call

keys = st.from_regex(r"[a-z][a-z_-]{0,5}", fullmatch=True)
values = st.text(st.sampled_from('ab ,"()=+\n'), max_size=8) | st.text(max_size=8)


@given(st.dictionaries(keys, values, max_size=4))
def test_pairs_are_read_as_they_are_written(pairs: dict[str, str]) -> None:
    text = pairs_text(pairs)
    assert pairs_of(text) == pairs
    assert call_of(f"name({text})") == ("name", pairs)


@given(st.lists(values, max_size=4))
def test_names_are_read_as_they_are_written(names: list[str]) -> None:
    assert names_of(names_text(names)) == names


@pytest.mark.parametrize(
    ("text", "name", "inside"),
    [
        (" f1 ", "f1", ""),
        ("fbeta( 2 )", "fbeta", "2"),
        ("recall((x))", "recall", "(x)"),
        ("chrf++(lc)", "chrf++", "lc"),
        ("my.module:METRIC(lower_is_better)", "my.module:METRIC", "lower_is_better"),
        ("what (a", "what (a", ""),
        ("", "", ""),
    ],
)
def test_a_name_and_what_is_in_its_parentheses(text: str, name: str, inside: str) -> None:
    assert split_call(text) == (name, inside)


@pytest.mark.parametrize("text", ["item", "item=", "=id", "a=1,a=2", 'a="1', "a=1,b"])
def test_pairs_that_are_incomplete_are_errors(text: str) -> None:
    with pytest.raises(UsageError):
        pairs_of(text)
