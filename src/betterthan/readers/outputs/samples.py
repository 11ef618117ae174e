"""What raw outputs look like, and how they are scored: for ``betterthan list formats``."""

from betterthan.readers.examples import Example


def _example(title: str, metric: str, end: str, sample: str) -> Example:
    files = f"--ref gold.{end} base.{end} new.{end}"
    return Example(title, f"betterthan compare --metric {metric} {files}", sample)


CONLL = Example(
    "predicted tags next to the gold ones (conlleval)",
    "betterthan compare base.conll new.conll --metric f1",
    "John NNP B-PER B-PER\nlives VBZ O O",
)
_UD = "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tgarden\t_\tNOUN\t_\t_\t0\troot\t_\t_"
_TREE = "(TOP (S (NP (DT the) (NN garden)) (VP (VBD grew))))"
_ANSWERS = '{"56be4db0acb8001400a502ec": "Denver Broncos", ...}'
EXAMPLES = {
    "text": _example("texts, a line per item", "bleu", "txt", "The cold letter followed Grace."),
    "labels": _example("predicted classes, a line per item", "macro-f1", "labels", "spam\nham"),
    "tags": _example("a token and its tag per line", "f1", "conll", "John B-PER\nlives O"),
    "conllu": _example("dependencies in CoNLL-U", "las", "conllu", _UD),
    "trees": _example("bracketed trees, one per line", "f1", "mrg", _TREE),
    "alignments": _example("word alignments, sure (-) and possible (?)", "aer", "align", "0-0 2?1"),
    "squad": _example("answers, as the SQuAD script reads them", "token-f1", "json", _ANSWERS),
}
