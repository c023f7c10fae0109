"""Threat 8: files that blow up when they are read."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import AsyncIterator
from typing import Any

import polars as pl

from icefire.arena.bundle import unpacking
from icefire.arena.contest import quotas
from icefire.arena.errors import TooLarge
from icefire.arena.judge import judging, sandbox, worker
from icefire.arena.storage.tables import QuotaRow, ReleaseRow
from icefire.arena.submit import ice
from icefire.arena.web import security
from icefire.contests.games import tables as game
from threats import bundles
from threats.story import ROUND
from threats.world import World


def _zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("released.csv", b"0" * 1_000_000)
    return out.getvalue()


def _parquet() -> bytes:
    out = io.BytesIO()
    pl.DataFrame({"a": [0] * 1_000_000}).write_parquet(out)
    return out.getvalue()


BOMBS = {
    "zip": (_zipped, "this is zip"),
    "gzip": (lambda: gzip.compress(b"0" * 1_000_000), "this is gzip"),
    "Parquet": (_parquet, "this is Parquet"),
    "one line": (lambda: b"1" * 1_000_000, "line 1 has 1,000,000 bytes"),
    "many columns": (lambda: b",".join(b"%d" % n for n in range(10_000)) + b"\n", "10,000 columns"),
    "many rows": (lambda: b"1\n" * 100_000, "100,000 lines; at most"),
    "a zero byte": (lambda: b"a,b\n1,\x002\n", "is zero"),
}


def bombs_are_refused_unread(world: World) -> None:
    """Hand in what blows up when it is read: it is refused before anything reads it, and costs nothing."""
    world.go("anonymise")
    before = {(one.round, one.team_id): one.used for one in world.rows(QuotaRow)}
    for what, (make, said) in BOMBS.items():
        files = {**world.files(6), "released.csv": make()}
        sent = {name.removesuffix(".csv"): ("x.csv", data, "text/csv") for name, data in files.items()}
        answer = world.as_("third").post("/api/v1/releases", {"round": ROUND}, files=sent)
        assert answer.status_code == 422, f"{what}: {answer.status_code}"
        assert said in answer.text, f"{what} was read before it was refused: {answer.text[:200]}"
        assert {(one.round, one.team_id): one.used for one in world.rows(QuotaRow)} == before, "a bomb was charged"
    deep = world.as_("third").send("POST", "/api/v1/tokens", content=b"[" * 200_000)
    assert deep.status_code < 500, f"nested JSON: {deep.status_code}"


def a_body_without_end_is_cut_off(world: World) -> None:
    """Send more than is taken, announced and not: it is refused, and no more is read than a little."""
    world.patch.setattr(security, "SURPLUS", 1 << 20)
    read = [0]

    async def endless() -> AsyncIterator[bytes]:
        yield b'{"name": "'
        for _ in range(300):
            read[0] += 1 << 14
            yield b"x" * (1 << 14)

    sent = world.as_("anonymous").send("POST", "/api/v1/tokens", content=endless())
    assert sent.status_code == 413, f"a body without end was answered with {sent.status_code}"
    assert read[0] < 2 << 20, f"{read[0]:,} bytes of it were read"
    huge = {"content-length": str(1 << 40)}
    sent = world.as_("anonymous").send("POST", "/api/v1/tokens", content=b"{}", headers=huge)
    assert sent.status_code == 413, f"a body that is announced as endless was answered with {sent.status_code}"


def the_judge_survives(world: World) -> None:
    """Have one release blow up in the judge's hands: it is refused, and the next one is judged."""
    world.go("anonymise")
    bad, good = (ice.submit(world.arena, world.people["third"], ROUND, world.files(seed)).id for seed in (7, 8))
    real, first = sandbox.run_task, []

    def blows_up(task: str, *given: Any, **options: Any) -> Any:
        if not first:
            first.append(task)
            raise TooLarge("this takes more memory or time than is allowed")
        return real(task, *given, **options)

    world.patch.setattr(sandbox, "run_task", blows_up)
    try:
        worker.finish(world.arena)
    except Exception as error:
        raise AssertionError(f"the worker died of it: {error!r}") from error
    states = {one.id: one.state for one in world.rows(ReleaseRow)}
    assert sorted((states[bad], states[good])) == ["judged", "refused"], f"{states[bad]}, {states[good]}"


def bundles_that_blow_up_are_not_unpacked(world: World) -> None:
    """Import bundles that are far larger inside, hold far too many files, or a bundle in a bundle."""
    unpacked: list[str] = []
    real = unpacking.Pack.unpack
    world.patch.setattr(unpacking.Pack, "unpack", lambda self, name, to: unpacked.append(name) or real(self, name, to))
    world.patch.setattr(unpacking, "MOST_FILES", 60)
    inner = bundles.whole(world)
    wrong = {
        "too tight": {"data/original.csv": b"0" * 5_000_000},
        "too many": {f"data/{number}.csv": b"0" for number in range(100)},
        "nested": {"bundle.zip": inner},
    }
    for what, more in wrong.items():
        bundles.refuse(world, bundles.repacked(world, inner, more), what)
        assert not unpacked, f"{what}: {unpacked[0]} was unpacked"


# --- sabotages


def read_anything(world: World) -> None:
    world.patch.setattr(game.plain_text, "problems", lambda *_: [])


def charge_first(world: World) -> None:
    real = ice._receive

    def charged(arena: Any, team_id: str, round_name: str, *more: Any) -> Any:
        with arena.database.transaction() as session:
            quotas.take_slot(session, arena, round_name, team_id)
        return real(arena, team_id, round_name, *more)

    world.patch.setattr(ice, "_receive", charged)


def read_bodies_to_the_end(world: World) -> None:
    async def unbounded(self: Any, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)

    world.patch.setattr(security.BodyLimit, "__call__", unbounded)


def let_the_worker_die(world: World) -> None:
    def dies(*_: Any) -> None:
        raise RuntimeError("the thread of the worker ends here")

    world.patch.setattr(judging, "TooLarge", type("Other", (Exception,), {}))
    world.patch.setattr(judging, "_postpone", dies)


def unpack_anything(world: World) -> None:
    world.patch.setattr(unpacking, "MOST_RATIO", 10**9)
