"""The signature of a result: everything that determines it, on one line. And the version.

>>> signature("perm-exact", metric="mean", n=6, alternative="two-sided", further={"systems": 2})
'betterthan:0.1|perm-exact|m:mean|n:6|systems:2|2s'
"""

import hashlib
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

__version__ = "0.1.0"
SERIES = __version__.rpartition(".")[0]
"""Releases of one series give the same numbers for the same signature."""

_SIDES = {"two-sided": "2s", "greater": "1s>", "less": "1s<", "one-sided": "1s"}


def signature(
    method: str,
    *,
    metric: object = None,
    n: int | None = None,
    clusters: int | None = None,
    further: Mapping[str, object] | None = None,
    alpha: float | None = None,
    confidence: float | None = None,
    alternative: str | None = None,
    correction: str | None = None,
    resamples: int | None = None,
    seed: object = None,
    data: "Sequence[NDArray[Any] | None]" = (),
) -> str:
    """Write the signature; what is None is left out.

    ``further`` are facts of one kind of result, under their own names. ``alternative`` may also be
    ``"one-sided"``, for rules that look at either side by itself. Draws have a seed: an integer, or
    ``none`` where a generator was handed in.
    """
    facts = {
        "m": metric,
        "n": n,
        "c": clusters,
        **(further or {}),
        "a": None if alpha is None else f"{alpha:g}",
        "level": None if confidence is None else f"{confidence:g}",
    }
    parts = [f"betterthan:{SERIES}", method]
    parts += [f"{name}:{value}" for name, value in facts.items() if value is not None]
    parts += [] if alternative is None else [_SIDES[alternative]]
    parts += [] if correction is None else [f"adj:{correction}"]
    parts += [] if resamples is None else [f"b:{resamples}"]
    if resamples is not None or seed is not None:
        parts.append(f"seed:{seed if isinstance(seed, Integral) else 'none'}")
    if data:
        parts.append(f"data:{fingerprint(*data)}")
    return "|".join(parts)


def fingerprint(*arrays: "NDArray[Any] | None") -> str:
    """Eight hexadecimal digits that change when the data do."""
    digest = hashlib.blake2b(digest_size=4)
    for array in arrays:
        if array is not None:
            digest.update(str(array.shape).encode())
            digest.update(array.tobytes())
    return digest.hexdigest()
