"""Bytes of one format's files as coverage guides atheris to them, with all of our code watched."""

import importlib
import os
import pkgutil
import random
import signal
import time
from pathlib import Path
from typing import Any, NoReturn

from fuzz.keeping import Shelf, listening

MOST = 1 << 16  # bytes of a file


def guided(seconds: float, number: int, only: list[str], place: Path, home: Path) -> NoReturn:
    """Read files of a format, or of one by chance, that reach new lines, for so many seconds.

    Never returns, as atheris does not. Nothing of ours may have been imported before.
    """
    import atheris

    with listening(place / "said"), atheris.instrument_imports(include=["betterthan"]):
        import betterthan

        for module in pkgutil.walk_packages(betterthan.__path__, "betterthan."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    from fuzz.campaign import among, examined
    from fuzz.grown import OURS

    known = among(place, only)
    name = only[0] if only else random.Random(number).choice(list(known))
    seed, files = known[name], list(known[name].files)
    shelf = Shelf(home, str(number))
    done = 0
    end = time.process_time() + seconds

    def read_or_refused(data: bytes) -> None:
        """The first byte says which file the others are."""
        nonlocal done
        if time.process_time() > end:
            print(f"{name:16} {done:>8,} executions, {len(shelf.findings)} findings", flush=True)
            os._exit(1 if shelf.findings else 0)
        done += 1
        if data:
            file = files[data[0] % len(files)]
            with listening(place / "said"):
                examined(seed, seed.files | {file: data[1:]}, place / name, shelf)

    def stop(*_: object) -> None:
        nonlocal end
        end = 0.0

    def mutated(data: bytes, most: int, number: int) -> bytes:
        """Atheris's changes of bytes, and ours, which know the structure."""
        rng = random.Random(number)
        if name not in OURS and rng.random() < 0.5:
            made: bytes = atheris.Mutate(data, most)
            return made
        return data[:1] + rng.choice(seed.changes)(data[1:], rng)[: most - 1]

    corpus = place / "corpus"
    corpus.mkdir()
    for at, data in enumerate(seed.files.values()):
        (corpus / str(at)).write_bytes(bytes([at]) + data)
    signals = [f"-handle_{kind}=0" for kind in ("segv", "bus", "abrt", "ill", "fpe", "int", "term")]
    limits = ["-timeout=0", "-rss_limit_mb=0", f"-max_len={MOST}", f"-seed={number % 2**31 + 1}"]
    options: Any = ["fuzz", *signals, *limits, "-verbosity=0", str(corpus)]
    signal.signal(signal.SIGINT, stop)
    atheris.Setup(options, read_or_refused, custom_mutator=mutated)
    atheris.Fuzz()
    raise AssertionError("atheris came back")
