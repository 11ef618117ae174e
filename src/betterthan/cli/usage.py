"""What is wrong with the words that were typed, as our own errors with remedies."""

from collections.abc import Collection, Sequence
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
from betterthan.errors import Choice, UsageError, closest, listing, quote, settings

_KINDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    list[int]: "whole numbers",
    list[float]: "numbers",
    tuple[float, float]: "two numbers, LOW,HIGH",
}


class MistypedError(UsageError):
    """Words that mean nothing; ``corrected`` are those that were probably meant."""

    def __init__(self, message: str, corrected: Sequence[str]) -> None:
        super().__init__(message)
        self.corrected = tuple(corrected)


def usage_error(error: CycloptsError, words: Sequence[str]) -> UsageError:
    """Turn an error of cyclopts into ours: what was typed, and what probably was meant."""
    usage = _usage_error(error, words)
    source = getattr(getattr(error, "token", None), "source", "cli")
    if source != "cli":  # a file of defaults
        usage.message = f"{source} {usage.message}"
    return usage


def _usage_error(error: CycloptsError, words: Sequence[str]) -> UsageError:
    chain = list(error.command_chain or ())
    token, argument = getattr(error, "token", None), error.argument
    name = argument.name if argument is not None else getattr(token, "keyword", "")
    if isinstance(error, UnknownCommandError):
        typed = (error.unused_tokens or words)[0]
        commands = [each for each in (error.app or ()) if not each.startswith("-")]
        message = f"there is no command {quote(' '.join([*chain, typed]))}"
        return _mistyped(message, typed, commands, words, chain)
    if isinstance(error, UnknownOptionError):
        typed = (error.token.keyword or error.token.value).partition("=")[0]
        flags = [flag for each in error.argument_collection if each.show for flag in each.names]
        message = f"{' '.join(chain) or 'betterthan'} has no option {quote(typed)}"
        return _mistyped(message, typed, [f for f in flags if f[:2] == "--"], words, chain)
    if isinstance(error, MissingArgumentError):
        if name not in TABLE:
            return MistypedError(f"{' '.join(chain)} needs {name or 'FILES'}", [*chain, "--help"])
        takes = TABLE[name].takes
        return UsageError(
            f"{name} needs a value, {takes}", *settings(TABLE[name].keyword, Choice(takes))
        )
    if isinstance(error, RepeatArgumentError):
        return UsageError(f"{name} was given more than once, and takes one value")
    if isinstance(error, CoercionError) and argument is not None:
        typed = token.value if token is not None else ""
        choices = argument.get_choices(force=True)
        if not choices:
            kind = _KINDS.get(error.target_type, "yes or no")
            return UsageError(f"{name} must be {kind}, not {quote(typed)}")
        message = f"{name} must be one of {listing(choices, len(choices))}, not {quote(typed)}"
        near = closest(typed, choices)
        if near is None or name not in TABLE:
            return _mistyped(message, typed, choices, words, chain)
        return UsageError(message, *settings(TABLE[name].keyword, near))
    return UsageError(str(error))


def _mistyped(
    message: str, typed: str, known: Collection[str], words: Sequence[str], chain: list[str]
) -> UsageError:
    """Put what was probably meant into the place of what was typed, or point to the help."""
    bare = {name.lstrip("-"): name for name in known}
    near = bare.get(closest(typed.lstrip("-"), bare) or "")
    if near is None:
        return MistypedError(message, [*chain, "--help"])
    parts = {word: (word, *word.split("=", 1)) for word in words}
    return MistypedError(
        message, [word.replace(typed, near, 1) if typed in parts[word] else word for word in words]
    )
