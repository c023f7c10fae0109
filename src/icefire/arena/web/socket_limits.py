"""How many sockets a server may hold, measured by how many files the system lets it open."""

from __future__ import annotations

import resource
from dataclasses import dataclass

WANTED = 8192
"""Files that a server asks the system for; one event may have thousands of pages open."""


@dataclass(frozen=True, slots=True)
class SocketLimits:
    """Limits on connections and, among them, on live pages: altogether, and from one address."""

    connections: int
    connections_by_address: int
    watchers: int
    watchers_by_address: int
    backlog: int
    """Connections that wait to be taken, and that are taken in one go."""


def limits_for(files: int) -> SocketLimits:
    """Return the limits where so many files may be open: half of them stay free for the database, uploads and pages."""
    watchers = max(8, files // 4)
    return SocketLimits(
        connections=max(16, files // 2),
        connections_by_address=max(12, files * 3 // 8),
        watchers=watchers,
        watchers_by_address=max(6, watchers // 2),
        backlog=max(8, files // 8),
    )


def of_this_process() -> SocketLimits:
    """Return the limits of this process."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return limits_for(WANTED if soft == resource.RLIM_INFINITY else min(soft, WANTED))


def ask_for_more_files() -> None:
    """Raise the limit of open files, as far as the system lets this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= WANTED:
        return
    most = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
