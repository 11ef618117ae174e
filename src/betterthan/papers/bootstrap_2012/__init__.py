"""An Empirical Investigation of Statistical Significance in NLP: all its figures and its table.

The corpora and systems of the paper cannot be bundled. What it claims is checked on classifiers of
scikit-learn's digits, trained on resampled training sets, and on simulated labs
(:mod:`betterthan.papers.trained_classifiers`).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from betterthan.papers import trained_classifiers
from betterthan.papers.bootstrap_2012.corpora import (
    figure_9,
    figure_10,
    figure_11,
    section_42,
    table_1,
)
from betterthan.papers.bootstrap_2012.gain_curves import (
    figure_2,
    figure_3,
    figure_4,
    figure_5,
    figure_6,
    figure_7,
    figure_8,
)
from betterthan.papers.bootstrap_2012.procedure import figure_1, listed_thresholds, section_321
from betterthan.papers.exhibits import Exhibit
from betterthan.papers.runner import Runner

LABS, PRINTED = "simulated labs", "the paper's own numbers"
MADE_ON = dict.fromkeys(("Figure 2", "Figure 3", "Figure 4", "Figure 9"), LABS)
MADE_ON |= {"Thresholds": PRINTED}


def _made(make: Callable[[Runner], Exhibit], runner: Runner) -> Exhibit:
    """Make an exhibit, and say on what."""
    digits = trained_classifiers.installed()
    trained = "classifiers of scikit-learn's digits" if digits else "simulated classifiers"
    exhibit = make(runner)
    return replace(exhibit, on=MADE_ON.get(exhibit.name, trained))


EXHIBITS: dict[str, Callable[[Runner], Exhibit]] = {
    "Section 3.2.1": partial(_made, section_321),
    "Figure 1": partial(_made, figure_1),
    "Figure 2": partial(_made, figure_2),
    "Figure 3": partial(_made, figure_3),
    "Figure 4": partial(_made, figure_4),
    "Figure 5": partial(_made, figure_5),
    "Figure 6": partial(_made, figure_6),
    "Figure 7": partial(_made, figure_7),
    "Figure 8": partial(_made, figure_8),
    "Figure 9": partial(_made, figure_9),
    "Figure 10": partial(_made, figure_10),
    "Figure 11": partial(_made, figure_11),
    "Section 4.2": partial(_made, section_42),
    "Table 1": partial(_made, table_1),
    "Thresholds": partial(_made, listed_thresholds),
}
UNAVAILABLE = {
    "the summaries of TAC 2008 (Figure 2)": "for participants, from NIST. With a file of ROUGE "
    "scores, a column per system: `betterthan study gains rouge.csv --groups labs.csv`",
    "the CoNLL 2007 systems (Figures 3 and 5)": "the treebank is licensed. With outputs: "
    "`betterthan study gains --metric uas --ref gold.conllu outputs/*.conllu --groups labs.csv`",
    "the WMT 2010 systems (Figures 4, 6 and 9)": "not bundled, from statmt.org. With outputs: "
    "`betterthan study gains --metric bleu --ref ref.txt outputs/*.txt --groups labs.csv` (system "
    "combinations have a class in a third column), `--sizes 254,508,1017,2034` for Figure 9",
    "the Hansard alignments (Figure 7)": "from the 2003 workshop on parallel texts. With links: "
    "`betterthan study gains --metric aer --ref gold.naacl outputs/*.naacl --groups models.csv`",
    "the WSJ and Brown corpora (Figures 8, 10, 11, section 4.2, Table 1)": "licensed (LDC99T42). "
    "`betterthan study training train.mrg --sizes 38000,19000,9000 --copies 10 -o sets` writes the "
    "training sets; with the trees of your parsers: `betterthan study gains --metric f1 --ref "
    "23.mrg outputs/*.mrg --groups models.csv`, `betterthan study calibration --metric f1 --ref "
    "brown.mrg outputs/*.mrg --sizes 1600`, and for Table 1 scores of all sections in one table: "
    "`betterthan study calibration scores.csv --by section=23`",
}
