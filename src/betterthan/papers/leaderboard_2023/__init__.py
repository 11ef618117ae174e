"""Follow the leader(board) with confidence: Tables 1 to 14, Figures 1 to 4."""

from functools import partial

from betterthan.papers.leaderboard_2023.fitted import figures_3_4
from betterthan.papers.leaderboard_2023.measured import text_and_program
from betterthan.papers.leaderboard_2023.printed import LAWS
from betterthan.papers.leaderboard_2023.tables import full_table, least_table

EXHIBITS = {
    "Section 3.2": text_and_program,
    "Table 1": partial(least_table, table=1),
    "Table 2": partial(least_table, table=2),
    "Table 3": partial(least_table, table=3),
    "Table 4": partial(least_table, table=4),
    **{
        f"Table {table}": partial(full_table, law=law, table=table)
        for law, tables in LAWS.items()
        for table in tables
    },
    "Figures 3 and 4": figures_3_4,
}
UNAVAILABLE = {
    "the estimates of Tables 3, 4 and 10 to 14 without `--data`": "they are made from 1,000 of the "
    "toxicity ratings of Kumar et al. (2021), which are not bundled; `betterthan responses study "
    "gold.csv` runs the study on ratings of yours, and `--law toxicity` on the law that the paper "
    "fitted to them",
}
