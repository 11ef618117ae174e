"""Distances between blocks of numbers, over the last axis and for many blocks at once.

NaN marks numbers that are not there.
"""

import numpy as np

from betterthan.numeric import Floats


def item_means(block: Floats) -> Floats:
    """Mean over the last axis, of the numbers that are there.

    >>> item_means(np.array([[1.0, 2.0], [3.0, np.nan]]))
    array([1.5, 3. ])
    """
    if block.shape[-1] == 1:
        return block[..., 0]
    # A matrix product adds short rows several times faster than np.mean does.
    means: Floats = (block @ np.ones(block.shape[-1])) / block.shape[-1]
    if np.isnan(means).any():
        present = ~np.isnan(block)
        means = np.where(present, block, 0.0).sum(axis=-1) / present.sum(axis=-1)
    return means


def earth_movers(x: Floats, y: Floats) -> Floats:
    """Earth mover's distance between the numbers of ``x`` and of ``y``, each row a law.

    For as many numbers on either side it is the mean distance of those of equal rank; in general
    the area between the two distribution functions (Vallender, 1974).

    >>> earth_movers(np.array([[0.0, 3.0]]), np.array([[1.0, 1.0]]))
    array([1.5])
    >>> earth_movers(np.array([[0.0, 3.0]]), np.array([[1.0, np.nan]]))
    array([1.5])
    """
    if x.shape[-1] == 1 == y.shape[-1]:
        return np.abs(x[..., 0] - y[..., 0])
    if x.shape[-1] == y.shape[-1]:
        distance: Floats = np.abs(np.sort(x, axis=-1) - np.sort(y, axis=-1)).mean(axis=-1)
        if not np.isnan(distance).any():
            return distance
    lead = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    x, y = (np.broadcast_to(z, (*lead, z.shape[-1])) for z in (x, y))
    points = np.concatenate([x, y], axis=-1)
    order = np.argsort(points, axis=-1)  # NaN last
    weights = np.concatenate([_shares(x), -_shares(y)], axis=-1)
    above = np.cumsum(np.take_along_axis(weights, order, axis=-1), axis=-1)[..., :-1]
    gaps = np.diff(np.take_along_axis(points, order, axis=-1), axis=-1)
    area: Floats = (np.abs(above) * np.nan_to_num(gaps)).sum(axis=-1)
    return area


def bin_counts(values: Floats, bins: int) -> Floats:
    """How many of each row's numbers lie in each of so many equal parts of [0, 1].

    As ``np.histogram`` counts them: the last part is closed, and what lies outside is not counted.

    >>> bin_counts(np.array([[0.0, 0.1, 0.6, 1.0, 1.2]]), 2)
    array([[2., 2.]])
    """
    rows = values.reshape(-1, values.shape[-1])
    inside = (rows >= 0.0) & (rows <= 1.0)
    at = np.minimum(np.floor(np.where(inside, rows, 0.0) * bins).astype(np.int64), bins - 1)
    at = np.where(inside, at, bins) + (bins + 1) * np.arange(len(rows))[:, None]
    counts = np.bincount(at.ravel(), minlength=(bins + 1) * len(rows))
    kept = counts.reshape(len(rows), bins + 1)[:, :bins].astype(np.float64)
    return kept.reshape(*values.shape[:-1], bins)


def spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's rank correlation over the last axis, mid-ranks for ties; 0 for constant rows.

    >>> spearman(np.array([[1.0, 2.0, 2.0, 4.0]]), np.array([[1.0, 2.0, 3.0, 4.0]])).round(4)
    array([0.9487])
    """
    from scipy.stats import rankdata  # noqa: PLC0415 (slow to import)

    p, q = (_centred(rankdata(z, axis=-1)) for z in (x, y))
    covariance = np.einsum("...i,...i->...", p, q)
    squares = np.einsum("...i,...i->...", p, p) * np.einsum("...i,...i->...", q, q)
    norm = np.sqrt(squares)
    rho: Floats = np.divide(covariance, norm, out=np.zeros_like(norm), where=norm > 0)
    return rho


def cosine_columns(system: Floats, gold: Floats) -> Floats:
    """Per item: sum of products, of the system's squares and of the gold's squares."""
    pairs = ((system, gold), (system, system), (gold, gold))
    made = [np.einsum("...k,...k->...", x, y) for x, y in pairs]
    if np.isnan(made[0]).any():
        absent = np.isnan(system) | np.isnan(gold)
        zeroed = {id(x): np.where(absent, 0.0, x) for x in (system, gold)}
        made = [(zeroed[id(x)] * zeroed[id(y)]).sum(axis=-1) for x, y in pairs]
    return np.stack(np.broadcast_arrays(*made), axis=-1)


def _shares(block: Floats) -> Floats:
    """Weight of every number in its row: one over how many there are."""
    present = ~np.isnan(block)
    shares: Floats = present / present.sum(axis=-1, keepdims=True)
    return shares


def _centred(block: Floats) -> Floats:
    centred: Floats = block - block.mean(axis=-1, keepdims=True)
    return centred
