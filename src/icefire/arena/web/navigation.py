"""The menus of the site, made of the entries that pages declare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from icefire.arena.auth.actor import Actor

AriaCurrent = Literal["page", "true", ""]
"""The value of aria-current: the page itself, something it belongs to, or neither."""


@dataclass(frozen=True, slots=True)
class Menu:
    """A list of links."""

    name: str
    root: str
    """The address that all others of the menu begin with; its link is marked on that very page only."""
    below: AriaCurrent
    """How a link is marked on pages below its address."""


MAIN = Menu("main", "/", "true")
ADMIN = Menu("admin", "/desk", "page")
FOOTER = Menu("footer", "/", "true")


def everybody(_: Actor) -> bool:
    """Show an entry to everybody."""
    return True


def judges(actor: Actor) -> bool:
    """Show an entry to judges, organisers and administrators."""
    return actor.judges


def organisers(actor: Actor) -> bool:
    """Show an entry to organisers and administrators."""
    return actor.organises


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A page's place in a menu."""

    menu: Menu
    order: int
    """Entries with lower numbers come first."""
    label: str
    """The word that is shown."""
    shown_to: Callable[[Actor], bool] = everybody
    whole_section: bool = False
    """Whether it stands for all pages below its address; then it is never marked as the page itself."""


@dataclass(frozen=True, slots=True)
class Link:
    """An entry as somebody sees it on a page."""

    address: str
    label: str
    current: AriaCurrent


class Navigation:
    """All menus: who sees which links on which page."""

    def __init__(self, entries: Sequence[tuple[str, MenuEntry]]) -> None:
        self._entries = sorted(entries, key=lambda one: one[1].order)

    def links(self, menu: Menu, actor: Actor, path: str) -> list[Link]:
        """Return the links of a menu that somebody sees on the page of a path."""
        return [
            Link(address, entry.label, _aria_current(entry, address, path))
            for address, entry in self._entries
            if entry.menu is menu and entry.shown_to(actor)
        ]


def _aria_current(entry: MenuEntry, address: str, path: str) -> AriaCurrent:
    if entry.whole_section:
        return "true" if f"{path}/".startswith(f"{address}/") else ""
    if path == address:
        return "page"
    return entry.menu.below if address != entry.menu.root and path.startswith(f"{address}/") else ""
