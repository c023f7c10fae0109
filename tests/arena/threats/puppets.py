"""Threat 3, by more accounts: teams that belong together, and accounts that the organisers never let in."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
from sqlalchemy import select

from icefire.arena.admin import related_teams
from icefire.arena.auth import accounts, invitations, teams
from icefire.arena.auth.actor import actor_of
from icefire.arena.errors import Refused
from icefire.arena.storage.tables import AccountRow
from threats.story import PASSWORD
from threats.world import World


def teams_that_belong_together_are_shown(world: World) -> None:
    """Register with a team's invitation, found another team, and log in from the same address: the desk is told."""
    invited = msgspec.structs.replace(world.arena.definition, registration="invite")
    with world.arena.database.transaction() as session:
        code = invitations.new_invite(
            session, world.people["organiser"], world.people["author"].team_id, world.arena.now()
        )
    made = accounts.register(world.arena.database, invited, "puppet", PASSWORD, code, "10.0.0.9", world.arena.now())
    with world.arena.database.transaction() as session:
        teams.leave_team(session, actor_of(session, session.get_one(AccountRow, made.id)), world.arena.now())
    with world.arena.database.transaction() as session:
        teams.create_team(
            session, actor_of(session, session.get_one(AccountRow, made.id)), "Puppets", world.arena.now()
        )
    for name in ("ann", "puppet"):
        visitor = world.visitor()
        assert visitor.post("/login", {"name": name, "password": PASSWORD}).status_code == 303
    said = world.as_("judge").get("/desk/submissions").text
    assert "Ice, Puppets have had the same people: puppet" in said, "nobody is told of shared people"
    assert "puppet came with an invitation of the first and founded the second of Ice, Puppets" in said, (
        "nobody is told of an invitation"
    )
    assert "People of Ice, Puppets came from the same address: ann, puppet" in said, "nobody is told of an address"
    assert "puppet" not in world.as_("other").get("/board").text


def only_organisers_let_in(world: World) -> None:
    """With registration by invitation, a captain's code joins a team and makes no account."""
    invited = msgspec.structs.replace(world.arena.definition, registration="invite")
    with world.arena.database.transaction() as session:
        author = actor_of(session, session.get_one(AccountRow, world.people["author"].account_id))
        code = invitations.new_invite(session, author, author.team_id, world.arena.now())
    with suppress(Refused):
        accounts.register(world.arena.database, invited, "newcomer", PASSWORD, code, "10.0.0.9", world.arena.now())
    assert not _known(world, "newcomer"), "a captain's code made an account"
    lonely = world.add("lonely")
    with world.arena.database.transaction() as session:
        assert teams.join_team(session, lonely, code, world.arena.now()).name == "Ice", "and it was not used up"


def _known(world: World, name: str) -> bool:
    with world.arena.database.reading() as session:
        return session.scalars(select(AccountRow).where(AccountRow.name == name)).first() is not None


# --- sabotages


def forget_invitations(world: World) -> None:
    world.patch.setattr(related_teams, "_founders", lambda *_: [])


def forget_addresses(world: World) -> None:
    world.patch.setattr(related_teams, "_addresses", lambda *_: [])


def let_captains_let_in(world: World) -> None:
    real = invitations.use_invite

    def anybody(*given: Any) -> Any:
        invite = real(*given)
        invite.by_organiser = True
        return invite

    world.patch.setattr(invitations, "use_invite", anybody)
