"""The same ids are not the same items where the questions differ."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import betterthan as bt
from betterthan.errors import AlignmentError

A_COLUMN = "question|Query|prompt|input|source|src|reference|gold_answer|target|expected|doc_hash"


def asked(**questions: list[str | None]) -> pl.DataFrame:
    """A long table: the questions that each system was asked, one an item."""
    rows = [
        {"item": str(k), "system": system, "question": text, "score": len(text or "") % 2}
        for system, texts in questions.items()
        for k, text in enumerate(texts)
    ]
    return pl.DataFrame(rows)


@pytest.mark.parametrize("name", A_COLUMN.split("|"))
def test_questions_that_differ_are_other_items(name: str) -> None:
    table = asked(base=["a", "bb", "c"], new=["a", "dd", "ee"]).rename({"question": name})
    with pytest.raises(AlignmentError, match=f"2 items differ in '{name}' .*'1', '2'") as caught:
        bt.read(table)
    assert caught.value.remedies[0].value == {"item": "item"}


def test_naming_the_item_settles_it() -> None:
    table = asked(base=["a", "bb", "c"], new=["a", "dd", "ee"])
    assert bt.read(table, columns={"item": "item"}).n == 3
    assert bt.read(table, columns={"item": "question"}, missing="drop").n == 1


def test_one_item_is_enough() -> None:
    with pytest.raises(AlignmentError, match="1 item differs in 'question'"):
        bt.read(asked(base=["a", "bb", "c"], new=["a", "bb", "ee"]))


@pytest.mark.parametrize("name", ["answer", "output", "context", "label"])
def test_what_a_system_said_or_found_may_differ(name: str) -> None:
    table = asked(base=["a", "bb", "c"], new=["a", "dd", "ee"]).rename({"question": name})
    assert bt.read(table).n == 3


@pytest.mark.parametrize("name", ["prompt", "source"])
def test_names_of_prompts_and_sources_belong_to_systems(name: str, tmp_path: Path) -> None:
    table = asked(base=["v1"] * 3, new=["v2"] * 3).rename({"question": name})
    assert bt.read(table).n == 3
    table.write_csv(tmp_path / "t.csv")
    assert bt.read(tmp_path / "t.csv", items=False).n == 3
    for system in ("base", "new"):
        own = table.filter(pl.col("system") == system).drop("system")
        own.write_csv(tmp_path / f"{system}.csv")
    assert bt.read(tmp_path / "base.csv", tmp_path / "new.csv").n == 3
    assert bt.read(tmp_path / "base.csv", tmp_path / "new.csv", items=False).n == 3


def test_lines_without_ids() -> None:
    table = asked(base=["a", "bb", "c"], new=["a", "bb", "ee"]).drop("item")
    table = table.rename({"question": "source"})
    with pytest.raises(AlignmentError, match="by position, 1 item differs"):
        bt.read(table)


def test_scans_ask_as_well(tmp_path: Path) -> None:
    table = asked(base=["a", "bb", "c"], new=["a", "dd", None])
    table.write_csv(tmp_path / "t.csv")
    table.write_ndjson(tmp_path / "t.jsonl")
    table.write_parquet(tmp_path / "t.parquet")
    for path in sorted(tmp_path.iterdir()):
        with pytest.raises(
            AlignmentError,
            match=r"differ in 'question' on items \('1' \.\.\.; 'bb' and 'dd'\).*item",
        ):
            bt.read(path, items=False)
        assert bt.read(path, columns={"item": "item"}, items=False).n == 3
    parts = table.partition_by("system", as_dict=True, include_key=False)
    for (name,), own in parts.items():
        own.write_csv(tmp_path / f"{name}.csv")
    with pytest.raises(AlignmentError, match="differ in 'question' on items"):
        bt.read(tmp_path / "base.csv", tmp_path / "new.csv", items=False)


def test_a_blank_question_says_nothing() -> None:
    table = asked(base=["a", "", "c"], new=["a", "bb", "c"])
    table = table.with_columns(pl.col("question").replace({"": None}))
    assert bt.read(table).n == 3


TEXTS = st.lists(st.sampled_from("abc"), min_size=2, max_size=2)


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4))
def test_every_item_needs_a_question_that_all_systems_share(
    items: list[tuple[list[str], ...]],
) -> None:
    rows = [
        {"item": f"i{k}", "system": f"s{s}", "seed": seed, "prompt": text, "score": float(seed + s)}
        for k, systems in enumerate(items)
        for s, texts in enumerate(systems)
        for seed, text in enumerate(texts)
    ]
    shared = [set.intersection(*map(set, systems)) for systems in items]
    named = all(len({t for systems in items for t in systems[s]}) == 1 for s in range(3))
    if named or all(shared):  # a text for each system is the name of its prompt
        assert bt.read(pl.DataFrame(rows)).n == len(items)
    else:
        wrong = sum(not common for common in shared)
        with pytest.raises(AlignmentError, match=f"{wrong} items? differs? in 'prompt'"):
            bt.read(pl.DataFrame(rows))


def test_what_nobody_sees_makes_no_other_question(tmp_path: Path) -> None:
    plain: list[str | None] = ["Caf\u00e9 one\nline", "two  words", "three"]
    other: list[str | None] = ["Cafe\u0301 one\r\nline", "two words", " three \n"]
    table = asked(base=plain, new=other)
    assert bt.read(table).n == 3
    path = tmp_path / "t.parquet"
    table.write_parquet(path)
    counted: Any = bt.read(path, items=False)
    assert counted.rows.items.units == 3


def test_case_makes_another_question_and_the_first_two_texts_are_shown(tmp_path: Path) -> None:
    table = asked(base=["one", "two", "three"], new=["one", "Two", "three"])
    with pytest.raises(AlignmentError, match=r"\('1'; 'two' and 'Two'\)"):
        bt.read(table)
    path = tmp_path / "t.parquet"
    table.write_parquet(path)
    with pytest.raises(AlignmentError, match=r"\('1' ...; 'Two' and 'two'\)"):
        bt.read(path, items=False)


def test_texts_are_shown_from_where_they_differ() -> None:
    common = "an introduction that all questions have " * 10
    table = asked(base=[f"{common}A?", f"{common}B?"], new=[f"{common}A?", f"{common}C?"])
    with pytest.raises(AlignmentError, match=r"'\.\.\..{20}B\?' and '\.\.\..{20}C\?'"):
        bt.read(table)


def test_pairing_by_texts_is_offered_only_where_they_are_written_alike() -> None:
    table = asked(base=["one", "two", "three"], new=["two", "three", "one "])
    with pytest.raises(AlignmentError) as caught:
        bt.read(table)
    assert [remedy.value for remedy in caught.value.remedies] == [{"item": "item"}]
