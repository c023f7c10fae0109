"""Threat 6: more than the quota, by coming all at once or by a crash in the middle. On every database."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import update

from icefire.arena.contest import quotas
from icefire.arena.errors import Clash
from icefire.arena.judge import sandbox
from icefire.arena.storage import jobs
from icefire.arena.storage.database import Database
from icefire.arena.storage.tables import GuessRow, JobRow, QuotaRow, ReleaseRow
from icefire.arena.submit import fire, ice
from threats import scores
from threats.story import ROUND
from threats.world import World

CROWD = 20
MOST = 3


def twenty_releases_at_once(world: World) -> None:
    """Two members hand in twenty releases at the same moment: three are stored, with three jobs."""
    arena = world.fresh()
    first = world.add("first", "Ice")
    both = (first, world.add("second", join=first))
    _check_at_once(world)
    came = _at_once(lambda place: ice.submit(arena, both[place % 2], ROUND, world.files()))
    _check_came(came, MOST)
    assert len(world.rows(ReleaseRow)) == MOST, f"{len(world.rows(ReleaseRow))} releases are stored"
    assert sum(one.kind == "judge" for one in world.rows(JobRow)) == MOST
    assert [one.used for one in world.rows(QuotaRow)] == [MOST]
    assert len(arena.store.names("truth")) == len(arena.store.names("handed")) == MOST, "files of others are left"


def twenty_guesses_at_once(world: World) -> None:
    """Two members hand in twenty guesses at the same moment: one is taken."""
    arena = world.fresh()
    _take_anything(world)
    release = ice.submit(arena, world.add("author", "Ice"), ROUND, world.files()).id
    first = world.add("first", "Fire")
    both = (first, world.add("second", join=first))
    world.go("attack")
    _check_at_once(world)
    _check_came(_at_once(lambda place: fire.submit(arena, both[place % 2], release, b"%d\n" % place)), 1)
    assert len(world.rows(GuessRow)) == 1, "another guess is stored"
    assert len(arena.store.names("guess")) == 1, "files of others are left"


def a_crash_leaves_nothing_behind(world: World) -> None:
    """Crash between storing a submission and queueing it: there is neither, and it can be sent again."""
    arena = world.fresh()
    _take_anything(world)
    team = world.add("first", "Ice")
    real = jobs.add

    def crash(*_: Any) -> None:
        raise ConnectionError("the power is gone")

    world.patch.setattr(jobs, "add", crash)
    with suppress(ConnectionError):
        ice.submit(arena, team, ROUND, world.files())
    world.patch.setattr(jobs, "add", real)
    assert world.rows(ReleaseRow) == [], "a release without a job is stored"
    assert [one.used for one in world.rows(QuotaRow)] in ([], [0]), "the quota was used for nothing"
    ice.submit(arena, team, ROUND, world.files())
    assert [one.kind for one in world.rows(JobRow)].count("judge") == 1


def _check_came(came: list[Any], most: int) -> None:
    wrong = [one for one in came if isinstance(one, Exception) and not isinstance(one, Clash)]
    assert not wrong, f"something else went wrong: {wrong[0]!r}"
    taken = len(came) - sum(isinstance(one, Clash) for one in came)
    assert taken == most, f"{taken} of {len(came)} were taken, and {most} are allowed"


def _take_anything(world: World) -> None:
    taken = {"problems": [], "rows": 3, "content": "0" * 64}
    made = sandbox.TaskResult(taken, {"released.csv": b"a\n1\n", "truth.csv": b"0\n"})
    world.patch.setattr(sandbox, "run_task", lambda *_, **__: made)


def _check_at_once(world: World) -> None:
    """Have all of them past the first look at the quota before any is stored: the worst that can happen."""
    _take_anything(world)
    quick, gate = sandbox.run_task, threading.Barrier(CROWD, timeout=30)

    def together(*given: Any, **options: Any) -> Any:
        gate.wait()
        return quick(*given, **options)

    world.patch.setattr(sandbox, "run_task", together)


def _at_once(act: Callable[[int], Any]) -> list[Any]:
    def one(place: int) -> Any:
        try:
            return act(place)
        except Exception as error:
            return error

    with ThreadPoolExecutor(CROWD) as pool:
        return list(pool.map(one, range(CROWD)))


# --- sabotages


def count_then_insert(world: World) -> None:
    """What others did: look how many there are, and add one some time later."""

    def take(session: Any, arena: Any, round_name: str, team_id: str) -> int:
        quotas._ensure_row(session, round_name, team_id)
        mine = (QuotaRow.round == round_name, QuotaRow.team_id == team_id)
        values = {"used": QuotaRow.used + 1, "submitted": QuotaRow.submitted + 1}
        return int(session.scalar(update(QuotaRow).where(*mine).values(values).returning(QuotaRow.submitted)))

    world.patch.setattr(quotas, "take_slot", take)


def look_whether_there_is_one(world: World) -> None:
    """What others did: no key in the database, only a look beforehand."""
    real = world.fresh

    def weak() -> Any:
        arena = real()
        scores.drop_the_unique_key(world)
        return arena

    world.patch.setattr(world, "fresh", weak)


def store_step_by_step(world: World) -> None:
    @contextmanager
    def piecemeal(self: Database) -> Any:
        with self._sessions() as session:
            try:
                yield session
            finally:
                session.commit()

    world.patch.setattr(Database, "transaction", piecemeal)
