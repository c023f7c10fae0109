"""Competitions, played ones and a browser, for all tests of the arena."""

from __future__ import annotations

from support.arena.database import database  # noqa: F401
from support.arena.fixtures import arena, database_url, make_arena, original, postgres_address  # noqa: F401
from support.arena.played import played, played_once, reopen  # noqa: F401
from support.arena.terminal import at_home  # noqa: F401
