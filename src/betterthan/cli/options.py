"""Every option of the command line, declared once: flags, value, help, group, keyword and unit.

The table below reads as the help pages do. Commands take their options from it; so do
``betterthan.toml``, remedies and the test of the Python signatures (:data:`TABLE`). An option that
a command uses in its own sense stands there again, as in ``--by@gate``. What a value is follows
from how it is written: ``N`` is a whole number, ``X,...`` are numbers, ``...`` alone may be
repeated. An option that was not typed is not handed on, so that each default stands in one place:
the Python function.
"""

import re
from dataclasses import dataclass
from typing import Any, Literal

from betterthan.cli.values import Names

Unit = Literal["as given", "points", "percent"]

_DECLARED = """
Positional
FILES...  A table, logs, or one file per system; NAME=FILE names a system.
FILES@responses...  Gold, baseline and candidate; or one table of all three.
FILES@training...  Training data; parallel files are drawn together.
[FILES@published]...  Your results; without, known thresholds.
[PILOT]...  Earlier results: their spread is used.
[GOLD]  Your gold responses, scaled to [0, 1].
[PAPER]  Which; without it, they are listed.
[TABLE]...  Some of its tables and figures: 'Table 2' ...
WHAT  metrics, tests, formats or plots.
[NAME]  Only this one.

Data
--columns ROLE=COLUMN,...  What columns hold: item=id,system=model,score=acc,response=seed,
    cluster=doc.
--cluster COLUMN  Items that share a document, user or dialogue are not independent: swap them
    together.
--where COLUMN=VALUE,...  Keep only these rows or samples: 'task=mmlu_*,filter=strict-match'.
--baseline, -b SYSTEM  The system the others are compared with. Default: the first.
--systems, -s A,B,...  Only these systems, in this order.
--ref FILE...  What outputs should have been: score them against it. May be repeated.
--missing error|drop|worst  What to do with items that a system has no score for. Default: error.
--missing@rank error|drop|worst|pairwise  What to do with items that a system has no score for.
    Default: error.
--input-format NAME  If a file is not recognised: lm-eval, inspect, 'csv(header=no)' (list formats).
--gold SYSTEM  Who gave the gold responses, in one table. Default: gold.
--data DIR  The papers' real scores of each item, where you have them.
--unit line|block|tree  What an example is. Default: what the files look like.

Question
--metric, -m METRIC...  accuracy, f1, bleu, 'mean(latency)' (list metrics). May be repeated.
--metric@one, -m METRIC  accuracy, f1, bleu, 'mean(latency)' (list metrics).
--metric@study, -m METRIC...  mae (default), mse, wins, cosine, emd_mean, spearman ...
--metric@responses, -m METRIC  mae (default), mse, wins, cosine, emd_mean, spearman ...
--lower-is-better, --higher-is-better  Which way is better, where the metric or the column's name
    does not say.
--by COLUMN  Also compare within each value of a column.
--by@score COLUMN  Also within each value of a column.
--by@gate COLUMN  Every part must pass by itself: each value of a column.
--by@gains COLUMN  Within the domains of a column, as many items of each.
--by@calibration COLUMN[=VALUE]  Domains; hold one value's p-values against the others.
--by@aggregation COLUMN  Every value of a column is a data set by itself.
--all  Compare every pair of systems.
--all@reproduce  All papers.
--method NAME  mean (default; of judgments bradley-terry), median, bradley-terry, elo, trueskill:
    'elo(k=20,order=file)', 'bradley-terry(ties=drop)'.
--method@aggregation NAME...  mean, median, bradley-terry (default), elo, trueskill. May be
    repeated.
--bounds LOW,HIGH  What one score can be, such as 1,5.
--per-item FILE  Also write each item's counts, to compare later without the references.
--margin X  The loss you accept, as printed; 0: must be better.
--plan FILE[@HASH]  Read the rules here; with @HASH refuse any other rules.
--accuracy X  Of the baseline, in percent.
--agreement X  Items that both get right or both wrong, in percent.
--sd item=17,repeat=5,rater=2  Spread of differences: between items, of repeats, of raters.
--raters N  Raters per response. Default: 1.
--items N,...  Size of the test set. Give two of items, effect and power, get the third.
--effect, --mde X  The gain to detect, as printed.
--power X  How often to detect it. Default: 0.8.
--repeats N  Responses per item. Default: 1.
--budget N  Responses you can afford: more items, or more repeats?
--items@responses N  Items of a test set. Default: 1,000.
--responses N  Responses to each item. Default: 5.
--eps X,...  Errors of the baseline. Default: as published.
--eps-a X  Errors of the baseline. Default: 0.1.
--eps-b X  Errors of the candidate. Default: 0.
--sd@simulate X  Items' standard deviations are between 0 and this. Default: 0.3.
--law NAME  normal (default) or toxicity, as the paper fitted it.
--law@simulate NAME  normal (default), likert, beta, categorical or toxicity.
--draws N  Draws of a distribution. Default: 1,000.
--repeats@study N  Reference test sets at every error. Default: 1.
--groups FILE  Each system's lab: a table of systems and labs.
--sizes N,...  Also on so many items.
--sizes@calibration N,...  Items of a drawn test set. Default: 1,600.
--sizes@training N,...  Examples of a set. Default: all, half and a quarter.
--band LOW,HIGH  p-values that are just significant. Default: 0.04,0.06.
--percentile X  Of the gains in the band: the threshold. Default: 95.
--test-sets N  How many test sets to draw. Default: 10.
--each  Every file is a data set by itself.
--repeats@aggregation N  Test sets of each size. Default: 20.
--published X  The score in the paper, as printed.
--threshold X  A gain that is usually significant, as printed. Default: as published.
--similarity same|different  How alike the two systems are. Default: different.
--items@published N  Thresholds for so many items.
--copies N,...  Sets of each size. Default: 10.

Test
--test TEST  permutation (default), bootstrap, wilcoxon, sign, mcnemar, t, mood (list tests).
--test@rank TEST  Who beats whom; the method's own by default: permutation, sign, mood ...
--test@responses TEST  calibrated (default), 'published(sampling=...)' or sharp.
--test@study TEST  bootstrap (default, as published), permutation, wilcoxon, sign, t ...
--test@repeated TEST...  permutation (default), bootstrap, t ... May be repeated.
--sampling NAME...  Strategies of sampling; as published by default. May be repeated.
--alternative WAY  two-sided (default), greater (the candidate is better) or less.
--alpha X  How often equal systems may get a verdict. Default: 0.05.
--alpha@power X[/K]  How often equal systems may get a verdict; 0.05/10 for ten comparisons.
--correction NAME  For several comparisons: holm (default), max-t, bonferroni, sidak, hochberg, bh,
    by or none.
--null swap|seeds  Swap systems (default), or compare two seeds of one.
--simulations N  Null test sets. Default: 1,000.
--resamples N  How often, where something is sampled. Default: as often as needed.
--seed N  From which seed, where something is sampled. Default: 0.
--quick  Smaller sizes: minutes.

Output
--output, -o [PLOT=]FILE...  Write .html, .tex, .md, .csv, .json, .parquet, or a plot: .pdf, .png,
    .svg. May be repeated.
--output@gate, -o [PLOT=]FILE...  Write .xml (JUnit), .html, .tex, .md, .csv, .json, .parquet, or a
    plot: .pdf, .png, .svg. May be repeated.
--output@inspect, -o FILE...  Write a tally, distinct rows and their counts: .parquet, .csv, .json.
--output@folder, -o DIR  A folder for what is made; a run that was stopped goes on from there.
--format, -f FORMAT  What to print: table, md, latex, csv, json or html.
--show why,methods,items  Also print: why this test, a sentence for your paper, the items that
    decide.
--save DIR  Keep the files of the tour in this folder.
--check  Test this installation against numbers that are known on paper.

Unlisted
--config FILE
--item COLUMN
--system COLUMN
--score COLUMN
--response COLUMN
--label COLUMN
--baseline@unlisted, -b SYSTEM
--candidate A,...
--explain
--methods
--items@show N
"""
_KEYWORDS = {"--seed": "rng", "--items@show": "most"}  # others are called as their flags
_UNITS: dict[str, Unit] = {
    **dict.fromkeys(("--margin", "--effect", "--published", "--threshold"), "points"),
    **dict.fromkeys(("--accuracy", "--agreement"), "percent"),
}
_TYPES: dict[str, Any] = {
    "": bool,
    "N": int,
    "X": float,
    "N,...": list[int],
    "X,...": list[float],
    "LOW,HIGH": tuple[float, float],
    "A,...": Names,
    "A,B,...": Names,
    "WAY": Literal["two-sided", "greater", "less"],
    "WHAT": Literal["metrics", "tests", "formats", "plots"],
}


@dataclass(frozen=True, slots=True)
class Option:
    """One option, or an argument without a flag.

    ``flag`` is what is typed, ``also`` its other names, ``keyword`` what Python calls it. A value
    in ``points`` or ``percent`` is typed as it is printed and handed to Python as it is measured.
    ``names_files`` marks what a ``betterthan.toml`` that just lies in the folder may not set.
    """

    flag: str
    also: tuple[str, ...]
    keyword: str
    takes: str
    help: str
    group: str

    @property
    def unit(self) -> Unit:
        """The unit in which it is typed."""
        return _UNITS.get(self.flag, "as given")

    @property
    def names_files(self) -> bool:
        """Whether it names a file or a folder."""
        return "FILE" in self.takes or "DIR" in self.takes

    @property
    def metavar(self) -> str:
        """How its value is written on the help page."""
        if not self.flag.startswith("-"):
            return self.flag.strip("[].")
        return self.takes if self.takes.endswith(",...") else self.takes.removesuffix("...")

    @property
    def type(self) -> Any:
        """What its value is read as."""
        if self.takes in _TYPES:
            return _TYPES[self.takes]
        if "|" in self.takes:
            return Literal[tuple(self.takes.split("|"))]
        if self.takes.endswith("..."):
            return Names if self.takes in ("METRIC...", "NAME...", "TEST...") else list[str]
        return str


def _declared(text: str) -> dict[str, Option]:
    """Read the table above."""
    declared, group = {}, ""
    for line in re.sub(r"\n    ", " ", text).splitlines():
        names, _, help = line.partition("  ")
        if not (help or names.startswith("-")):
            group = names or group
            continue
        key, *also = re.findall(r"-[\w@-]+", names) or [names]
        takes = re.sub(r"^\s*(-[\w@-]+,?\s*)+", "", names)
        flag = re.sub(r"@\w+", "", key)
        keyword = _KEYWORDS.get(key, flag.strip("-[].").replace("-", "_").lower())
        declared[key] = Option(flag, tuple(also), keyword, takes, help, group)
    return declared


OPTIONS = _declared(_DECLARED)
"""All options, by their flags and senses."""
TABLE: dict[str, Option] = {
    o.flag: o for key, o in OPTIONS.items() if key == o.flag and key[0] == "-"
}
"""All options by their flags; of an option with several senses, the usual one."""


BRIEF = ("-q", "--quiet")
"""Options of every command that print the verdict alone."""


def takes_value(word: str) -> bool:
    """Whether a word is an option whose value comes next; one that is not known is.

    >>> takes_value("--missing"), takes_value("--all"), takes_value("-q"), takes_value("qa.csv")
    (True, False, False, False)
    """
    known = next((one for one in TABLE.values() if word in (one.flag, *one.also)), None)
    switch = word in BRIEF if known is None else not known.takes
    return word.startswith("-") and "=" not in word and not switch


def option_of(keyword: str | None) -> Option | None:
    """Return the option that Python calls so."""
    usual = TABLE.get(f"--{(keyword or '').replace('_', '-')}")
    return usual or next((one for one in TABLE.values() if one.keyword == keyword), None)
