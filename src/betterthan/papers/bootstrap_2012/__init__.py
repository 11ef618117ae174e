"""An Empirical Investigation of Statistical Significance in NLP: all its figures and its table.

The corpora and systems of the paper cannot be bundled. What it claims is checked on a made-up
language (:mod:`~betterthan.papers.bootstrap_2012.language`) with systems that really learn it
(taggers, parsers, aligners, translators), on resampled training sets or in competitions of teams.
"""

from betterthan.papers.bootstrap_2012 import corpora, gain_curves, procedure, trained

EXHIBITS = {
    "Section 3.2.1": trained.section_321,
    "Figure 1": procedure.figure_1,
    "Figure 2": gain_curves.figure_2,
    "Figure 3": gain_curves.figure_3,
    "Figure 4": gain_curves.figure_4,
    "Figure 5": gain_curves.figure_5,
    "Figure 6": gain_curves.figure_6,
    "Figure 7": gain_curves.figure_7,
    "Figure 8": gain_curves.figure_8,
    "Figure 9": corpora.figure_9,
    "Figure 10": corpora.figure_10,
    "Figure 11": corpora.figure_11,
    "Section 4.2": corpora.section_42,
    "Table 1": corpora.table_1,
    "Thresholds": procedure.listed_thresholds,
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
