"""A competition of two rounds that was really played, judged in this process because a test is in a hurry."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from support.arena.fixtures import BEGIN, DAY, lines, player, release_files

PASSWORD = "a password nobody knows"
FORMULA = '=HYPERLINK("http://x.example")'
TOML = """
# A note to ourselves that is nobody's business: swordfish
title = "Two rounds"
rules = "pwscup2015"
zone = "Asia/Tokyo"
show_sample_attacks = false
joint_attacks = false
{more}

[limits]
security = 1
aya = 1

[[round]]
name = "preliminary"
data = "original.csv"
weight = 0.4
anonymise = 2026-05-01T00:00:00Z
freeze = 2026-05-02T00:00:00Z
attack = 2026-05-03T00:00:00Z
reveal = 2026-05-04T00:00:00Z

[[round]]
name = "final"
data = "original.csv"
weight = 0.6
anonymise = 2026-05-05T00:00:00Z
freeze = 2026-05-06T00:00:00Z
attack = 2026-05-07T00:00:00Z
reveal = 2026-05-08T00:00:00Z
"""


def run_here(task: str, given: Any, task_limits: Any = None, vault: Any = None, /, **options: Any) -> Any:
    """Run a task of the judge without a process of its own."""
    from icefire.arena.judge.sandbox import TaskResult
    from icefire.arena.judge.tasks import do_task

    with tempfile.TemporaryDirectory() as place:
        inside, out = Path(place, "in"), Path(place, "out")
        inside.mkdir()
        out.mkdir()
        for name, content in given.items():
            (inside / name).write_bytes(content if isinstance(content, bytes) else content.read_bytes())
        result = do_task(task, inside, out, **options)
        return TaskResult(result, {path.name: path.read_bytes() for path in out.iterdir()})


@dataclass(frozen=True)
class Played:
    """What came of it."""

    arena: Any
    teams: list[Any]
    admin: Any
    secrets: dict[str, bytes]
    """What no stranger may ever see, by what it is."""


def play(arena: Any, original: Any) -> Played:
    """Have four teams release and attack in both rounds; one release is withdrawn, one team is out."""
    from icefire.arena import admin as admin_module
    from icefire.arena.submit import ice

    teams = [player(arena, f"person-{name}", name) for name in (FORMULA, "Fire", "Ice", "Snow")]
    admin = player(arena, "the-admin", role="admin")
    secrets = _doors(arena)
    for number, one in enumerate(arena.definition.rounds):
        receipts = _hand_in(arena, original, teams, one, number)
        ice.withdraw(arena, teams[0], receipts[0].id)
        arena.clock.set(one.starts()["attack"] + DAY / 2)
        _attack(arena, teams, receipts[1:])
        arena.clock.set(one.starts()["reveal"] + DAY / 2)
    admin_module.disqualify(arena, admin, teams[2].team_id, "shared its key")
    for shelf in ("truth", "guess", "handed"):
        for name in arena.store.names(shelf):
            for path in arena.store.path(shelf, name, "x.csv").parent.iterdir():
                if path.name != "released.csv":
                    secrets[f"{shelf} {name} {path.name}"] = path.read_bytes()
    secrets["key"] = (arena.store.vault / "key").read_bytes()
    return Played(arena, teams, admin, secrets)


def _doors(arena: Any) -> dict[str, bytes]:
    """Leave every kind of secret of the doors in the database."""
    from icefire.arena.auth import accounts, invitations, sessions, tokens

    with arena.database.transaction() as session:
        account = accounts.add_account(session, "somebody", PASSWORD, arena.now())
        opened = sessions.open_session(session, account, arena.now())
        token = tokens.new_token(session, account, "laptop", arena.now())
        inviter = type("By", (), {"organises": True, "account_id": account.id, "captain": False, "team_id": None})()
        code = invitations.new_invite(session, inviter, None, arena.now())
        session.flush()
        from icefire.arena import ids

        found = {
            "password hash": account.password,
            "session": ids.digest(opened.cookie),
            "csrf": opened.csrf,
            "token": ids.digest(token),
            "invitation": ids.digest(code),
            "account": account.id,
            "account's name": "somebody",
            "player's name": "person-Ice",
            "comment": "swordfish",
        }
    return {name: value.encode() for name, value in found.items()}


def _hand_in(arena: Any, original: Any, teams: list[Any], one: Any, number: int) -> list[Any]:
    from icefire.arena.judge import worker
    from icefire.arena.submit import ice

    arena.clock.set(one.starts()["anonymise"] + DAY / 2)
    made = [ice.submit(arena, teams[0], one.name, release_files(original, 90 + number))]
    for place, team in enumerate(teams):
        noise = 0.2 * place + 0.1 * number
        made.append(ice.submit(arena, team, one.name, release_files(original, 10 * number + place, noise=noise)))
    worker.finish(arena)
    return made


def _attack(arena: Any, teams: list[Any], receipts: list[Any]) -> None:
    from icefire.arena.judge import worker
    from icefire.arena.submit import fire

    for place, team in enumerate(teams):
        for target, receipt in enumerate(receipts):
            if target != place:
                truth = arena.store.get("truth", receipt.id, "truth.csv").decode().split()
                right = 3 + 4 * place + target
                fire.submit(arena, team, receipt.id, lines([*truth[:right], *[-1] * (len(truth) - right)]))
    worker.finish(arena)


def boards(arena: Any, actor: Any) -> list[Any]:
    """Every ranking there is, as one actor sees it."""
    import msgspec

    from icefire.arena.boards import freezing

    with arena.database.reading() as session:
        every = [freezing.board(arena, session, actor, one.name) for one in arena.rounds(session)]
        return msgspec.to_builtins([*every, freezing.all_rounds(arena, session, actor)])


@pytest.fixture(scope="session")
def played_once(tmp_path_factory: pytest.TempPathFactory, original: Any) -> Any:
    """The competition, played one time; tests get a copy of it."""
    from icefire.arena.clock import SetClock
    from icefire.arena.contest.arena import open_arena
    from icefire.arena.judge import sandbox

    folder = tmp_path_factory.mktemp("played") / "arena"
    folder.mkdir(mode=0o700)
    original.write_csv(folder / "original.csv")
    (folder / "contest.toml").write_text(TOML.format(more=""))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "run_task", run_here)
        arena = open_arena(folder, clock=SetClock(BEGIN))
        made = play(arena, original)
    arena.database.close()
    return made


@pytest.fixture
def reopen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Open a folder at a time: reopen(folder, at, url=None); the judge works in this process."""
    from icefire.arena.clock import SetClock
    from icefire.arena.contest.arena import open_arena
    from icefire.arena.judge import sandbox

    monkeypatch.setattr(sandbox, "run_task", run_here)
    opened = []

    def reopened(folder: Path, at: datetime, url: str | None = None) -> Any:
        opened.append(open_arena(folder, url, SetClock(at)))
        return opened[-1]

    yield reopened
    for one in opened:
        one.database.close()


@pytest.fixture
def played(played_once: Any, reopen: Callable[..., Any], tmp_path: Path) -> Any:
    """A copy of the competition, half a day after its last reveal."""
    folder = tmp_path / "played"
    shutil.copytree(played_once.arena.folder, folder)
    return replace(played_once, arena=reopen(folder, played_once.arena.now()))


__all__ = ["BEGIN", "DAY", "FORMULA", "TOML", "Played", "boards", "play", "played", "played_once", "reopen", "run_here"]
