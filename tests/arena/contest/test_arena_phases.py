"""A contest's definition and phases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from support.arena.definition import TOML

from icefire.arena.contest import phases
from icefire.arena.contest.definition import PHASES, Definition, checked, parse
from icefire.arena.storage.tables import PhaseRow
from icefire.core.errors import IcefireError

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def times(definition: Definition, session) -> None:
    for one in definition.rounds:
        for name, starts in one.starts().items():
            session.add(PhaseRow(round=one.name, name=name, starts=starts))


def test_local_times_are_those_of_the_zone():
    assert parse(TOML).rounds[0].anonymise == datetime(2026, 5, 1, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("Asia/Tokyo", "Atlantis"), "Asia/Tokyo or"),
        (('"pwscup2015"', '"pwscup2051"'), "no contest is called 'pwscup2051'"),
        (("title =", "tilte ="), "tilte"),
        (("2026-05-03", "2026-04-03"), "attack .* begins before freeze"),
        (('"original.csv"', '"../original.csv"'), "no file"),
        (("zone", "releases_per_team = 0\nzone"), "at least 1"),
        (("[[round]]", "[[round]"), "not TOML"),
        (("[[round]]", '[[round]]\ntitle = { fr = "Finale" }'), "title has 'fr'; it takes a text for each of en, ja"),
        (("[[round]]", '[[round]]\ntitle = { ja = " " }'), "title has 'ja'; it takes a text"),
    ],
)
def test_a_definition_that_cannot_be_played_is_refused(tmp_path, change, said):
    (tmp_path / "original.csv").write_text("a\n1\n")
    with pytest.raises(IcefireError, match=said):
        checked(parse(TOML.replace(*change)), tmp_path)


def test_an_instant_belongs_to_the_phase_that_begins_with_it(database):
    definition = parse(TOML)
    with database.transaction() as session:
        times(definition, session)
    with database.reading() as session:
        for name, starts in definition.rounds[0].starts().items():
            before, at, after = (
                phases.rounds(session, definition, starts + timedelta(seconds=s))[0].phase for s in (-1, 0, 1)
            )
            assert at == after == name
            assert before == (["before", *PHASES][PHASES.index(name)])


def test_a_pause_stops_the_clock_and_moves_what_comes_later(database):
    definition = parse(TOML)
    middle = definition.rounds[0].anonymise + timedelta(hours=1)
    with database.transaction() as session:
        times(definition, session)
        phases.pause(session, middle)
    with database.transaction() as session:
        late = phases.rounds(session, definition, middle + timedelta(days=9))[0]
        assert (late.phase, late.paused, late.allows("anonymise")) == ("anonymise", True, False)
        assert phases.resume(session, middle + timedelta(hours=5)) == timedelta(hours=5)
        now = phases.rounds(session, definition, middle + timedelta(hours=5))[0]
        assert now.allows("anonymise")
        assert now.starts["freeze"] == definition.rounds[0].freeze + timedelta(hours=5)
        assert now.starts["anonymise"] == definition.rounds[0].anonymise
