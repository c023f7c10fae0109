"""Play a contest end to end in a folder: release, guess, reveal, board."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from support.arena.fixtures import player
from support.arena.played import run_here

BEGIN = datetime(2026, 5, 1, tzinfo=UTC)


@contextmanager
def opened_contest(folder: Path, monkeypatch: pytest.MonkeyPatch, rules: str, rows: int) -> Iterator[Any]:
    """Found a competition on a small sample; tasks of the judge run in this process."""
    from icefire.arena import setup
    from icefire.arena.clock import SetClock
    from icefire.arena.contest.arena import open_arena
    from icefire.arena.judge import sandbox
    from icefire.arena.setup import SetupPlan

    monkeypatch.setattr(sandbox, "run_task", run_here)
    setup.create(folder, SetupPlan(rules=rules, rows=rows, minutes=60), BEGIN)
    arena = open_arena(folder, None, SetClock(BEGIN))
    try:
        yield arena
    finally:
        arena.database.close()


def play(
    arena: Any, handed_in: dict[str, bytes], guess: Callable[[dict[str, bytes], str], bytes], ours: Any = None
) -> Any:
    """Hand in one release, let one team guess, and return the receipt and the revealed board.

    `guess` is given the files that attackers get, and the truth as text.
    """
    from icefire.arena.boards import freezing
    from icefire.arena.judge import worker
    from icefire.arena.submit import fire, ice

    theirs, judge = (player(arena, name, name) for name in ("Fire", "Judge"))
    ours = ours or player(arena, "Ice", "Ice")
    receipt = ice.submit(arena, ours, "final", handed_in)
    worker.finish(arena)
    arena.clock.set(arena.definition.rounds[0].attack)
    files = fire.download(arena, theirs, receipt.id)
    truth = arena.store.get("truth", receipt.id, "truth.csv").decode()
    fire.submit(arena, theirs, receipt.id, guess(files, truth))
    worker.finish(arena)
    arena.clock.set(arena.definition.rounds[0].reveal)
    with arena.database.reading() as session:
        return receipt, freezing.board(arena, session, judge, "final")
