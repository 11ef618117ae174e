"""Pictures and reports are the same bytes, however many threads make them at once."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import betterthan as bt
from betterthan.results.protocol import Result

THREADS = 8


def _results() -> list[Result]:
    rng = np.random.default_rng(3)
    scores = bt.Scores.from_arrays({name: rng.random(30) for name in ("a", "b $x$", "c")})
    return [
        bt.compare(scores, "a", "b $x$"),
        bt.rank(scores, method="bradley-terry", resamples=200),
    ]


def test_eight_threads_write_the_same_bytes_as_one(tmp_path: Path) -> None:
    results = _results()
    forms = ("html", "svg", "png", "pdf")

    def written(number: int) -> dict[str, bytes]:
        made = {}
        for k in range(len(forms)):  # each begins with another one
            form = forms[(k + number) % len(forms)]
            for which, result in enumerate(results):
                path = tmp_path / f"{number}-{which}.{form}"
                result.save(path)
                made[f"{which}.{form}"] = path.read_bytes()
        return made

    before, open_figures = dict(mpl.rcParams), plt.get_fignums()
    alone = written(THREADS)
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(written, range(THREADS)))
    for made in together:
        assert [name for name in alone if made[name] != alone[name]] == []
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == open_figures


def test_a_plot_beside_a_report_has_the_users_settings() -> None:
    """Drawing waits until nobody else's settings are in force."""
    (result, _) = _results()
    with ThreadPoolExecutor(2) as pool:
        report = pool.submit(lambda: [result.rendered("html") for _ in range(3)])
        while not report.done():
            # parse_math is off in reports alone, and would leave the dollars unescaped.
            labels = result.plot().get_yticklabels()
            assert any(r"\$x\$" in label.get_text() for label in labels)
            plt.close("all")
            time.sleep(0.01)
