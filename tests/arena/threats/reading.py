"""Threat 1: reading what is nobody's to read: correspondences, answers, and scores before their time."""

from __future__ import annotations

import dataclasses
import io
import itertools
import logging
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from icefire.arena import ids
from icefire.arena.boards import reading, visibility
from icefire.arena.errors import Absent, Refused
from icefire.arena.storage import store
from icefire.arena.submit import fire, ice, receipts
from icefire.arena.web import live
from threats import answers, routes
from threats.story import PHASES, ROUND, STAFF
from threats.streams import first_frame
from threats.world import ROLES, World

ALWAYS_THE_SAME = ("/api/openapi.json", "/api", "/favicon.ico", "/login", "/register", "/account", "/api/v1/key")
"""What no clock changes is asked for in one phase only."""
SEEN_BY_JUDGES = ("/api", "/rules", "/submit", "/team", "/data", "/receipts", "/pictures", "/matrix")
LEFT_OUT = {"judge": ("/api",), "organiser": SEEN_BY_JUDGES, "admin": SEEN_BY_JUDGES}
"""What is asked for in one phase only, too; everybody else leaves out the desk."""
NEW_SESSION = ("/login", "/logout", "/register", "/password", "/account/password")


# --- the attack: look at everything, as everybody, all the time


def nobody_is_shown_an_answer(
    world: World, phases: Sequence[str] = PHASES, roles: Sequence[str] = ROLES, below: str = "/"
) -> None:
    """Ask for every address in every phase as every role: no answer of the server holds a secret."""
    secrets = answers.of(world)
    reached: set[str] = set()
    seen: set[bytes] = set()
    with _listening() as heard:
        for phase, role in itertools.product(phases, roles):
            world.go(phase)
            said = set()
            for path, address in _addresses(world, phase, role, below):
                answer = first_frame(world) if address == routes.EVENTS else world.as_(role).get(address)
                assert answer.status_code < 500, f"{role} in {phase}: {address} gave {answer.status_code}"
                reached |= {path} if answer.status_code == 200 else set()
                for part, text in answers.parts(answer):
                    said.add(text)
                    if text not in seen:
                        secrets.check(text, f"{role} in {phase}: {address} ({part})")
            _check_scores(said, phase, role)
            seen |= said
    secrets.check(heard.getvalue().encode(), "the server's own log")
    everything = {*routes.reading(world.server.app), routes.STATIC}
    assert set(roles) != set(ROLES) or reached == everything, f"nobody was ever shown {everything - reached}"


def _addresses(world: World, phase: str, role: str, below: str) -> Iterator[tuple[str, str]]:
    """What there is to ask for: in one phase with every value of every parameter and everything that never changes.

    In the other phases nobody asks again for what stays closed. The staff see the same all the time, and leave the API
    alone then; organisers and administrators see what judges see, and the desk.
    """
    given, busy = routes.values(world), phase == "attack"
    for path in (one for one in routes.reading(world.server.app) if one.startswith(below)):
        skipped = path in ALWAYS_THE_SAME or path.startswith(LEFT_OUT.get(role, ("/desk",)))
        if busy or not skipped:
            thin = not busy and (role in STAFF or not path.startswith(("/releases", "/api/v1/releases", "/receipts")))
            yield from ((path, address) for address in routes.addresses(path, given, only_one=thin))
    if busy and below == "/":
        yield from ((routes.STATIC, address) for address in routes.static_addresses())


def _check_scores(said: Iterable[bytes], phase: str, role: str) -> None:
    """What attacks achieved is shown to the staff, and to everybody only after the reveal."""
    found = answers.scores_in(b"\n".join(said), "team", "sample", "aya")
    if role in STAFF or phase == "reveal":
        assert len(found) > 3, f"{role} in {phase} should see scores"
    else:
        assert not found, f"{role} in {phase} is shown {found}"


def every_change_is_answered_without_an_answer(world: World, roles: Sequence[str] = ROLES) -> None:
    """Send every form as everybody: neither the answer nor the error nor the log holds a secret."""
    bodies = routes.bodies(world)
    assert set(bodies) == set(routes.changing(world.server.app)), "a route is missing in routes.bodies"
    secrets = answers.of(world)
    with _listening() as heard:
        for role in roles:
            for route, sent in bodies.items():
                if route.path != "/team/leave":
                    browser = world.new_browser(role) if route.path in NEW_SESSION else world.as_(role)
                    answer = routes.send(world, browser, route, sent)
                    assert answer.status_code < 500, f"{role}: {route} gave {answer.status_code}"
                    for part, said in answers.parts(answer):
                        secrets.check(said, f"{role}: {route} ({part})")
    secrets.check(heard.getvalue().encode(), "the server's own log")


@contextmanager
def _listening() -> Iterator[io.StringIO]:
    """Collect whatever the server writes to its log, of whatever level, traces and all."""
    heard = io.StringIO()
    handler, root = logging.StreamHandler(heard), logging.getLogger()
    # The visitor's log is not the server's, and what tables hold is looked at elsewhere.
    levels = {root: logging.DEBUG} | {logging.getLogger(name): logging.WARNING for name in ("httpx", "sqlalchemy")}
    before = {logger: logger.level for logger in levels}
    root.addHandler(handler)
    try:
        for logger, level in levels.items():
            logger.setLevel(level)
        yield heard
    finally:
        for logger, level in before.items():
            logger.setLevel(level)
        root.removeHandler(handler)


# --- where it lies, what it is called, and whether it is told that it is there


def answers_lie_in_the_vault_alone(world: World) -> None:
    """Hand something in and look into every file: only the vault has answers, and it is shut."""
    world.go("anonymise")
    ice.submit(world.arena, world.people["third"], ROUND, world.files(70))
    vault = world.arena.store.vault
    secrets = answers.Secrets(world.tmp / "arena")  # wherever they lie
    assert stat.S_IMODE(vault.stat().st_mode) == 0o700
    for path in sorted(world.arena.folder.rglob("*")):
        if path.is_file() and vault in path.parents:
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, f"{path.name} can be read by others"
        elif path.is_file():
            secrets.check(path.read_bytes(), path.relative_to(world.arena.folder))


def absent_and_not_yours_look_the_same(world: World) -> None:
    """Ask for what others have hidden, and for what does not exist: one answer, word by word."""
    world.go("anonymise")
    withdrawn, listed, guess = world.releases["withdrawn"], world.releases["author"], world.guesses["other"]
    hidden = {
        "/releases/{}": withdrawn,
        "/api/v1/releases/{}": withdrawn,
        "/releases/{}/files/released.csv": listed,
        "/api/v1/releases/{}/files/released.csv": listed,
        "/releases/{}/withdraw": listed,
        "/receipts/{}": guess,
        "/receipts/{}.json": guess,
        "/api/v1/receipts/{}": guess,
    }
    for path, real in hidden.items():
        _check_alike(path, *(world.as_("third").get(path.format(one)) for one in (real, routes.NOWHERE)))
    for path in ("/releases/{}/guess", "/releases/{}/withdraw"):
        for way in (path, f"/api/v1{path}"):
            _check_alike(way, *(_send_blindly(world, way.format(one)) for one in (withdrawn, routes.NOWHERE)))


def _check_alike(path: str, *said: Any) -> None:
    bodies = {re.sub(rb"[0-9a-f]{32}", b"*", one.content) for one in said}
    assert {one.status_code for one in said} == {404}, f"{path}: {[one.status_code for one in said]}"
    assert len(bodies) == 1, f"{path} tells what is there from what is not"
    assert len({str(answers.headers_of(one)) for one in said}) == 1, f"{path} has other headers"


def _send_blindly(world: World, way: str) -> Any:
    name = "answers" if way.startswith("/api") else "guess.csv"
    return world.as_("third").post(way, files={name: ("x", b"0\n", "text/csv")} if way.endswith("guess") else None)


def ids_cannot_be_guessed(world: World) -> None:
    """Look at ids: long, different in every place, and none follows from another."""
    some = [*world.releases.values(), *world.guesses.values(), *(ids.new_id() for _ in range(200))]
    assert all(len(one) == 32 and int(one, 16) >= 0 for one in some)
    assert len(set(some)) == len(some)
    for place in range(32):
        assert len({one[place] for one in some}) > 8, f"the letter {place} of an id hardly ever changes"


# --- sabotages


def hand_out_the_truth(world: World) -> None:
    real = fire.download

    def leaky(arena: Any, actor: Any, release_id: str) -> Any:
        return {**real(arena, actor, release_id), "truth.csv": arena.store.get("truth", release_id, "truth.csv")}

    world.patch.setattr(fire, "download", leaky)


def note_the_truth(world: World) -> None:
    real = reading._Reader._release

    def leaky(self: Any, one: Any, *more: Any) -> Any:
        return replace(real(self, one, *more), note=", ".join(_truth(world, one.id)))

    world.patch.setattr(reading._Reader, "_release", leaky)


def log_the_truth(world: World) -> None:
    real = fire.download

    def leaky(arena: Any, actor: Any, release_id: str) -> Any:
        logging.getLogger("icefire.arena").debug("truth of %s is %s", release_id, _truth(world, release_id))
        return real(arena, actor, release_id)

    world.patch.setattr(fire, "download", leaky)


def _truth(world: World, release_id: str) -> list[str]:
    return world.arena.store.get("truth", release_id, "truth.csv").decode().split()


def send_the_truth_live(world: World) -> None:
    world.patch.setattr(live, "mark", lambda *_, **__: " ".join(_truth(world, world.releases["author"])))


def sign_the_truth(world: World) -> None:
    real = receipts.release_receipt

    def leaky(arena: Any, session: Any, release: Any) -> Any:
        return dataclasses.replace(real(arena, session, release), label="-".join(_truth(world, release.id)))

    world.patch.setattr(receipts, "release_receipt", leaky)


def tell_the_truth_in_an_error(world: World) -> None:
    def leaky(arena: Any, actor: Any, release_id: str) -> Any:
        raise Refused(f"you have no right to {_truth(world, release_id)}")

    world.patch.setattr(ice, "withdraw", leaky)


def show_players_results(world: World) -> None:
    world.patch.setattr(visibility.Visibility, "players", property(lambda _: True))


def show_sample_attacks(world: World) -> None:
    world.patch.setattr(visibility.Visibility, "samples", property(lambda _: True))


def add_a_route_to_read(world: World) -> None:
    real = routes.reading
    world.patch.setattr(routes, "reading", lambda app: [*real(app), "/vault/{secret_id}"])


def add_a_route_that_tells(world: World) -> None:
    """A route nobody has told the tests about."""
    told = Response(" ".join(_truth(world, world.releases["author"])))
    app = world.server.app
    world.patch.setattr(app.router, "routes", [*app.router.routes, Route("/everything", lambda _: told)])


def add_a_route_to_write(world: World) -> None:
    real = routes.changing
    world.patch.setattr(routes, "changing", lambda app: [*real(app), routes.Route("POST", "/vault")])


def keep_no_vault(world: World) -> None:
    world.patch.setattr(store, "SECRET", frozenset())


def tell_what_is_there(world: World) -> None:
    def leaky(arena: Any, actor: Any, release_id: str) -> Any:
        if arena.store.has("release", release_id, "released.csv"):
            raise Refused("this is not yours")
        raise Absent

    world.patch.setattr(fire, "download", leaky)


def let_anybody_look(world: World) -> None:
    world.patch.setattr(visibility.Visibility, "listed", lambda *_: True)


def count_ids(world: World) -> None:
    made = iter(range(1000))
    world.patch.setattr(ids, "new_id", lambda: f"{next(made):032x}")
