"""The demo: a competition played by the real services, with a story to look at."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import golden

pytest.importorskip("sqlalchemy", reason="the arena's packages are not installed")
pytest.importorskip("cryptography", reason="the arena's packages are not installed")

from icefire.arena import demo, doctor, ids
from icefire.arena.auth import accounts, login
from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import freezing, matrix, reading, snapshots
from icefire.arena.clock import SetClock
from icefire.arena.contest.arena import Arena, open_arena
from icefire.arena.demo import beginning, rounds, story
from icefire.arena.storage import log
from icefire.core.errors import OutputError

NOW = golden.NOW


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> demo.Demo:
    return demo.build(tmp_path_factory.mktemp("demo") / "arena", rows=golden.DEMO_ROWS, now=NOW)


@pytest.fixture(scope="module")
def arena(made: demo.Demo) -> Iterator[Arena]:
    opened = open_arena(made.folder, clock=SetClock(NOW))
    yield opened
    opened.database.close()


@pytest.fixture(scope="module")
def preliminary(arena: Arena) -> snapshots.RoundBoard:
    with arena.database.reading() as session:
        return freezing.board(arena, session, VISITOR, "preliminary")


def best(board: snapshots.RoundBoard, team: str) -> Any:
    return next(row for row in board.ice.rows if row.release.team == team)


def test_classes_protect_better_than_averages_alone_and_cost_usefulness(preliminary: snapshots.RoundBoard) -> None:
    classes, averages = best(preliminary, "Team Aurora"), best(preliminary, "Team Comet")
    assert classes.security < averages.security
    assert classes.release.measures["U5"] > averages.release.measures["U5"]


def test_the_safe_one_is_useless_and_the_useful_one_is_found_out(preliminary: snapshots.RoundBoard) -> None:
    safe, useful = best(preliminary, "Team Basalt"), best(preliminary, "Team Comet")
    assert safe.identified < 0.1
    assert useful.identified > 0.7
    assert safe.rank is not None
    assert useful.why == "refused", "what identifies more than half of the people is not ranked"
    assert useful.release.measures["U5"] < safe.release.measures["U5"]


def test_the_cheater_is_caught_by_the_judge_alone(preliminary: snapshots.RoundBoard) -> None:
    cheater = best(preliminary, "Team Delta")
    assert (cheater.samples, cheater.aya) == (0.0, 1.0)
    assert cheater.players < 0.05
    assert cheater.by_aya
    assert (cheater.rank, cheater.why) == (None, "refused"), "without AYA it would have won"
    assert "by the check AYA" in cheater.release.note
    assert cheater.release.measures["U1"] == 0.0


def test_the_strongest_attacker_protects_badly(preliminary: snapshots.RoundBoard) -> None:
    assert preliminary.fire is not None
    assert preliminary.fire.rows[0].team == "Team Ember"
    assert best(preliminary, "Team Ember").security > 0.9
    trials = {row.team: row.trials for row in preliminary.fire.rows}
    assert len(set(trials.values())) > 3, "some attack everything, some only what looks easy"


def test_the_original_is_there_for_comparison(preliminary: snapshots.RoundBoard) -> None:
    assert preliminary.ice.reference is not None
    assert preliminary.ice.reference.security == 1.0


def test_the_final_is_under_attack_and_keeps_its_secrets(arena: Arena) -> None:
    with arena.database.reading() as session:
        now = arena.round_now(session, "final")
        board = freezing.board(arena, session, VISITOR, "final")
        cells = matrix.round_matrix(reading.round_facts(session, arena, "final", VISITOR)).cells
    assert now.phase == "attack"
    assert board.frozen is not None
    assert board.fire is None
    assert all(row.players is None and row.release.team is None for row in board.ice.rows)
    states = {cell.state for line in cells for cell in line}
    assert {"open", "submitted"} <= states
    assert "scored" not in states


def test_nothing_is_left_to_do_and_the_books_are_in_order(arena: Arena) -> None:
    with arena.database.reading() as session:
        assert log.verify(session) == []
    assert [finding for finding in doctor.examine(arena) if finding.level == "error"] == []


def test_what_is_told_lets_one_in(made: demo.Demo, arena: Arena) -> None:
    assert made.password in "\n".join(made.lines)
    assert login.login(arena.database, story.ORGANISER, made.password, "127.0.0.1", NOW).role == "admin"
    for name in (story.ORGANISER, *(name for player in story.PLAYERS for name in player.accounts)):
        with arena.database.reading() as session:
            account = accounts.account_named(session, name)
        assert account is not None, name


def test_the_public_results_are_the_stored_ones(arena: Arena, tmp_path: Path) -> None:
    assert golden.as_text(golden.public_results(arena, tmp_path / "public.zip")) == golden.stored("arena-demo")


def test_the_vault_is_closed(made: demo.Demo) -> None:
    assert stat.S_IMODE((made.folder / "vault").stat().st_mode) == 0o700
    assert stat.S_IMODE((made.folder / "vault" / "key").stat().st_mode) == 0o600


@pytest.mark.heavy
def test_the_same_seed_builds_the_same_boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = story.PLAYERS[3:5]  # one that draws at random, one that does not
    monkeypatch.setattr(beginning, "PLAYERS", few)
    monkeypatch.setattr(rounds, "PLAYERS", few)
    assert _outcome(tmp_path / "a", 7) == _outcome(tmp_path / "b", 7)
    assert ids.new_id() != ids.new_id(), "outside the demo names are drawn from the system again"


def _outcome(folder: Path, seed: int) -> Any:
    demo.build(folder, seed, rows=100, now=NOW)
    arena = open_arena(folder, clock=SetClock(NOW))
    with arena.database.reading() as session:
        found = freezing.board(arena, session, VISITOR, "preliminary"), freezing.board(arena, session, VISITOR, "final")
    arena.database.close()
    return found


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="holds files that icefire did not write"):
        demo.build(tmp_path, rows=100)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
