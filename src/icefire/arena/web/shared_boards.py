"""Facts, boards and matrices of rounds: read and computed once for all who see the same, until something changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import Request
from sqlalchemy.orm import Session

from icefire.arena.auth.actor import Actor
from icefire.arena.boards import freezing, matrix, own_view, reading
from icefire.arena.boards.facts import ReleaseFacts, RoundFacts
from icefire.arena.boards.matrix import Matrix
from icefire.arena.boards.overall import Overall
from icefire.arena.boards.own_view import GuessesByTeam, HandedIn
from icefire.arena.boards.snapshots import RoundBoard
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.arena.submit import ice
from icefire.arena.web import frame, shared_guesses
from icefire.arena.web.changes import SeenChanges
from icefire.arena.web.fragments import CacheKey, FragmentCache, board_viewer, cached, cached_before, freshness
from icefire.arena.web.shared_guesses import GuessList, LaidOut

Value = TypeVar("Value")


class SharedBoards:
    """What one request reads; a team's own part is read for it alone."""

    def __init__(self, request: Request, db: Session, arena: Arena, rounds: list[RoundNow]) -> None:
        self._request, self._db, self._arena, self.rounds = request, db, arena, rounds
        self._keys: dict[tuple[bool, str, bool], CacheKey] = {}

    def facts(self, actor: Actor, round_name: str) -> RoundFacts:
        """Return a round as an actor may see it."""
        public = self._public(actor, round_name)
        if actor.judges or actor.team_id is None:
            return public
        return own_view.with_own(public, self._own(actor, public))

    def facts_of_team(self, actor: Actor, round_name: str) -> RoundFacts:
        """Return a round as an actor may see it, and for a member of a team of all guesses only the team's own."""
        public = self._public(actor, round_name)
        if actor.judges or actor.team_id is None:
            return public
        return own_view.with_own_guesses(public, self._own(actor, public), self._by_team(actor, round_name))

    def handed_in(self, actor: Actor, round_name: str) -> HandedIn:
        """Return what the actor's team has handed in for a round."""
        public = self._public(actor, round_name)
        return own_view.handed_in(public, self._own(actor, public), self._by_team(actor, round_name))

    def own_now(self, actor: Actor, round_name: str) -> tuple[ReleaseFacts, ...]:
        """Return the releases of the actor's team in a round."""
        own = self._own(actor, self._releases(actor, round_name), with_guesses=False)
        return tuple(one for one in own.releases if one.own)

    def board(self, actor: Actor, round_name: str) -> RoundBoard:
        """Return the board of a round; one that is frozen is the same for all but the judges."""
        if actor.judges or actor.team_id is None or self.round(round_name).frozen:
            return self.for_all("board", actor, round_name, self._rank)
        return self._rank(actor, round_name)

    def overall(self, actor: Actor) -> Overall:
        """Return all rounds whose ranking the actor may see, added up."""
        return freezing.all_rounds(self._arena, self._db, actor, self.board)

    def matrix(self, actor: Actor, round_name: str) -> Matrix:
        """Return the matrix as everybody sees it, or the judges; a team's own row is its own matter."""
        if self._hides_results(actor, round_name):
            return self._laid_out(actor, round_name).matrix
        return self.for_all("matrix", actor, round_name, self._lay_out, guesses=True)

    def for_all(
        self,
        what: str,
        actor: Actor,
        round_name: str,
        compute: Callable[[Actor, str], Value],
        guesses: bool = False,
    ) -> Value:
        """Return something computed once for everybody, or for the judges, until something changes.

        What shows who has attacked what says so by `guesses`; a board does not.
        """
        viewer = board_viewer(actor)
        return cached(
            self._request,
            _place(what, viewer, round_name),
            self._freshness(viewer, round_name, guesses),
            lambda: compute(viewer, round_name),
        )

    def own_releases(self, actor: Actor) -> tuple[tuple[str, str], ...]:
        """Return the ids of all that the actor's team has handed in, each with its round."""
        team_id = actor.team_id
        if team_id is None:
            return ()
        cache: FragmentCache = self._request.app.state.own_releases
        seen: SeenChanges = self._request.app.state.changes.seen_by(self._db)

        def read() -> tuple[tuple[str, str], ...]:
            return tuple((one.id, one.round) for one in ice.releases_of(self._db, team_id))

        return cache.get_newest((team_id,), (team_id, seen.rest), read)

    def before(self, what: str, actor: Actor, round_name: str) -> Any:
        """Return what was computed for all before the last change, to make the next one from; None if nothing was."""
        return cached_before(self._request, _place(what, board_viewer(actor), round_name))

    def round(self, name: str) -> RoundNow:
        """Return a round as it stands now."""
        return next(one for one in self.rounds if one.name == name)

    def _freshness(self, viewer: Actor, round_name: str, guesses: bool) -> CacheKey:
        key = (viewer.judges, round_name, guesses)
        if key not in self._keys:
            about = [round_name] if guesses else []
            self._keys[key] = freshness(self._request, self._db, [self.round(round_name)], viewer, about)
        return self._keys[key]

    def _hides_results(self, actor: Actor, round_name: str) -> bool:
        return not actor.judges and not self.round(round_name).revealed

    def _public(self, actor: Actor, round_name: str) -> RoundFacts:
        if self._hides_results(actor, round_name):
            return self._guesses(actor, round_name).facts
        return self.for_all("facts", actor, round_name, self._read, guesses=True)

    def _by_team(self, actor: Actor, round_name: str) -> GuessesByTeam:
        def collect(viewer: Actor, name: str) -> GuessesByTeam:
            return own_view.guesses_by_team(self._public(viewer, name))

        return self.for_all("guesses by team", actor, round_name, collect, guesses=True)

    def _releases(self, actor: Actor, round_name: str) -> RoundFacts:
        return self.for_all("releases", actor, round_name, self._read_without_guesses)

    def _guesses(self, actor: Actor, round_name: str) -> GuessList:
        def read(viewer: Actor, name: str) -> GuessList:
            without = self._releases(viewer, name)
            changes: SeenChanges = self._request.app.state.changes.seen_by(self._db)
            return shared_guesses.read_guesses(self._db, changes, without, self.before("guesses", viewer, name))

        return self.for_all("guesses", actor, round_name, read, guesses=True)

    def _laid_out(self, actor: Actor, round_name: str) -> LaidOut:
        def lay_out(viewer: Actor, name: str) -> LaidOut:
            return shared_guesses.lay_out(self._guesses(viewer, name), self.before("laid out", viewer, name))

        return self.for_all("laid out", actor, round_name, lay_out, guesses=True)

    def _own(self, actor: Actor, public: RoundFacts, with_guesses: bool = True) -> RoundFacts:
        name = public.now.name
        return reading.round_facts(
            self._db,
            self._arena,
            name,
            actor,
            team_id=actor.team_id,
            with_guesses=with_guesses,
            now=self.round(name),
            teams=public.teams,
        )

    def _read(self, viewer: Actor, round_name: str) -> RoundFacts:
        return reading.round_facts(self._db, self._arena, round_name, viewer)

    def _read_without_guesses(self, viewer: Actor, round_name: str) -> RoundFacts:
        return reading.round_facts(self._db, self._arena, round_name, viewer, with_guesses=False)

    def _rank(self, viewer: Actor, round_name: str) -> RoundBoard:
        return freezing.board(self._arena, self._db, viewer, round_name, self._facts_for_ranking)

    def _facts_for_ranking(self, actor: Actor, round_name: str) -> RoundFacts:
        """Return the facts that a board is made of: before the reveal guesses are none of them."""
        if actor == board_viewer(actor) and self._hides_results(actor, round_name):
            return self._releases(actor, round_name)
        return self.facts(actor, round_name)

    def _lay_out(self, viewer: Actor, round_name: str) -> Matrix:
        return matrix.round_matrix(self.facts(viewer, round_name))


def _place(what: str, viewer: Actor, round_name: str) -> CacheKey:
    return (what, round_name, viewer.judges)


def shared_boards(request: Request, db: Session, arena: Arena) -> SharedBoards:
    """Return what a request reads boards with, where it has not read the rounds yet."""
    return SharedBoards(request, db, arena, frame.rounds_now(request, db, arena))
