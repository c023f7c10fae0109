"""Facts as the API says them. What is hidden was left out of the facts already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace

from sqlalchemy.orm import Session

from icefire import __version__
from icefire.arena.auth.actor import Actor
from icefire.arena.boards.facts import GuessFacts, ReleaseFacts, RoundFacts
from icefire.arena.contest import phases
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.arena.errors import Absent
from icefire.arena.storage import jobs
from icefire.arena.web.api import models


def contest(arena: Arena, session: Session) -> models.ContestHere:
    """Return the competition as it stands."""
    given, game, every = arena.definition, arena.game, arena.rounds(session)
    return models.ContestHere(
        title=given.title,
        description=given.description,
        rules=given.rules,
        zone=given.zone,
        registration=given.registration,
        team_names=given.team_names,
        releases_per_team=given.releases_per_team,
        submissions_per_team=given.submissions_per_team,
        max_upload_mb=given.max_upload_mb,
        ranking=arena.ranking,
        limits=dict(given.limits),
        handed_in=list(game.handed_in),
        handed_out=list(game.handed_out),
        measures=list(game.measures),
        utilities=list(game.utilities),
        attacks=list(game.attacks),
        current=phases.current(every).name,
        rounds=[round_(arena, one) for one in every],
        now=arena.now(),
        version=__version__,
    )


def round_(arena: Arena, now: RoundNow) -> models.RoundHere:
    """Return one round as it stands."""
    return models.RoundHere(
        name=now.name,
        phase=now.phase,
        starts=now.starts,
        next=models.Next(phase=now.next[0], starts=now.next[1]) if now.next else None,
        paused=now.paused,
        revealed=now.revealed,
        weight=arena.round(now.name).weight,
        files=list(arena.originals(now.name)),
    )


def which_round(arena: Arena, session: Session, name: str | None) -> str:
    """Return the round that is meant: the one named, or the one people are busy with."""
    return arena.round(name).name if name is not None else phases.current(arena.rounds(session)).name


def release(one: ReleaseFacts, facts: RoundFacts, arena: Arena, actor: Actor) -> models.ReleaseHere:
    """Return a release with what can be done with it now."""
    may_read = facts.sight.file(one)
    attacked = any(guess.release_id == one.id and guess.team_id == actor.team_id for guess in facts.guesses)
    known = {field.name: getattr(one, field.name) for field in fields(one)}
    return models.ReleaseHere(
        **known,
        files=tuple(arena.game.handed_out) if may_read else (),
        attackable=(
            facts.now.allows("attack") and one.in_play and not one.own and actor.team_id is not None and not attacked
        ),
    )


def releases(some: Iterable[ReleaseFacts], facts: RoundFacts, arena: Arena, actor: Actor) -> list[models.ReleaseHere]:
    """Return releases in the order of the facts."""
    return [release(one, facts, arena, actor) for one in some]


def with_queue(session: Session, shown: models.ReleaseHere) -> models.ReleaseHere:
    """Say how many are before it in the judge's queue; only its own team is told."""
    if shown.own and shown.state == "waiting":
        return replace(shown, waiting=jobs.position(session, "judge", shown.id))
    return shown


def guess(one: GuessFacts, facts: RoundFacts) -> models.OwnGuess:
    """Return one's own guess."""
    labels = {release.id: release.label for release in facts.releases}
    return models.OwnGuess(
        id=one.id,
        release_id=one.release_id,
        label=labels.get(one.release_id, ""),
        received=one.received,
        state=one.state,
        found=one.found,
    )


def find_release(facts: RoundFacts, release_id: str) -> ReleaseFacts:
    """Return a release that may be seen; one that may not is not there."""
    for one in facts.releases:
        if one.id == release_id:
            return one
    raise Absent
