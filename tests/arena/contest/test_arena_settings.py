"""Settings of the server in contest.toml reach what they are about."""

from __future__ import annotations

import pytest
from support.arena.fixtures import player, release_files
from support.arena.played import run_here
from support.commands import run_icefire

from icefire.arena.auth import throttling
from icefire.arena.bundle import public
from icefire.arena.errors import TooMany
from icefire.arena.judge import sandbox, worker
from icefire.arena.submit import ice

SERVER = "[server]\ncheck_seconds = 7\njudge_seconds = 77\nfailures = { invite = 2 }"


def test_tasks_have_the_time_that_the_contest_says(make_arena, original, monkeypatch):
    given = {}

    def task(name, files, allowed, vault, /, **options):
        given[name] = allowed.seconds
        return run_here(name, files, allowed, vault, **options)

    monkeypatch.setattr(sandbox, "run_task", task)
    arena = make_arena(more=SERVER)
    ice.submit(arena, player(arena, "Ann", "Snow"), "final", release_files(original))
    worker.finish(arena)
    assert given.pop("judge") == given.pop("reference") == 77
    assert set(given.values()) == {7}


def test_failures_are_limited_as_the_contest_says(make_arena, database_url):
    arena = make_arena(database_url, SERVER)
    with arena.database.transaction() as session:
        for _ in range(2):
            throttling.count_try(session, "invite:1.2.3.4", arena.now())
        with pytest.raises(TooMany):
            throttling.count_try(session, "invite:1.2.3.4", arena.now())
        for _ in range(throttling.TRIES["address"]):
            throttling.count_try(session, "address:1.2.3.4", arena.now())
        with pytest.raises(TooMany):
            throttling.count_try(session, "address:1.2.3.4", arena.now())


def test_proxies_that_are_none_stop_the_server(make_arena, capsys):
    arena = make_arena(more='[server]\ntrusted_proxies = ["the proxy"]')
    done = run_icefire(capsys, "arena", "serve", str(arena.folder), "--as-root", "--port", "0")
    assert done.code == 2
    assert "trusted_proxies in contest.toml) has 'the proxy'" in done.err


def test_no_service_stands_in_the_public_bundle(make_arena):
    services = '[mail]\nhost = "secret.example"\nsender = "a@b.c"\n[webhook]\nurl = "https://secret.example/"'
    arena = make_arena(more=f"{SERVER}\n{services}")
    arena.clock.set(arena.definition.rounds[0].reveal)
    worker.finish(arena)
    with arena.database.reading() as session:
        files = dict(public.contents(session, arena, arena.now()))
    assert b"rules" in files["contest.toml"]
    assert b"secret" not in files["contest.toml"]
    assert b"77" not in files["contest.toml"]
