"""Threat 14: wrong passwords as a means to keep others out."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete

from icefire.arena import admin
from icefire.arena.auth import login, throttling
from icefire.arena.storage import log
from icefire.arena.storage.tables import AttemptRow, BrowserSessionRow
from threats.logins import attempt, waits
from threats.story import PASSWORD
from threats.world import World

HALL, ELSEWHERE, MANY = "192.0.2.1", "203.0.113.7", 150


def nobody_is_kept_out_by_wrong_passwords(world: World) -> None:
    """Try wrong passwords from the victim's address and from elsewhere: who is logged in, or administers, gets in."""
    waited = waits(world)
    world.new_browser("author")
    for name in ("ann", "the-admin"):
        for place in range(MANY):
            attempt(world, name, HALL if place % 2 else f"10.2.0.{place}")
        waited.clear()
        assert _right(world, name, HALL) == 201, f"{name} is kept out at home"
        assert _right(world, name, ELSEWHERE) == 201, f"{name} is kept out elsewhere"
        assert len([one for one in waited if one > 0]) == 2, f"guessing {name}'s password is not slowed down"


def a_rival_elsewhere_keeps_nobody_out(world: World) -> None:
    """Try wrong passwords for somebody who is not logged in: only the rival's own address is refused."""
    waits(world)
    _log_out(world)
    for _ in range(throttling.TRIES["pair"] + 5):
        rival = attempt(world, "ann", "10.3.0.1").status_code
    assert rival == 429
    assert _right(world, "ann", HALL) == 201, "a rival elsewhere keeps ann out"


def a_hall_behind_one_address_logs_in(world: World) -> None:
    """Let a hall of people mistype their passwords, and one of them try hundreds: the others log in from there."""
    waited = waits(world)
    _log_out(world)
    for place in range(MANY):
        attempt(world, f"guest {place}", HALL)
    for name in ("ann", "bob", "the-admin"):
        assert _right(world, name, HALL) == 201, f"{name} cannot log in from the hall"
    assert waited, "the hall's tries are not slowed down"


def the_desk_clears_a_lockout(world: World) -> None:
    """Lock an account, look at the desk, clear it there: it may log in again; others cannot clear it."""
    waits(world)
    _log_out(world)
    ann = world.people["author"].account_id
    for _ in range(throttling.TRIES["pair"]):
        attempt(world, "ann", HALL)
    assert _right(world, "ann", HALL) == 429
    assert "locked" in world.as_("admin").get("/desk/accounts").text, "the desk does not tell"
    assert world.as_("third").post(f"/desk/accounts/{ann}/lockout").status_code == 403, "a rival clears lockouts"
    assert _right(world, "ann", HALL) == 429
    assert world.as_("organiser").post(f"/desk/accounts/{ann}/lockout").status_code == 303
    assert _right(world, "ann", HALL) == 201, "the desk cannot let ann in"
    assert "lockout_cleared" in world.events(), "no line tells of it"
    for _ in range(MANY):
        attempt(world, "nobody", HALL)
    assert world.as_("organiser").post("/desk/lockouts").status_code == 303
    assert not [one for one in world.rows(AttemptRow) if one.key.startswith("address:")], "the address stays slow"


def _right(world: World, name: str, address: str) -> int:
    body = {"name": name, "password": PASSWORD}
    return int(world.server.ask("POST", "/api/v1/tokens", address, json=body).status_code)


def _log_out(world: World) -> None:
    with world.arena.database.transaction() as session:
        session.execute(delete(BrowserSessionRow))
    world._browsers.clear()


# --- sabotages


def lock_everybody_out(world: World) -> None:
    world.patch.setattr(login, "_never_locked_out", lambda *_: False)


def lock_by_account_alone(world: World) -> None:
    """What it was: ten wrong passwords from anywhere lock an account everywhere."""
    world.patch.setitem(throttling.TRIES, "account", 10)


def lock_by_address(world: World) -> None:
    """What it was: sixty wrong passwords lock an address."""
    world.patch.setattr(login, "_refuses", lambda *_: True)


def slow_nobody_down(world: World) -> None:
    world.patch.setattr(login, "SLOW_SECONDS", 0.0)


def clear_nothing(world: World) -> None:
    def told_only(arena: Any, actor: Any, account_id: str) -> None:
        with arena.database.transaction() as session:
            log.write(session, arena.now(), actor.account_id, "lockout_cleared", account=account_id)

    world.patch.setattr(admin, "clear_lockout", told_only)
