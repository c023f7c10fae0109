"""Bodies of responses made from facts. What is hidden was left out of the facts already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace

from sqlalchemy.orm import Session

from icefire import __version__
from icefire.arena.auth.actor import Actor
from icefire.arena.boards.facts import ReleaseFacts, RoundFacts
from icefire.arena.contest import phases, terms
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.arena.errors import Absent
from icefire.arena.storage import jobs
from icefire.arena.web.api import models

FIELDS = tuple(field.name for field in fields(ReleaseFacts))


def contest_here(arena: Arena, session: Session) -> models.ContestHere:
    """Return the competition as it stands."""
    definition, game, every = arena.definition, arena.game, arena.rounds(session)
    return models.ContestHere(
        title=definition.title,
        description=definition.description,
        rules=definition.rules,
        zone=definition.zone,
        registration=definition.registration,
        team_names=definition.team_names,
        members_per_team=definition.members_per_team,
        divisions=list(definition.divisions),
        terms=terms.texts(definition),
        terms_sha256=terms.sha256(definition),
        releases_per_team=definition.releases_per_team,
        submissions_per_team=definition.submissions_per_team,
        max_upload_mb=definition.max_upload_mb,
        ranking=arena.ranking,
        limits=dict(definition.limits),
        formulas=definition.formulas,
        custom=definition.custom_table(),
        handed_in=list(game.handed_in),
        handed_out=list(game.handed_out),
        measures=list(game.measures),
        utilities=list(game.utilities),
        attacks=list(game.attacks),
        current=phases.current(every).name,
        rounds=[round_here(arena, one) for one in every],
        now=arena.now(),
        version=__version__,
    )


def round_here(arena: Arena, now: RoundNow) -> models.RoundHere:
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


def round_name_or_current(arena: Arena, session: Session, name: str | None) -> str:
    """Return the round that is meant: the one named, or the one people are busy with."""
    return arena.round(name).name if name is not None else phases.current(arena.rounds(session)).name


def release_here(one: ReleaseFacts, facts: RoundFacts, arena: Arena, actor: Actor) -> models.ReleaseHere:
    """Return a release with what can be done with it now."""
    return releases_here((one,), facts, arena, actor)[0]


def releases_here(
    every: Iterable[ReleaseFacts], facts: RoundFacts, arena: Arena, actor: Actor
) -> list[models.ReleaseHere]:
    """Return releases in the order of the facts."""
    attackable = attackable_releases(every := tuple(every), facts, actor)
    return [release_as_seen(one, facts, arena, one.id in attackable) for one in every]


def attackable_releases(every: Iterable[ReleaseFacts], facts: RoundFacts, actor: Actor) -> set[str]:
    """Return the releases for which an actor's team may hand in a guess now."""
    if not facts.now.allows("attack") or actor.team_id is None:
        return set()
    attacked = {guess.release_id for guess in facts.guesses if guess.team_id == actor.team_id}
    return {one.id for one in every if one.in_play and not one.own and one.id not in attacked}


def release_as_seen(one: ReleaseFacts, facts: RoundFacts, arena: Arena, attackable: bool) -> models.ReleaseHere:
    """Return one release with its files, for somebody who may or may not attack it."""
    files = tuple(arena.game.handed_out) if facts.sight.file(one) else ()
    return models.ReleaseHere(**{name: getattr(one, name) for name in FIELDS}, files=files, attackable=attackable)


def with_queue(session: Session, release: models.ReleaseHere) -> models.ReleaseHere:
    """Say how many are before a release in the judge's queue; only its own team is told."""
    if release.own and release.state == "waiting":
        return replace(release, waiting=jobs.position(session, "judge", release.id))
    return release


def own_guesses(facts: RoundFacts, team_id: str) -> list[models.OwnGuess]:
    """Return one's own guesses."""
    labels = {release.id: release.label for release in facts.releases}
    return [
        models.OwnGuess(
            id=one.id,
            release_id=one.release_id,
            label=labels.get(one.release_id, ""),
            received=one.received,
            state=one.state,
            found=one.found,
        )
        for one in facts.guesses
        if one.team_id == team_id
    ]


def find_release(facts: RoundFacts, release_id: str) -> ReleaseFacts:
    """Return a release that may be seen; one that may not is not there."""
    for one in facts.releases:
        if one.id == release_id:
            return one
    raise Absent
