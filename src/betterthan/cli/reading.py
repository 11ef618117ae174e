"""What is read: the options that say how, and the call of ``betterthan.read``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from betterthan.cli.options import Several, option, shorthand
from betterthan.cli.screen import busy, say
from betterthan.cli.values import given, names

_ROLES = ("item", "system", "score", "response", "label", "cluster")
_FURTHER = ("ref", "missing", "input_format", "lower_is_better")


@dataclass(frozen=True, kw_only=True)
class Tables:
    """What columns hold, and which rows and systems are read."""

    columns: Annotated[Several, option("--columns")] = None
    where: Annotated[Several, option("--where")] = None
    systems: Annotated[Several, option("--systems")] = None
    item: Annotated[str | None, shorthand("--item")] = None
    system: Annotated[str | None, shorthand("--system")] = None
    score: Annotated[str | None, shorthand("--score")] = None
    response: Annotated[str | None, shorthand("--response")] = None
    label: Annotated[str | None, shorthand("--label")] = None

    @property
    def pair(self) -> tuple[str | None, str | None]:
        """The baseline and the candidate, as far as they were named."""
        first, second, *_ = [*(names(self.systems) or []), None, None]
        return first if second else None, second

    def roles(self, by: str | None = None) -> dict[str, str]:
        """Return the column of each role; results are broken down by a label."""
        from betterthan.grammar import pairs_of

        roles: dict[str, str] = {}
        for text in self.columns or ():
            roles |= pairs_of(text)
        for role in _ROLES:
            column = getattr(self, role, None)
            if column is not None:
                roles[role] = column if role == "cluster" else column.replace(",", "+")
        labels = roles["label"].split("+") if "label" in roles else []
        if by is not None and by not in (*labels, roles.get("task")):
            roles["label"] = "+".join([*labels, by])
        return roles

    def options(self, by: str | None = None) -> dict[str, Any]:
        """Return the keywords of ``betterthan.read`` that were given."""
        from betterthan.grammar import pairs_of

        where: dict[str, str] = {}
        for text in self.where or ():
            where |= pairs_of(text)
        own = {
            "columns": self.roles(by) or None,
            "where": where or None,
            "systems": names(self.systems),
            **{name: getattr(self, name, None) for name in _FURTHER},
        }
        return given(own, *own)

    def read(
        self,
        files: Sequence[str | Path],
        *,
        metric: str | Sequence[str] | None = None,
        by: str | None = None,
        judged: bool = False,
        counted: bool = False,
        fixed: Mapping[str, Any] = {},
    ) -> Any:
        """Read files, and say how they were read.

        Judgments are read as scores, the share that each system won, except where they may be
        ``judged``. Tables that would fill the memory may be ``counted``, by commands that do not
        need the single items. ``fixed`` are keywords of a plan, which add to what was typed.
        """
        import betterthan as bt

        options = self.options(by)
        columns = {**options.get("columns", {}), **fixed.get("columns", {})}
        options = {**options, **fixed} | ({"columns": columns} if columns else {})
        options |= {} if counted else {"items": True}
        metrics = [metric] if isinstance(metric, str) else list(metric or ())
        if metrics and not any("*" in name for name in metrics):  # f1(*) needs all classes
            options["metric"] = metrics
        files = files if judged else held(files)
        with busy("reading"):
            data = bt.read(*files, **options)
            if isinstance(data, bt.Judgments) and not judged:
                against = {} if self.pair[0] is None else {"systems": [self.pair[0]]}
                data = bt.read(*files, **({"metric": "win"} | against | options))
        say(f"Read {data.source}")
        return data


@dataclass(frozen=True, kw_only=True)
class Reading(Tables):
    """All that can be said about what is read."""

    cluster: Annotated[str | None, option("--cluster")] = None
    ref: Annotated[Several, option("--ref")] = None
    missing: Annotated[Literal["error", "drop", "worst"] | None, option("--missing")] = None
    input_format: Annotated[str | None, option("--input-format")] = None

    def texts_of(
        self,
        files: Sequence[str | Path],
        metric: Sequence[str] | None,
        items: Sequence[str],
        rows: Sequence[int],
    ) -> dict[str, dict[str, str]]:
        """Return what some items say, where the files hold it; results do without it."""
        from betterthan.errors import BetterthanError
        from betterthan.readers.item_texts import item_texts

        try:
            return item_texts(files, items, rows, **self.options(), metric=metric)
        except BetterthanError:
            return {}


@dataclass(frozen=True, kw_only=True)
class ScoresReading(Reading):
    """Scores have a direction."""

    lower_is_better: Annotated[bool | None, option("--lower-is-better")] = None


@dataclass(frozen=True, kw_only=True)
class Pairs(Tables):
    """Systems may also be named as what they are: two, or a baseline and several."""

    baseline: Annotated[str | None, option("--baseline", shown=False)] = None
    candidate: Annotated[Several, shorthand("--candidate")] = None

    @property
    def pair(self) -> tuple[str | None, str | None]:
        """The baseline and the candidate, as far as they were named."""
        first, second = super().pair
        candidate, *_ = [*(names(self.candidate) or []), None]
        if self.baseline is None:
            return first, candidate or second
        chosen = names(self.systems) or ()
        return self.baseline, candidate or next((x for x in chosen if x != self.baseline), None)

    def options(self, by: str | None = None) -> dict[str, Any]:
        """Return the keywords of ``betterthan.read``: only the systems that were named count."""
        options = super().options(by)
        chosen = [*(names(self.systems) or ()), *(names(self.candidate) or ())]
        if not chosen or (self.baseline is None and not self.systems):
            return options
        first = [] if self.baseline is None or self.baseline in chosen else [self.baseline]
        return options | {"systems": [*first, *chosen]}

    def read(self, files: Sequence[str | Path], **more: Any) -> Any:
        """Read files; candidates that are named alone are held against the first system."""
        data = super().read(files, **more)
        if self.candidate and self.baseline is None and not self.systems:
            data = data.select(data.baseline(None), *(names(self.candidate) or ()))
        return data


def held(files: Sequence[str | Path]) -> Sequence[str | Path]:
    """Return files that can be read twice: pipes among them are read now and kept."""
    from betterthan.readers.files import expand_paths
    from betterthan.readers.streams import Stream

    paths = expand_paths(files)
    return paths if any(isinstance(path, Stream) for path in paths) else files
