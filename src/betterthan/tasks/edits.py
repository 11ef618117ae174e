"""Edit distance and longest common subsequence of token sequences, one row per machine step.

Both keep a whole row of the dynamic programme in the bits of one integer, and Python's integers
have as many bits as are needed: n steps instead of n x m.
"""

from collections.abc import Hashable, Sequence


def edit_distance(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Least number of insertions, deletions and substitutions (Myers, 1999; Hyyrö, 2003).

    >>> edit_distance("kitten", "sitting"), edit_distance([], ["a", "b"])
    (3, 2)
    """
    if not a:
        return len(b)
    places = _places(a)
    every, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    up, down = every, 0  # vertical differences +1 and -1, a bit for each token of a
    distance = len(a)
    for token in b:
        equal = places.get(token, 0)
        diagonal = (((equal & up) + up) ^ up) | equal | down
        right_up = down | (every & ~(diagonal | up))
        right_down = up & diagonal
        distance += bool(right_up & last) - bool(right_down & last)
        right_up = (right_up << 1) | 1
        right_down <<= 1
        up = every & (right_down | ~(diagonal | right_up))
        down = every & right_up & diagonal
    return distance


def common_subsequence(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Length of the longest common subsequence (Hyyrö, 2004, after Crochemore et al., 2001).

    >>> common_subsequence("nematode", "empty"), common_subsequence("ab", "")
    (3, 0)
    """
    places = _places(a)
    every = (1 << len(a)) - 1
    row = every
    for token in b:
        matched = row & places.get(token, 0)
        row = ((row + matched) | (row - matched)) & every
    return len(a) - row.bit_count()


def _places(tokens: Sequence[Hashable]) -> dict[Hashable, int]:
    """Bits at which each token occurs."""
    places: dict[Hashable, int] = {}
    for k, token in enumerate(tokens):
        places[token] = places.get(token, 0) | 1 << k
    return places
