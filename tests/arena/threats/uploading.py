"""Threats 8 and 4, by uploads: from nobody, too much, too slowly, too many at once, kept waiting at the deadline."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import anyio
import httpx

from icefire.arena.contest import upload_limits
from icefire.arena.errors import TooMany
from icefire.arena.judge import sandbox
from icefire.arena.storage.tables import ReleaseRow
from icefire.arena.submit import gates, ice
from icefire.arena.web import uploads
from icefire.arena.web.security import BodyLimit
from threats.story import ROUND
from threats.world import World

RELEASES = "/api/v1/releases"


def _sent(world: World, role: str | None, pieces: Callable[[bytes], AsyncIterator[bytes]], seed: int = 7) -> Any:
    """Send a release piece by piece, with somebody's token or none."""
    files = {name.removesuffix(".csv"): ("x.csv", data, "text/csv") for name, data in world.files(seed).items()}
    whole = httpx.Request("POST", "http://arena.test/", files=files, data={"round": ROUND})
    headers = {"content-type": whole.headers["content-type"]}
    if role is not None:
        headers["authorization"] = f"Bearer {world.token(role)}"
    return world.as_("anonymous").send("POST", RELEASES, headers=headers, content=pieces(whole.read()))


def nothing_is_read_before_it_may_be_sent(world: World) -> None:
    """Send without a token, in the wrong phase, and beyond the quota: it is refused before a byte is read."""
    for phase, role, status in (("anonymise", None, 401), ("attack", "third", 403), ("anonymise", "third", 409)):
        world.go(phase)
        if status == 409:
            world.patch.setattr(gates.quotas, "team_quota", lambda *_: type("Quota", (), {"left": 0}))
        read: list[int] = []

        async def counted(body: bytes, read: list[int] = read) -> AsyncIterator[bytes]:
            read.append(len(body))
            yield body

        answer = _sent(world, role, counted)
        assert answer.status_code == status, f"{role} in {phase}: {answer.status_code}"
        assert not read, f"{role} in {phase}: the body was read before it was refused with {status}"


def a_file_is_measured_by_the_data(world: World) -> None:
    """Send to a small contest what only a large one needs: refused, though it is below the largest limit."""
    world.go("anonymise")
    files = {name.removesuffix(".csv"): ("x.csv", data, "text/csv") for name, data in world.files(7).items()}
    files["released"] = ("x.csv", b"1\n" * (5 << 20), "text/csv")
    answer = world.as_("third").post(RELEASES, {"round": ROUND}, files=files)
    assert answer.status_code == 413, f"10 MB for {len(world.original)} rows were answered with {answer.status_code}"


def a_slow_sender_is_cut_off(world: World) -> None:
    """Send a byte now and then: it is refused, and its place is free again."""
    world.go("anonymise")
    world.patch.setattr(uploads, "GRACE_SECONDS", 0.2)

    async def slowly(body: bytes) -> AsyncIterator[bytes]:
        yield body[:10]
        await anyio.sleep(2)
        yield body[10:]

    answer = _sent(world, "third", slowly)
    assert answer.status_code == 408, f"a slow sender was answered with {answer.status_code}"
    assert world.server.app.state.uploads.spooled == 0, "its space is still taken"


def uploads_at_once_are_limited(world: World) -> None:
    """Begin one upload more than an account or an address may: it is asked to come back, and later it may."""
    space = uploads.UploadSpace()
    who = type("Sender", (), {"actor": world.people["third"], "address": "10.0.0.1"})()
    with space.place(who), space.place(who):
        try:
            with space.place(who):
                raise AssertionError("a third upload at once was let in")
        except TooMany:
            pass
    with space.place(who):
        pass
    assert space._active == {}, "places are not given back"


def uploads_are_bounded_and_lie_beside_the_data(world: World) -> None:
    """Look where a file lies while it comes, and fill the space for all of them."""
    world.go("anonymise")
    world.patch.setattr(uploads, "IN_MEMORY", 10)
    places: list[str] = []
    real = tempfile.SpooledTemporaryFile.rollover
    world.patch.setattr(
        tempfile.SpooledTemporaryFile,
        "rollover",
        lambda self: places.append(str(self._TemporaryFileArgs["dir"])) or real(self),
    )

    async def whole(body: bytes) -> AsyncIterator[bytes]:
        yield body

    assert _sent(world, "third", whole).status_code == 201
    beside = str(world.arena.folder / uploads.SPOOL)
    assert places, "nothing was written"
    assert set(places) == {beside}, f"files lay in {set(places)} while they came"
    assert not list((world.arena.folder / uploads.SPOOL).iterdir()), "something is left of them"
    world.patch.setattr(uploads, "MOST_SPOOLED", 100)
    status = _sent(world, "third", whole, seed=8).status_code
    assert status == 503, f"the space for all was exceeded: {status}"


def waiting_for_a_thread_is_not_late(world: World) -> None:
    """The last byte comes in time and the check begins after the deadline: what counts is the last byte."""
    world.go("freeze", -1)
    real = uploads.UploadSpace.run_in_thread

    async def busy(self: Any, work: Any) -> Any:
        if "gate" not in repr(work):
            world.arena.clock.move(timedelta(seconds=5))
        return await real(self, work)

    world.patch.setattr(uploads.UploadSpace, "run_in_thread", busy)

    async def whole(body: bytes) -> AsyncIterator[bytes]:
        yield body

    answer = _sent(world, "third", whole)
    assert answer.status_code == 201, f"what came in time was answered with {answer.status_code}"
    newest = max(world.rows(ReleaseRow), key=lambda one: one.received)
    assert newest.received == world.arena.definition.rounds[1].freeze - timedelta(seconds=1)


def checks_leave_the_threads_of_pages_alone(world: World) -> None:
    """Have more checks wait than pages have threads: pages answer."""
    world.go("anonymise")
    used: list[Any] = []

    def look(*_: Any, **__: Any) -> Any:
        used.append(
            anyio.from_thread.run_sync(lambda: anyio.to_thread.current_default_thread_limiter().borrowed_tokens)
        )
        return sandbox.TaskResult({"problems": ["wrong"]}, {})

    world.patch.setattr(sandbox, "run_task", look)

    async def whole(body: bytes) -> AsyncIterator[bytes]:
        yield body

    assert _sent(world, "third", whole).status_code == 422
    assert used == [0], "the check of a submission occupies a thread of the pages"


# --- sabotages


def look_when_it_is_there(world: World) -> None:
    """What it was: everything was read first."""
    real = uploads.received

    def late(request: Any, requester: Any, gate: Any, **more: Any) -> Any:
        return real(request, requester, lambda: 64 << 20, **more)

    world.patch.setattr(uploads, "received", late)


def take_the_largest_file(world: World) -> None:
    world.patch.setattr(upload_limits, "GROWTH", 10**9)
    world.patch.setattr(BodyLimit, "__call__", _unbounded)


async def _unbounded(self: Any, scope: Any, receive: Any, send: Any) -> None:
    await self.app(scope, receive, send)


def wait_for_ever(world: World) -> None:
    world.patch.setattr(uploads, "LEAST_SPEED", 1e-6)


def let_any_number_send(world: World) -> None:
    world.patch.setattr(uploads, "MOST_BY_ACCOUNT", 10**9)


def use_the_system_s_folder(world: World) -> None:
    def elsewhere(self: Any) -> None:
        uploads.MultiPartParser.on_headers_finished(self)
        if self._current_part.file is not None:
            self._current_part.file.file = tempfile.SpooledTemporaryFile(max_size=10)  # noqa: SIM115

    world.patch.setattr(uploads._SpoolingParser, "on_headers_finished", elsewhere)


def look_at_the_clock_in_the_thread(world: World) -> None:
    real = ice.submit
    world.patch.setattr(ice, "submit", lambda arena, actor, name, files, _: real(arena, actor, name, files))


def check_in_a_thread_of_the_pages(world: World) -> None:
    async def with_the_pages(self: Any, work: Any) -> Any:
        return await anyio.to_thread.run_sync(work)

    world.patch.setattr(uploads.UploadSpace, "run_in_thread", with_the_pages)
