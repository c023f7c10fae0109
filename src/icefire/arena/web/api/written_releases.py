"""Releases as JSON: one that a team sees as everybody does is written once for all, another for that team alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from icefire.arena.auth.actor import Actor
from icefire.arena.boards.facts import ReleaseFacts, RoundFacts
from icefire.arena.contest.arena import Arena
from icefire.arena.web.api import models, serialize
from icefire.arena.web.shared_boards import SharedBoards

RELEASE = TypeAdapter(models.ReleaseHere)


@dataclass(frozen=True, slots=True)
class _Written:
    """A release that all see alike; its JSON for those who may not attack it, and for those who may."""

    release: ReleaseFacts
    bodies: tuple[bytes, bytes]


def write(shared: SharedBoards, every: Sequence[ReleaseFacts], facts: RoundFacts, arena: Arena, actor: Actor) -> bytes:
    """Return the JSON of releases as an actor sees them."""

    def write_all(viewer: Actor, round_name: str) -> dict[str, _Written]:
        public = shared.facts(viewer, round_name)
        return {one.id: _Written(one, _bodies(one, public, arena)) for one in public.releases}

    known = shared.for_all("written releases", actor, facts.now.name, write_all)
    attackable = serialize.attackable_releases(every, facts, actor)
    written = (_body(one, known.get(one.id), facts, arena, one.id in attackable) for one in every)
    return b"[%b]" % b",".join(written)


def _bodies(one: ReleaseFacts, facts: RoundFacts, arena: Arena) -> tuple[bytes, bytes]:
    other = _dump(one, facts, arena, False)
    return other, _dump(one, facts, arena, True) if facts.now.allows("attack") else other


def _body(one: ReleaseFacts, known: _Written | None, facts: RoundFacts, arena: Arena, attackable: bool) -> bytes:
    if known is not None and known.release is one:
        return known.bodies[attackable]
    return _dump(one, facts, arena, attackable)


def _dump(one: ReleaseFacts, facts: RoundFacts, arena: Arena, attackable: bool) -> bytes:
    return RELEASE.dump_json(serialize.release_as_seen(one, facts, arena, attackable))
