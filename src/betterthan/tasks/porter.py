"""Porter's stemmer (Porter, 1980) with the extensions that ROUGE scores are computed with.

Those are the ones of NLTK's default mode, which rouge-score uses: irregular forms, ``-ies`` and
``-ied`` of short words, ``y`` to ``i`` after any consonant, ``-alli`` first, ``-fulli``, ``-logi``.
"""

from collections.abc import Callable
from functools import cache
from itertools import pairwise

VOWELS = frozenset("aeiou")
IRREGULAR = {
    "skies": "sky",
    "sky": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}
# Suffixes and what replaces them: the first that fits decides, whether or not its condition holds.
STEP_2 = (
    "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e "
    "ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous "
    "aliti>al iviti>ive biliti>ble fulli>ful"
)
STEP_3 = "icate>ic ative> alize>al iciti>ic ical>ic ful> ness>"
STEP_4 = (
    "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ion> ou> ism> ate> iti> ous> ive> "
    "ize>"
)


@cache
def stem(word: str) -> str:
    """Stem a word of lower-case letters and digits.

    >>> [stem(w) for w in ("relational", "ponies", "hopping", "happy", "dying")]
    ['relat', 'poni', 'hop', 'happi', 'die']
    """
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _step_1c(_step_1b(_step_1a(word)))
    word = _step_2(word)
    word = _first(word, STEP_3, lambda stem: _measure(stem) > 0)
    word = _first(word, STEP_4, lambda stem: _measure(stem) > 1)
    return _step_5(word)


def _consonants(word: str) -> list[bool]:
    """Tell consonants from vowels; a y is a consonant unless it follows one."""
    flags: list[bool] = []
    for letter in word:
        after = bool(flags) and flags[-1]
        flags.append(not after if letter == "y" else letter not in VOWELS)
    return flags


def _measure(stem: str) -> int:
    """Porter's m: how often a vowel is followed by a consonant."""
    flags = _consonants(stem)
    return sum(not a and b for a, b in pairwise(flags))


def _ends_in_short_syllable(word: str) -> bool:
    """Porter's *o: consonant, vowel, consonant other than w, x, y; or a whole word like ``at``."""
    flags = _consonants(word)
    if len(word) == 2:
        return flags == [False, True]
    return flags[-3:] == [True, False, True] and word[-1] not in "wxy"


def _first(word: str, rules: str, holds: Callable[[str], bool]) -> str:
    for rule in rules.split(" "):
        suffix, _, new = rule.partition(">")
        if word.endswith(suffix):
            stem = word.removesuffix(suffix)
            fits = holds(stem) and (suffix != "ion" or stem[-1] in "st")
            return stem + new if fits else word
    return word


def _step_1a(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    suffix = next((s for s in ("ed", "ing") if word.endswith(s)), "")
    stem = word.removesuffix(suffix)
    if not suffix or all(_consonants(stem)):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and _consonants(stem)[-1]:
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_in_short_syllable(stem) else stem


def _step_1c(word: str) -> str:
    after_consonant = len(word) > 2 and word[-1] == "y" and _consonants(word[:-1])[-1]
    return word[:-1] + "i" if after_consonant else word


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _step_2(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word  # the l belongs to the stem
    return _first(word, STEP_2, lambda stem: _measure(stem) > 0)


def _step_5(word: str) -> str:
    if word.endswith("e"):
        m = _measure(word[:-1])
        if m > 1 or (m == 1 and not _ends_in_short_syllable(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
