"""Alignment error rate: the definition, the two formats, and what is wrong with files."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scored_texts import column, scored, value

from betterthan.tasks import alignments

Links = set[tuple[int, int]]
links = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8)


def pharaoh(pairs: list[tuple[Links, Links]]) -> str:
    return "".join(
        " ".join([f"{i}-{j}" for i, j in sure] + [f"{i}?{j}" for i, j in maybe]) + "\n"
        for sure, maybe in pairs
    )


def naacl(pairs: list[tuple[Links, Links]]) -> str:
    return "".join(
        f"{k:04d} {i + 1} {j + 1} {kind}\n"
        for k, (sure, maybe) in enumerate(pairs, start=1)
        for kind, group in (("S", sure), ("P", maybe))
        for i, j in sorted(group)
    )


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(links, links, links), min_size=1, max_size=5))
def test_the_definition(rows: list[tuple[Links, Links, Links]]) -> None:
    """1 - (|A and S| + |A and P|) / (|A| + |S|) with S a subset of P (Och & Ney, 2003, eq. 24)."""
    gold = [(sure, maybe) for sure, maybe, _ in rows]
    answers = [(answer, Links()) for _, _, answer in rows]
    hits = sum(len(a & s) + len(a & (s | m)) for s, m, a in rows)
    size = sum(len(a) + len(s) for s, _, a in rows)
    if not any(s | m for s, m in gold) or not any(a for a, _ in answers):
        return
    expected = pytest.approx(float(1 - Fraction(hits, size)), abs=1e-12)
    assert value(scored(alignments, pharaoh(answers), pharaoh(gold), "aer"), "aer") == expected
    if gold[-1][0] | gold[-1][1]:  # NAACL's format does not say that there is another pair
        for text in (pharaoh(answers), naacl(answers)):
            assert value(scored(alignments, text, naacl(gold), "aer"), "aer") == expected


def test_a_line_is_an_item_and_formats_may_be_mixed() -> None:
    result = scored(alignments, "1 1 1\n", "0-0\n1-1\n\n", "aer")
    assert column(result, "links") == [1, 0, 0]
    assert column(result, "sure_hits") == [1, 0, 0]


def test_sentence_pairs_without_links_count_for_nothing() -> None:
    result = scored(alignments, "1 1 1\n3 1 1 S 0.9\n", "1 1 1 S\n3 1 1 P\n9 2 2\n", "aer")
    assert column(result, "links") == [1, 1, 0]
    assert column(result, "sure") == [1, 0, 1]
    assert column(result, "possible_hits") == [1, 1, 0]
