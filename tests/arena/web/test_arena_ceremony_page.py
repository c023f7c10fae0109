"""The page of the ceremony, as the organiser and the others see it."""

from __future__ import annotations

import re

import pytest
from support.arena.fixtures import player
from support.arena.pages import ATTACK, FREEZE, REVEAL, SCORES, attack, browse, browsers, put, rows_of, teams  # noqa: F401


@pytest.fixture
def ceremony(make_arena):
    arena = make_arena(more="ceremony = true")
    ann, ben = player(arena, "ann", "Alder"), player(arena, "ben", "Birch")
    put(arena, ann, "AAAAA", worst=0.1)
    other = put(arena, ben, "BBBBB", worst=0.3)
    attack(arena, ann, other, 0.5)
    arena.clock.set(REVEAL)
    return arena


def test_the_organiser_tells_place_by_place_and_others_see_no_more(ceremony):
    browse = browsers(ceremony)
    olga, visitor = browse(player(ceremony, "olga", role="organiser")), browse()
    assert "2 teams are in the ranking" in visitor.get("/reveal/final")
    assert "Scores open at the reveal: with the last place of the ceremony" in visitor.get("/matrix")
    assert "do-step" not in visitor.get("/reveal/final")
    olga.post("/reveal/final", do="step", seen="0")
    page = visitor.get("/reveal/final")
    assert "Birch" in page
    assert "Alder" not in page
    assert "Birch" not in re.sub(r"<option.*?</option>", "", visitor.get("/board"))
    olga.post("/reveal/final", do="step", seen="0")  # the same click twice
    assert "Alder" not in visitor.get("/reveal/final")
    olga.post("/reveal/final", do="step", seen="1")
    assert "Alder" in visitor.get("/reveal/final")
    olga.post("/reveal/final", do="back", seen="2")
    assert "Alder" not in visitor.get("/reveal/final")
    assert "sealed until the reveal" in visitor.get("/board")
    olga.post("/reveal/final", do="finish")
    assert "Alder leads with release AAAAA" in visitor.get("/board")


@pytest.mark.parametrize("role", ["player", "judge"])
def test_only_organisers_lead_the_ceremony(ceremony, role):
    web = browsers(ceremony)(player(ceremony, "mallory", role=role))
    for asked in ("step", "back", "finish"):
        web.post("/reveal/final", 403, do=asked)
    assert "do-step" not in web.get("/reveal/final")
