"""Threats 2 and 3: learning a score too early, by looks or by asking again."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
from sqlalchemy.exc import IntegrityError
from support.arena.fixtures import lines

from icefire.arena import ids
from icefire.arena.auth import passwords
from icefire.arena.boards import ceremony as ceremony_module
from icefire.arena.boards import suspicion
from icefire.arena.boards.visibility import Visibility
from icefire.arena.contest import phases
from icefire.arena.judge import worker
from icefire.arena.storage import log
from icefire.arena.storage.store import Store
from icefire.arena.storage.tables import AccountRow, GuessRow, IdentifiedRow, ReleaseRow
from icefire.arena.submit import fire, ice, receipts
from icefire.samples import households
from threats import answers
from threats.story import MARKS, ROUND
from threats.streams import first_frame
from threats.world import World

RECEIPT = ("id", "sha256", "signature", "team", "log_line", "log_hash")
"""In what receipts may differ."""


def _truth(world: World, name: str = "author") -> list[int]:
    return [int(row) for row in world.arena.store.get("truth", world.releases[name], "truth.csv").split()]


def plain(said: str) -> str:
    """A page without what is different for every team, token and submission."""
    said = re.sub(r"\b[0-9a-f]{32,64}\b|[\w+/-]{43,86}=*|(?<=data-mark=\")[^\"]*|(?<=<span data-line>)\d+", "*", said)
    return said.replace("Right", "Other").replace("Wrong", "Other").replace("wrong", "right")


# --- 2: by looks


def right_and_wrong_answers_look_alike(world: World) -> None:
    """Hand in what is all right and what is all wrong: no answer, page or file tells which was which."""
    truth, read = _truth(world), []
    real = Store.path
    world.patch.setattr(Store, "path", lambda self, shelf, *more: read.append(shelf) or real(self, shelf, *more))
    given = {"right": truth, "wrong": [(row + 1) % 40 for row in truth]}
    said = []
    for name, rows in given.items():
        world.add(name, name.title())
        said.append(_attack(world, name, lines(rows)))
    assert said[0] == said[1], "right and wrong answers can be told apart at once"
    assert "truth" not in read, "the truth was read before the judge was at work"
    for moment in ("before", "after"):
        looks = [_look(world, name) for name in given]
        assert looks[0] == looks[1], f"right and wrong answers can be told apart {moment} they are scored"
        worker.finish(world.arena)


def _attack(world: World, name: str, given: bytes) -> list[Any]:
    release = world.releases["author"]
    sent = world.as_(name).post(f"/api/v1/releases/{release}/guess", files={"answers": ("a.csv", given, "text/csv")})
    assert sent.status_code == 201, sent.text
    receipt = sent.json()
    told = {key: len(str(value)) if key in RECEIPT else value for key, value in receipt.items()}
    page = world.as_(name).get(f"/receipts/{receipt['id']}")
    return [told, answers.headers_of(sent), len(sent.content), plain(page.text), answers.headers_of(page)]


def _look(world: World, name: str) -> list[str]:
    pages = ("/team", f"/releases/{world.releases['author']}", "/api/v1/team", "/export/attacks.csv")
    return [plain(world.as_(name).get(one).text) for one in pages]


PUBLIC = (
    "/",
    "/board",
    "/matrix",
    "/pictures",
    "/api/v1/board",
    "/api/v1/matrix",
    "/export/matrix.csv",
    "/api/v1/teams",
)


def nothing_moves_when_a_guess_is_scored(world: World) -> None:
    """Watch everything while the judge scores a guess: no row, rank, number or live mark moves."""
    world.add("fresh", "Fresh")
    fire.submit(world.arena, world.people["fresh"], world.releases["author"], lines(_truth(world)))

    def look() -> list[bytes]:
        pages = [world.as_(role).get(one).content for role in ("anonymous", "other", "author") for one in PUBLIC]
        return [*pages, first_frame(world).content]

    before = look()
    assert worker.finish(world.arena) == 1
    assert look() == before, "something moved"


def a_ceremony_tells_place_by_place(world: World) -> None:
    """Watch a ceremony: nothing is known before it is told, then one place, and all pages wait for its end."""
    ceremony = msgspec.structs.replace(world.arena.definition, ceremony=True)
    world.arena = replace(world.arena, definition=ceremony)
    world.server.show(world.arena)
    world.go("reveal")
    assert not _told(world), f"{_told(world)} before it was told"
    assert world.as_("organiser").post(f"/reveal/{ROUND}", {"do": "step"}).status_code == 303
    assert len(_told(world)) == 1, f"more than one place was told: {_told(world)}"
    assert world.as_("other").post(f"/reveal/{ROUND}", {"do": "finish"}).status_code == 403, "anybody leads it"


def _told(world: World) -> list[str]:
    """Teams with a place on the stage; no other page may show a score meanwhile."""
    said = b"".join(world.as_("anonymous").get(one).content for one in PUBLIC)
    found = answers.scores_in(said, "team", "sample", "aya")
    assert not found, f"{found} is shown elsewhere before it was told"
    stage = world.as_("anonymous").get(f"/reveal/{ROUND}").text
    return re.findall(r'<li value="\d+".*?class="who">(\w+)', stage)


def an_unknown_name_takes_as_long(world: World) -> None:
    """Try a name that exists, one that does not and one that is shut out: the same work, the same answer."""
    work: list[str] = []
    real = passwords._hasher()

    class Counted:
        def hash(self, password: str) -> str:
            return real.hash(password)

        def verify(self, password: str, stored: str) -> bool:
            work.append(stored.partition("m=")[2].partition(" ")[0][:10])
            return real.verify(password, stored)

    world.patch.setattr(passwords, "_hasher", Counted)
    passwords._unknown_account_hash.cache_clear()
    with world.arena.database.transaction() as session:
        session.get_one(AccountRow, world.people["third"].account_id).disabled = True
    said = []
    for name in ("ann", "nobody", "cat"):
        answer = world.visitor().post("/login", {"name": name, "password": "a wrong password"})
        said.append((answer.status_code, re.sub(r'value="[^"]*"', "", answer.text)))
    passwords._unknown_account_hash.cache_clear()
    assert len(work) == 3, f"passwords were looked at {len(work)} times in 3 logins"
    assert len(set(work)) == 1, f"the work differs: {work}"
    assert len(set(said)) == 1, "the answer tells who exists"
    assert said[0][0] == 401


# --- 3: by asking again


def one_guess_for_ever(world: World) -> None:
    """Ask twice, as another member, by another way, after the release was withdrawn, and past the program itself."""
    world.add("mate", join=world.people["other"])
    release, before = world.releases["author"], {one.id for one in world.rows(GuessRow)}
    _ask_again(world, release)
    ice.withdraw(world.arena, world.people["author"], release)
    _ask_again(world, release)
    assert {one.id for one in world.rows(GuessRow)} == before, "another guess is stored"
    try:
        with world.arena.database.transaction() as session:
            old = session.get_one(GuessRow, world.guesses["other"])
            kept = {column.name: getattr(old, column.name) for column in GuessRow.__table__.columns}
            session.add(GuessRow(**{**kept, "id": ids.new_id()}))
    except IntegrityError:
        return
    raise AssertionError("the database itself took a second guess")


def _ask_again(world: World, release: str) -> None:
    ways = {f"/releases/{release}/guess": "guess.csv", f"/api/v1/releases/{release}/guess": "answers"}
    for role in ("other", "mate"):
        for path, name in ways.items():
            again = world.as_(role).post(path, files={name: ("a.csv", lines(_truth(world)), "text/csv")})
            assert again.status_code == 409, f"a second guess was answered with {again.status_code}"


def scores_wait_for_the_reveal(world: World) -> None:
    """Attack, have it scored, withdraw the release, have it scored again: the attacker never learns a score."""
    for step in ("as it is", "withdrawn", "scored again", "paused"):
        if step == "withdrawn":
            ice.withdraw(world.arena, world.people["author"], world.releases["author"])
        if step == "scored again":
            world.as_("judge").post("/desk/rescore", {"guess_id": world.guesses["other"]})
            worker.finish(world.arena)
            _mark_again(world)
        if step == "paused":
            world.as_("organiser").post("/desk/pause")
        pages = (*PUBLIC, "/team", "/api/v1/team", f"/releases/{world.releases['author']}", "/export/attacks.json")
        said = b"".join(world.as_(role).get(one).content for role in ("other", "author") for one in pages)
        assert not answers.scores_in(said, "team", "sample", "aya"), f"{step}: a score is shown"


def _mark_again(world: World) -> None:
    with world.arena.database.transaction() as session:
        of_final = session.query(IdentifiedRow).join(ReleaseRow).where(ReleaseRow.round == ROUND)
        for one in of_final.where(IdentifiedRow.source == "team"):
            one.hits, one.targets, one.rate = MARKS["team"]


def a_puppet_is_flagged(world: World) -> None:
    """Hand the answers to another team: the desk is told of a guess that is too good."""
    world.add("puppet", "Puppet")
    truth = _truth(world)
    some = [row if place % 8 else -1 for place, row in enumerate(truth)]  # a careful one leaves some out
    fire.submit(world.arena, world.people["puppet"], world.releases["author"], lines(some))
    worker.finish(world.arena)
    said = world.as_("judge").get("/desk/submissions").text
    assert "Puppet" in said.partition("<table")[0], "nobody is told to look at the puppet"


# --- sabotages


def tell_the_score_at_once(world: World) -> None:
    real, truth = receipts.guess_receipt, _truth(world)

    def leaky(arena: Any, session: Any, guess: Any) -> Any:
        given = [int(row) for row in arena.store.get("guess", guess.id, "guess.csv").split()]
        hits = sum(one == other for one, other in zip(given, truth, strict=True))
        return replace(real(arena, session, guess), label=f"{hits:03}")

    world.patch.setattr(receipts, "guess_receipt", leaky)


def score_while_they_wait(world: World) -> None:
    real = fire.submit

    def eager(arena: Any, actor: Any, release_id: str, given: bytes, *when: Any) -> Any:
        arena.store.get("truth", release_id, "truth.csv")
        return real(arena, actor, release_id, given, *when)

    world.patch.setattr(fire, "submit", eager)


def tell_that_it_was_scored(world: World) -> None:
    world.patch.setattr(log, "PUBLIC", (*log.PUBLIC, "scored"))


def hash_only_for_known_names(world: World) -> None:
    real = passwords.matches
    world.patch.setattr(passwords, "matches", lambda password, stored: stored is not None and real(password, stored))


def take_the_last_guess(world: World) -> None:
    def insert(session: Any, guess: Any) -> None:
        session.query(GuessRow).where(
            GuessRow.release_id == guess.release_id, GuessRow.team_id == guess.team_id
        ).delete()
        session.add(guess)

    world.patch.setattr(fire, "_standing", lambda *_: None)
    world.patch.setattr(fire, "_insert", insert)


def drop_the_unique_key(world: World) -> None:
    with world.arena.database.engine.begin() as connection:
        run = connection.exec_driver_sql
        if not world.arena.database.is_sqlite:
            run("ALTER TABLE guess DROP CONSTRAINT guess_release_id_team_id_key")
            return
        made = run("SELECT sql FROM sqlite_master WHERE name = 'guess'").scalar_one()
        run(re.sub(r",\s*UNIQUE \(release_id, team_id\)", "", made).replace("CREATE TABLE guess", "CREATE TABLE other"))
        run("INSERT INTO other SELECT * FROM guess")
        run("DROP TABLE guess")
        run("ALTER TABLE other RENAME TO guess")


def suspect_nobody(world: World) -> None:
    world.patch.setattr(suspicion, "suspicious", lambda _: ())


def suspect_nine_tenths_only(world: World) -> None:
    real = suspicion._outlier

    def fixed(guess: Any, rates: Any) -> Any:
        return real(guess, rates) if guess.found is not None and guess.found.rate >= 0.9 else None

    world.patch.setattr(suspicion, "_outlier", fixed)


def reveal_with_the_clock(world: World) -> None:
    world.patch.setattr(phases, "_revealed", lambda session, definition, settings, begun: set(begun))


def tell_all_places_at_once(world: World) -> None:
    real = ceremony_module._state
    world.patch.setattr(ceremony_module, "_state", lambda *of: (real(*of)[0], 99 if real(*of)[1] else 0))


# --- 3: a measure as an oracle

PAIRS = 20


def no_measure_is_an_oracle(world: World) -> None:
    """Try all 2^20 correspondences against a measure that is shown: thousands of them must fit it."""
    world.fresh()
    swapped = np.random.default_rng(5).random(PAIRS) < 0.5
    rows = np.arange(2 * PAIRS)
    claimed = np.where(np.repeat(swapped, 2), rows ^ 1, rows)
    files = {"released.csv": world.original.write_csv().encode(), "correspondence.csv": lines(claimed)}
    world.add("owner", "Owner")
    ice.submit(world.arena, world.people["owner"], ROUND, files)
    worker.finish(world.arena)
    world.add("rival", "Rival")
    sums = _subset_sums(_lost_by_pair(world.original))
    for place, shown in _shown_everywhere(world, "rival").items():
        near = int((np.abs(sums - shown) <= _half_a_step(shown)).sum())
        assert near > 1000, f"{place} shows U5 as {shown!r}, which {near} of {len(sums):,} correspondences fit"


def _lost_by_pair(original: Any) -> Any:
    values = original.select(households.SA).to_numpy().astype(float)
    extent = np.ptp(values, axis=0)
    lost = np.abs(values[0::2] - values[1::2])
    scaled = np.where(extent > 0, lost / np.where(extent > 0, extent, 1), lost > 0)
    return 2 * scaled.sum(axis=1) / values.size


def _subset_sums(parts: Any) -> Any:
    sums = np.zeros(1)
    for one in parts:
        sums = np.concatenate([sums, sums + one])
    return sums


def _half_a_step(shown: float) -> float:
    """Half of the last digit that a number is written with."""
    digits = f"{shown!r}".partition("e")[0].replace(".", "").lstrip("0")
    return 0.5 * 10.0 ** (np.floor(np.log10(shown)) - len(digits) + 1)


def _shown_everywhere(world: World, role: str) -> dict[str, float]:
    """The measure as the API and both exports tell it."""
    ask = world.as_(role).get
    places = {"/api/v1/releases": ask("/api/v1/releases").json()["releases"][0]["measures"]["U5"]}
    places["/api/v1/board"] = ask("/api/v1/board").json()["ice"]["rows"][0]["release"]["measures"]["U5"]
    places["/export/board.json"] = ask("/export/board.json").json()["rows"][0]["U5"]
    table = list(csv.DictReader(io.StringIO(ask("/export/board.csv").text)))
    places["/export/board.csv"] = float(table[0]["U5"])
    return places


def show_every_digit(world: World) -> None:
    """Round nothing."""
    world.patch.setattr(Visibility, "exact", property(lambda self: True))
