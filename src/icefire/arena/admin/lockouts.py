"""Failed logins as organisers see them, and letting people in again."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, or_, select

from icefire.arena.admin.permissions import acting, check
from icefire.arena.auth import login, throttling
from icefire.arena.auth.actor import Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Absent
from icefire.arena.storage import log
from icefire.arena.storage.tables import AccountRow, AttemptRow

KINDS = ("pair", "account", "address", "browser")
"""What the keys of logins begin with."""


@dataclass(frozen=True, slots=True)
class FailedLogins:
    """Failed logins of the last while."""

    by_account: dict[str, int]
    """How many, by the account they were tried at."""
    locked: frozenset[str]
    """Accounts with too many: some who try are refused."""
    slow_addresses: tuple[str, ...]
    """Addresses with too many: whoever tries from there waits a little."""


def failed_logins(arena: Arena, actor: Actor) -> FailedLogins:
    """Return what was tried and failed lately."""
    check(actor)
    since = arena.now() - throttling.WINDOW
    with arena.database.reading() as session:
        tried = {one.key: one.failures for one in session.scalars(select(AttemptRow).where(AttemptRow.since > since))}
    split = {key: key.split(":", 2) for key in tried}
    over = {key for key, failures in tried.items() if failures >= throttling.TRIES[split[key][0]]}
    return FailedLogins(
        by_account={split[key][1]: failures for key, failures in tried.items() if split[key][0] == "account"},
        locked=frozenset(split[key][1] for key in over if split[key][0] in ("pair", "account")),
        slow_addresses=tuple(sorted(key.partition(":")[2] for key in over if split[key][0] == "address")),
    )


def clear_lockout(arena: Arena, actor: Actor, account_id: str) -> None:
    """Forget the failed logins at an account: whoever was refused may try again."""
    with acting(arena, actor) as session:
        if session.get(AccountRow, account_id) is None:
            raise Absent
        own = AttemptRow.key.startswith(login.pair_prefix(account_id), autoescape=True)
        session.execute(delete(AttemptRow).where(or_(own, AttemptRow.key == login.account_key(account_id))))
        log.write(session, arena.now(), actor.account_id or "", "lockout_cleared", account=account_id)


def clear_all_lockouts(arena: Arena, actor: Actor) -> None:
    """Forget all failed logins, also those by address."""
    with acting(arena, actor) as session:
        logins = or_(*(AttemptRow.key.startswith(f"{kind}:") for kind in KINDS))
        session.execute(delete(AttemptRow).where(logins))
        log.write(session, arena.now(), actor.account_id or "", "lockout_cleared", account=None)
