"""Ragged responses, and every way to test them."""

from typing import Any

from betterthan.responses import SAMPLINGS, Calibrated, Published, Sharp

GOLD = [[0.2, 0.4, 0.1], [0.9], [0.5, 0.6]]
A = [[0.8], [0.1, 0.2], [0.9]]
B = [[0.3, 0.3], [0.8], [0.4, 0.6, 0.5, 0.7]]
TESTS: list[dict[str, Any]] = [
    {"test": Calibrated(even=True)},
    {"test": Sharp(), "resamples": 50},
    *(
        {"test": Published(sampling=name, even=True), "resamples": 50}
        for name in (*SAMPLINGS, "bootstrap_items/split")
    ),
]
