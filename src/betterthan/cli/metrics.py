"""``betterthan metrics``: every metric by name, and what it needs of an item."""

from betterthan.cli.option_groups import grouped
from betterthan.cli.screen import volume

ABOUT = {
    "mean": "mean of the scores; mean(COLUMN) of that column, mean(COLUMN, lower_is_better)",
    "median": "median of the scores",
    "accuracy": "share of items that are right",
    "exact-match": "share of answers that are one of the gold answers",
    "token-f1": "words shared by answer and gold answer (SQuAD), mean over questions",
    "token-accuracy": "share of tokens that are right, over all items",
    "error-rate": "errors over all that could be wrong",
    "precision": "of what was found, the share that is right",
    "recall": "of what is there, the share that was found",
    "f1": "harmonic mean of precision and recall over all items; f1(X) of class X",
    "bleu": "n-grams shared with the reference, over the whole set; bleu(lc), bleu(tok=zh)",
    "chrf": "character n-grams shared with the reference; chrf(lc)",
    "chrf++": "the same, and words",
    "ter": "edits and shifts needed to get the reference, per word",
    "rouge1": "words shared with the reference, F1; rouge1(p), rouge1(r), rouge1(stem)",
    "rouge2": "pairs of words shared with the reference",
    "rougel": "longest common subsequence with the reference",
    "wer": "word errors per word of the reference",
    "cer": "character errors per character of the reference",
    "aer": "alignment error rate, of word alignments with sure and possible links",
    "upos": "share of words with the right part of speech",
    "xpos": "share of words with the right language-specific tag",
    "ufeats": "share of words with the right features",
    "alltags": "share of words with part of speech, tag and features right",
    "lemmas": "share of words with the right lemma",
    "uas": "share of words with the right head",
    "las": "share of words with the right head and relation",
    "clas": "LAS of content words",
    "mlas": "CLAS with tags and features right as well",
    "blex": "CLAS with lemmas right as well",
    "ud-sentences": "F1 of sentence boundaries",
    "ud-tokens": "F1 of tokens",
    "ud-words": "F1 of words",
}
"""What each metric says, in a line."""

MADE = {
    "fbeta(B)": "F1 with recall weighing B times as much; tp, fp, fn",
    "macro-f1": "mean of the F1 of all classes; tp(X), pred(X), gold(X) of every class X",
    "mcc": "Matthews' correlation of classes; the same columns",
    "ratio(A / B + C)": "sum of a column over the sum of others, weighted as 2*A where you say so",
    "module:NAME": "your own, in Python (docs/metrics.md)",
}
"""Metrics that are spelled with something of yours."""


@grouped
def metrics() -> None:
    """List all metrics with what they say, what they need of an item, and their direction."""
    from textwrap import fill

    from betterthan.metrics.named import LAYOUTS
    from betterthan.readers.outputs.scoring import OF_OUTPUTS
    from betterthan.results.wording import listed

    if volume() < 0:
        print("\n".join([*(layouts[0].spelling for layouts in LAYOUTS.values()), *MADE]))
        return
    for name, layouts in LAYOUTS.items():
        metric = layouts[0]
        lower = " (lower is better)" if metric.lower_is_better else ""
        columns = "any column of scores" if name in ("mean", "median") else listed(metric.columns)
        raw = "raw outputs and --ref, or the columns " if name in OF_OUTPUTS else ""
        needs = fill(f"needs {raw}{columns}", 78, initial_indent="  ", subsequent_indent="    ")
        print(f"{metric.spelling}{lower}\n  {ABOUT[name]}\n{needs}")
    print()
    for name, about in MADE.items():
        print(f"{name}\n  {about}")
