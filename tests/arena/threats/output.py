"""Threats 10 and 11: names that are formulas, and words that are scripts."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import msgspec
import polars as pl
from markupsafe import Markup
from support.arena.fixtures import lines

from icefire.arena import admin as admin_module
from icefire.arena.boards import exports
from icefire.arena.charts import drawing
from icefire.arena.errors import WrongInput
from icefire.arena.judge import worker
from icefire.arena.storage.tables import AccountRow, MeasuredRow, ReleaseRow, TeamRow
from icefire.arena.submit import fire, ice
from icefire.arena.web import languages, templating
from icefire.contests.common import formulas
from threats import routes
from threats.story import ROUND
from threats.streams import first_frame
from threats.world import World

FORMULAS = ('=HYPERLINK("http://x")', "+1+1", "-2+3", "@SUM(A1)", "＝1+1", "'=1", "-5", "1e5")
NUMBERS = ("-5", "1e5")
SCRIPTS = ("<img src=x onerror=hacked()>", '"><script>hacked()</script>', "' onmouseover=hacked() x='")


# --- 10: formulas


def no_spreadsheet_runs_a_name(world: World) -> None:
    """Name teams like formulas: no table that is exported holds one, and every name can be read back."""
    for place, name in enumerate(FORMULAS):
        world.add(f"p{place}", name)
    names = {one.name for one in world.rows(TeamRow)}
    admin_module.disqualify(world.arena, world.people["admin"], world.people["p1"].team_id or "", "\t=1+1\n+2")
    world.go("reveal")
    for what in (*exports.OF_A_ROUND, *exports.OF_ALL):
        for path in (f"/export/{what}.csv", f"/api/v1/export/{what}"):
            cells = [cell for row in _table(world.as_("anonymous").get(path).text) for cell in row]
            live = [cell for cell in cells if cell[:1] in tuple("=+-@\t\r\n＝＋－＠") and not _is_number(cell)]
            assert not live, f"{path} holds formulas: {live}"
            back = {cell.removeprefix("'") for cell in cells}
            assert what != "teams" or names <= back, f"{names - back} cannot be read back"
            assert what != "teams" or set(NUMBERS) <= set(cells), "a number was changed"
    shown = _table(world.as_("anonymous").get("/export/board.csv").text)
    figures = [cell for row in shown[1:] for cell in row if re.match(r"'-?[\d.]", cell)]
    assert not figures, f"figures were made text: {figures}"


def _table(said: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(said)))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def no_spreadsheet_runs_a_release(world: World) -> None:
    """Put a formula into a release: it is refused or, where the contest escapes formulas, rivals get it harmless."""
    arena = world.fresh()
    column = world.original.columns[0]
    changed = world.original.with_columns(pl.lit(FORMULAS[0]).alias(column))
    files = {"released.csv": changed.write_csv().encode(), "correspondence.csv": lines(range(40))}
    owner, rival = world.add("owner", "Owner"), world.add("rival", "Rival")
    problems: tuple[str, ...] = ()
    try:
        ice.submit(arena, owner, ROUND, files)
    except WrongInput as wrong:
        problems = tuple(wrong.problems)
    assert problems, "a release with formulas was taken"
    assert f"row 0, column {column}" in problems[0], problems
    world.arena = replace(arena, definition=msgspec.structs.replace(arena.definition, formulas="escape"))
    world.server.show(world.arena)
    release = ice.submit(world.arena, owner, ROUND, files).id
    worker.finish(world.arena)
    world.go("attack")
    got = fire.download(world.arena, rival, release)["released.csv"].decode()
    assert all(row[0] == f"'{FORMULAS[0]}" for row in _table(got)[1:]), "rivals get a formula"
    judged = {one.name: one.value for one in world.rows(MeasuredRow)}
    assert judged["U5"] == 0, "the judge does not measure the release as it was handed in"


# --- 11: scripts


def what_people_write_stays_words(world: World, paths: Sequence[str] = ()) -> None:
    """Write scripts wherever something can be written, and look at every page: there is no element and no attribute."""
    hostile(world)
    for phase in ("attack", "reveal"):
        world.go(phase)
        for role in ("anonymous", "author", "admin"):
            for path in paths or routes.reading(world.server.app):
                for address in routes.addresses(path, routes.values(world), only_one=True):
                    if address != routes.EVENTS:
                        _check_page(f"{role} {address}", world.as_(role).get(address))
    _check_page("a wrong file", _send_wrong_file(world))
    _check_page("a wrong login", world.visitor().post("/login", {"name": SCRIPTS[1], "password": SCRIPTS[0]}))
    assert b"<" not in first_frame(world).content, "a live page is sent markup"


def hostile(world: World) -> None:
    """Write scripts into names, announcements, reasons, notes, labels of tokens and the description."""
    admin, author = world.people["admin"], world.people["author"]
    for place, name in enumerate(SCRIPTS):
        world.add(f"p{place}", name)
        admin_module.announce(world.arena, admin, name)
    admin_module.disqualify(world.arena, admin, world.people["p0"].team_id or "", SCRIPTS[0])
    for script in SCRIPTS:
        world.as_("author").post("/account/tokens", {"name": script})
    with world.arena.database.transaction() as session:
        for at, team in enumerate((author, world.people["other"], world.people["third"])):
            session.get_one(TeamRow, team.team_id).name = SCRIPTS[at]
            session.get_one(AccountRow, team.account_id).name = SCRIPTS[at]
        for place, release in enumerate(("author", "other", "third")):
            stored = session.get_one(ReleaseRow, world.releases[release])
            stored.note, stored.label = SCRIPTS[place], f"<b>{place}"


def _send_wrong_file(world: World) -> Any:
    world.go("anonymise")
    files = world.files(5)
    files["released.csv"] = files["released.csv"].replace(b"\n", b",\n", 1) + f'"{SCRIPTS[0]}"\n'.encode()
    named = {name: (f"{SCRIPTS[0]}.svg", data, "image/svg+xml") for name, data in files.items()}
    return world.as_("author").post("/submit", {"round": ROUND}, files=named)


def _check_page(where: str, answer: Any) -> None:
    kind = answer.headers.get("content-type", "")
    assert answer.status_code < 500, f"{where}: {answer.status_code}"
    assert answer.headers["x-content-type-options"] == "nosniff"
    if kind.startswith("text/html"):
        found = _Elements(answer.text).odd
        assert not found, f"{where} holds {found[0]}"


class _Elements(HTMLParser):
    """Collects what none of our own pages has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.odd: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        for name, value in attrs:
            if name.startswith("on") or name == "style" or (value or "").strip().lower().startswith("javascript:"):
                self.odd.append(f"<{tag} {name}={value!r}>")
        if tag in ("script", "img") and not (names.get("src") or "").startswith("/static/"):
            self.odd.append(f"<{tag} src={names.get('src')!r}>")
        if tag in ("b", "iframe", "object", "embed", "base", "style"):
            self.odd.append(f"<{tag}>")


# --- sabotages


def leave_formulas(world: World) -> None:
    world.patch.setattr(exports, "harmless", lambda one: one)


def quote_numbers_too(world: World) -> None:
    world.patch.setattr(formulas, "_NUMBER", re.compile("(?!)"))


def escape_nothing_in_pages(world: World) -> None:
    world.patch.setattr(templating.ENVIRONMENT, "autoescape", False)
    world.patch.setattr(templating.ENVIRONMENT, "cache", {})


class Unsafe(Markup):
    """Takes everything for markup."""

    def format(self, *given: Any, **named: Any) -> Markup:
        return Markup(str.format(self, *given, **named))


def escape_nothing_in_pictures(world: World) -> None:
    from icefire.arena.charts import labels, scatter, spread

    for module in (drawing, scatter, spread, labels):
        if hasattr(module, "Markup"):
            world.patch.setattr(module, "Markup", Unsafe)


def escape_nothing_in_sentences(world: World) -> None:
    world.patch.setattr(languages, "Markup", Unsafe)


def take_formulas(world: World) -> None:
    """Look for no formulas in releases."""
    world.patch.setattr(formulas, "problems", lambda *_: [])


def escape_no_release(world: World) -> None:
    """Hand releases out as they came."""
    world.patch.setattr(formulas, "escaped", lambda table: table)
