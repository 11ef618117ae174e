"""One kind of log: how its files are recognised, what its runs are, and how people use it.

Adding a harness is a module with a ``HARNESS`` and its name in ``betterthan.readers.families``.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from betterthan.data.scores import Scores
from betterthan.errors import UsageError
from betterthan.readers.examples import Example
from betterthan.readers.files import system_names
from betterthan.readers.logs.checks import BY_FILE
from betterthan.readers.logs.gathering import gather, item_names, tasks_asked, with_tasks
from betterthan.readers.logs.log_texts import ItemTexts
from betterthan.readers.logs.runs import Head, LogFile, Run
from betterthan.readers.options import Options


@dataclass(frozen=True, kw_only=True)
class Harness:
    """A family of formats, read by one gatherer.

    Attributes
    ----------
    names : tuple of str
        Values of ``input_format`` that mean it.
    title : str
        What the Read line calls it.
    command : str
        How it is used.
    about : str
        The docstring of its module, which ends in what its files look like.
    known : callable
        Whether a file that starts so is one of its logs.
    runs : callable
        Runs in files; those of each file are there, or an error is raised.
    item, response : str
        What the logs call samples and their repeats.
    texts, shown : bool
        Whether the logs hold prompts and answers, too; whether runs come with those of some items.
    source : str
        What writes such files, if that is not the title.
    """

    names: tuple[str, ...]
    title: str
    command: str
    about: str | None
    known: Callable[[Head], bool]
    runs: Callable[[Sequence[LogFile]], Iterable[Run]]
    item: str = "id"
    response: str = "epoch"
    texts: bool = True
    shown: bool = False
    source: str = ""

    @property
    def FORMATS(self) -> tuple[str, ...]:  # noqa: N802 (as modules of other families have it)
        """Values of ``input_format`` that choose this family."""
        return self.names

    @property
    def EXAMPLES(self) -> dict[str, Example]:  # noqa: N802
        """What ``betterthan list formats`` shows."""
        sample = dedent((self.about or "").partition("::\n\n")[2])
        return {self.names[0]: Example(self.source or self.title, self.command, sample)}

    def recognise(self, path: Path, head: bytes) -> bool:
        """Whether a file of this name that starts so is one of its logs."""
        return self.known(Head(path, head))

    def read(self, files: Sequence[Path], options: Options) -> Scores:
        """Scores of all the files together."""
        runs = list(self.runs(_log_files(files, options)))
        return gather(
            runs, options, self.title, item=self.item, response=self.response, texts=self.texts
        )

    def item_texts(
        self, files: Sequence[Path], options: Options, items: Collection[str]
    ) -> Iterator[ItemTexts]:
        """What some items ask, their targets and what was answered."""
        inside = frozenset(items) | {item.partition("/")[2] for item in items}  # within a task
        runs = with_tasks(list(self.runs(_log_files(files, options, inside))))
        chosen = tasks_asked({run.task: run.groups for run in runs}, options.task)
        runs = [run for run in runs if run.task in chosen]
        for run in runs:
            for item, name in zip(run.items, item_names(run, runs), strict=True):
                if name in items and item in run.texts:
                    yield ItemTexts(run.system, name, *run.texts[item])


def _log_files(
    files: Sequence[Path], options: Options, texts: frozenset[str] = frozenset()
) -> list[LogFile]:
    """Pair the files of logs with the names that their systems may have by them."""
    if options.system not in (None, "file", "model"):
        raise UsageError(
            f"logs name their systems themselves, or their files do: {options.system!r} is not "
            "a column of theirs",
            BY_FILE,
        )
    names = system_names(files)
    return [LogFile(path, name, options, texts) for path, name in zip(files, names, strict=True)]
