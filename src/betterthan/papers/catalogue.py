"""The five papers and what of them is regenerated."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from betterthan.errors import UsageError
from betterthan.papers.exhibits import Exhibit
from betterthan.papers.runner import Runner

Maker = Callable[[Runner], Exhibit]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper; ``module`` holds what makes its exhibits, loaded when they are asked for."""

    key: str
    title: str
    authors: str
    venue: str
    module: str

    @property
    def exhibits(self) -> dict[str, Maker]:
        """What is regenerated, by the name that the paper gives it."""
        return dict(import_module(f"betterthan.papers.{self.module}").EXHIBITS)

    @property
    def unavailable(self) -> dict[str, str]:
        """What cannot be made offline, and why, and how to bring the data."""
        return dict(import_module(f"betterthan.papers.{self.module}").UNAVAILABLE)


PAPERS = {
    paper.key: paper
    for paper in (
        Paper(
            "permutation-draft",
            "Exact Paired Permutation Testing Algorithms for NLP Systems",
            "anonymous submission",
            "draft",
            "permutation_draft",
        ),
        Paper(
            "permutation-2022",
            "Exact Paired-Permutation Testing for Structured Test Statistics",
            "Ran Zmigrod, Tim Vieira, Ryan Cotterell",
            "NAACL 2022",
            "permutation_2022",
        ),
        Paper(
            "bootstrap-2012",
            "An Empirical Investigation of Statistical Significance in NLP",
            "Taylor Berg-Kirkpatrick, David Burkett, Dan Klein",
            "EMNLP 2012",
            "bootstrap_2012",
        ),
        Paper(
            "average-2021",
            "Better than Average: Paired Evaluation of NLP Systems",
            "Maxime Peyrard, Wei Zhao, Steffen Eger, Robert West",
            "ACL 2021",
            "average_2021",
        ),
        Paper(
            "leaderboard-2023",
            "Follow the leader(board) with confidence",
            "Shira Wein, Christopher M. Homan, Lora Aroyo, Chris Welty",
            "Findings of ACL 2023",
            "leaderboard_2023",
        ),
    )
}
"""The papers by their names on the command line."""


def paper_of(key: str) -> Paper:
    """Return a paper by its name."""
    if key not in PAPERS:
        raise UsageError(f"there is no paper {key!r}; there are {', '.join(PAPERS)}")
    return PAPERS[key]
