"""What people do in a competition, in the order in which it happens: each journey is played once, by the first test
that comes after it.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import polars as pl
import pytest

from icefire.arena.contest import signing
from icefire.arena.storage.store import fingerprint
from icefire.cli import main
from support.arena import server as arena_server
from support.arena.browser import PASSWORD, Cup, Person, as_file
from support.arena.fixtures import lines, release_files

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

ZONE = ZoneInfo("Asia/Tokyo")
HOUSEHOLDS, RELEASED = 100, 60
SETTINGS = {'registration = "open"': 'registration = "invite"', "ceremony = false": "ceremony = true"} | {
    "show_sample_attacks = true": "show_sample_attacks = false",
    "# [limits]\n# security = 0.5\n": "[limits]\nsecurity = 1.0\naya = 1.0\n",
}
PATIENCE = 90_000
"""Milliseconds: a page updates itself within three seconds, or ten after the last time; the machine may be busy."""
SEND, ANSWER = "Check and hand in", "Hand in the answers"


def icefire(*words: str, told: str = "") -> None:
    """Run a command as an organiser types it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["icefire", "arena", *words])
        patch.setattr(sys, "stdin", io.StringIO(told))
        with pytest.raises(SystemExit) as end:
            main()
    assert not end.value.code


@contextmanager
def founded(browser: Any, folder: Path) -> Iterator[Cup]:
    """Found a competition as its organiser does, on the command line, and serve it."""
    icefire("init", str(folder), "--title", "Spring cup", "--zone", ZONE.key, "--rows", str(HOUSEHOLDS))
    definition = folder / "contest.toml"
    text = definition.read_text()
    for before, wanted in SETTINGS.items():
        assert before in text
        text = text.replace(before, wanted)
    definition.write_text(text)
    icefire("admin", str(folder), "organiser", told=f"{PASSWORD}\n")
    with arena_server.serving(folder) as url:
        yield Cup(browser, url)


# The organiser


def organiser_sets_up(cup: Cup) -> None:
    organiser, visitor = cup.person("organiser"), cup.person("visitor")
    page = organiser.logs_in("organiser", "/desk").page
    tabs = page.get_by_role("navigation", name="Pages of the desk")

    tabs.get_by_role("link", name="Accounts").click()
    page.get_by_label("Uses").fill("5")
    page.get_by_role("button", name="Make a code").click()
    cup.known["code"] = page.locator(".secret code").inner_text()

    visitor.goes("/")
    tabs.get_by_role("link", name="Announcements").click()
    page.get_by_label("Tell everybody").fill("Welcome, <b>all</b> of you")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("status")).to_have_text("Everybody was told.")
    expect(visitor.page.locator("#announcements")).to_contain_text("Welcome, <b>all</b> of you")


# Ice


def quota(person: Person) -> tuple[str, str]:
    """What the page says of the quota: releases in play, and submissions used."""
    shown = person.page.locator("#quota")
    said = [shown.locator("div", has_text=name).locator("dd") for name in ("Releases in play", "Submissions used")]
    return said[0].inner_text(), said[1].inner_text()


def original(person: Person) -> pl.DataFrame:
    person.goes("/submit")
    table = person.downloads(person.page.get_by_role("link", name="original.csv"))
    return pl.read_csv(io.BytesIO(table))


def row_of(person: Person, label: str) -> Any:
    """The row of a release on the board."""
    return person.page.locator("#ice-box tbody tr", has_text=label)


def handed_in(person: Person) -> str:
    """Read the label of the release off its receipt."""
    expect(person.page.get_by_role("heading", level=1)).to_have_text("Receipt for a release")
    return str(person.page.locator("dl.receipt a").first.inner_text())


def aurora_comes(cup: Cup) -> None:
    cup.after(organiser_sets_up)
    captain = cup.person("aurora-1").registers("aurora-1", cup.known["code"])
    title = captain.page.get_by_role("heading", level=1)
    expect(title).to_have_text("You are in no team yet")
    captain.page.get_by_label("Name of the team").fill("Team Aurora")
    captain.page.get_by_role("button", name="Found the team").click()
    expect(title).to_have_text("Team Aurora")
    captain.page.get_by_role("button", name="Invite a member").click()

    other = cup.person("aurora-2").registers("aurora-2", cup.known["code"])
    other.page.get_by_label("Code").fill(captain.page.locator(".secret code").inner_text())
    other.page.get_by_role("button", name="Join").click()
    expect(other.page.get_by_role("heading", level=1)).to_have_text("Team Aurora")
    expect(other.page.locator(".members")).to_contain_text("aurora-1")


def aurora_hands_in(cup: Cup) -> None:
    """Hand in, see it judged, withdraw it, and hand in another one."""
    cup.after(aurora_comes)
    captain, organiser, visitor = (cup.person(name) for name in ("aurora-1", "organiser", "visitor"))
    page = captain.page
    visitor.goes("/board")
    files = release_files(original(captain), 1, RELEASED)
    captain.hands_in(files, SEND)
    label = handed_in(captain)
    receipt = msgspec.json.decode(
        captain.downloads(page.get_by_role("link", name="Download the receipt")), type=signing.Receipt
    )
    assert signing.verify(receipt, receipt.key)
    assert receipt.sha256 == fingerprint(files)
    expect(row_of(visitor, label)).to_be_visible()  # who watches the board touches nothing
    expect(row_of(visitor, label).locator(".worst")).to_contain_text("sealed until the reveal")
    organiser.goes("/board")
    expect(row_of(organiser, label).locator(".worst")).to_contain_text("%")

    captain.goes("/submit")
    assert quota(captain) == ("1 / 3", "1 / 30")
    page.get_by_role("link", name=label).click()
    page.get_by_role("link", name="Withdraw this release").click()
    page.get_by_role("link", name="Keep it").click()
    page.get_by_role("link", name="Withdraw this release").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Withdraw release {label}?")
    page.get_by_role("button", name="Withdraw it").click()
    expect(page.get_by_role("status")).to_contain_text("The release is withdrawn.")

    captain.goes("/submit")
    assert quota(captain) == ("0 / 3", "1 / 30")
    captain.hands_in(release_files(original(captain), 2, RELEASED, noise=0.1), SEND)
    cup.known["aurora"] = handed_in(captain)


def basalt_hands_in(cup: Cup) -> None:
    """The second team has no JavaScript."""
    cup.after(organiser_sets_up)
    player = cup.person("basalt-1", java_script_enabled=False).registers("basalt-1", cup.known["code"])
    player.page.get_by_label("Name of the team").fill("Team Basalt")
    player.page.get_by_role("button", name="Found the team").click()
    files = release_files(original(player), 3, RELEASED, noise=0.5)
    player.hands_in({**files, "correspondence.csv": b"0\n" * RELEASED}, SEND)
    expect(player.page.get_by_role("alert")).to_contain_text("correspondence.csv")
    player.hands_in(files, SEND)
    cup.known["basalt"] = handed_in(player)


# Fire


def fire_begins(cup: Cup) -> None:
    cup.after(aurora_hands_in, basalt_hands_in)
    visitor = cup.person("visitor")
    visitor.goes("/board")
    cup.begins("freeze")
    expect(visitor.page.locator("#board")).to_contain_text("Frozen since")
    expect(visitor.page.locator("#ice-box")).to_contain_text(cup.known["basalt"])
    cup.begins("attack")


def answers_to(person: Person, table: pl.DataFrame) -> bytes:
    """Download the release on this page and find its rows again: all but the last column are unchanged."""
    released = pl.read_csv(io.BytesIO(person.downloads(person.page.get_by_role("link", name="released.csv"))))
    rows = table.with_row_index("row")
    found = released.join(rows, on=table.columns[:-1], how="left", maintain_order="left")["row"]
    assert found.null_count() == 0
    assert found.to_list() != sorted(found.to_list())  # shuffled
    return lines(found)


def aurora_attacks(cup: Cup) -> None:
    cup.after(fire_begins)
    captain, visitor = cup.person("aurora-1"), cup.person("visitor")
    table, page = original(captain), captain.page
    visitor.goes("/matrix")
    cell = visitor.page.locator("tr", has_text="Team Aurora").locator("td.cell")
    place = visitor.page.locator("th.release").all_inner_texts().index(cup.known["basalt"])
    expect(cell.nth(place)).to_contain_text("open")

    captain.goes("/matrix")
    page.get_by_role("link", name=cup.known["basalt"]).click()
    answers = answers_to(captain, table)
    captain.hands_in({"guess.csv": answers.partition(b"\n")[2]}, ANSWER)
    expect(page.get_by_role("alert")).to_contain_text(str(RELEASED))
    again = captain.context.new_page()
    again.goto(page.get_by_role("link", name="released.csv").get_attribute("href").partition("/files")[0])
    captain.hands_in({"guess.csv": answers}, ANSWER)
    expect(page.get_by_role("heading", level=1)).to_have_text("Receipt for an attack")
    expect(cell.nth(place)).to_contain_text("handed in")  # the visitor touched nothing

    again.locator('input[name="guess.csv"]').set_input_files(as_file("guess.csv", answers))
    again.get_by_role("button", name=ANSWER).click()
    expect(again.get_by_role("alert")).to_contain_text("there is one for each release")
    again.close()


def basalt_attacks(cup: Cup) -> None:
    """Also without JavaScript."""
    cup.after(fire_begins)
    player = cup.person("basalt-1")
    table = original(player)
    player.goes("/matrix")
    player.page.get_by_role("link", name=cup.known["aurora"]).click()
    answers = answers_to(player, table)
    player.hands_in({"guess.csv": b"maybe\n" + answers.partition(b"\n")[2]}, ANSWER)
    expect(player.page.get_by_role("alert")).to_contain_text("maybe")
    player.hands_in({"guess.csv": answers}, ANSWER)


# Reveal


def presses(page: Any, key: str) -> None:
    """Press a key of the ceremony and wait for the page that answers: a key is lost on a page that is still loading."""
    with page.expect_navigation():
        page.keyboard.press(key)


def ceremony(cup: Cup) -> None:
    """Two places of ice, two of fire; the hall follows on a page that nobody touches."""
    cup.after(aurora_attacks, basalt_attacks)
    organiser, visitor = cup.person("organiser"), cup.person("visitor")
    page, hall = organiser.page, visitor.page
    cup.all_judged()
    cup.begins("reveal")
    for person in (organiser, visitor):
        person.goes("/reveal/preliminary")
        expect(person.page.get_by_role("heading", level=1)).to_have_text("Ice: who protected best?")
    presses(page, "ArrowRight")
    expect(page.locator(".latest")).to_contain_text("Place 2")
    expect(hall.locator(".latest")).to_have_text(page.locator(".latest").inner_text())
    presses(page, "ArrowLeft")
    expect(page.locator(".places li")).to_have_count(0)
    for told in range(1, 5):
        presses(page, "ArrowRight")
        expect(page.locator(".places li")).to_have_count(told)
    expect(page.get_by_role("heading", level=1)).to_have_text("Fire: who found most?")
    assert not json.loads(visitor.context.request.get("/export/fire.json?round=preliminary").text())["rows"]
    visitor.goes("/reveal/preliminary")
    presses(page, "ArrowRight")
    for shown in (page, hall):
        expect(shown.get_by_role("heading", level=1)).to_have_text("The results")
