"""The one-time links of new accounts as a table to hand out."""

from __future__ import annotations

from collections.abc import Sequence

from icefire.arena.admin.people import NewLink
from icefire.arena.auth import links
from icefire.arena.boards import exports
from icefire.arena.boards.exports import ExportTable


def as_csv(new_links: Sequence[NewLink], origin: str) -> bytes:
    """Return who gets which link, as CSV in which no name is a formula."""
    rows = tuple((one.name, one.team, one.mail, links.address(origin, one.code), one.expires) for one in new_links)
    return exports.as_csv(ExportTable("links", None, ("name", "team", "mail", "link", "expires"), rows))
