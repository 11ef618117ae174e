"""Text from files and names, made harmless to whoever shows it."""

import re
from collections.abc import Iterable

# Control characters; marks that turn the direction of writing; separators of lines and paragraphs;
# letters that are drawn as nothing; halves of surrogate pairs, and what has no place in text.
ACTIVE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff\ufdd0-\ufdef\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
# What a build service would obey where a line begins with it, or anywhere in one
_COMMAND = re.compile(r"^(\s*):(?=:[\w-]+(?: [^:]*)?::)|#(?=#[a-z]*\[)")
# What a spreadsheet computes, behind blanks and quotes that are already there
_FORMULA = re.compile(r"'*\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?[\d.,]+(?:[eE][+-]?\d+)?")


def inert(text: str) -> str:
    r"""Write characters that control a terminal or hide from its reader as what they are.

    >>> print(inert("a\x1b[31mb\nc\u202ed"))
    a\x1b[31mb\nc\u202ed

    Workflow commands of build services are none either; a name may well hold colons.

    >>> print(inert("::error file=a.py::no"), inert("##[add-mask]x"), inert("std::any::new"))
    \x3a:error file=a.py::no \x23#[add-mask]x std::any::new
    >>> print(inert("##vso[task.complete]"), inert("##teamcity[buildStatus]"))
    \x23#vso[task.complete] \x23#teamcity[buildStatus]
    """
    return _COMMAND.sub(_disobeyed, ACTIVE.sub(_spelled, text))


def inert_all(texts: Iterable[str]) -> tuple[str, ...]:
    """Write active characters as what they are, in each of several texts."""
    return tuple([_COMMAND.sub(_disobeyed, ACTIVE.sub(_spelled, text)) for text in texts])


def inert_text(text: str) -> str:
    """Write active characters as what they are, but for the ends of lines."""
    return "\n".join(inert_all(text.split("\n")))


def no_formula(text: str) -> str:
    """Keep a spreadsheet from computing a name: what would start a formula is set behind a quote.

    >>> no_formula("=1+1"), no_formula("-1.5"), no_formula("'=1+1")
    ("'=1+1", '-1.5', "''=1+1")
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _spelled(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "surrogatepass").decode()


def _disobeyed(found: re.Match[str]) -> str:
    return f"{found[1] or ''}\\x{ord(found[0][-1]):x}"
