"""The connections of the server: a limited number, altogether and from one address.

Where there are too many, one that waits for nothing of ours is closed: silent ones first, then live pages, then those
that are still being sent slowly; of each the oldest. What is being answered is never cut off.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import time
from collections import Counter
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from icefire.arena.web import addresses
from icefire.arena.web.addresses import Network
from icefire.arena.web.socket_limits import SocketLimits

EVENTS = "/events"
TELL_EVERY_SECONDS = 60.0
logger = logging.getLogger("icefire.arena")


class Connections:
    """All open connections, the oldest first."""

    def __init__(self, limits: SocketLimits, proxies: tuple[Network, ...] = ()) -> None:
        self._limits, self._proxies = limits, proxies
        self._every: dict[Any, str] = {}
        self._told_at = float("-inf")

    def __len__(self) -> int:
        """Count them."""
        return len(self._every)

    def add(self, one: Any) -> None:
        """Let one in; another one, or this one itself, is closed where there are too many."""
        address = addresses.of_connection(one.client[0] if one.client else None)
        crowds = Counter(self._every.values())
        self._every[one] = address
        if crowds[address] >= self._limits.connections_by_address and not self._is_proxy(address):
            self._make_room(address, one)
        elif len(crowds) and crowds.total() >= self._limits.connections:
            self._make_room(crowds.most_common(1)[0][0], one)

    def remove(self, one: Any) -> None:
        """Forget one that is closed."""
        self._every.pop(one, None)

    def _is_proxy(self, address: str) -> bool:
        try:
            network = ipaddress.ip_network(address)
        except ValueError:
            return False
        return any(one.version == network.version and network.subnet_of(one) for one in self._proxies)  # type: ignore[arg-type]

    def _make_room(self, address: str, newest: Any) -> None:
        self._tell()
        ranked = ((rank(one), one) for one, where in self._every.items() if where == address and one is not newest)
        closable = [(place, one) for place, one in ranked if place is not None]
        victim = min(closable, key=lambda pair: pair[0])[1] if closable else newest
        self.remove(victim)
        _close(victim.transport)

    def _tell(self) -> None:
        """Write one line in a while, not one for each connection."""
        if time.monotonic() >= self._told_at + TELL_EVERY_SECONDS:
            self._told_at = time.monotonic()
            logger.warning("%d connections are open; the oldest that wait for nothing are closed", len(self))


def rank(one: Any) -> int | None:
    """Tell how soon a connection is closed for another one: the lowest first, None never."""
    cycle = one.cycle
    if cycle is None or cycle.response_complete:
        return 0
    if cycle.scope["path"] == EVENTS:
        return 1
    return 2 if cycle.more_body else None


def _close(transport: Any) -> None:
    if transport.get_write_buffer_size():  # whoever does not read would keep it open
        transport.abort()
    else:
        transport.close()


def limited_protocol(connections: Connections) -> type[asyncio.Protocol]:
    """Return the protocol of uvicorn, which tells of its connections."""

    class LimitedProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        """One connection."""

        def connection_made(self, transport: Any) -> None:
            """Let it in, or close another one."""
            super().connection_made(transport)
            connections.add(self)

        def connection_lost(self, exc: Exception | None) -> None:
            """Forget it."""
            connections.remove(self)
            super().connection_lost(exc)

    return LimitedProtocol
