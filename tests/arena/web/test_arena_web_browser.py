"""The frame of the pages in a real browser: quiet, readable, never wider than the screen, live, usable by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.arena.browser import PATIENCE
from support.arena.fixtures import player
from support.arena.pages import REVEAL, put
from support.arena.web import PASSWORD, STORED, _quick_passwords, served
from support.chromium import POOR_CONTRAST

from icefire.arena import admin
from icefire.arena.auth.actor import Actor
from icefire.arena.storage.tables import AccountRow

__all__ = ["_quick_passwords", "served"]
pytestmark = pytest.mark.browser
ORGANISER = Actor(account_id="organiser", name="organiser", role="organiser")


@pytest.fixture
def window(browser: Any, served: Any) -> Iterator[Any]:
    """Open a window that fails the test at its end if it saw an error, or asked anybody but our server."""
    _, _, address = served
    opened, troubles = [], []

    def make(width: int = 1280, **how: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, base_url=address, **how)
        page = context.new_page()
        page.on("console", lambda told: troubles.append(told.text) if told.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(address) else troubles.append(asked.url))
        opened.append(context)
        return page

    yield make
    for context in opened:
        context.close()
    assert troubles == []


def log_in(page: Any, name: str) -> None:
    page.goto("/login")
    page.fill("#name", name)
    page.fill("#password", PASSWORD)
    page.press("#password", "Enter")
    page.wait_for_url(re.compile("/$"))


def with_password(arena: Any, who: Actor) -> None:
    with arena.database.transaction() as session:
        session.get(AccountRow, who.account_id).password = str(STORED)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(("language", "theme"), [("en", "light"), ("ja", "dark")])
def test_pages_fit_and_can_be_read(arena, window, width, language, theme):
    ann = player(arena, "Ann", "A team with a name as long as they get..")
    with_password(arena, ann)
    page = window(width, locale=language, color_scheme=theme)
    for path in ("/", "/rules", "/register", "/api", "in", "/team", "/account", "/?said=welcome"):
        if path == "in":
            log_in(page, "Ann")
            continue
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.evaluate(POOR_CONTRAST) == [], path
        small = page.evaluate(
            "[...document.querySelectorAll('header a, footer a, button, input:not([type=hidden], [hidden]), summary')]"
            ".filter(e => e.offsetHeight && e.offsetHeight < 44).map(e => e.outerHTML)"
        )
        assert small == [], path


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_board_shows_total_risk_and_aya_without_scrolling(arena, window, language):
    put(arena, player(arena, "Ann", "A team with a name as long as they get.."), "AAAAA", worst=0.123)
    put(arena, player(arena, "Ben", "Birch"), "BBBBB", worst=0.4)
    arena.clock.set(REVEAL)
    page = window(1280, locale=language)
    page.goto("/board")
    places = page.evaluate(
        "[...document.querySelector('table.board').querySelectorAll('thead tr:last-child th')]"
        ".map(e => [e.innerText.trim(), e.getBoundingClientRect().right])"
    )
    assert "AYA" in dict(places)
    assert dict(places)["AYA"] <= 1280
    assert len([name for name, right in places if right <= dict(places)["AYA"]]) == 6, (
        "rank, release, team, total, risk, AYA"
    )


def test_a_page_follows_what_happens_without_being_loaded_again(arena, window):
    from playwright.sync_api import expect

    page = window()
    page.goto("/")
    page.evaluate("window.same = true")
    admin.announce(arena, ORGANISER, "Lunch is <b>served</b>.")
    expect(page.locator("#announcements")).to_contain_text("Lunch is <b>served</b>.", timeout=PATIENCE * 1000)
    assert page.evaluate("window.same") is True


def test_the_countdown_runs(window):
    page = window()
    page.goto("/")
    clock = page.locator("#stand .countdown")
    before = clock.inner_text()
    page.wait_for_timeout(2100)
    assert clock.inner_text() < before


def test_keyboard_first_skips_to_the_content(window):
    page = window()
    page.goto("/rules")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_everything_works_without_a_script(arena, window):
    with_password(arena, player(arena, "Ann"))
    page = window(java_script_enabled=False)
    log_in(page, "Ann")
    page.goto("/team")
    page.fill("#name", "Snow")
    page.click("text=Found the team")
    assert page.locator("h1").inner_text() == "Snow"
    page.click("footer >> text=Dark")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.click("header >> text=日本語")
    assert page.locator("html").get_attribute("lang") == "ja"
    page.click("text=ログアウト")
    page.wait_for_url(re.compile("said=logged_out"))
