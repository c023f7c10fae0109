"""Threat 16: learning a score from a board that should stand still."""

from __future__ import annotations

from icefire.arena.boards import reading, snapshots
from icefire.arena.judge import worker
from icefire.arena.storage.tables import IdentifiedRow, MeasuredRow, ReleaseRow
from threats import routes
from threats.scores import plain
from threats.story import ROUND
from threats.world import World

WHOLE = ("/export/{what}.csv", "/board")
"""Of these every address is looked at; of all others one."""
MOVING = (routes.EVENTS, routes.METRICS)


def a_frozen_board_stands(world: World, below: str = "/") -> None:
    """Change every result behind a frozen board: only judges see it move."""
    world.add("fresh", "Fresh")
    for phase in ("freeze", "attack"):
        world.go(phase)
        outside, inside = _everything(world, "fresh", below), _boards(world)
        _change_everything(world)
        after = _everything(world, "fresh", below)
        moved = [path for path in after if after[path] != outside[path]]
        assert not moved, f"in {phase} these moved: {moved}"
        assert _boards(world) != inside, "judges should see both"


def _boards(world: World) -> list[bytes]:
    return [world.as_("judge").get(path).content for path in ("/board", "/api/v1/board", "/export/board.csv")]


def _everything(world: World, role: str, below: str) -> dict[str, str]:
    world.server.show(world.arena)  # what was drawn before is forgotten
    paths = [path for path in routes.reading(world.server.app) if path.startswith(below) and path not in MOVING]
    every = [one for path in paths for one in routes.addresses(path, routes.values(world), only_one=path not in WHOLE)]
    return {one: plain(world.as_(role).get(one).text) for one in every}


def _change_everything(world: World) -> None:
    with world.arena.database.transaction() as session:
        for measured in session.query(MeasuredRow).join(ReleaseRow).where(ReleaseRow.round == ROUND):
            measured.value = (measured.value or 0) * 3 + 1
        for found in session.query(IdentifiedRow).join(ReleaseRow).where(ReleaseRow.round == ROUND):
            found.rate, found.hits = found.rate / 2, found.hits // 2
        for release in session.query(ReleaseRow).where(ReleaseRow.id == world.releases["third"]):
            release.state, release.note = "refused", "breaks a limit"
    worker.finish(world.arena)


# --- sabotages


def freeze_nothing(world: World) -> None:
    world.patch.setattr(snapshots, "snapshot", lambda *_: None)


def show_releases_live(world: World) -> None:
    world.patch.setattr(reading._Reader, "_as_frozen", lambda _, made: tuple(made))
