"""Loads the compiled kernels and the modules that a contest's tasks need, before any task comes.

They are found by playing the contest once on a small sample, in a child without confinement: the data are our own.
Kernels that are compiled for the first time are compiled there, so that no team's time is used up by it.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from icefire.arena.judge import confinement

Signatures = dict[tuple[str, str], list[Any]]
OWN = "custom"
LONGEST = 600
"""Seconds; compiling everything for the first time takes about a minute."""


def load(rules: str) -> None:
    """Have a child play the contest, and load what it needed into this process."""
    read, write = os.pipe()
    parent, pid = os.getpid(), os.fork()
    if pid == 0:
        _tell(parent, rules, write)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    os.waitpid(pid, 0)
    if data:
        modules, signatures = pickle.loads(data)
        _load(modules, signatures)


def _tell(parent: int, rules: str, write: int) -> NoReturn:
    try:
        confinement.die_with(parent)
        signal.alarm(LONGEST)
        play(rules)
        with os.fdopen(write, "wb") as out:
            pickle.dump((sorted(sys.modules), used()), out)
    finally:
        os._exit(0)


def _load(modules: list[str], signatures: Signatures) -> None:
    for name in modules:
        if name not in sys.modules:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
    for (module, name), compiled in signatures.items():
        kernel = getattr(sys.modules[module], name)
        for signature in compiled:
            kernel.compile(signature)


def used() -> Signatures:
    """Return the kernels called in this process, each with the types it was called with."""
    from numba.core.dispatcher import Dispatcher

    return {
        (module.__name__, name): list(kernel.signatures)
        for module in list(sys.modules.values())
        if module.__name__.startswith("icefire.kernels.")
        for name, kernel in vars(module).items()
        if isinstance(kernel, Dispatcher) and kernel.signatures and kernel.py_func.__module__ == module.__name__
    }


def play(rules: str) -> None:
    """Play a contest once on a small sample: take in, judge, guess."""
    from icefire.arena import play as games
    from icefire.arena.judge import tasks

    originals, handed, targets = SAMPLES[rules]()
    options: dict[str, Any] = {"rules": rules, "custom": _everything() if rules == OWN else None}
    with tempfile.TemporaryDirectory(prefix="icefire-rehearsal-") as place:
        given, out = Path(place) / "in", Path(place) / "out"
        given.mkdir()
        out.mkdir()
        _write(given, {**originals, **handed})
        made = tasks.receive(given, out, **options, seed=1)
        for path in out.iterdir():
            path.rename(given / path.name)
        tasks.judge(given, out, **options, seed=1)
        _write(given, {games.ANSWERS: "-1\n" * (targets or made["rows"])})
        tasks.guess(given, out, **options, targets=made["rows"])


def _everything() -> dict[str, Any]:
    """A contest of the organiser's own may have any measure and any attack."""
    from icefire.core import registry
    from icefire.samples import households

    measures = [entry.name for entry in registry.entries("measure", "table") if not entry.explicit_only]
    attacks = [entry.name for entry in registry.entries("attack", "table") if entry.question == "origin"]
    return {"qi": households.QI[:3], "sa": households.SA, "measures": measures, "attacks": attacks}


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


Game = tuple[dict[str, str], dict[str, str], int | None]


def _households() -> Game:
    from icefire.samples import households

    table = households.frame(300).write_csv()
    rows = "".join(f"{row}\n" for row in range(300))
    return {"original.csv": table}, {"released.csv": table, "correspondence.csv": rows}, None


def _shop() -> Game:
    from icefire.contests import pwscup2016
    from icefire.samples import shop

    made = shop.history(30, 1)
    assert made.customers is not None
    bought = made.frame.select(pwscup2016.T).write_csv(include_header=False)
    people = made.customers.select(pwscup2016.M).write_csv(include_header=False)
    rows = "".join(f"{row}\n" for row in range(made.subjects))
    return (
        {"original.csv": bought, "people.csv": people},
        {"released.csv": bought, "customers.csv": people, "correspondence.csv": rows},
        None,
    )


def _survey() -> Game:
    from icefire.contests.pwscup2021 import ASKED, COLUMNS
    from icefire.samples import survey

    table = survey.frame(300).select(COLUMNS)
    rows = "".join(f"{row}\n" for row in range(ASKED))
    return (
        {"original.csv": table.write_csv(include_header=False)},
        {"released.csv": table[ASKED:].write_csv(include_header=False), "correspondence.csv": rows},
        2 * ASKED,
    )


SAMPLES = {OWN: _households, "pwscup2015": _households, "pwscup2016": _shop, "pwscup2021": _survey}


if __name__ == "__main__":
    play(sys.argv[1])
