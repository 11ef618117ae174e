r"""Text for TeX: nothing in it is markup, and all of it compiles, under pdfLaTeX too.

pdfLaTeX stops at characters that no package has declared. Accents become commands, Greek letters
and common signs formulas. Whatever else there is goes through ``\unicodeor``: LuaLaTeX and XeLaTeX
set it as it is, pdfLaTeX the nearest ASCII letters or the code points.
"""

import re
import unicodedata

from betterthan.results.escaping import inert

UNICODE_OR = (
    r"\providecommand{\unicodeor}[2]"
    r"{\ifdefined\directlua#1\else\ifdefined\XeTeXrevision#1\else#2\fi\fi}"
)
r"""Its definition: the first argument where TeX reads Unicode, else the second."""

_ESCAPED = {
    **{character: rf"\{character}" for character in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "|": r"\textbar{}", "~": r"\textasciitilde{}"},
    **{"^": r"\textasciicircum{}", "<": "$<$", ">": "$>$", "`": r"\textasciigrave{}"},
    **{"–": "--", "—": "---", "−": "$-$", "…": r"\ldots{}", "\xa0": "~", "│": r"\textbar{}"},
    **{"‘": "{`}", "’": "'", "“": "``", "”": "''", "•": r"$\bullet$", "·": r"$\cdot$"},
    **{"±": r"$\pm$", "×": r"$\times$", "≥": r"$\geq$", "≤": r"$\leq$", "≠": r"$\neq$"},
    **{"≈": r"$\approx$", "∞": r"$\infty$", "→": r"$\rightarrow$", "←": r"$\leftarrow$"},
    **{
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "†": r"$\dagger$",
        "‡": r"$\ddagger$",
        "§": r"\S{}",
    },
    **{"°": r"$^\circ$", "²": "$^2$", "³": "$^3$", "¹": "$^1$", "µ": r"$\mu$", "′": "$'$"},
    **{"ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}", "Œ": r"\OE{}"},
    **{"ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}"},
}
_ACCENTS = dict(
    zip(
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0331",
        "`'^~=u.\"rHvdcb",
        strict=True,
    )
)
_GREEK = {
    **{
        letter: rf"$\{name}$"
        for letter, name in zip(
            "αβγδεζηθικλμνξπρςστυφχψωΓΔΘΛΞΠΣΥΦΨΩ",
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho "
            "varsigma sigma tau upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma "
            "Upsilon Phi Psi Omega".split(),
            strict=True,
        )
    },
    **dict(zip("οΑΒΕΖΗΙΚΜΝΟΡΤΧ", "oABEZHIKMNOPTX", strict=True)),
}
_PIECE = re.compile(r"[^-_/:@ ]{1,10}[-_/:@ ]?|[-_/:@ ]")  # ends where a line may end
_NUMBER = re.compile(r"(?<![\w.])([+-]?)(\d[\d,.]*|∞)(?:e([+-]?\d+))?(?!\w)")


def known(character: str) -> bool:
    """Whether pdfLaTeX can set a character, or something like it."""
    return _spelled(character) is not None or not _in_ascii(character).startswith("U+")


def escaped(text: str, *, broken: bool = False) -> str:
    r"""Escape what TeX would take for markup, and what pdfLaTeX does not know.

    In text that is ``broken`` into lines a line may end where :func:`pieces` end.

    >>> print(escaped("A & B_50%"), escaped("naïve β-net"), escaped("系"))
    A \& B\_50\% na\"{\i}ve $\beta$-net \unicodeor{系}{U+7CFB}
    """
    if broken:
        return r"\allowbreak{}".join(escaped(piece) for piece in pieces(text))
    out, unknown, before = [], "", ""
    for character in (*unicodedata.normalize("NFC", inert(text)), ""):
        code = _spelled(character)
        if code is None:
            unknown += character
            continue
        if unknown:
            out.append(rf"\unicodeor{{{unknown}}}{{{_in_ascii(unknown)}}}")
            unknown = ""
        out.append("{}-" if before == character == "-" else code)  # two would make a dash
        before = character
    return "".join(out)


def pieces(text: str) -> list[str]:
    """Cut a text where a line may end: behind hyphens and their kin, and within long words.

    >>> pieces("meta-llama_3.1 instruct"), pieces("internationalization")
    (['meta-', 'llama_', '3.1 ', 'instruct'], ['internatio', 'nalization'])
    """
    return _PIECE.findall(" ".join(text.split()))


def typeset(text: str) -> str:
    r"""Escape text whose numbers are numbers, not parts of names: minus signs and powers of ten.

    >>> print(typeset("[-1.5, +2.0]"), typeset("< 6.9e-06"), typeset("67.1–76.9"))
    [$-$1.5, +2.0] $<$ $6.9\times10^{-6}$ 67.1--76.9
    >>> print(typeset("<= 1.0e-06"))
    $\leq$ $1.0\times10^{-6}$
    """
    text = text.replace("<= ", "≤ ")
    out, end = [], 0
    for found in _NUMBER.finditer(text):
        sign, digits, power = found.groups()
        out.append(escaped(text[end : found.start()]))
        if power is not None:
            out.append(rf"${sign}{digits.replace(',', '{,}')}\times10^{{{int(power)}}}$")
        else:
            out.append(("$-$" if sign == "-" else sign) + escaped(digits))
        end = found.end()
    return "".join([*out, escaped(text[end:])])


def _spelled(character: str) -> str | None:
    """How TeX writes a character; None where only some engines can."""
    if character in _ESCAPED:
        return _ESCAPED[character]
    if character.isascii():
        return character
    if character in _GREEK:
        return _GREEK[character]
    base, *marks = list(unicodedata.normalize("NFD", character))
    if base.isascii() and base.isalpha() and len(marks) == 1 and marks[0] in _ACCENTS:
        mark = _ACCENTS[marks[0]]
        dotless = "\\" * (base in "ij" and mark not in "dcb")
        return rf"\{mark}{{{dotless}{base}}}"
    return None


def _in_ascii(text: str) -> str:
    """The nearest ASCII letters, or the code points where there are none."""
    letters = "".join(
        c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)
    )
    if letters.isascii() and letters.strip():
        return "".join(_ESCAPED.get(c, c) for c in letters)
    return " ".join(f"U+{ord(c):04X}" for c in text)
