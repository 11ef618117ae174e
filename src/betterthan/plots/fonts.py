"""Letters in pictures: of another font where the usual one lacks them, and told where all do."""

import unicodedata
import warnings
from functools import cache
from typing import Any

# Names of fonts that have the letters of many languages, in parts; they are asked first.
_BROAD = ("cjk", "noto sans", "source han", "wenquanyi", "unifont", "arial unicode", "symbola")
_BOXES = "last resort"  # a font that has every letter, as a box
_SHOWN = 10


class MissingLettersWarning(UserWarning):
    """Letters of a picture are drawn as boxes."""


def supply(figure: Any) -> str:
    """Let the figure's texts take the letters that their font lacks from others.

    Return those that no font has.
    """
    from matplotlib.font_manager import findfont  # noqa: PLC0415 (slow to import)
    from matplotlib.text import Text  # noqa: PLC0415

    unknown: set[str] = set()
    for text in figure.findobj(Text):
        special = frozenset(c for c in text.get_text() if not c.isascii() and _is_drawn(c))
        if not special:
            continue
        families = text.get_fontfamily()
        lacked = _lacked(findfont(text.get_fontproperties()), special)
        others, left = _fonts_with(lacked) if lacked else ((), "")
        text.set_fontfamily([*families, *(name for name in others if name not in families)])
        unknown.update(left)
    return "".join(sorted(unknown))


def tell_missing(letters: str) -> None:
    """Warn of letters that are drawn as boxes, and say what would draw them."""
    if letters:
        more = f" and {len(letters) - _SHOWN:,} more" if len(letters) > _SHOWN else ""
        warnings.warn(
            f"no font here has {' '.join(letters[:_SHOWN])}{more}: the picture has boxes instead; "
            "install a font that has them, such as Noto Sans CJK (fonts-noto-cjk in Debian and "
            "Ubuntu), or Noto Sans of their script",
            MissingLettersWarning,
            stacklevel=2,
        )


def _is_drawn(letter: str) -> bool:
    """Whether a letter is more than a blank or a mark that joins others."""
    return unicodedata.category(letter)[0] not in "ZC"


def _lacked(path: str, letters: frozenset[str]) -> frozenset[str]:
    from matplotlib.font_manager import get_font  # noqa: PLC0415 (slow to import)

    font = get_font(path)
    return frozenset(c for c in letters if not font.get_char_index(ord(c)))


@cache
def _fonts_with(letters: frozenset[str]) -> tuple[tuple[str, ...], str]:
    """Few fonts that have the letters, by name, and the letters that none has."""
    from matplotlib.font_manager import fontManager  # noqa: PLC0415 (slow to import)

    def order(font: Any) -> tuple[Any, ...]:
        name = font.name.lower()
        plain = font.style == "normal" and font.weight in (400, "normal", "regular", "book")
        return not any(word in name for word in _BROAD), not plain, name, font.fname

    found, left = [], letters
    for font in sorted(fontManager.ttflist, key=order):
        if font.name.lower().startswith(_BOXES):
            continue
        try:
            after = _lacked(font.fname, left)
        except (OSError, RuntimeError):  # a font that went away, or is none
            continue
        if after != left:
            found.append(font.name)
            left = after
        if not left:
            break
    return tuple(found), "".join(sorted(left))
