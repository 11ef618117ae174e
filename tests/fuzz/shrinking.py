"""Changed files as Hypothesis chooses them: format, changes and their places, which it shrinks."""

import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

import hypothesis
from hypothesis import strategies as st

from fuzz.campaign import among, tried
from fuzz.keeping import Content, Finding, Shelf, listening
from fuzz.seeds import Seed

MOST = 100  # examples of one search
SETTINGS = hypothesis.settings(
    deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck)
)


class FoundError(Exception):
    """A change was found that something goes wrong with."""


@st.composite
def changed(draw: st.DrawFn, known: Mapping[str, Seed]) -> tuple[str, Content]:
    """A format, and its files after a few changes."""
    name = draw(st.sampled_from(list(known)))
    content = dict(known[name].files)
    for _ in range(draw(st.integers(1, 3))):
        victim = draw(st.sampled_from(list(content)))
        change = draw(st.sampled_from(known[name].changes))
        rng = draw(st.randoms(use_true_random=False))  # whose every choice is Hypothesis's
        content[victim] = change(content[victim], rng)
    return name, content


def search(
    known: Mapping[str, Seed], number: int, place: Path, shelf: Shelf, most: int
) -> Counter[str]:
    """Look at so many examples until something goes wrong, and make that small; count them."""
    done: Counter[str] = Counter()
    sought: set[tuple[str, str]] = set()

    @hypothesis.seed(number)
    @hypothesis.settings(SETTINGS, max_examples=most)
    @hypothesis.given(changed(known))
    def read_or_refused(example: tuple[str, Content]) -> None:
        name, content = example
        done[name] += 1
        found = tried(known[name], content, place / name)
        if found is None or (name, found[0]) not in (sought or {(name, found[0])}):
            return  # what goes wrong in another way while one is made smaller has its own turn
        if not sought and shelf.has(name, found[0]):
            return
        sought.add((name, found[0]))
        shelf.put(Finding(name, found[0], known[name].beside | content, found[1]))
        raise FoundError  # the last that Hypothesis tries is the smallest

    with suppress(FoundError, hypothesis.errors.Flaky):
        read_or_refused()
    return done


def shrinking(
    seconds: float, number: int, only: list[str] | None, place: Path, shelf: Shelf
) -> Counter[str]:
    """Search for so many seconds of work; count the examples by format."""
    done: Counter[str] = Counter()
    with listening(place / "said"), suppress(KeyboardInterrupt):
        known = among(place, only)
        end = time.process_time() + seconds
        for turn in count(1000 * number):
            if time.process_time() > end:
                break
            done += search(known, turn, place, shelf, MOST)
    return done
