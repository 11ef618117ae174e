"""What is wrong with the words that were typed, as our own errors with remedies."""

from collections.abc import Sequence
from typing import Any

from cyclopts import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
)

from betterthan.cli.options import TABLE
from betterthan.errors import Choice, Remedy, UsageError, closest, listing, quote


class MistypedError(UsageError):
    """Words that mean nothing; ``corrected`` are those that were probably meant."""

    def __init__(self, message: str, corrected: Sequence[str]) -> None:
        super().__init__(message)
        self.corrected = tuple(corrected)


def usage_error(error: CycloptsError, words: Sequence[str]) -> UsageError:
    """Turn an error of cyclopts into ours: what was typed, and what probably was meant."""
    made = _usage_error(error, words)
    source = getattr(getattr(error, "token", None), "source", "cli")
    if source != "cli":  # a file of defaults
        made.message = f"{source} {made.message}"
    return made


def _usage_error(error: CycloptsError, words: Sequence[str]) -> UsageError:
    chain = list(error.command_chain or ())
    token = getattr(error, "token", None)
    name = error.argument.name if error.argument is not None else getattr(token, "keyword", "")
    option = TABLE.get(name)
    if isinstance(error, UnknownCommandError):
        return _no_command(error, chain, words)
    if isinstance(error, UnknownOptionError):
        return _no_option(error, chain, words)
    if isinstance(error, MissingArgumentError) and option is None:
        return MistypedError(f"{' '.join(chain)} needs {name or 'FILES'}", [*chain, "--help"])
    if isinstance(error, MissingArgumentError) and option is not None:
        return UsageError(f"{name} needs a value, {option.takes}", _set(name, Choice(option.takes)))
    if isinstance(error, RepeatArgumentError):
        return UsageError(f"{name} was given more than once, and takes one value")
    if isinstance(error, CoercionError):
        return _bad_value(error, name, words)
    return UsageError(str(error))


def _no_command(error: UnknownCommandError, chain: list[str], words: Sequence[str]) -> UsageError:
    typed = (error.unused_tokens or words)[0]
    names = [name for name in (error.app or ()) if not name.startswith("-")]
    near = closest(typed, names)
    message = f"there is no command {quote(' '.join([*chain, typed]))}"
    if near is None:
        return UsageError(f"{message}; there are {', '.join(names)}")
    place = words.index(typed)
    return MistypedError(message, [*words[:place], near, *words[place + 1 :]])


def _no_option(error: UnknownOptionError, chain: list[str], words: Sequence[str]) -> UsageError:
    typed, equals, value = (error.token.keyword or error.token.value).partition("=")
    names = [name for each in error.argument_collection for name in each.names]
    near = closest(typed, [name for name in names if name.startswith("--")])
    message = f"{' '.join(chain) or 'betterthan'} has no option {quote(typed)}"
    if near is None:
        return MistypedError(message, [*chain, "--help"])
    whole = f"{typed}{equals}{value}"
    return MistypedError(message, [near + equals + value if w == whole else w for w in words])


def _bad_value(error: CoercionError, name: str, words: Sequence[str]) -> UsageError:
    typed = error.token.value if error.token is not None else ""
    choices = error.argument.get_choices(force=True) if error.argument is not None else None
    if choices:
        near = closest(typed, choices)
        message = f"{name} must be one of {listing(choices, len(choices))}, not {quote(typed)}"
        if near and name not in TABLE:
            return MistypedError(message, [near if word == typed else word for word in words])
        return UsageError(message, *([_set(name, near)] if near else []))
    kinds = {int: "a whole number", float: "a number", bool: "yes or no"}
    kind = kinds.get(error.target_type or str, "a value")
    return UsageError(f"{name} must be {kind}, not {quote(typed)}")


def _set(flag: str, value: object) -> Remedy:
    option = TABLE.get(flag)
    keyword: Any = option.keyword if option is not None else None
    return Remedy("", keyword, value) if keyword else Remedy()
