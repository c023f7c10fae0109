"""Threats 6 and 17, by outages: the judge fails, the disk is full, and what is wrong comes all at once."""

from __future__ import annotations

import errno
import threading
from collections import Counter
from datetime import timedelta
from typing import Any

from icefire.arena.auth import throttling
from icefire.arena.contest import quotas
from icefire.arena.errors import TooMany, WrongInput
from icefire.arena.judge import judging, sandbox, worker
from icefire.arena.judge.sandbox import JudgeFailed
from icefire.arena.storage import jobs
from icefire.arena.storage.store import Store
from icefire.arena.storage.tables import EventRow, JobRow, QuotaRow, ReleaseRow
from icefire.arena.submit import checks, ice
from threats import races
from threats.story import ROUND
from threats.world import World


def a_failing_judge_takes_nothing_out_of_play(world: World) -> None:
    """Have the judge fail again and again: the release stays, waits longer each time, and is judged in the end."""
    arena = world.fresh()
    team = world.add("first", "Ice")
    release = ice.submit(arena, team, ROUND, world.files()).id
    real = sandbox.run_task

    def fails(*_: Any, **__: Any) -> Any:
        raise JudgeFailed("no memory left on the machine")

    world.patch.setattr(sandbox, "run_task", fails)
    for tries in range(1, 8):
        worker.finish(arena)
        stored = _release(world, release)
        assert stored.in_play, f"after {tries} tries the judge's failure took the release out of play"
        assert stored.state == "waiting"
        assert "waiting for the judge" in stored.note
        job = next(one for one in world.rows(JobRow) if one.about == release)
        wait = (job.not_before - arena.now()).total_seconds()
        assert wait == jobs.DELAYS[min(tries, len(jobs.DELAYS)) - 1], f"it is tried again after {wait} seconds"
        arena.clock.move(timedelta(seconds=wait))
    assert [one.used for one in world.rows(QuotaRow)] == [1], "the place was given away"
    told = [one.body["reason"] for one in world.rows(EventRow) if one.kind == "judge_failed"]
    assert told.count("no memory left on the machine") >= 7, "the log does not say why"
    world.add("boss")
    world.patch.setattr(sandbox, "run_task", real)
    worker.finish(arena)
    assert _release(world, release).state == "judged"
    assert _release(world, release).note == ""


def _release(world: World, release: str) -> ReleaseRow:
    return next(one for one in world.rows(ReleaseRow) if one.id == release)


def what_failed_before_never_exceeds_the_quota(world: World) -> None:
    """A release that an older version took out, judged again when the places are used: the quota stays exact."""
    arena = world.fresh()
    team = world.add("first", "Ice")
    old = ice.submit(arena, team, ROUND, world.files(0)).id
    worker.finish(arena)
    with arena.database.transaction() as session:
        release = session.get_one(ReleaseRow, old)
        release.state, release.in_play = "failed", False
        quotas.free_slot(session, release)
    for seed in (1, 2, 3):
        ice.submit(arena, team, ROUND, world.files(seed))
    with arena.database.transaction() as session:
        jobs.again(session, "judge", old, arena.now())
    worker.finish(arena)
    in_play = sum(one.in_play for one in world.rows(ReleaseRow))
    assert (in_play, [one.used for one in world.rows(QuotaRow)]) == (3, [3]), f"{in_play} releases are in play"


def a_full_disk_takes_no_submission(world: World) -> None:
    """Fill the disk, seen beforehand or met while writing: 503, nothing is stored, nothing is charged."""
    arena = world.fresh()
    world.add("first", "Ice")
    real_room, real_put = checks.has_room, Store.put
    world.patch.setattr(checks, "has_room", lambda *_: False)
    _check_unavailable(world)
    world.patch.setattr(checks, "has_room", real_room)

    def no_space(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    world.patch.setattr(Store, "put", no_space)
    _check_unavailable(world)
    world.patch.setattr(Store, "put", real_put)
    assert world.rows(ReleaseRow) == []
    assert arena.store.names("handed") == [], "files are left"
    assert [one.used for one in world.rows(QuotaRow)] in ([], [0])


def _check_unavailable(world: World) -> None:
    files = {name: (name, data, "text/csv") for name, data in world.files().items()}
    answer = world.as_("first").post("/submit", {"round": ROUND}, files=files)
    assert answer.status_code == 503, f"a full disk gave {answer.status_code}"
    assert "full" in answer.text
    assert "retry-after" in answer.headers


def wrong_submissions_are_counted_exactly(world: World) -> None:
    """Send more wrong files at once than are allowed in a while: no more than those are read."""
    world.fresh()
    team = world.add("first", "Ice")
    few = 5
    world.patch.setitem(throttling.TRIES, "wrong", few)
    wrong = sandbox.TaskResult({"problems": ["row 1 is wrong"]}, {})
    world.patch.setattr(sandbox, "run_task", lambda *_, **__: wrong)
    came = races._at_once(lambda _: ice.submit(world.arena, team, ROUND, world.files()))
    kinds = Counter(type(one) for one in came)
    assert kinds == {WrongInput: few, TooMany: races.CROWD - few}, f"{kinds[WrongInput]} were read, {few} are allowed"


# --- sabotages


def give_up_as_before(world: World) -> None:
    """What it was: after a failure the release leaves the competition."""

    def fail(arena: Any, job: Any, name: str, _: str) -> None:
        with arena.database.transaction() as session:
            jobs.end(session, job, name)
            release = session.get(ReleaseRow, job.about)
            if release is not None:
                release.state, release.in_play = "failed", False
                quotas.free_slot(session, release)

    world.patch.setattr(judging, "_postpone", fail)


def revive_beyond_the_quota(world: World) -> None:
    world.patch.setattr(quotas, "take_back_slot", lambda *_: True)


def notice_no_full_disk(world: World) -> None:
    world.patch.setattr(checks, "disk_full", lambda: RuntimeError("no space"))


def count_when_it_is_over(world: World) -> None:
    """What it was: look how many there were, and count after the check."""
    barrier = threading.Barrier(races.CROWD, timeout=30)

    def late(session: Any, key: str, now: Any) -> None:
        throttling.check_tries(session, key, now)
        session.rollback()
        barrier.wait()

    world.patch.setattr(throttling, "count_try", late)
