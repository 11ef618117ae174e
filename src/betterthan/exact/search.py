"""Search for the first integer at which something is reached."""

from collections.abc import Callable


def first_integer(reached: Callable[[int], bool], guess: int, *, stride: int = 1) -> int:
    """Smallest integer that is ``reached``: a bracket is widened from the guess, then halved.

    >>> first_integer(lambda j: j * j * j >= 1000, 3)
    10
    """
    low = high = guess
    if reached(guess):
        while reached(low := high - stride):
            high, stride = low, 2 * stride
    else:
        while not reached(high := low + stride):
            low, stride = high, 2 * stride
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high
