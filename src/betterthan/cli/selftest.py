"""``betterthan selftest``: whether this installation computes what is known on paper."""

import typer

from betterthan.cli.option_groups import grouped
from betterthan.cli.screen import VOLUME


@grouped
def selftest() -> None:
    """Check this installation against exact fractions that are known on paper, in seconds."""
    from betterthan.testing.selftest import selftest as run

    checks = run()
    for check in checks if VOLUME.get() >= 0 else [c for c in checks if not c.holds]:
        value = f"{10.0**check.log10_found:.10g}" if check.log10_found > -300 else "tiny"
        print(f"{'ok   ' if check.holds else 'WRONG'} {check.name}: p = {value} ({check.why})")
    wrong = [check.name for check in checks if not check.holds]
    if wrong:
        print(f"{len(wrong)} of {len(checks)} numbers are wrong: do not trust this installation.")
        raise typer.Exit(70)
    print(f"All {len(checks)} numbers are right.")
