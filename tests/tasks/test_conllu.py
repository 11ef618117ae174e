"""CoNLL-U against the rules of the CoNLL 2018 shared task, written out for whole files."""

import random
from bisect import bisect
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scored_texts import scored

import betterthan as bt
import oracles_ud
import ud_files
from betterthan.metrics.named import UNIVERSAL
from betterthan.tasks import conllu

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


def test_sentences_and_documents_have_names() -> None:
    made = scored(conllu, [GOLD.replace("obj:x", "obj:y"), GOLD], GOLD)  # subtypes do not count
    assert made.columns["label_correct"].tolist() == [[4, 4], [1, 1]]
    assert (made.items, made.groups) == (["s1", "s2"], {"document": ["d1", "2"]})
    assert made.cluster is None


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 3))
def test_sentences_add_up_to_the_shared_tasks_counts(seed: int, systems: int) -> None:
    rng = random.Random(seed)
    characters = ud_files.text(rng)
    gold, *others = (ud_files.analysis(characters, rng) for _ in range(systems + 1))
    made = scored(conllu, others, gold)
    for k, text in enumerate(others):
        wanted = oracles_ud.totals(gold, text)
        for name, right in UNIVERSAL.items():
            columns = (made.columns[c] for c in (right, "gold_words", "system_words"))
            assert tuple(int(c[:, k].sum()) for c in columns) == wanted[name], name
    assert len(made.columns["gold_words"]) == len(oracles_ud.parsed(gold)[0])


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**9))
def test_blocks_can_be_exchanged_between_systems(seed: int) -> None:
    """A file that takes each block from either system is scored as the sum of its blocks.

    Only the scorer's steps, not its description, may now and then pair a word before a multi-word
    token with one in it, and so across a border: where a token covers several of the other's words.
    """
    rng = random.Random(seed)
    characters = ud_files.text(rng)
    gold, a, b = (ud_files.analysis(characters, rng) for _ in range(3))
    made = scored(conllu, [a, b], gold)
    n = len(made.columns["gold_words"])
    names = made.groups["block"] if made.cluster else list(map(str, range(n)))
    blocks = list(dict.fromkeys(names))
    block_of = np.array([blocks.index(name) for name in names])
    starts = [begin for begin, _ in oracles_ud.parsed(gold)[0]]
    edges = [starts[names.index(name)] for name in blocks] + [len(characters)]
    from_b = np.array([rng.random() < 0.5 for _ in blocks])
    mixed = ""
    for (begin, end), swapped in zip(pairwise(edges), from_b, strict=True):
        text = b if swapped else a
        spans, sentences = oracles_ud.parsed(text)[0], text.strip("\n").split("\n\n")
        kept = [s for span, s in zip(spans, sentences, strict=True) if begin <= span[0] < end]
        mixed += "".join(f"{sentence}\n\n" for sentence in kept)
    for text in (a, b, mixed):
        pairs = oracles_ud.matched(oracles_ud.parsed(gold)[1], oracles_ud.parsed(text)[1])
        assume(all(bisect(edges, g.span[0]) == bisect(edges, s.span[0]) for g, s in pairs))
    wanted = oracles_ud.totals(gold, mixed)
    chosen = from_b[block_of].astype(int)
    for name, right in UNIVERSAL.items():
        columns = (made.columns[c] for c in (right, "gold_words", "system_words"))
        rows = [column[np.arange(n), chosen] for column in columns]
        assert tuple(int(row.sum()) for row in rows) == wanted[name], name


def words(*tokens: str) -> str:
    """One sentence; a token is followed by its words, where it has several."""
    lines, place = [], 0
    for token in tokens:
        form, *parts = token.split()
        if parts:
            lines.append(f"{place + 1}-{place + len(parts)}\t{form}" + 8 * "\t_")
        for part in parts or [form]:
            place += 1
            lines.append(f"{place}\t{part}\t_\t_\t_\t_\t{int(place > 1)}\t_\t_\t_")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("gold", "system", "aligned"),
    [  # the test cases of conll18_ud_eval.py, version 1.2
        (["a", "b", "c"], ["a", "b", "c"], 3),
        (["abc a b c"], ["a", "b", "c"], 3),
        (["a", "bc b c", "d"], ["a", "b", "c", "d"], 4),
        (["abcd a b c d"], ["ab a b", "cd c d"], 4),
        (["abc a b c", "de d e"], ["a", "bcd b c d", "e"], 5),
        (["abcd"], ["a", "b", "c", "d"], 0),
        (["abc", "d"], ["a", "b", "c", "d"], 1),
        (["a", "bc", "d"], ["a", "b", "c", "d"], 2),
        (["a", "bc b c", "d"], ["a", "b", "cd"], 2),
        (["abc a BX c", "def d EX f"], ["ab a b", "cd c d", "ef e f"], 4),
        (["ab a b", "cd bc d"], ["a", "bc", "d"], 2),
        (["a", "bc b c", "d"], ["ab AX BX", "cd CX a"], 1),
    ],
)
def test_words_are_aligned_as_the_scorer_does(
    gold: list[str], system: list[str], aligned: int
) -> None:
    columns = scored(conllu, words(*system), words(*gold)).columns
    assert columns["words_correct"].tolist() == [[aligned]]


def test_sentences_that_a_system_runs_together(tmp_path: Path) -> None:
    """One system joins the last two of three sentences: two blocks, and the counts of F1."""
    one, two, three = words("ab", "c"), words("d"), words("e", "f")
    texts = [f"{one}\n{words('d', 'e', 'f')}", f"{one}\n{two}\n{three}"]
    made = scored(conllu, texts, texts[1])
    assert made.groups["block"] == ["1", "2", "2"]
    assert made.cluster == "block"
    for name, text in zip("ab", texts, strict=True):
        (tmp_path / f"{name}.conllu").write_text(text)
    files = [tmp_path / "a.conllu", tmp_path / "b.conllu"]
    scores = bt.read(*files, ref=files[1], metric="uas")
    result = bt.compare(scores, metric="uas")
    assert result.clusters == 2
    assert (result.score_baseline, result.score_candidate) == (0.6, 1.0)
