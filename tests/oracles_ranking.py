"""Slow, obviously right twins of the rankings: one comparison at a time, plain probabilities."""

import math
from collections.abc import Sequence
from itertools import combinations

Comparison = tuple[int, int, float]


def comparisons(rows: Sequence[Sequence[float]]) -> list[Comparison]:
    """Every pair on every item both have: left, right, and 1, 0.5 or 0 for the left one."""
    found: list[Comparison] = []
    for row in rows:
        for i, j in combinations(range(len(row)), 2):
            x, y = row[i], row[j]
            if not (math.isnan(x) or math.isnan(y)):
                found.append((i, j, 1.0 if x > y else 0.0 if x < y else 0.5))
    return found


def probabilities(rule: str, d: float, tie: float) -> tuple[float, float, float]:
    """Win, tie, loss of the left one, as the papers write them (strengths exp(d) and 1)."""
    left, right = math.exp(d), 1.0
    if rule == "davidson":
        nu = math.exp(tie)
        total = left + right + nu * math.sqrt(left * right)
        return left / total, nu * math.sqrt(left * right) / total, right / total
    return left / (left + right), math.nan, right / (left + right)


def loglikelihood(
    rule: str, theta: Sequence[float], tie: float, played: Sequence[Comparison]
) -> float:
    """Sum of the log-probabilities of all comparisons."""
    total = 0.0
    for i, j, outcome in played:
        win, even, loss = probabilities(rule, theta[i] - theta[j], tie)
        if outcome == 0.5:
            if rule == "half-win":
                total += (math.log(win) + math.log(loss)) / 2
            elif rule != "drop":
                total += math.log(even)
        else:
            total += math.log(win if outcome == 1.0 else loss)
    return total


def separated(systems: int, played: Sequence[Comparison], *, drop_ties: bool = False) -> bool:
    """Whether some group of systems never lost to the rest (Ford, 1957), by trying all groups."""
    for mask in range(1, 2**systems - 1):
        inside = [bool(mask >> k & 1) for k in range(systems)]
        lost = any(
            (inside[i] != inside[j])
            and ((outcome < 1 and inside[i]) or (outcome > 0 and inside[j]))
            and not (drop_ties and outcome == 0.5)
            for i, j, outcome in played
        )
        if not lost:
            return True
    return False


def elo(
    systems: int, games: Sequence[Comparison], k: float = 20.0, initial: float = 1000.0
) -> list[float]:
    """Elo's rule, one game after the other."""
    ratings = [initial] * systems
    for i, j, outcome in games:
        expected = 1 / (1 + 10 ** ((ratings[j] - ratings[i]) / 400))
        ratings[i] += k * (outcome - expected)
        ratings[j] -= k * (outcome - expected)
    return ratings


def median(values: Sequence[float]) -> float:
    """Middle value, or the mean of the middle two."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
