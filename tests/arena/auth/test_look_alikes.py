"""One skeleton for names that look alike: other alphabets, blanks, what cannot be seen."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from support.arena.fixtures import DAY, player

from icefire.arena import ids
from icefire.arena.auth import accounts, actor, names, teams
from icefire.arena.contest.arena import open_arena
from icefire.arena.errors import Clash, WrongInput


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("paypal", "раураl"),
        ("Ice", "lce"),
        ("Team 10", "TEAM lO"),
        ("modern", "modem"),
        ("HAT", "НАТ"),
        ("Team A", "TeamA"),
        ("ア", "ｱ"),
        ("ann", "a\N{HANGUL FILLER}nn"),
        ("ann", "a\N{COMBINING GRAPHEME JOINER}nn"),
        ("Snow", "5now"),
        ("Snow", "$now"),
        ("ZEBRA", "2E8RA"),
        ("Green", "9reen"),
        ("Ali", "A1!"),
    ],
)
def test_these_look_alike(one, other):
    assert ids.look_alike(one, other)
    assert ids.look_alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ann", "anne"),
        ("か", "が"),
        ("火", "氷"),
        ("Jose", "José"),
        ("r", "t"),
        ("Team 2", "Team 5"),
        ("Team 8", "Team 9"),
    ],
)
def test_these_do_not(one, other):
    assert not ids.look_alike(one, other)


@pytest.mark.parametrize(
    "name", ["\N{HANGUL FILLER}", "\N{BRAILLE PATTERN BLANK}", "ann\N{BRAILLE PATTERN BLANK}", " "]
)
def test_names_that_cannot_be_seen_are_refused(name):
    with pytest.raises(WrongInput):
        names.clean_name(name, "name")


def test_accounts_and_teams_have_one_skeleton_each(arena):
    ann = player(arena, "ann", "Ice")
    with arena.database.transaction() as session, pytest.raises(Clash):
        accounts.add_account(session, "аnn", "a password nobody knows", arena.now())
    bob = player(arena, "bob")
    with arena.database.transaction() as session, pytest.raises(Clash):
        teams.create_team(session, bob, "1ce", arena.now())
    with arena.database.transaction() as session:
        names.check_free(session, teams.TeamRow, "lce", but=ann.team_id)  # its own name in another spelling


def test_old_names_are_found_after_the_migration(arena):
    player(arena, "Ilia")
    arena.clock.set(arena.now() + DAY / 24)
    player(arena, "il1a-2")
    with arena.database.engine.begin() as connection:
        for name in ("Ilia", "il1a-2"):
            connection.execute(
                sa.text("update account set name_key = :k where name = :n"), {"k": name.lower(), "n": name}
            )
        connection.execute(sa.text("update account set name = '1lia' where name = 'il1a-2'"))
        connection.execute(sa.text("update alembic_version set version_num = '0004'"))
    arena.database.close()
    again = open_arena(arena.folder, clock=arena.clock)
    with again.database.reading() as session:
        found = accounts.account_named(session, "ILIA")
        assert found is not None
        assert actor.actor_of(session, found).name == "Ilia"
        keys = set(session.scalars(sa.text("select name_key from account")))
    assert len(keys) == 2
    again.database.close()
