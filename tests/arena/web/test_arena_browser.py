"""One competition, from its founding to its public record, by people with real browsers against the real server.

What people do stands in journeys; each is played once, by the first test that comes after it. The tests stand in the
order of a competition: a process that runs only some of them plays what they need.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from support.arena.browser import PASSWORD, Cup, Season, as_file, examine, with_bad_cell
from support.arena.fixtures import release_files
from support.arena.journeys import (
    ANSWER,
    PATIENCE,
    RELEASED,
    SEND,
    ZONE,
    aurora_attacks,
    aurora_comes,
    aurora_hands_in,
    basalt_attacks,
    basalt_hands_in,
    ceremony,
    expect,
    fire_begins,
    founded,
    handed_in,
    organiser_sets_up,
    original,
    quota,
    row_of,
)

from icefire.arena.contest.definition import PHASES

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def season(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Season]:
    expect.set_options(timeout=PATIENCE)
    made = Season(lambda: founded(browser, tmp_path_factory.mktemp("browser") / "cup"))
    yield made
    made.end()


@pytest.fixture
def cup(season: Season, request: pytest.FixtureRequest) -> Cup:
    return season.cup(request.function.__code__.co_firstlineno)


@pytest.fixture(autouse=True)
def _quiet(cup: Cup) -> Iterator[None]:
    """No page complains, breaks its own policy, or asks another server for anything."""
    yield
    noise = cup.noise()
    cup.forget_noise()
    assert noise == []


def test_the_organiser_invites_and_announces(cup: Cup) -> None:
    cup.after(organiser_sets_up)
    assert len(cup.known["code"]) > 20


def begin_of(page: Any, phase: str) -> datetime:
    times = page.get_by_role("table", name="Phases of preliminary").locator("time")
    return datetime.fromisoformat(times.nth(PHASES.index(phase)).get_attribute("datetime"))


def move(page: Any, phase: str, at: datetime) -> None:
    """Have a phase begin at an instant; the desk asks for it as a clock in the organiser's zone shows it."""
    menu = page.locator(f"#edit-preliminary-{phase}")
    menu.locator("summary").click()
    menu.get_by_label(re.compile("Move to")).fill(f"{at.astimezone(ZONE):%Y-%m-%dT%H:%M:%S}")
    menu.get_by_role("button", name="Move").click()


def test_the_organiser_extends_and_moves_phases(cup: Cup) -> None:
    cup.after(organiser_sets_up)
    page = cup.person("organiser").page
    cup.person("organiser").goes("/desk/phases")
    planned = {phase: begin_of(page, phase) for phase in ("freeze", "attack", "reveal")}

    menu = page.locator("#edit-preliminary-attack")
    menu.locator("summary").click()
    menu.get_by_label("Begin later by minutes").fill("30")
    menu.get_by_role("button", name="Extend").click()
    expect(page.get_by_role("status")).to_contain_text("all later ones of the round begin later")
    later = timedelta(minutes=30)
    assert begin_of(page, "freeze") == planned["freeze"]
    assert begin_of(page, "attack") == planned["attack"] + later
    assert begin_of(page, "reveal") == planned["reveal"] + later

    tomorrow = planned["reveal"] + timedelta(days=1)
    move(page, "reveal", tomorrow)
    expect(page.get_by_role("status")).to_contain_text("The phase has its new time")
    assert begin_of(page, "reveal") == tomorrow
    move(page, "reveal", planned["freeze"] - later)
    expect(page.get_by_role("alert")).to_contain_text("'reveal' would begin before 'freeze'")


def test_a_pause_stands_on_every_open_page(cup: Cup) -> None:
    cup.after(organiser_sets_up)
    organiser, visitor = cup.person("organiser"), cup.person("visitor")
    refused = organiser.context.new_page()
    refused.goto("/desk/phases")
    move(refused, "reveal", begin_of(refused, "freeze"))
    expect(refused.get_by_role("alert")).to_be_visible()
    organiser.goes("/desk/phases")
    visitor.goes("/rules")
    organiser.page.get_by_role("button", name="Pause the competition").click()
    for page in (visitor.page, refused):
        expect(page.locator("#strip")).to_contain_text("Paused by the organisers")
    refused.close()
    organiser.page.get_by_role("button", name="Go on").click()
    expect(organiser.page.locator("#strip")).to_contain_text("Freeze in")


def test_a_captain_founds_a_team_and_invites(cup: Cup) -> None:
    cup.after(aurora_comes)
    assert "aurora-2" in cup.people


def test_a_wrong_row_is_told_beside_the_form_and_costs_nothing(cup: Cup) -> None:
    cup.after(aurora_comes)
    captain = cup.person("aurora-1")
    files = release_files(original(captain), 1, RELEASED)
    wrong = with_bad_cell(files["released.csv"], 7, "food", "plenty")
    captain.hands_in({**files, "released.csv": wrong}, SEND)
    problems = captain.page.locator("section", has=captain.page.locator("form.submit")).get_by_role("alert")
    expect(problems).to_contain_text("row 7")
    expect(problems).to_contain_text("food")
    expect(problems).to_contain_text("plenty")
    assert quota(captain) == ("0 / 3", "0 / 30")


def test_the_quota_is_the_team_s(cup: Cup) -> None:
    cup.after(aurora_hands_in)
    other = cup.person("aurora-2")
    other.goes("/submit")
    assert quota(other) == ("1 / 3", "2 / 30")
    expect(other.page.locator("#own")).to_contain_text("withdrawn")


def test_without_javascript_a_release_is_handed_in(cup: Cup) -> None:
    cup.after(basalt_hands_in)
    player = cup.person("basalt-1")
    player.goes("/submit")
    assert quota(player) == ("1 / 3", "1 / 30")
    expect(player.page.locator("#own")).to_contain_text(cup.known["basalt"])


def test_without_javascript_colours_and_language_are_chosen(cup: Cup) -> None:
    cup.after(basalt_hands_in)
    player = cup.person("basalt-1")
    page = player.page
    player.goes("/rules")
    page.get_by_role("link", name="Dark").click()
    page.locator("footer").get_by_role("link", name="日本語").click()
    player.goes("/board")
    expect(page.locator("html[data-theme=dark][lang=ja]")).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_text("順位表")
    page.locator("footer").get_by_role("link", name="English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Board")


FOCUS_SEEN = """() => { const s = getComputedStyle(document.activeElement);
  return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2; }"""


def tab_to(page: Any, wanted: Any, most: int = 40) -> None:
    """Press the tabulator until something is reached; where the focus is can be seen all the way."""
    for _ in range(most):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUS_SEEN), page.evaluate("document.activeElement.outerHTML")
        if wanted.evaluate("e => e === document.activeElement"):
            return
    raise AssertionError(f"{wanted} was not reached")


def choose(asked: Any, files: dict[str, bytes]) -> None:
    """Answer the window in which a file is chosen."""
    name = asked.element.get_attribute("name")
    asked.set_files(as_file(name, files[name]))


def test_a_release_is_handed_in_by_keyboard_alone(cup: Cup) -> None:
    cup.after(aurora_hands_in)
    person = cup.person("keyboard")
    page, keys = person.page, person.page.keyboard
    person.goes("/")
    keys.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    expect(page.locator(".skip")).to_be_in_viewport()
    keys.press("Enter")
    keys.press("Tab")
    expect(page.locator("main a").first).to_be_focused()

    page.goto("/submit")  # which asks to log in first
    for label, typed in (("Name", "aurora-2"), ("Password", PASSWORD)):
        tab_to(page, page.get_by_label(label, exact=True))
        keys.type(typed)
    keys.press("Enter")
    page.wait_for_url("/submit")
    files = release_files(original(cup.person("aurora-2")), 4, RELEASED, noise=0.9)
    page.on("filechooser", lambda asked: choose(asked, files))
    for name in files:
        field = page.locator(f'input[name="{name}"]')
        tab_to(page, field)
        keys.press("Space")
        expect(field).to_have_value(re.compile(name))
    tab_to(page, page.get_by_role("button", name=SEND))
    keys.press("Enter")
    assert handed_in(person) != cup.known["aurora"]
    tab_to(page, page.get_by_role("navigation", name="Pages").get_by_role("link", name="Board"))
    keys.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Board")


def test_pages_while_releases_are_taken(cup: Cup) -> None:
    cup.after(aurora_hands_in)
    nobody = cup.person("nobody")
    captain = cup.person("aurora-1")
    captain.goes("/submit")
    page = captain.page
    own = page.get_by_role("link", name=cup.known["aurora"]).get_attribute("href")
    receipt = page.locator("#own").get_by_role("link", name="Receipt").first.get_attribute("href")
    assert examine(nobody, ("/", "/login", "/register", "/matrix", "/board")) == []
    assert examine(captain, ("/team", "/submit", "/account", own, f"{own}/withdraw", receipt)) == []
    stranger = cup.person("stranger").registers("stranger", cup.known["code"])
    assert examine(stranger, ("/team",)) == []


def test_the_own_release_is_refused(cup: Cup) -> None:
    cup.after(fire_begins)
    captain = cup.person("aurora-2")
    page = captain.page
    captain.goes("/matrix")
    page.locator("th.release.mine a").first.click()
    own = page.url
    expect(page.get_by_text("This is your own release")).to_be_visible()
    captain.goes("/matrix")
    page.get_by_role("link", name=cup.known["basalt"]).click()
    page.locator("form[enctype]").evaluate("(form, own) => { form.action = `${own}/guess`; }", own)
    captain.hands_in({"guess.csv": b"0\n" * RELEASED}, ANSWER)
    expect(page.get_by_role("alert")).to_contain_text("own")


def test_the_score_of_an_attack_stays_sealed(cup: Cup) -> None:
    cup.after(aurora_attacks)
    captain = cup.person("aurora-1")
    page = captain.page
    captain.goes("/matrix")
    page.get_by_role("link", name=cup.known["basalt"]).click()
    expect(page.get_by_text("The score is sealed until the reveal:")).to_be_visible()
    expect(page.get_by_role("button", name=ANSWER)).to_have_count(0)
    cup.all_judged()
    for path in (page.url, "/team", "/matrix", "/export/matrix.json", "/export/attacks.csv"):
        assert "100.0" not in captain.context.request.get(path).text(), path
    captain.goes("/board")
    expect(row_of(captain, cup.known["basalt"]).locator(".worst")).to_contain_text("sealed until the reveal")


def test_without_javascript_a_release_is_attacked(cup: Cup) -> None:
    cup.after(basalt_attacks)
    page = cup.person("basalt-1").page
    expect(page.get_by_role("heading", level=1)).to_have_text("Receipt for an attack")
    page.get_by_role("link", name="To the release").click()
    expect(page.get_by_text("Your team has attacked this release")).to_be_visible()


def test_pages_while_releases_are_attacked(cup: Cup) -> None:
    cup.after(basalt_hands_in, aurora_attacks)
    captain = cup.person("aurora-2")
    captain.goes("/matrix")
    other = captain.page.get_by_role("link", name=cup.known["basalt"]).get_attribute("href")
    nobody = cup.person("nobody")
    assert examine(nobody, ("/", "/matrix", "/board", "/reveal/preliminary", other)) == []
    assert examine(captain, ("/matrix", "/team", other)) == []


def test_the_hall_follows_the_ceremony(cup: Cup) -> None:
    cup.after(ceremony)
    places = cup.person("visitor").page.locator(".places li")
    expect(places.filter(has_text="Team Aurora")).to_have_count(2)  # in ice and in fire
    expect(places.filter(has_text="Team Basalt")).to_have_count(2)


def test_after_the_reveal_scores_and_authors_are_public(cup: Cup) -> None:
    cup.after(ceremony)
    visitor, captain = cup.person("visitor"), cup.person("aurora-1")
    visitor.goes("/board?round=preliminary")
    basalt = row_of(visitor, cup.known["basalt"])
    expect(basalt).to_contain_text("Team Basalt")
    expect(basalt.locator(".worst")).to_have_text("100.0\xa0%")
    visitor.goes("/matrix?round=preliminary")
    expect(visitor.page.locator("tr", has_text="Team Aurora").locator("td.scored")).to_contain_text("100.0")
    captain.goes("/team")
    expect(captain.page.locator("#played")).to_contain_text(f"{RELEASED} of {RELEASED} (100.0\xa0%)")
    visitor.goes("/")
    expect(visitor.page.locator("#leaders")).to_contain_text("final result")
    visitor.goes("/pictures?round=preliminary")
    assert visitor.page.locator("figure.drawn svg[role=img]").count() >= 7


def test_boards_can_be_taken_away(cup: Cup) -> None:
    cup.after(ceremony)
    visitor = cup.person("visitor")
    page = visitor.page
    visitor.goes("/board?round=preliminary")
    shown = page.locator("#ice-box tbody").first.locator("th a").all_inner_texts()
    of_ice = page.locator(".headline", has=page.locator("#ice"))
    as_csv = visitor.downloads(of_ice.get_by_role("link", name="CSV")).decode("utf-8-sig")
    as_json = json.loads(visitor.downloads(of_ice.get_by_role("link", name="JSON")))
    table = list(csv.DictReader(io.StringIO(as_csv)))
    assert [row["label"] for row in table if row["rank"]] == shown
    assert [row["label"] for row in as_json["rows"] if row["rank"]] == shown


def test_the_public_bundle_is_made_at_the_desk(cup: Cup) -> None:
    cup.after(ceremony)
    organiser = cup.person("organiser")
    organiser.goes("/desk/bundle")
    made = organiser.downloads(organiser.page.get_by_role("button", name="Make and download it"))
    names = zipfile.ZipFile(io.BytesIO(made)).namelist()
    assert any(name.endswith("released.csv") for name in names)
    assert not [name for name in names if "correspondence" in name or "vault" in name]


def test_pages_after_the_reveal(cup: Cup) -> None:
    cup.after(ceremony)
    old = "?round=preliminary"
    nobody = cup.person("nobody")
    paths = ("/", f"/matrix{old}", f"/board{old}", f"/pictures{old}", "/rules", "/api", "/reveal/preliminary")
    assert examine(nobody, paths) == []
    pages = ("", "/teams", "/accounts", "/phases", "/announcements", f"/submissions{old}", "/queue", "/log", "/bundle")
    assert examine(cup.person("organiser"), [f"/desk{page}" for page in pages]) == []
