"""What is wrong with outputs and references: one error for each, which names the file and line."""

import json
from types import ModuleType
from typing import Any

import pytest
from scored_texts import scored

from betterthan.errors import AlignmentError, FormatError, UsageError
from betterthan.tasks import alignments, conllu, labels, squad, tags, text, trees
from betterthan.tasks.sources import Source

MANY = "".join(f"{k}\n" for k in range(6000))
DIGITS = "9" * 5000
DEEP = "[" * 100_000 + "]" * 100_000
TREE = "(S (A (P this)) (B (Q is)))\n"
UD = """\
1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\t_\t_\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_
3\tal\ta\tADP\t_\t_\t1\tcase\t_\t_

1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_
"""


def asked(*ids: str) -> str:
    """Questions of SQuAD, a paragraph each."""
    questions = [{"qas": [{"id": name, "answers": [{"text": "x"}]}]} for name in ids]
    return json.dumps({"data": [{"paragraphs": questions}]})


CASES: dict[ModuleType, list[tuple[str, str | list[str], str, type[Exception], str]]] = {
    alignments: [
        ("0-0 1:1\n", "0-0\n", "aer", FormatError, "s0, line 1"),
        ("0-0\n", "0-0\n1-1\n", "aer", AlignmentError, "s0: 1 line"),
        ("1 1 1\n2 0 1\n", "1 1 1\n2 1 1\n", "aer", FormatError, "s0, line 2"),
        ("1 1 1\n99999999999 1 1\n", "1 1 1\n", "aer", AlignmentError, "99,999,999,999"),
        (f"{DIGITS} 1 1\n", "1 1 1\n", "aer", FormatError, "s0, line 1"),
        (f"1-{DIGITS}\n", "1-1\n", "aer", FormatError, "s0, line 1"),
    ],
    tags: [
        ("a O\n\nb O\n", "a B-X\nb O\n", "f1", AlignmentError, "2 sentences"),
        ("a O\n", "a B-X\nb O\n", "f1", AlignmentError, "s0, line 1"),
        ("x O\n\nb O\n", "x O\n\na O\n", "f1", AlignmentError, "s0, line 3"),
        ("a O\nb\n", "a O\nb O\n", "f1", FormatError, "s0, line 2"),
        ("a O\n\nb\n", "-DOCSTART- -X- O\n\na N O\n\nb B-X\n", "f1", FormatError, "s0, line 3"),
        ("a O\nb B-X\n", "a O\nb Q-X\n", "f1", FormatError, "g0, line 2"),
        ("a O\n", ["a O", "a O"], "f1", UsageError, "one reference"),
    ],
    trees: [
        ("(S (N a)\n(S (N b))\n", TREE, "f1", FormatError, "s0, line 1"),
        ("(S (N a)))\n(S (N b))\n", TREE, "f1", FormatError, "s0, line 1"),
        ("(S (N a))\n(S (N a b))\n", TREE, "f1", FormatError, "s0, line 2"),
        ("(S a)) (N b(\n", TREE, "f1", FormatError, "s0, line 1"),
        ("(S (NP))\n", TREE, "f1", FormatError, "s0, line 1"),
        ("word\n", TREE, "f1", FormatError, "s0, line 1"),
        ("(" * 100_000, TREE, "f1", FormatError, "s0, line 1"),
        ("(S (A (P That)) (B (Q is)))", TREE, "f1", AlignmentError, "s0, line 1"),
    ],
    squad: [
        ('{"q9": "x"}', asked("q1"), "em", AlignmentError, "q9"),
        ('{"q1": 3}', asked("q1"), "em", FormatError, "s0"),
        ('{"q1":\n "x",}', asked("q1"), "em", FormatError, "s0"),
        (DEEP, asked("q1"), "em", FormatError, "s0"),
        ("{}", '{"data": [{}]}', "em", FormatError, "g0"),
        ("{}", asked("q1", "q1"), "em", AlignmentError, "g0"),
    ],
    labels: [
        ("a\n\nb\n", "a\nb\nc\n", "macro-f1", FormatError, "s0, line 2"),
        ("a\n", "a\nb\n", "macro-f1", AlignmentError, "s0: 1 line"),
        ("a\n" * 6000, MANY, "macro-f1", UsageError, "6,001"),
    ],
    text: [
        ("a\n\nb\n", "a\nb\n", "wer", AlignmentError, "s0: 3 lines"),
        ("a\nb", ["a\nb", "a"], "bleu", AlignmentError, "g1"),
        ("a\nb\n", "a\n  \n", "bleu", FormatError, "line 2"),
        ("a\n", ["\n", "\n"], "em", FormatError, "line 1"),
        ("a", "a", "bleu(tok=klingon)", UsageError, "klingon"),
        ("a", ["a", "b"], "wer", UsageError, "one reference"),
    ],
    conllu: [
        (UD.replace(old, new), UD, "las", error, word)
        for old, new, error, word in (
            ("al\ta\tADP", "el\ta\tADP", AlignmentError, "character 8"),
            ("1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_\n", "", AlignmentError, "character 10"),
            ("\t1\tcase", "\t4\tcase", FormatError, "s0, line 4: .*head"),
            ("\t1\tcase", "\t_\tcase", FormatError, "s0, line 4: .*head"),
            ("\t1\tcase", f"\t{DIGITS}\tcase", FormatError, "s0, line 4: .*head"),
            ("3\tal", "5\tal", FormatError, "s0, line 4"),
            ("3\tal", "3\t ", FormatError, "s0, line 4"),
            ("1-2\tv", "2-3\tv", FormatError, "s0, line 1"),
            ("1-2\tv", "1-x\tv", FormatError, "s0, line 1"),
            ("1-2\tv", "1-9\tv", FormatError, "s0, line 1"),
            ("\tcase\t_\t_", "\tcase\t_", FormatError, "s0, line 4"),
            (UD, "# nothing\n", FormatError, "s0"),
        )
    ],
}


@pytest.mark.parametrize(
    ("task", "case"), [(task, case) for task, cases in CASES.items() for case in cases]
)
def test_errors(task: ModuleType, case: Any) -> None:
    system, golds, metric, error, word = case
    with pytest.raises(error, match=word) as caught:
        scored(task, system, golds, metric)
    if error is not UsageError:
        assert caught.value.where.file is not None
        assert caught.value.message.startswith(f"{caught.value.where}: ")


def test_errors_of_tags_next_to_the_gold() -> None:
    with pytest.raises(FormatError):
        tags.score([Source("x", "a O\n")], (), ())
    with pytest.raises(AlignmentError, match="y, line 1"):
        tags.score([Source("x", "a B-X O\n"), Source("y", "a O O\n")], (), ())
