"""``betterthan metrics`` lists every metric there is, in lines that fit a terminal."""

from collections.abc import Callable

from betterthan.metrics.named import ABOUT, LAYOUTS
from betterthan.metrics.spelling import OVER_CLASSES
from conftest import Run


def test_every_metric_is_listed(betterthan: Callable[..., Run]) -> None:
    run = betterthan("metrics")
    assert run.code == 0
    lines = run.out.splitlines()
    assert set(ABOUT) == set(LAYOUTS)
    for name in [*(layouts[0].spelling for layouts in LAYOUTS.values()), *OVER_CLASSES]:
        assert any(line.partition(" (lower")[0] == name for line in lines), name
    assert "wer (lower is better)" in lines
    assert "  needs tp, fp and fn" in lines
    assert max(map(len, lines)) <= 80
