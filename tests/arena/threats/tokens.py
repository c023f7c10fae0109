"""Threat 13: tokens that outlive their reason."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from icefire.arena.auth import actor as actors
from icefire.arena.auth import tokens
from icefire.arena.storage.tables import AccountRow, TokenRow
from threats.story import PASSWORD
from threats.world import World


def tokens_end_with_the_password(world: World) -> None:
    """Steal a token; its owner changes the password."""
    stolen = world.token("author")
    assert _status(world, stolen) == 200, "a token is worth nothing"
    changed = world.new_browser("author").post("/account/password", {"old": PASSWORD, "new": "another long password"})
    assert changed.status_code == 303, changed.text
    assert _status(world, stolen) == 401, "a stolen token outlives a new password"


def tokens_end_by_themselves(world: World) -> None:
    """Keep a token for a long time, and make as many as one likes by the API."""
    kept = world.token("author")
    world.arena.clock.move(timedelta(days=89))
    assert _status(world, kept) == 200, "a token ended early"
    world.arena.clock.move(timedelta(days=2))
    assert _status(world, kept) == 401, "a token lives for ever"
    body = {"name": "ann", "password": PASSWORD}
    came = [world.server.ask("POST", "/api/v1/tokens", json=body) for _ in range(22)]
    stored = [one for one in world.rows(TokenRow) if one.account_id == world.people["author"].account_id]
    assert len(stored) == 20, f"{len(stored)} tokens of one account"
    assert [one.status_code for one in came] == [201] * 20 + [409] * 2
    assert "take one away" in came[-1].json()["error"]


def tokens_never_gain_a_role(world: World) -> None:
    """Make a token as a player, then become an organiser: the token stays a player's; the other way it loses."""
    made = world.add("climber")
    early = world.token("climber")
    _set_role(world, made, "organiser")
    assert _status(world, early, "/api/v1/contest") == 200
    assert _announce(world, early) == 403, "a token gained a role that was given later"
    late = world.token("climber")
    assert _announce(world, late) == 201
    _set_role(world, made, "player")
    assert _announce(world, late) == 403, "a token keeps a role that was taken away"


def _status(world: World, token: str, path: str = "/api/v1/contest") -> int:
    answer = world.server.ask("GET", path, headers={"authorization": f"Bearer {token}"})
    return int(answer.status_code)


def _announce(world: World, token: str) -> int:
    headers = {"authorization": f"Bearer {token}"}
    return int(world.server.ask("POST", "/api/v1/announcements", json={"text": "hello"}, headers=headers).status_code)


def _set_role(world: World, made: Any, role: str) -> None:
    """Change the role by another way than the desk, which ends all tokens of the account."""
    with world.arena.database.transaction() as session:
        session.get_one(AccountRow, made.account_id).role = role


# --- sabotages


def end_no_token(world: World) -> None:
    world.patch.setattr(tokens, "end_all", lambda *_: None)


def let_tokens_live(world: World) -> None:
    def found(session: Any, secret: str, _: Any) -> Any:
        digest = tokens.ids.digest(secret)
        return session.query(TokenRow).filter(TokenRow.secret == digest).first()

    world.patch.setattr(tokens, "find", found)


def make_any_number(world: World) -> None:
    world.patch.setattr(tokens, "MOST_TOKENS", 1000)


def give_tokens_the_role_of_today(world: World) -> None:
    real = actors.actor_of

    def today(session: Any, account: AccountRow, _: Any = None) -> Any:
        return real(session, account)

    world.patch.setattr(actors, "actor_of", today)
