"""Long runs in small jobs: each has a seed of its own, is done once, and is kept.

A run that was interrupted goes on where it stopped, and neither the number of workers nor the order
in which jobs end changes a digit. What is kept are lines of JSON, one per job; they are used again
only by the code that wrote them.
"""

import hashlib
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from betterthan.resampling.work import Work

Job = Callable[..., Any]
"""Called with ``seed`` (a SeedSequence) and its arguments; returns what JSON can hold."""

JobProgress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Runner:
    """How exhibits are made.

    Attributes
    ----------
    quick : bool
        Smaller sizes and fewer replicates, for minutes instead of hours.
    seed : int
        On which every number depends, and on nothing else.
    workers : int
        Processes.
    data : Path or None
        Folder with the scores of the papers' own systems.
    folder : Path or None
        Where finished jobs are kept; nothing is kept where there is none.
    executor : concurrent.futures.Executor or None
        Who does the jobs instead.
    progress : callable or None
        Told the exhibit, how many of its jobs are done, and of how many.
    """

    quick: bool = False
    seed: int = 0
    workers: int = 1
    folder: Path | None = None
    data: Path | None = None
    progress: JobProgress | None = field(default=None, compare=False)
    executor: Any = field(default=None, compare=False)

    @property
    def work(self) -> Work:
        """Who does the jobs."""
        return Work(self.workers, self.executor)

    def map(self, name: str, job: Job, arguments: Sequence[dict[str, Any]]) -> list[Any]:
        """Return ``job(seed=..., **kwargs)`` for every ``kwargs``, in their order.

        ``job`` is a function of a module, so that another process finds it. ``name`` gives the
        seeds: two calls under one name draw the same numbers.
        """
        seeds = np.random.SeedSequence([self.seed, zlib.crc32(name.encode())]).spawn(len(arguments))
        keys = [self._key(name, job, at, kwargs) for at, kwargs in enumerate(arguments)]
        done = self._kept(name)
        left = [at for at, key in enumerate(keys) if key not in done]
        total = len(arguments)
        self._tell(name, total - len(left), total)
        made = self.work.jobs(partial(_called, job), [(seeds[at], arguments[at]) for at in left])
        for count, (index, value) in enumerate(zip(left, made, strict=True), total - len(left) + 1):
            # What is read back is what was kept: a run that goes on sees no other numbers.
            key = keys[index]
            done[key] = json.loads(self._keep(name, key, value))["value"]
            self._tell(name, count, total)
        return [done[key] for key in keys]

    def _key(self, name: str, job: Job, at: int, kwargs: dict[str, Any]) -> str:
        spelled = json.dumps([name, job.__qualname__, at, self.seed, kwargs], sort_keys=True)
        return hashlib.sha256(f"{_code()} {spelled}".encode()).hexdigest()[:32]

    def _file(self, name: str) -> Path | None:
        slug = "".join(c if c.isalnum() else "-" for c in name.lower())
        return None if self.folder is None else self.folder / f"{slug}.jsonl"

    def _kept(self, name: str) -> dict[str, Any]:
        path = self._file(name)
        if path is None or not path.exists():
            return {}
        kept = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line)
                kept[row["key"]] = row["value"]
            except (ValueError, KeyError, TypeError):  # cut off in the middle of a line
                continue
        return kept

    def _keep(self, name: str, key: str, value: Any) -> str:
        line = json.dumps({"key": key, "value": value})
        path = self._file(name)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as stream:
                stream.write(f"\n{line}")  # a line cut off before stays alone
        return line

    def _tell(self, name: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(name, done, total)


def _called(job: Job, given: tuple[np.random.SeedSequence, dict[str, Any]]) -> Any:
    seed, kwargs = given
    return job(seed=seed, **kwargs)


@cache
def _code() -> str:
    """Return a hash of the code that runs."""
    root = Path(__file__).parents[1]
    files = sorted(root.rglob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()
