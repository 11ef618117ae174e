"""``betterthan formats``: what can be read, what it looks like, and the command for it."""

from typing import Annotated

import typer

from betterthan.cli.option_groups import grouped
from betterthan.cli.screen import VOLUME


@grouped
def formats(
    name: Annotated[
        str | None, typer.Argument(help="Only this format.", show_default=False)
    ] = None,
) -> None:
    """List all formats that can be read, raw outputs included: a sample and the command of each.

    Files are told apart by themselves; --input-format NAME overrules.
    """
    from textwrap import indent

    from betterthan.errors import UsageError
    from betterthan.readers import FAMILIES
    from betterthan.readers.files import COMPRESSED
    from betterthan.readers.outputs.samples import EXAMPLES
    from betterthan.readers.tables.table_files import ENCODINGS

    known = {name: each for family in reversed(FAMILIES) for name, each in family.EXAMPLES.items()}
    known |= EXAMPLES
    if name is not None and name not in known:
        raise UsageError(f"there is no format {name!r}; there are {', '.join(known)}")
    if VOLUME.get() < 0:
        print("\n".join(each for each in known if name in (None, each)))
        return
    print(
        "\n\n".join(
            f"{each}: {shown.title}\n{indent(shown.sample.strip(), '    ')}\n  $ {shown.command}"
            for each, shown in known.items()
            if name in (None, each)
        )
    )
    if name is None:
        print(
            f"\nTables are {', '.join(ENCODINGS)}. Any file may be compressed "
            f"({', '.join(COMPRESSED)}) or come through a pipe (-)."
        )
