"""One kind of log: how its files are recognised, what its runs are, and how people use it.

Adding a harness is a module with a ``HARNESS`` and its name in ``betterthan.readers.families``.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import chain
from pathlib import Path
from textwrap import dedent

from betterthan.data.scores import Scores
from betterthan.errors import Remedy
from betterthan.readers.examples import Example
from betterthan.readers.files import called, first_bytes, system_names
from betterthan.readers.logs.choosing import chosen
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.log_texts import ItemTexts
from betterthan.readers.logs.runs import LogFile, Run
from betterthan.readers.options import Options


@dataclass(frozen=True)
class Harness:
    """A family of formats, read by one gatherer.

    Attributes
    ----------
    name : str
        What it is called, also as the value of ``input_format``.
    about : str
        The docstring of its module: the first line says what writes its files, the last ones what
        they look like and how they are used.
    known, averages : callable
        Whether a file that starts so is one of its logs, or has only averages.
    instead : str
        Where the scores of single samples are, for the error about averages.
    runs : callable
        The runs in a file.
    together : callable, optional
        The runs in several files that belong together.
    item, response : str
        What the logs call samples and their repeats; empty where samples are not repeated.
    by_folder : bool
        Whether a run has a folder of its own.
    shown : bool
        Whether samples come with their texts where these are needed.
    """

    name: str
    about: str | None
    known: Callable[[LogFile], bool]
    runs: Callable[[LogFile], Iterable[Run]] = lambda file: ()
    _: KW_ONLY
    averages: Callable[[LogFile], bool] = lambda file: False
    instead: str = "run the evaluation again, with samples logged"
    together: Callable[[Sequence[LogFile]], Iterable[Run]] | None = None
    item: str = "id"
    response: str = ""
    by_folder: bool = False
    shown: bool = False

    @property
    def FORMATS(self) -> tuple[str, ...]:  # noqa: N802 (as modules of other families have it)
        """Values of ``input_format`` that choose this family."""
        return (self.name,)

    @property
    def EXAMPLES(self) -> dict[str, Example]:  # noqa: N802
        """What ``betterthan list formats`` shows."""
        about, _, sample = (self.about or "").partition("::\n\n")
        shown, _, command = dedent(sample).partition("$ ")
        title = about.partition("\n")[0].replace("``", "")
        return {self.name: Example(title, command.rstrip(), shown.rstrip())}

    def recognise(self, path: Path, head: bytes) -> bool:
        """Whether a file of this name that starts so is one of its logs."""
        file = LogFile(path, head)
        return self.known(file) or self.averages(file)

    def read(self, files: Sequence[Path], options: Options) -> Scores:
        """Scores of all the files together."""
        runs = self._chosen(files, options)
        for run in runs:
            self._check(run.file, scored=bool(run.rows))
        return gather(runs, options, self.name, item=self.item, response=self.response)

    def item_texts(
        self, files: Sequence[Path], options: Options, items: Collection[str]
    ) -> Iterator[ItemTexts]:
        """What some items ask, their targets and what was answered."""
        inside = frozenset(items) | {item.partition("/")[2] for item in items}  # within a task
        runs = self._chosen(files, options, inside)
        for run in runs:
            for sample in run.rows:
                if sample.item in items and sample.texts:
                    yield ItemTexts(run.system, sample.item, *sample.texts)

    def _chosen(
        self, files: Sequence[Path], options: Options, texts: frozenset[str] = frozenset()
    ) -> list[Run]:
        """Runs of what is asked for, their systems named."""
        names = zip(files, self._names(files, options), strict=True)
        logs = [LogFile(path, first_bytes(path), name, options, texts) for path, name in names]
        for log in logs:
            self._check(log, scored=not self.averages(log))
        each = chain.from_iterable(map(self.runs, logs))
        runs = list(self.together(logs) if self.together else each)
        self._check(logs[0], scored=bool(runs))
        systems = defaultdict[Path, set[str]](set)
        for run in runs:
            systems[run.file.path].add(run.system)
        for run in runs:
            run.system = run.file.system(run.system, several=len(systems[run.file.path]) > 1)
        return chosen(runs, options)

    def _check(self, log: LogFile, *, scored: bool) -> None:
        """Check that a file has scores of samples."""
        if not scored:
            error = log.fault("has no scores of single samples")
            raise error.with_remedies(Remedy(self.instead))

    def _names(self, files: Sequence[Path], options: Options) -> list[str]:
        """Name systems by their files, or if that is asked for, by the folders of their runs."""
        folders = list(dict.fromkeys(file.absolute().parent for file in files))
        if not (self.by_folder and options.columns.get("system") == "file" and len(folders) > 1):
            return system_names(files)
        names = dict(zip(folders, system_names(folders), strict=True))
        return [called(file) or names[file.absolute().parent] for file in files]
