"""Raw outputs that are scored against gold: what ``betterthan formats`` shows of them."""

from betterthan.readers.examples import Example

EXAMPLES = {
    "text": Example(
        "texts against references, a line per item",
        "betterthan compare --metric bleu --ref ref.txt base.txt new.txt",
        "The cold letter followed Grace.\nThe tall cat missed the storm.",
    ),
    "labels": Example(
        "predicted classes, a line per item",
        "betterthan compare --metric macro-f1 --ref gold.labels base.labels new.labels",
        "spam\nham",
    ),
    "tags": Example(
        "predicted tags, a token and its tag per line",
        "betterthan compare --metric f1 --ref gold.conll base.conll new.conll",
        "John B-PER\nlives O",
    ),
    "conllu": Example(
        "dependencies in CoNLL-U",
        "betterthan compare --metric las --ref gold.conllu base.conllu new.conllu",
        "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tgarden\t_\tNOUN\t_\t_\t0\troot\t_\t_",
    ),
    "trees": Example(
        "bracketed trees, one per line",
        "betterthan compare --metric f1 --ref gold.mrg base.mrg new.mrg",
        "(TOP (S (NP (DT the) (NN garden)) (VP (VBD grew))))",
    ),
    "alignments": Example(
        "word alignments, sure (-) and possible (?) links",
        "betterthan compare --metric aer --ref gold.align base.align new.align",
        "0-0 1-2 2?1",
    ),
    "squad": Example(
        "answers to questions, as the SQuAD script reads them",
        "betterthan compare --metric token-f1 --ref gold.json base.json new.json",
        '{"56be4db0acb8001400a502ec": "Denver Broncos", ...}',
    ),
}
