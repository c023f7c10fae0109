"""Threats 15 and 17: cheating the judge, and breaking out of its sandbox."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import numpy as np
import polars as pl
from support.arena.fixtures import lines

from icefire import contests
from icefire.arena import ids
from icefire.arena.errors import TooLarge, WrongInput
from icefire.arena.judge import fork_client, judging, sandbox, security_limit, worker
from icefire.arena.judge.confinement import TaskLimits
from icefire.arena.storage import jobs
from icefire.arena.storage.tables import IdentifiedRow, JobRow
from icefire.arena.submit import ice
from icefire.audit import judge
from icefire.contests.games import base
from icefire.contests.games import tables as game
from threats.story import ROUND
from threats.world import World, in_a_sandbox

# --- 15: cheating permutations


def a_false_correspondence_is_seen_through(world: World) -> None:
    """Release the original itself and lie about where its rows come from, altogether and in part."""
    rows, rng = np.arange(40), np.random.default_rng(3)
    partly = rows.copy()
    partly[:20] = np.roll(rows[:20], 1)
    lies = {"rotated": np.roll(rows, 1), "random": rng.permutation(40), "partly": partly}
    world.fresh()
    table = world.original.write_csv().encode()
    for name, claimed in lies.items():
        team = world.add(name, name.title())
        release = ice.submit(world.arena, team, ROUND, {"released.csv": table, "correspondence.csv": lines(claimed)}).id
        worker.finish(world.arena)
        found = {one.source: one.rate for one in world.rows(IdentifiedRow) if one.release_id == release}
        assert found["aya"] > 0.9, f"AYA believes a correspondence that is {name}: {found['aya']:.2f}"


def the_original_itself_does_not_win(world: World) -> None:
    """Release the original as it is, and with a lie, beside a mixed table: the limits keep both out."""
    arena = world.fresh()
    strict = msgspec.structs.replace(arena.definition, limits={}, show_sample_attacks=True)
    game = contests.get(strict.rules).play({}, joint_attacks=strict.joint_attacks)
    world.arena = replace(arena, definition=strict, game=game)
    world.server.show(world.arena)
    table, rows = world.original.write_csv().encode(), np.arange(40)
    mixed = world.original.with_columns(pl.col(name).shuffle(seed) for seed, name in enumerate(world.original.columns))
    tables = {"Lazy": (table, rows), "Liar": (table, np.roll(rows, 1)), "Honest": (mixed.write_csv().encode(), rows)}
    labels = {}
    for team, (released, claimed) in tables.items():
        actor = world.add(team.lower(), team)
        files = {"released.csv": released, "correspondence.csv": lines(claimed)}
        labels[team] = ice.submit(world.arena, actor, ROUND, files).label
    worker.finish(world.arena)
    board = world.as_("anonymous").get("/api/v1/board").json()["ice"]["rows"]
    ranks = {row["release"]["label"]: row["rank"] for row in board}
    assert ranks[labels["Lazy"]] is None, "the unchanged original is ranked"
    assert ranks[labels["Liar"]] is None, "a false correspondence is ranked"
    assert ranks[labels["Honest"]] == 1, "a release that nobody recognises is not ranked"
    page = world.as_("lazy").get("/board").text
    assert all(label in page for label in labels.values()), "what breaks the limit is not shown"


def a_wrong_correspondence_is_refused(world: World) -> None:
    """Hand in a correspondence that cannot be one."""
    world.go("anonymise")
    rows = list(range(30))
    wrong = {"out of range": [*rows[1:], 40], "negative": [*rows[1:], -1], "repeated": [*rows[1:], 1]}
    wrong |= {"too short": rows[1:], "too long": [*rows, 30], "no numbers": ["x", *rows[1:]]}
    for what, claimed in wrong.items():
        try:
            ice.submit(
                world.arena, world.people["third"], ROUND, {**world.files(3), "correspondence.csv": lines(claimed)}
            )
        except WrongInput:
            continue
        raise AssertionError(f"a correspondence that is {what} was taken")


def a_copied_table_is_flagged(world: World) -> None:
    """Hand in another team's table, its rows in another order: the staff are told, and nobody else."""
    world.go("anonymise")
    shown = world.arena.store.get("release", world.releases["other"], "released.csv").decode().splitlines()
    copied = "\n".join([shown[0], *reversed(shown[1:])]).encode()
    given = {"released.csv": copied, "correspondence.csv": lines(range(30))}
    label = ice.submit(world.arena, world.people["third"], ROUND, given).label
    told = world.as_("judge").get("/desk/submissions").text.partition("<table")[0]
    assert label in told, "nobody is told of the copy"
    for role in ("third", "other", "anonymous"):
        twins = [one["twin"] for one in world.as_(role).get("/api/v1/releases").json()["releases"]]
        assert not any(twins), f"{role} is told who handed in what"


# --- 17: the sandbox


PROBES = """
import json, mmap, os, socket, subprocess, sys
from pathlib import Path
from icefire.arena.judge import capabilities, confinement
PRELUDE
place, secret = Path(sys.argv[1]), Path(sys.argv[2])
def works(function):
    try:
        function()
    except (OSError, MemoryError):
        return False
    return True
cut_off = confinement.confine(place, confinement.TaskLimits(file_size=1 << 16))
print(json.dumps({"cut_off": cut_off, "can": [name for name, done in {
    "read the vault": works(secret.read_text),
    "list the vault": works(lambda: os.listdir(secret.parent)),
    "write elsewhere": works(lambda: (secret.parent / "new").write_text("x")),
    "reach the network": works(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[3])), 1)),
    "run programs": works(lambda: subprocess.run(["true"])),
    "take all memory": works(lambda: mmap.mmap(-1, 5 << 30)),
    "read the server's environment": works(lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes()),
    "use a power of root": not capabilities.has_none(),
    "end other programs": works(lambda: os.kill(os.getppid(), 0)),
}.items() if done]}))
"""
NEEDS = {
    "files": ("read the vault", "list the vault", "write elsewhere", "read the server's environment"),
    "network": ("reach the network",),
    "programs": ("reach the network", "run programs", "end other programs"),
    "capabilities": ("use a power of root",),
}
"""What each wall keeps a process from; not every system has all of them."""
prelude = {"first": "pass"}
"""What is done to the sandbox before it is entered."""


def a_task_can_do_nothing_but_its_sums(world: World) -> None:
    """Break out of the sandbox: to files, the network, other programs, the server's memory and environment."""
    place, vault = world.tmp / "place", world.arena.store.vault
    place.mkdir()
    secret = next(vault.rglob("truth.csv"))
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = str(door.getsockname()[1])
        script = PROBES.replace("PRELUDE", prelude["first"])
        command = [sys.executable, "-c", script, str(place), str(secret), port]
        told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    refused = {what for wall in told["cut_off"] for what in NEEDS[wall]} | {"take all memory"}
    assert not refused & set(told["can"]), f"a task can {', '.join(sorted(refused & set(told['can'])))}"
    world.patch.setenv("ICEFIRE_ARENA_DATABASE", "postgresql://secret")
    assert "postgresql://secret" not in fork_client.environment().values(), "the judge knows the database"


def a_task_has_its_limits(world: World) -> None:
    """Take too long, too much memory, too much disk: it is the submission's fault, and the next task runs."""
    given = {"original.csv": world.original.write_csv().encode(), **world.files(2, rows=40)}
    greedy = {**given, "released.csv": b"1" * 60_000_000}
    limited = (
        (given, TaskLimits(seconds=0.001)),
        (greedy, TaskLimits(memory=1 << 20)),
        (given, TaskLimits(file_size=4000)),
    )
    for files, limits in limited:
        try:
            in_a_sandbox("receive", files, limits, rules="pwscup2015", seed=1)
        except TooLarge:
            continue
        raise AssertionError(f"a task did not mind {limits}")
    assert in_a_sandbox("receive", given, rules="pwscup2015", seed=1).result["problems"] == []


def a_task_knows_one_submission(world: World) -> None:
    """Look at what each task of the judge is given: the answers of no other submission."""
    secrets = {name: _truth(world, name) for name in ("author", "other", "third")}
    given: list[tuple[str, bytes]] = []
    real = sandbox.run_task

    def watched(task: str, files: Any, *more: Any, **options: Any) -> Any:
        read = [data if isinstance(data, bytes) else data.read_bytes() for data in files.values()]
        given.append((task, b"\n---\n".join(read)))
        return real(task, files, *more, **options)

    world.patch.setattr(sandbox, "run_task", watched)
    world.as_("judge").post("/desk/rescore", {"round_name": ROUND})
    worker.finish(world.arena)
    assert {task for task, _ in given} == {"reference", "judge", "guess"}
    for task, said in given:
        known = [name for name, truth in secrets.items() if truth in said]
        assert len(known) <= (task != "reference"), f"a task to {task} knows the answers of {known}"


def _truth(world: World, name: str) -> bytes:
    return world.arena.store.get("truth", world.releases[name], "truth.csv")


def a_dead_worker_is_replaced_once(world: World) -> None:
    """Kill a worker at its work: another does it again, the dead one's late result is dropped, the result is one."""
    arena, release = world.arena, world.releases["author"]
    with arena.database.transaction() as session:
        jobs.again(session, "judge", release, arena.now())
    dead = jobs.claim(arena.database, "dead", arena.now())
    assert jobs.claim(arena.database, "heir", arena.now()) is None, "two workers have the same job"
    arena.clock.move(jobs.LEASE + timedelta(seconds=1))
    heir = jobs.claim(arena.database, "heir", arena.now())
    assert heir is not None, "nobody takes over the work of the dead"
    assert dead is not None
    assert heir.id == dead.id, "the heir has another job"
    before = world.state()
    judging.work(arena, dead, "dead")
    assert world.state() == before, "the dead have stored something"
    judging.work(arena, heir, "heir")
    once = _results(world)
    with arena.database.transaction() as session:
        jobs.again(session, "judge", release, arena.now())
    worker.finish(arena)
    assert _results(world) == once, "judged twice, it is another result"
    assert [one.state for one in world.rows(JobRow) if one.about == release] == ["done"], "the job is not done"


def _results(world: World) -> list[str]:
    return [*world.state()["identified"], *world.state()["measured"]]


# --- sabotages


def believe_the_author(world: World) -> None:
    world.patch.setattr(judge.Claim, "aya", lambda _, guess: guess)


def check_no_correspondence(world: World) -> None:
    world.patch.setattr(game.TableGame, "submission_problems", lambda *_: [])
    world.patch.setattr(game.TableGame, "_comparison", lambda *_: None)


def compare_no_tables(world: World) -> None:
    world.patch.setattr(base, "content", lambda _: ids.new_id() * 2)


def confine_nothing(world: World) -> None:
    free = "confinement.confine = lambda *_: ['network', 'files', 'programs', 'capabilities']"
    world.patch.setitem(prelude, "first", free)


def keep_the_powers_of_root(world: World) -> None:
    world.patch.setitem(prelude, "first", "capabilities.drop_all = lambda: True")


def let_tasks_send_signals(world: World) -> None:
    world.patch.setitem(prelude, "first", "confinement.syscall_filters.no_network_and_no_programs = lambda: True")


def build_no_wall_around_files(world: World) -> None:
    world.patch.setitem(prelude, "first", "confinement.syscall_filters.only_these_files = lambda *_: True")


def give_the_whole_environment(world: World) -> None:
    world.patch.setattr(fork_client, "environment", lambda: dict(os.environ))


def limit_nothing(world: World) -> None:
    real = sandbox._fork_server.run_task
    world.patch.setattr(
        sandbox._fork_server, "run_task", lambda task, folder, _, rules: real(task, folder, TaskLimits(), rules)
    )


def give_the_judge_everything(world: World) -> None:
    real = judging._run

    def generous(arena: Any, task: str, given: Any, **more: Any) -> Any:
        every = {f"{name}.csv": arena.store.path("truth", name, "truth.csv") for name in arena.store.names("truth")}
        return real(arena, task, {**given, **every} if task == "judge" else given, **more)

    world.patch.setattr(judging, "_run", generous)


def let_the_dead_store(world: World) -> None:
    def careless(session: Any, job_id: str, _: str, changed: dict[str, object]) -> bool:
        for name, value in changed.items():
            setattr(session.get(JobRow, job_id), name, value)
        return True

    world.patch.setattr(jobs, "_change_own", careless)


def leave_the_dead_their_work(world: World) -> None:
    world.patch.setattr(jobs, "_free", lambda _: JobRow.state == "waiting")


def rank_whatever_is_broken(world: World) -> None:
    """Have no limit on security."""
    world.patch.setattr(security_limit, "broken", lambda arena, result: [])
