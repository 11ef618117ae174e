"""What to do next, as commands that can be pasted."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from betterthan.comparison.comparing import Comparisons


def next_step(found: "Comparisons", files: Sequence[str], cluster: str | None) -> str:
    """Suggest formats for a paper and, after a single comparison of means, a power analysis.

    The effect to plan for is half of what this test set detects, to one digit.
    """
    steps = ["-o report.html", "--format latex"]
    only = found[0]
    if len(found) == 1 and only.mde and only.metric.startswith(("mean", "accuracy")):
        named = [str(f) for f in files]
        words = ["FILES"] if any(Path(f).is_absolute() for f in named) else named
        half = only.mde * (100.0 if only.percent else 1.0) / 2.0
        pair = ["--baseline", only.baseline, "--candidate", only.candidate]
        command = ["betterthan", "power", *words, *pair, "--mde", f"{float(f'{half:.1g}'):g}"]
        command += ["--cluster", cluster] if cluster else []
        steps.append(shlex.join(command))
    return f"Next: {' · '.join(steps)}"
