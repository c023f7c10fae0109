"""What a team sees of a round, put together from what everybody sees and its own part."""

from __future__ import annotations

from datetime import datetime

import pytest
from support.arena.played import DAY

from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import freezing, matrix, own_view, reading

MOMENTS = ("anonymise", "freeze", "attack", "reveal")


def moment(arena, round_name: str, phase: str) -> datetime:
    return arena.round(round_name).starts()[phase] + DAY / 2


@pytest.mark.parametrize("phase", MOMENTS)
@pytest.mark.parametrize("round_name", ["preliminary", "final"])
def test_it_is_what_is_read_for_the_team_alone(played, round_name, phase):
    arena = played.arena
    arena.clock.set(moment(arena, round_name, phase))
    freezing.keep_up(arena)
    with arena.database.reading() as session:
        public = reading.round_facts(session, arena, round_name, VISITOR)
        for team in played.teams:
            whole = reading.round_facts(session, arena, round_name, team)
            part = reading.round_facts(session, arena, round_name, team, team_id=team.team_id)
            made = own_view.with_own(public, part)
            assert made == whole
            by_team = own_view.guesses_by_team(public)
            assert list(own_view.with_own_guesses(public, part, by_team).guesses) == [
                guess for guess in whole.guesses if guess.team_id == team.team_id
            ]
            handed_in = own_view.handed_in(public, part, by_team)
            assert handed_in.releases == tuple(release for release in whole.releases if release.own)
            assert handed_in.guesses == tuple(guess for guess in whole.guesses if guess.team_id == team.team_id)
            assert handed_in.labels == {release.id: release.label for release in whole.releases}
            laid_out = matrix.round_matrix(whole)
            spliced = matrix.with_own_row(matrix.round_matrix(public), made, team.team_id)
            assert spliced is None or spliced == laid_out
            assert spliced is not None or phase == "anonymise"


def test_a_visitor_is_never_given_what_is_a_teams_own(played):
    arena, team = played.arena, played.teams[1]
    arena.clock.set(moment(arena, "final", "attack"))
    freezing.keep_up(arena)
    with arena.database.reading() as session:
        public = reading.round_facts(session, arena, "final", VISITOR)
        own_view.with_own(public, reading.round_facts(session, arena, "final", team, team_id=team.team_id))
        assert not any(release.own or release.team for release in public.releases)
        assert all(guess.id is None for guess in public.guesses)
