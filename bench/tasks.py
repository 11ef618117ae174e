"""Per-item BLEU columns against sacrebleu's own corpus score, and the text metrics beside it."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from betterthan.tasks import text
from betterthan.tasks.sources import Source

SEGMENTS = 2_000
REPEATS = 5


def corpus(rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """References of 10 to 40 Zipfian words, and outputs with 40 % of them wrong."""
    words = np.array([f"{chr(97 + k % 26)}ord{k}" for k in range(5000)])
    weights = 1.0 / np.arange(1, 5001)
    references, outputs = [], []
    for _ in range(SEGMENTS):
        line = rng.choice(words, rng.integers(10, 41), p=weights / weights.sum())
        said = np.where(rng.random(line.size) < 0.6, line, rng.choice(words, line.size))
        references.append(" ".join(line) + " .")
        outputs.append(" ".join(said) + " .")
    return outputs, references


def columns(outputs: list[str], references: list[str], metric: str) -> None:
    """Do all that happens between reading the files and the Scores."""
    system, gold = (Source("text", "\n".join(lines) + "\n") for lines in (outputs, references))
    text.score([system], [gold], [metric])


def run() -> None:
    """Print the table."""
    outputs, references = corpus(np.random.default_rng(2002))
    print(f"{SEGMENTS:,} segments: per-item columns against the reference tool's corpus score")
    print(f"{'metric':>8} {'sacrebleu':>12} {'columns':>12} {'ratio':>7}")
    tools: dict[str, Callable[[], Any]] = {
        "bleu": lambda: BLEU(force=True).corpus_score(outputs, [references]),
        "chrf": lambda: CHRF().corpus_score(outputs, [references]),
    }
    for metric, tool in tools.items():
        # In turns, so that the machine's other work disturbs both alike.
        times = [
            (_seconds(tool), _seconds(lambda: columns(outputs, references, metric)))  # noqa: B023
            for _ in range(REPEATS)
        ]
        theirs, ours = (min(column) for column in zip(*times, strict=True))
        print(f"{metric:>8} {1e3 * theirs:>9.0f} ms {1e3 * ours:>9.0f} ms {ours / theirs:>6.2f}x")
    for metric in ("rouge1", "rougeL(stem)", "wer"):
        ours = min(_seconds(lambda: columns(outputs, references, metric)) for _ in range(3))  # noqa: B023
        print(f"{metric:>12} {'':>8} {1e3 * ours:>9.0f} ms")


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    run()
