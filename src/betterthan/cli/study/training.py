"""``betterthan study training``: resampled training sets, as files."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from betterthan.cli import panels as opt
from betterthan.cli.option_groups import grouped
from betterthan.results.inert import inert


@grouped
def training(
    files: Annotated[
        list[str], typer.Argument(help="Training data; parallel files are drawn together.")
    ],
    *,
    sizes: Annotated[
        list[int] | None,
        opt.numbers(
            int,
            "Examples of a set; several by commas. All, half and a quarter by default.",
            "--size",
        ),
    ] = None,
    copies: Annotated[
        list[int] | None,
        opt.numbers(
            int, "Sets of each size, or of every size by commas; 10 by default.", "--copies"
        ),
    ] = None,
    unit: Annotated[
        Literal["auto", "lines", "blocks", "trees"],
        opt.reading("An example: a line, lines up to an empty one, or a tree in brackets."),
    ] = "auto",
    seed: opt.Seed = 0,
    output: Annotated[Path, opt.writing("New folder, one folder in it per set.", "-o", "--output")],
) -> None:
    """Draw training sets anew, for many systems out of one trainer.

    Train each of your base models on every set, and study what they put out (Berg-Kirkpatrick,
    Burkett & Klein, 2012, section 3.2):

        betterthan study training train.conllu --copies 10 -o sets
        betterthan study training train.src train.tgt --size 10000,5000 --copies 20 -o sets
    """
    from betterthan.design import write_training_sets

    many = copies or [10]
    made = write_training_sets(
        list(files),
        output,
        unit=unit,
        sizes=sizes,
        copies=many[0] if len(many) == 1 else many,
        rng=seed,
    )
    print(
        f"Wrote {len(made.sets)} training sets to {inert(str(made.folder))}, "
        f"drawn from {made.examples:,} {made.unit}"
    )
