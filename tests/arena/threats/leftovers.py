"""Threat 1: what is left of a truth when a judge is killed with all its children in the middle of a task."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from icefire.arena import doctor, server
from icefire.arena.contest import signing
from icefire.arena.judge import task_folders
from threats.world import World

JUDGE = """
import sys, time
from pathlib import Path
from icefire.arena.contest.arena import open_arena
from icefire.arena.judge import fork_client, judging, sandbox, task_folders
PRELUDE
def wait(self, task, folder, limits, rules):
    print(folder, flush=True)
    time.sleep(600)
fork_client.ForkServerClient.run_task = wait
arena = open_arena(Path(sys.argv[1]))
judging._run(arena, "judge", {"truth.csv": arena.store.path("truth", sys.argv[2], "truth.csv")})
"""
prelude = {"first": "pass"}
"""What is done to the judge before it begins."""


def a_killed_judge_leaves_no_truth_in_temporary_folders(world: World) -> None:
    """Kill a judge at its task: nothing of the truth is in a temporary folder, and the doctor removes the rest."""
    arena, release = world.arena, world.releases["author"]
    truth = arena.store.get("truth", release, "truth.csv")
    temporary = world.tmp / "temporary"
    temporary.mkdir()
    folder = _killed_at_work(world, release, temporary)
    left = [path for path in temporary.rglob("*") if path.is_file() and truth in path.read_bytes()]
    assert not left, f"the truth is left in {left}"
    assert folder.is_relative_to(arena.store.vault.resolve()), f"the task was in {folder}"
    assert (folder / "in" / "truth.csv").read_bytes() == truth, "the judge was not killed at its task"
    _check_doctor(world, folder.name)
    assert not folder.exists(), "the doctor leaves the folder"


def a_new_judge_removes_what_a_killed_one_left(world: World) -> None:
    """Start a judge after one was killed: it removes what is left, and nothing of a task that is being done."""
    folder = _killed_at_work(world, world.releases["author"], world.tmp)
    with task_folders.task_folder(world.arena.store.vault) as busy, server.judging(world.arena, 0):
        assert not folder.exists(), "the folder of the killed judge is still there"
        assert busy.exists(), "a task that is being done lost its folder"


def orphans_in_the_vault_are_removed(world: World) -> None:
    """Leave drafts of a truth and of the key in the vault, as a kill at the wrong moment does."""
    vault = world.arena.store.vault
    own = vault / "truth" / world.releases["author"]
    drafts = [own / ".truth.csv.abcd1234.csv", vault / f"{signing.KEY}.4711"]
    young = own / ".truth.csv.young.csv"
    for draft in (*drafts, young):
        draft.write_bytes(b"secret")
        draft.chmod(0o600)
    old = time.time() - 7200
    for draft in drafts:
        os.utime(draft, (old, old))
    _check_doctor(world, drafts[0].name)
    assert not [one for one in drafts if one.exists()], "a draft of a secret is left"
    assert young.exists(), "what is being written was taken away"
    assert (own / "truth.csv").exists()
    assert (vault / signing.KEY).exists()


def _killed_at_work(world: World, release: str, temporary: Path) -> Path:
    command = [sys.executable, "-c", JUDGE.replace("PRELUDE", prelude["first"]), str(world.arena.folder), release]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, start_new_session=True) as judge:
        try:
            assert judge.stdout is not None
            folder = Path(judge.stdout.readline().decode().strip())
        finally:
            os.killpg(judge.pid, signal.SIGKILL)
    return folder


def _check_doctor(world: World, name: str) -> None:
    told = [one.text for one in doctor.examine(world.arena)]
    assert any(name in one for one in told), f"the doctor does not find {name}: {told}"
    doctor.examine(world.arena, fix=True)


# --- sabotages


def work_in_the_system_s_folder(world: World) -> None:
    """What it was: a task lies in the system's temporary folder."""
    old = "real = task_folders.task_folder; sandbox.task_folder = lambda _: real(None)"
    world.patch.setitem(prelude, "first", old)


def look_for_no_leftovers(world: World) -> None:
    world.patch.setattr(task_folders, "left_behind", lambda _: [])


def take_everything_for_left(world: World) -> None:
    world.patch.setattr(task_folders, "_in_use", lambda _: False)


def look_for_no_drafts(world: World) -> None:
    def nothing(_: Any) -> Any:
        return iter(())

    world.patch.setattr(doctor, "ALWAYS", tuple(nothing if "vault" in one.__name__ else one for one in doctor.ALWAYS))
