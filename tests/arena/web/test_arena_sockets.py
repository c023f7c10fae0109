"""Limits on connections and live pages: who makes room for whom."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from icefire.arena.web import addresses, connections
from icefire.arena.web.connections import Connections
from icefire.arena.web.socket_limits import SocketLimits, limits_for
from icefire.arena.web.watchers import Watchers

LIMITS = SocketLimits(connections=4, connections_by_address=3, watchers=4, watchers_by_address=2, backlog=1)


def test_limits_are_far_below_the_files():
    for files in (256, 1024, 8192):
        limits = limits_for(files)
        assert limits.watchers_by_address < limits.watchers < limits.connections_by_address < limits.connections
        assert limits.connections + limits.backlog <= files * 5 // 8


def test_the_oldest_live_page_of_an_address_makes_room():
    async def come() -> list[bool]:
        watchers = Watchers(LIMITS)
        first, second, other, third = (watchers.add(one) for one in ("a", "a", "b", "a"))
        assert len(watchers) == 3
        return [one.dismissed for one in (first, second, other, third)]

    assert asyncio.run(come()) == [True, False, False, False]


def test_of_all_addresses_the_largest_crowd_makes_room():
    async def come() -> list[bool]:
        watchers = Watchers(LIMITS)
        every = [watchers.add(one) for one in ("b", "a", "a", "c", "d")]
        return [one.dismissed for one in every]

    assert asyncio.run(come()) == [False, True, False, False, False]


class Transport:
    """One end of a connection that notes whether it was closed."""

    def __init__(self, unsent: int = 0) -> None:
        self.unsent, self.closed = unsent, ""

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def close(self) -> None:
        self.closed = "closed"

    def abort(self) -> None:
        self.closed = "aborted"


@dataclass(eq=False)
class Connection:
    """What is known of a connection."""

    client: tuple[str, int]
    cycle: Any
    transport: Transport


def connection(host: str = "10.0.0.1", path: str | None = None, more_body: bool = False, unsent: int = 0):
    cycle = path and SimpleNamespace(response_complete=False, scope={"path": path}, more_body=more_body)
    return Connection((host, 1), cycle or None, Transport(unsent))


def closed(*every, proxies=()):
    kept = Connections(LIMITS, addresses.trusted_networks(proxies))
    for one in every:
        kept.add(one)
    return [one.transport.closed for one in every]


def test_silent_connections_go_before_live_pages_and_answers_are_never_cut_off():
    answer, stream, silent, slow = (
        connection(path="/board"),
        connection(path="/events"),
        connection(),
        connection(path="/login", more_body=True),
    )
    assert closed(answer, stream, silent, connection()) == ["", "", "closed", ""]
    assert closed(connection(path="/board"), connection(path="/events", unsent=5), slow, connection()) == [
        *("", "aborted", "", "")
    ]
    busy = [connection(path="/board") for _ in range(4)]
    assert closed(*busy) == ["", "", "", "closed"]


def test_a_stranger_is_let_in_where_one_address_has_taken_all():
    crowd = [connection(path="/events") for _ in range(3)]
    assert closed(*crowd, connection("10.0.0.2"), connection("10.0.0.3")) == ["closed", "", "", "", ""]


def test_a_proxy_may_have_all_connections():
    through = [connection(path="/board") for _ in range(4)]
    assert closed(*through, proxies=["10.0.0.1"]) == ["", "", "", ""]


def test_the_log_has_one_line_about_a_crowd(caplog):
    kept = Connections(LIMITS)
    for _ in range(50):
        kept.add(connection())
    assert len([one for one in caplog.records if one.name == connections.logger.name]) == 1
