"""CoNLL-U: what is counted, and what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.errors import AlignmentError, FormatError
from betterthan.tasks import conllu
from betterthan.tasks.sources import Source

GOLD = """\
# newdoc id = d1
# sent_id = s1
1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\t_\t_\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj:x\t_\t_
2.1\tgone\t_\t_\t_\t_\t_\t_\t_\t_
3\tal\ta\tADP\t_\t_\t4\tcase\t_\t_
4\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\t_

# newdoc
# sent_id = s2
1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_
"""


def changed(*replacements: tuple[str, str]) -> Source:
    text = GOLD
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return Source("sys", text)


def test_counts() -> None:
    """By hand: of five words one has another tag and relation, one another head, one
    another subtype of the relation, which does not count."""
    system = changed(
        ("al\ta\tADP\t_\t_\t4", "al\ta\tDET\t_\t_\t4"),
        ("mar\tmar\tNOUN\t_\t_\t1", "mar\tmar\tNOUN\t_\t_\t2"),
        ("nos\tnosotros\tPRON\t_\t_\t1\tobj:x", "nos\tnosotros\tPRON\t_\t_\t1\tobj:y"),
        ("\tcase", "\tmark"),
    )
    scored = conllu.score([system, changed()], [Source("gold", GOLD)], ["las"])
    assert scored.columns["words"].tolist() == [[4, 4], [1, 1]]
    assert scored.columns["upos_correct"].tolist() == [[3, 4], [1, 1]]
    assert scored.columns["head_correct"].tolist() == [[3, 4], [1, 1]]
    assert scored.columns["label_correct"].tolist() == [[2, 4], [1, 1]]
    assert scored.items == ["s1", "s2"]
    assert scored.groups == {"document": ["d1", "2"]}


words = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.sampled_from(["n", "n:x", "o"])),
    min_size=3,
    max_size=3,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(words, words), min_size=1, max_size=4))
def test_against_a_plain_count(rows: list[tuple[list[tuple[str, int, str]], ...]]) -> None:
    def text(side: int) -> str:
        return "\n".join(
            "".join(
                f"{k + 1}\tw\t_\t{pos}\t_\t_\t{head}\t{rel}\t_\t_\n"
                for k, (pos, head, rel) in enumerate(pair[side])
            )
            for pair in rows
        )

    columns = conllu.score([Source("s", text(0))], [Source("g", text(1))], []).columns
    both = [(a, b) for pair in rows for a, b in zip(*pair, strict=True)]
    assert columns["words"].sum() == len(both)
    assert columns["upos_correct"].sum() == sum(a[0] == b[0] for a, b in both)
    assert columns["head_correct"].sum() == sum(a[1] == b[1] for a, b in both)
    assert columns["label_correct"].sum() == sum(
        a[1] == b[1] and a[2][0] == b[2][0] for a, b in both
    )


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (
            ("nos\tnos", "me\tnos"),
            AlignmentError,
            r"sys, line 5: sentence s1 has the word 'nos' in gold \(line 5\) and 'me'",
        ),
        (
            ("1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_\n", ""),
            AlignmentError,
            r"sys, line 3: sentence s1 has other multi-word tokens in gold \(1\) than here \(0\)",
        ),
        (
            ("4\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\t_\n", ""),
            FormatError,
            "sys, line 7: the head '4' of 'al' is none of the words 0 to 3",
        ),
        (("\t1\tobl", "\t_\tobl"), FormatError, "sys, line 8: the head '_' of 'mar'"),
        (("3\tal", "5\tal"), FormatError, "sys, line 7: word 3 of the sentence has the id '5'"),
        (("\tcase\t_\t_", "\tcase\t_"), FormatError, "sys, line 7 has 9 fields separated by tabs"),
        (
            ("1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_\n", ""),
            AlignmentError,
            "sys has 1 sentences, gold has 2",
        ),
        (
            ("1\tSí", "1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_\n2\tno"),
            AlignmentError,
            r"sentence s2 has other words in gold \(1\) than here \(2\)",
        ),
    ],
)
def test_complaints(change: tuple[str, str], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        conllu.score([changed(change)], [Source("gold", GOLD)], ["uas"])
