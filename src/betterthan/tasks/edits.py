"""Edit distance and longest common subsequence of token sequences, one row per machine step.

Both keep a whole row of the dynamic programme in the bits of one integer, and Python's integers
have as many bits as are needed: n steps instead of n x m. Of long sequences only a band around the
diagonal is filled, as wide as their distance asks for; beyond ``MOST_CELLS`` they are refused.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence

from betterthan.errors import TooLargeError

Tokens = Sequence[Hashable]
MOST_CELLS = 10**10  # of the dynamic programme: about two seconds
FEW_CELLS = 10**7  # so few are filled as fast without a band
FIRST_BAND = 512
SHORT, RARE = 4096, 16  # bits of tokens that are rare in a sequence not short are never stored


def edit_distance(a: Tokens, b: Tokens) -> int:
    """Least number of insertions, deletions and substitutions (Myers, 1999; Hyyrö, 2003).

    >>> edit_distance("kitten", "sitting"), edit_distance([], ["a", "b"])
    (3, 2)
    """
    a, b = _where_they_differ(a, b)  # a is the longer one
    if not b:
        return len(a)
    if len(a) * len(b) > FEW_CELLS:
        k = max(FIRST_BAND, len(a) - len(b))
        while 4 * k < len(a) and (2 * k + 1) * len(b) <= MOST_CELLS:
            distance = _distance_within(a, b, k)
            if distance <= k:
                return distance
            k *= 2
        _check_size(a, b)
    places = _places(b)
    every, last = (1 << len(b)) - 1, len(b) - 1
    up, down = every, 0  # vertical differences +1 and -1, a bit for each token of b
    distance = len(b)
    for token in a:
        equal = places(token) | down
        diagonal = (((equal & up) + up) ^ up) | equal
        right_up = down | (every ^ ((diagonal | up) & every))
        right_down = up & diagonal
        distance += (right_up >> last) - (right_down >> last)
        right_up = (right_up << 1) | 1
        up = ((right_down << 1) | (every ^ ((diagonal | right_up) & every))) & every
        down = right_up & diagonal & every
    return distance


def _distance_within(a: Tokens, b: Tokens, k: int) -> int:
    """Distance if it is at most k, else some number above k; ``len(a) - len(b)`` is in 0..k.

    Bit t of step j stands for row i = j - k + t: the band moves down the diagonal (Hyyrö, 2003),
    and what leaves it costs more than k. The distance is counted along the diagonal that ends in
    the last cell, where it never falls.
    """
    every, top, watched = (1 << (2 * k + 1)) - 1, 1 << 2 * k, k + len(a) - len(b)
    where = _where(a)
    often: dict[Hashable, tuple[int, int]] = {}  # bits in the band, and as of which step
    up, down, distance = (every >> k) << k, 0, len(a) - len(b)
    for step in range(1 - k, len(b) + 1):
        if step - 1 + k < len(a) and len(where[token := a[step - 1 + k]]) > RARE:
            bits, then = often.get(token, (0, step))
            often[token] = (bits >> (step - then)) | top, step
        if step < 1:  # the band has only begun to reach the rows
            continue
        token = b[step - 1]
        if token in often:
            bits, then = often[token]
            equal = (bits >> (step - then)) | down
        else:
            places, low = where.get(token, ()), step - 1 - k
            first, end = bisect_left(places, low), bisect_left(places, low + 2 * k + 1)
            equal = _bits([place - low for place in places[first:end]]) | down
        diagonal = ((((equal & up) + up) ^ up) | equal) & every
        distance += not (diagonal >> watched) & 1
        if distance > k:
            break
        right_up = down | (every ^ (diagonal | up))
        right_down = up & diagonal
        diagonal >>= 1
        up = right_down | (every ^ (diagonal | right_up))
        down = diagonal & right_up
    return distance


def common_subsequence(a: Tokens, b: Tokens) -> int:
    """Length of the longest common subsequence (Hyyrö, 2004, after Crochemore et al., 2001).

    >>> common_subsequence("nematode", "empty"), common_subsequence("ab", "")
    (3, 0)
    """
    size = max(len(a), len(b))
    a, b = _where_they_differ(a, b)
    same = size - len(a)
    _check_size(a, b)
    places = _places(b)
    every = (1 << len(b)) - 1
    row = every
    for token in a:
        matched = row & places(token)
        row = ((row + matched) | (row - matched)) & every
    return same + len(b) - row.bit_count()


def _where_they_differ(a: Tokens, b: Tokens) -> tuple[Tokens, Tokens]:
    """Without what both begin and end with, which costs nothing in either measure; longer first."""
    if len(a) < len(b):
        a, b = b, a
    start = next((k for k, token in enumerate(b) if a[k] != token), len(b))
    left = len(b) - start
    end = next((k for k in range(left) if a[-1 - k] != b[-1 - k]), left)
    return a[start : len(a) - end], b[start : len(b) - end]


def _check_size(a: Tokens, b: Tokens) -> None:
    if len(a) * len(b) > MOST_CELLS:
        raise TooLargeError(
            f"sequences of {len(a):,} and {len(b):,} tokens that differ as much are too long to be "
            f"aligned (about {round(MOST_CELLS**0.5):,} tokens each are not): split them, for "
            "example into sentences or utterances"
        )


def _places(tokens: Tokens) -> Callable[[Hashable], int]:
    """Return the function that gives the bits at which a token occurs."""
    if len(tokens) <= SHORT:
        bits: dict[Hashable, int] = {}
        for k, token in enumerate(tokens):
            bits[token] = bits.get(token, 0) | 1 << k
        return lambda token: bits.get(token, 0)
    where = _where(tokens)
    often = {token: _bits(places) for token, places in where.items() if len(places) > RARE}
    return lambda token: often[token] if token in often else _bits(where.get(token, ()))


def _where(tokens: Tokens) -> dict[Hashable, list[int]]:
    where: dict[Hashable, list[int]] = {}
    for k, token in enumerate(tokens):
        where.setdefault(token, []).append(k)
    return where


def _bits(places: Sequence[int]) -> int:
    """Integer with these bits set, the highest of which comes last."""
    text = bytearray(places[-1] // 8 + 1 if places else 0)
    for k in places:
        text[k >> 3] |= 1 << (k & 7)
    return int.from_bytes(text, "little")
