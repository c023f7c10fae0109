"""The page for handing in a release, its receipt, and the original that teams fetch."""

from __future__ import annotations

import re

import msgspec
from support.arena.fixtures import BEGIN, DAY, player, release_files
from support.arena.pages import FREEZE, browse, teams  # noqa: F401

from icefire.arena.contest import signing
from icefire.arena.contest.signing import Receipt
from icefire.arena.judge import worker
from icefire.arena.storage.tables import QuotaRow

RECIPE = b'[[step]]\nmethod = "shuffle"\n'


def test_a_bad_row_is_told_then_the_release_is_taken_with_a_receipt(arena, browse, teams, original):
    own, given = browse(teams["ann"]), release_files(original)
    rows = given["released.csv"].decode().splitlines()
    rows[3] = rows[3].rpartition(",")[0] + ",many"
    bad = {**given, "released.csv": "\n".join(rows).encode()}
    told = own.post("/submit", 422, files=as_files(bad), round="final").text
    assert re.search(r"<li>released.csv: row \d, column \S+: .*many", told)
    assert "nothing charged" in told
    assert 'name="correspondence.csv"' in told
    assert "0 / 3" in told
    arena.clock.move(DAY / 24)
    place = own.post("/submit", files=as_files(given), round="final").headers["location"]
    page = own.get(place)
    receipt_id = re.search(r"/receipts/(\w+)", place).group(1)
    receipt = msgspec.json.decode(own.get(f"/receipts/{receipt_id}.json"), type=Receipt)
    assert signing.verify(receipt, arena.signer.public_key)
    assert receipt.sha256 in page
    assert receipt.signature in page
    assert "Place 2 in the judge" in page  # the original, to compare with, is first
    worker.finish(arena)
    assert "in the judge" not in own.get(f"/receipts/{receipt_id}")
    assert "1 / 3" in own.get("/submit")


def as_files(given: dict[str, bytes]) -> dict[str, tuple[str, bytes]]:
    return {name: ("anything.csv", data) for name, data in given.items()}


def test_the_form_takes_a_recipe_but_does_not_ask_for_one(arena, browse, teams, original):
    own, given = browse(teams["ann"]), release_files(original)
    field = re.search(r'<input[^>]*name="recipe.toml"[^>]*>', own.get("/submit")).group(0)
    assert " required" not in field
    empty = {"recipe.toml": ("", b"")}
    own.post("/submit", files=as_files(given) | empty, round="final")
    told = own.post("/submit", 422, files=as_files(given | {"recipe.toml": b"seed = 1"}), round="final").text
    assert "recipe.toml: it has a seed" in told
    taken = own.post("/submit", files=as_files(given | {"recipe.toml": RECIPE}), round="final").headers["location"]
    (kept,) = [one for one in arena.store.names("handed") if arena.store.has("handed", one, "recipe.toml")]
    assert kept in taken
    assert arena.store.get("handed", kept, "recipe.toml") == RECIPE


def test_the_form_says_what_it_needs_and_when(arena, browse, teams):
    page = browse(teams["ann"]).get("/submit")
    assert "icefire check pwscup2015 original.csv released.csv correspondence.csv" in page
    assert 'href="/data/final/original.csv"' in page
    with arena.database.transaction() as session:
        session.add(QuotaRow(round="final", team_id=teams["ann"].team_id, used=3, submitted=3))
    assert "The quota is used up" in browse(teams["ann"]).get("/submit")
    arena.clock.set(FREEZE)
    assert "No more releases are taken since" in browse(teams["ben"]).get("/submit")
    assert browse(player(arena, "carl")).get("/submit").count("<form") == 1  # logging out
    assert browse().web.get("/submit").headers["location"] == "/login?next=/submit"


def test_a_submission_after_the_end_or_to_no_round_is_refused(arena, browse, teams, original):
    own, given = browse(teams["ann"]), as_files(release_files(original))
    own.post("/submit", 404, files=given, round="nowhere")
    arena.clock.set(FREEZE)
    own.post("/submit", 403, files=given, round="final")


def test_the_original_is_handed_out_once_the_round_has_begun(arena, browse, teams):
    assert browse().get("/data/final/original.csv").count("\n") > 10
    for path in ("/data/final/contest.toml", "/data/nowhere/original.csv", "/data/final/..%2Fcontest.toml"):
        browse().get(path, 404)
    arena.clock.set(BEGIN - DAY)
    browse(teams["ann"]).get("/data/final/original.csv", 404)
    browse(teams["judge"]).get("/data/final/original.csv")
