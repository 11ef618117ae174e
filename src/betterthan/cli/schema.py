"""``betterthan schema``: the JSON Schema of what ``--format json`` writes."""

from typing import Annotated

import typer

from betterthan.cli import panels as opt
from betterthan.cli.option_groups import grouped


@grouped
def schema(
    name: Annotated[
        str | None, typer.Argument(help="Only this kind of document.", show_default=False)
    ] = None,
    *,
    listed: Annotated[bool, opt.question("Say which kinds there are.", "--list")] = False,
) -> None:
    """Print the JSON Schema of what --format json writes, of all results or of one kind.

    betterthan schema --list
    betterthan schema comparisons
    """
    from betterthan.results.json_text import to_json
    from betterthan.results.schemas import json_schema, kinds

    if listed:
        print("\n".join(f"betterthan/{kind}/1  {about}" for kind, about in kinds().items()))
    else:
        print(to_json(json_schema(name)))
