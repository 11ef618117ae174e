"""Remedies as they are typed in a shell: an option, and the whole command with it."""

import shlex
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from betterthan.cli.options import Option, option_of, takes_value
from betterthan.errors import COLUMN, Choice, Remedy, UsageError, closest
from betterthan.grammar import names_of, names_text, pairs_of, pairs_text

_ROLES = """
item system score response label cluster task left right winner judge source target ref
""".split()
_SHORT = {f"--{role}": role for role in _ROLES[:5]} | {"--candidate": "systems"}


def as_flag(remedy: Remedy) -> str:
    """Write the option of a remedy; empty where there is none.

    >>> as_flag(Remedy("leave them out", "missing", "drop"))
    '--missing drop'
    >>> as_flag(Remedy("", "columns", {"item": "id", "score": "my score"}))
    "--columns 'item=id,score=my score'"
    >>> as_flag(Remedy("two points", "margin", 0.02))
    '--margin 2'
    """
    return shlex.join(_words(remedy))


def _words(remedy: Remedy) -> list[str]:
    option, value = option_of(remedy.parameter), remedy.value
    if option is None or (option.takes and isinstance(value, bool)):  # Python only
        return []
    if isinstance(value, Mapping) and list(value) == ["cluster"]:  # a role with its own option
        return ["--cluster", _text(value["cluster"], option)]
    if not option.takes:
        return [option.flag if value else option.also[0]]
    return [option.flag, _text(value, option)]


def _text(value: object, option: Option) -> str:
    if isinstance(value, Mapping):
        return pairs_text({key: _text(x, option) for key, x in value.items()})
    if isinstance(value, list | tuple):
        return _listed([_text(x, option) for x in value], option)
    if isinstance(value, float | int) and option.unit != "as given":
        return f"{100 * value:.12g}"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _listed(names: Sequence[str], option: Option) -> str:
    """Write names, those of systems in quotation marks where they hold commas."""
    return names_text(names) if option.flag == "--systems" else ",".join(names)


def retyped(words: Sequence[str], remedy: Remedy, known: Collection[str] = ()) -> str:
    """Write the command that was typed once more, with the remedy in it.

    ``known`` are the flags of the other command where the remedy names one: what it does not have
    is left out.

    >>> retyped(["rank", "a.csv", "--missing", "error"], Remedy("", "missing", "drop"))
    'betterthan rank a.csv --missing drop'
    >>> retyped(["score", "a.csv", "--columns", "item=id"], Remedy("", "columns", {"score": "x"}))
    'betterthan score a.csv --columns item=id,score=x'
    """
    kept, end = _pieces(words)
    if remedy.command is not None:
        depth = 2 if words[:1] in (["study"], ["responses"]) else 1
        after = [piece for piece in kept[depth:] if piece[0][0] != "-" or piece[0] in known]
        kept = [[word] for word in remedy.command.split()] + after
    roles = remedy.value if isinstance(remedy.value, Mapping) else {}
    if list(roles) == ["label"] and any(piece[0] == "--by" for piece in kept):
        remedy, roles = Remedy(remedy.does, "by", roles["label"]), {}
    option = option_of(remedy.parameter)
    if option is not None:
        flag, *values = _words(remedy)
        names = {flag, *option.also, *([] if option.takes else [option.flag])}
        names |= {name for name, role in _SHORT.items() if role in (remedy.parameter, *roles)}
        old = [piece[1] for piece in kept if piece[0] in (flag, *option.also) and len(piece) > 1]
        kept = [piece for piece in kept if piece[0] not in names]
        if flag in ("--columns", "--where"):
            values = [_merged(old, roles, option)]
        elif flag in ("--systems", "--metric"):
            values = [_exchanged(old, values[0], option)]
        kept.append([flag, *values])
    return shlex.join(["betterthan", *(word for piece in kept for word in piece), *end])


def _pieces(words: Sequence[str]) -> tuple[list[list[str]], Sequence[str]]:
    """Split what was typed into options with their values and other words; and what follows --."""
    pieces: list[list[str]] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return pieces, [word, *rest]
        name, equals, value = word.partition("=")
        if equals and word.startswith("--"):
            pieces.append([name, value])
        else:
            pieces.append([word, rest.pop(0)] if rest and takes_value(word) else [word])
    return pieces, ()


def _merged(old: Sequence[str], new: Mapping[str, object], option: Option) -> str:
    """Join ``key=value`` of several options; a key that was mistyped gives way to the right one."""
    pairs: dict[str, object] = {}
    for text in old:
        with suppress(UsageError):  # text that names no pairs gives way to the right ones
            pairs |= pairs_of(text)
    for key, value in new.items():
        typos = [k for k in pairs if option.flag == "--where" or k not in _ROLES]
        same = [k for k in typos if key == COLUMN and pairs[k] == value]
        wrong = same[0] if same else closest(key, typos)
        had = None if wrong is None or wrong == key else pairs.pop(wrong)
        pairs[key] = had if had and isinstance(value, Choice) else value
    return _text(pairs, option)


def _exchanged(old: Sequence[str], new: str, option: Option) -> str:
    """Put one name into the place of the one that it is closest to."""
    names, news = names_of(",".join(old)), names_of(new)
    wrong = closest(news[0], names) if len(news) == 1 < len(names) else None
    return _listed([news[0] if name == wrong else name for name in names], option) if wrong else new
