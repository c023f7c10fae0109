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
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from icefire.arena.judge import confinement

if TYPE_CHECKING:
    from icefire.contests.common.game import Game
    from icefire.core.types import DataKind

Signatures = dict[tuple[str, str], list[Any]]
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
    from icefire import contests
    from icefire.arena.judge import tasks
    from icefire.contests.common.game import ANSWERS, ORIGINAL, ORIGINAL_CUSTOMERS, RECIPE
    from icefire.contests.custom import contest as customs

    table = customs.table_of_everything() if rules == customs.NAME else None
    contest = contests.get_or_build(rules, table)
    game = contest.play()
    options: dict[str, Any] = {"rules": rules, "custom": table}
    with tempfile.TemporaryDirectory(prefix="icefire-warm-up-") as place:
        given, out = Path(place) / "in", Path(place) / "out"
        given.mkdir()
        out.mkdir()
        contest.write_sample(given / ORIGINAL, given / ORIGINAL_CUSTOMERS, contest.sample.small)
        game.write_unchanged(given)
        if RECIPE in game.optional:
            _repeat_methods(game, contest.data, given)
        received = tasks.do_task("receive", given, out, **options, seed=1)
        for path in out.iterdir():
            path.rename(given / path.name)
        tasks.do_task("judge", given, out, **options, seed=1)
        targets = game.answer_shape(received["rows"], received["rows"]).targets
        (given / ANSWERS).write_text("-1\n" * targets, encoding="utf-8")
        tasks.do_task("guess", given, out, **options, targets=received["rows"])


def _repeat_methods(game: Game, data: DataKind, given: Path) -> None:
    """Repeat every method that a recipe may name; the check of a submission says which ones the sample is not for."""
    from icefire.contests.common.game import RECIPE
    from icefire.core import registry

    for entry in registry.entries("method", data):
        (given / RECIPE).write_text(f'[[step]]\nmethod = "{entry.name}"\n', encoding="utf-8")
        game.submission_problems(given)


if __name__ == "__main__":
    play(sys.argv[1])
