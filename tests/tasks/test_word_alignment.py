"""Alignment error rate: the definition, the formats, and what is refused."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.errors import AlignmentError, FormatError, UsageError
from betterthan.metrics import AER
from betterthan.tasks import word_alignment as alignment
from betterthan.tasks.sources import Source

links = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8)
Links = set[tuple[int, int]]


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
    said = [(answer, set[tuple[int, int]]()) for _, _, answer in rows]
    if not any(s | m for s, m in gold) or not any(a for a, _ in said):
        return
    hits = sum(len(a & s) + len(a & (s | m)) for s, m, a in rows)
    size = sum(len(a) + len(s) for s, _, a in rows)
    expected = 1 - Fraction(hits, size) if size else Fraction(0)
    sources = [Source("g", pharaoh(gold)), Source("s", pharaoh(said))]
    if all(s | m for s, m in gold):  # NAACL's format has no word for a pair without links
        sources += [Source("g2", naacl(gold))]
    for g in (sources[0], *sources[2:]):
        scored = alignment.score([sources[1]], [g], ["aer"])
        block = [
            [int(scored.columns[c][k, 0]) for c in alignment.COLUMNS] for k in range(len(rows))
        ]
        order = [AER.columns.index(c) for c in alignment.COLUMNS]
        top = sum(AER.numerator[o] * row[k] for row in block for k, o in enumerate(order))
        below = sum(AER.denominator[o] * row[k] for row in block for k, o in enumerate(order))
        assert (Fraction(top, below) if below else Fraction(0)) == expected


def test_formats_may_be_mixed() -> None:
    scored = alignment.score([Source("s", "1 1 1\n")], [Source("g", "0-0\n1-1\n")], ["aer"])
    assert scored.columns["links"][:, 0].tolist() == [1, 0]
    assert scored.columns["sure_hits"][:, 0].tolist() == [1, 0]


def test_naacl_systems_may_leave_pairs_out() -> None:
    gold = Source("g", "1 1 1 S\n2 1 1 P\n3 2 2\n")
    scored = alignment.score([Source("s", "1 1 1\n2 1 1 S 0.9\n")], [gold], ["aer"])
    assert scored.columns["links"][:, 0].tolist() == [1, 1, 0]
    assert scored.columns["sure"][:, 0].tolist() == [1, 0, 1]
    assert scored.columns["possible_hits"][:, 0].tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("gold", "system", "error", "says"),
    [
        ("0-0\n", "0-0 1:1\n", FormatError, "s, line 1: '1:1' is no link: write 3-4"),
        ("0-0\n1-1\n", "0-0\n", AlignmentError, "s has 1 sentence pair, g has 2"),
        (
            "0-0\n2-0\n",
            "0-0\n0-0\n",
            AlignmentError,
            "g, line 2: the link 2-0 is out of range, as src has 2 words there, 0 to 1; are its "
            "words counted from one",
        ),
        (
            "0-0\n0-0\n",
            "0-0\n0-7\n",
            AlignmentError,
            "s, line 2: the link 0-7 is out of range, as tgt has 1 words",
        ),
        ("1 1 1\n2 1 1\n", "1 1 1\n2 0 1\n", FormatError, "s, line 2 has a zero"),
        ("0-0\n", " \n", FormatError, "s is empty"),
    ],
)
def test_complaints(gold: str, system: str, error: type[Exception], says: str) -> None:
    texts = [Source("src", "a b c\na b\n"), Source("tgt", "x\ny\n")]
    with pytest.raises(error, match=says):
        alignment.score(
            [Source("s", system)], [Source("g", gold)], ["aer"], texts if "out of" in says else ()
        )


def test_one_text_is_not_enough() -> None:
    with pytest.raises(UsageError, match="both sides"):
        alignment.score([Source("s", "0-0")], [Source("g", "0-0")], ["aer"], [Source("t", "a")])


def test_files_that_count_from_zero_and_from_one() -> None:
    zero, one = Source("zero", "0-0 1-1\n" * 25), Source("one", "1-1 2-2\n" * 25)
    with pytest.raises(AlignmentError, match="zero has links to word 0 and one has none in 25"):
        alignment.score([zero], [one], ["aer"])


def test_a_wild_sentence_number_is_refused_before_it_takes_all_memory() -> None:
    gold = Source("g", "1 1 1\n")
    with pytest.raises(AlignmentError, match="s, line 2: there is no sentence pair 99,999,999,999"):
        alignment.score([Source("s", "1 1 1\n99999999999 1 1\n")], [gold], ["aer"])


def test_a_gold_of_links_invents_no_sentences() -> None:
    links = "".join(f"{k} 1 1\n" for k in range(1, 9))
    wild = Source("g", f"{links}9999999 1 1\n")
    with pytest.raises(AlignmentError, match=r"sentence pair 9,999,999 and none of 9") as caught:
        alignment.score([wild], [wild], ["aer"])
    assert caught.value.remedy == alignment.TEXTS
    gap, text = Source("g", "1 1 1\n3 1 1\n"), Source("t", "a\nb\nc\nd\n")
    with pytest.raises(AlignmentError, match="none of 2"):
        alignment.score([gap], [gap], ["aer"])
    found = alignment.score([gap], [gap], ["aer"], [text, text])
    assert [len(column) for column in found.columns.values()] == [4] * 4
