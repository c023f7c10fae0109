"""The page in a real browser: quiet, readable, and never wider than the screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.chromium import POOR_CONTRAST
from support.report_card import full_card, hostile_card

import icefire
from icefire.core.scorecard import Reason
from icefire.report import html

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", params=["full", "hostile"])
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("page") / "report.html"
    html.write_report({"full": full_card, "hostile": hostile_card}[request.param](), path)
    return path.as_uri()


OPEN_ALL = "document.querySelectorAll('details').forEach(part => { part.open = true; })"


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    opened = browser.new_page(viewport={"width": 1280, "height": 800})
    yield opened
    opened.close()


def test_opening_the_page_makes_no_noise_and_no_request(page: Any, address: str) -> None:
    told: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.wait_for_load_state("networkidle")
    assert told == []
    assert asked == [address]
    assert page.locator("h1").is_visible()


@pytest.mark.parametrize("width", [360, 768, 1280, 1400])
def test_the_page_never_scrolls_sideways(page: Any, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(OPEN_ALL)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_phone_no_table_hides_a_column(page: Any, address: str) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(address)
    page.evaluate(OPEN_ALL)
    wider = "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    assert page.evaluate(wider) == 0
    heading = "getComputedStyle(document.querySelector('td[data-label]'), '::before').content"
    assert page.evaluate(heading) == '"Limit"'


def test_the_verdict_stands_on_the_first_screen_and_the_rest_is_folded(page: Any, address: str) -> None:
    page.goto(address)
    assert page.locator("#verdict-title").is_visible()
    assert not page.locator("#attacks").is_visible()
    page.locator("nav a[href='#attacks']").press("Enter")
    assert page.locator("#attacks").is_visible(), "a link opens the part it leads to"


def test_a_part_is_opened_by_the_keyboard(page: Any, address: str) -> None:
    page.goto(address)
    page.locator("details summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#limits").is_visible()


def test_folded_parts_are_printed(page: Any, address: str) -> None:
    page.emulate_media(media="print")
    page.goto(address)
    assert page.locator("#attacks").bounding_box()["height"] > 100


def test_nothing_sticks_out_on_paper(page: Any, address: str) -> None:
    page.set_viewport_size({"width": 680, "height": 960})  # A4 less its margins
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_is_readable_in_both_themes(page: Any, address: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(address)
    page.evaluate(OPEN_ALL)
    assert page.evaluate(POOR_CONTRAST) == []


def test_light_and_dark_have_different_backgrounds(page: Any, address: str) -> None:
    found = set()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(address)
        found.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(found) == 2


def test_the_first_tab_stop_leads_to_the_verdict(page: Any, address: str) -> None:
    page.goto(address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the verdict"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "verdict"


def test_bars_are_as_long_as_their_numbers(page: Any, address: str) -> None:
    page.goto(address)
    page.evaluate(OPEN_ALL)
    bar = page.locator("svg.bar", has_text="euc2: ").first
    drawn = bar.locator("rect.fire").bounding_box()["width"] / bar.bounding_box()["width"]
    assert drawn == pytest.approx(7608 / 8333, abs=0.02)


def test_at_1100_pixels_the_tables_of_membership_show_all_columns(page: Any, tmp_path: Path) -> None:
    """Both tables have nine columns of numbers and the longest names of attacks."""
    people = icefire.sample("survey", 80)
    release = icefire.anonymize(people, {"step": [{"method": "delete", "share": 0.4}]}, seed=1)
    attacks = ["link_members", "member_assignment", "random_candidate"]
    card = icefire.audit(people, release, ask="membership", attacks=attacks, measures=[]).scorecard
    html.write_report(card, tmp_path / "members.html")
    page.set_viewport_size({"width": 1100, "height": 800})
    page.goto((tmp_path / "members.html").as_uri())
    page.evaluate(OPEN_ALL)
    assert page.locator("table.compact").count() >= 2
    wider = "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    assert page.evaluate(wider) == 0


def test_on_paper_names_are_not_cut_in_the_middle_of_a_word(page: Any, address: str) -> None:
    """The heads of narrow tables keep their words whole: "singling out" stood as "sing ling out"."""
    page.emulate_media(media="print")
    page.goto(address)
    heads = "[...document.querySelectorAll('table.compact thead th')].map(e => getComputedStyle(e).overflowWrap)"
    assert "anywhere" not in page.evaluate(heads)
    names = "[...document.querySelectorAll('table.compact tbody th')].map(e => e.getBoundingClientRect().width)"
    assert min(page.evaluate(names)) >= 60


def test_a_verdict_without_a_large_number_has_no_empty_half(page: Any, tmp_path: Path) -> None:
    """Of synthetic releases there is no share identified; what attacks achieve stands below the headline."""
    card = full_card()
    html.write_report(msgspec.structs.replace(card, attacks={}, attackers=[]), tmp_path / "page.html")
    page.goto((tmp_path / "page.html").as_uri())
    assert page.locator(".verdict .figure").count() == 0
    said, answer = (page.locator(f".verdict .{name}").first.bounding_box() for name in ("said", "answer"))
    assert answer["y"] >= said["y"] + said["height"]


def test_a_number_in_the_reasons_stays_with_its_per_cent_sign(page: Any, tmp_path: Path) -> None:
    card = full_card()
    verdict = msgspec.structs.replace(card.verdict, reasons=[Reason("limit", "It is 12.5 %; at most 9 % are allowed.")])
    html.write_report(msgspec.structs.replace(card, verdict=verdict), tmp_path / "page.html")
    page.goto((tmp_path / "page.html").as_uri())
    reasons = page.locator(".reasons").text_content()
    assert "\N{NO-BREAK SPACE}%" in reasons
    assert " %" not in reasons


def test_on_paper_the_verdict_begins_on_the_first_page(page: Any, address: str) -> None:
    """A verdict that may not be divided went to the second page, and the first held its title alone."""
    page.emulate_media(media="print")
    page.goto(address)
    assert page.evaluate("getComputedStyle(document.querySelector('.verdict')).breakInside") == "auto"
    names = "[...document.querySelectorAll('.part > summary')].map(e => getComputedStyle(e).marginLeft)"
    assert set(page.evaluate(names)) == {"0px"}


def test_on_paper_numbers_of_narrow_tables_are_not_divided(page: Any, address: str) -> None:
    page.emulate_media(media="print")
    page.goto(address)
    cells = "[...document.querySelectorAll('table.compact td.n')].map(e => getComputedStyle(e).whiteSpace)"
    assert set(page.evaluate(cells)) <= {"nowrap"}


def test_on_a_phone_bars_take_the_whole_width(page: Any, address: str) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(address)
    page.evaluate(OPEN_ALL)
    widths = "[...document.querySelectorAll('table.histogram tbody th svg')].map(e => e.getBoundingClientRect().width)"
    assert min(page.evaluate(widths), default=320) > 300
