"""The five papers, regenerated: every table and figure that can be made offline.

Published numbers stand beside ours, with the Monte Carlo error of each and a sentence on any
difference. Everything goes through the public functions of the library.

>>> from betterthan import papers
>>> sorted(papers.PAPERS)[:2]
['average-2021', 'bootstrap-2012']
"""

from betterthan.papers.catalogue import PAPERS, Paper
from betterthan.papers.exhibits import Curves, Exhibit, Panel, Picture, Series
from betterthan.papers.printed_cells import Cell, Claim
from betterthan.papers.reproduction import Reproduction, reproduce
from betterthan.papers.simulated_taggers import simulate_taggers

__all__ = [
    "PAPERS",
    "Cell",
    "Claim",
    "Curves",
    "Exhibit",
    "Panel",
    "Paper",
    "Picture",
    "Reproduction",
    "Series",
    "reproduce",
    "simulate_taggers",
]
