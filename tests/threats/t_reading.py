"""Threat 1: reading what is nobody's to read: correspondences, answers, and scores before their time."""

from __future__ import annotations

import io
import logging
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from threats import answers, routes
from threats.world import PHASES, ROLES, ROUND, STAFF, World

from icefire.arena import facts, fire, ice, ids, receipts, sight, store, submitting
from icefire.arena.errors import Refused
from icefire.arena.web import live, templating

ALWAYS_THE_SAME = ("/api/openapi.json", "/api", "/favicon.ico", "/login", "/register")
"""What no clock changes is asked for in one phase only."""


# --- the attack: look at everything, as everybody, all the time


def nobody_is_shown_an_answer(world: World, phases: Sequence[str] = PHASES, roles: Sequence[str] = ROLES) -> None:
    """Ask for every address in every phase as every role: no answer of the server holds a secret."""
    secrets = answers.of(world)
    reached: set[str] = set()
    seen: set[bytes] = set()
    with _listening() as heard:
        for phase in phases:
            world.go(phase)
            for role in roles:
                for path, address in _addresses(world, phase == phases[0]):
                    answer = _ask(world, role, address)
                    assert answer.status_code < 500, f"{role} in {phase}: {address} gave {answer.status_code}"
                    reached |= {path} if answer.status_code == 200 else set()
                    for part, said in answers.parts(answer):
                        if said not in seen:
                            secrets.check(said, f"{role} in {phase}: {address} ({part})")
                            seen.add(said)
                _check_scores(world, phase, role)
    secrets.check(heard.getvalue().encode(), "the server's own log")
    everything = {*routes.reading(world.client.app), routes.STATIC}
    assert set(roles) != set(ROLES) or reached == everything, f"nobody was ever shown {everything - reached}"


def _addresses(world: World, all_of_them: bool) -> Iterator[tuple[str, str]]:
    given = routes.values(world)
    for path in routes.reading(world.client.app):
        if all_of_them or path not in ALWAYS_THE_SAME:
            yield from ((path, address) for address in routes.addresses(path, given))
    if all_of_them:
        yield from ((routes.STATIC, address) for address in routes.static_addresses())


def _ask(world: World, role: str, address: str) -> Any:
    return first_frame(world) if address == routes.EVENTS else world.as_(role).get(address)


SCORES = ("/", "/board", "/matrix", "/pictures", "/team", "/reveal/final", "/api/v1/board", "/api/v1/matrix")
FILES = ("/export/board.csv", "/export/fire.json", "/export/attacks.csv", "/export/matrix.csv", "/export/overall.json")


def _check_scores(world: World, phase: str, role: str) -> None:
    """What teams achieved is shown to the staff, and to everybody only after the reveal."""
    release = world.releases["author"]
    said = b"".join(_ask(world, role, one).content for one in (*SCORES, *FILES, f"/releases/{release}"))
    found = answers.scores_in(said, "team", "sample", "aya")
    if phase == "reveal" or role in STAFF:
        assert found, f"{role} in {phase} should see scores"
    elif phase != "before":  # then the round before is all there is, and it is revealed
        assert not found, f"{role} in {phase} is shown {found}"


def every_change_is_answered_without_an_answer(world: World, roles: Sequence[str] = ROLES) -> None:
    """Send every form as everybody: neither the answer nor the error nor the log holds a secret."""
    bodies = routes.bodies(world)
    assert set(bodies) == set(routes.changing(world.client.app)), "a route is missing in routes.bodies"
    secrets = answers.of(world)
    with _listening() as heard:
        for role in roles:
            for route, sent in bodies.items():
                if route.path not in ("/logout", "/team/leave"):
                    answer = routes.send(world, world.new_browser(role), route, sent)
                    assert answer.status_code < 500, f"{role}: {route} gave {answer.status_code}"
                    for part, said in answers.parts(answer):
                        secrets.check(said, f"{role}: {route} ({part})")
    secrets.check(heard.getvalue().encode(), "the server's own log")


@contextmanager
def _listening() -> Iterator[io.StringIO]:
    """Collect whatever the server writes to its log, of whatever level, traces and all."""
    heard = io.StringIO()
    handler, root = logging.StreamHandler(heard), logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield heard
    finally:
        root.setLevel(before)
        root.removeHandler(handler)


def first_frame(world: World) -> Any:
    """Return what a live page is sent at once; the stream itself has no end."""
    app: Any = world.client.app
    app.state.live = live.Live(world.arena)
    app.state.live.mark = app.state.live._look()
    sent: list[dict[str, Any]] = []

    async def listen() -> None:
        async def receive() -> dict[str, Any]:
            import asyncio

            while not any(one.get("body") for one in sent):
                await asyncio.sleep(0.001)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": routes.EVENTS, "query_string": b"", "headers": []}
        await app({**scope, "http_version": "1.1", "scheme": "http", "server": ("testserver", 80)}, receive, send)

    world.client.portal.call(listen)  # type: ignore[union-attr]
    return _Streamed(sent)


class _Streamed:
    """The beginning of a stream, with what an answer has."""

    def __init__(self, sent: list[dict[str, Any]]) -> None:
        self.status_code = sent[0]["status"]
        self.headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        self.content = b"".join(one.get("body", b"") for one in sent)
        assert b"event: change" in self.content, "the stream said nothing"


# --- where it lies, what it is called, and whether it is told that it is there


def answers_lie_in_the_vault_alone(world: World) -> None:
    """Hand something in and look into every file: only the vault has answers, and it is shut."""
    world.go("anonymise")
    ice.submit(world.arena, world.people["third"], ROUND, world.files(70))
    secrets = answers.of(world)
    vault = world.arena.store.vault
    assert stat.S_IMODE(vault.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in secrets.files)
    for path in sorted(world.arena.folder.rglob("*")):
        if path.is_file() and vault not in path.parents:
            secrets.check(path.read_bytes(), path.relative_to(world.arena.folder))


def absent_and_not_yours_look_the_same(world: World) -> None:
    """Ask for what others have hidden, and for what does not exist: one answer, word by word."""
    world.go("anonymise")
    hidden = {"releases": world.releases["author"], "receipts": world.guesses["other"]}
    for kind, real in hidden.items():
        for path in (f"/{kind}/{{}}", f"/{kind}/{{}}.json", f"/{kind}/{{}}/files/released.csv", f"/api/v1/{kind}/{{}}"):
            browser = world.as_("third")
            said = [browser.get(path.format(one)) for one in (real, routes.NOWHERE)]
            bodies = [one.content.replace(real.encode(), routes.NOWHERE.encode()) for one in said]
            assert said[0].status_code == said[1].status_code == 404, f"{path}: {said[0].status_code}"
            assert bodies[0] == bodies[1], f"{path} tells what is there from what is not"
            assert dict(said[0].headers) == dict(said[1].headers)
    for way in ("/releases/{}/guess", "/releases/{}/withdraw"):
        said = [_blind(world, f"{start}{way}", one) for start in ("", "/api/v1") for one in (real_of(world), None)]
        assert {one.status_code for one in said} == {404}, f"{way} tells what is there from what is not"


def real_of(world: World) -> str:
    return world.releases["author"]


def _blind(world: World, way: str, release: str | None) -> Any:
    name = "answers" if way.startswith("/api") else "guess.csv"
    files = {name: ("x", b"0\n", "text/csv")} if way.endswith("guess") else None
    return world.as_("third").post(way.format(release or routes.NOWHERE), files=files)


def ids_cannot_be_guessed(world: World) -> None:
    """Look at ids: long, different in every place, and none follows from another."""
    some = [*world.releases.values(), *world.guesses.values(), *(ids.new_id() for _ in range(200))]
    assert all(len(one) == 32 and int(one, 16) >= 0 for one in some)
    assert len(set(some)) == len(some)
    for place in range(32):
        assert len({one[place] for one in some}) > 8, f"the letter {place} of an id hardly ever changes"


# --- sabotages


def hand_out_the_truth(patch: Any) -> None:
    real = fire.download

    def leaky(arena: Any, actor: Any, release_id: str) -> Any:
        return {**real(arena, actor, release_id), "truth.csv": arena.store.get("truth", release_id, "truth.csv")}

    patch.setattr(fire, "download", leaky)


def note_the_truth(patch: Any) -> None:
    real = facts._Reader._release

    def leaky(self: Any, one: Any, *more: Any) -> Any:
        truth = _truth(one.id)
        return replace(real(self, one, *more), note=", ".join(truth))

    patch.setattr(facts._Reader, "_release", leaky)


def log_the_truth(patch: Any) -> None:
    real = facts.of

    def leaky(session: Any, arena: Any, round_name: str, actor: Any) -> Any:
        found = real(session, arena, round_name, actor)
        for one in found.releases:
            logging.getLogger("icefire.arena").debug("truth of %s is %s", one.label, _truth(one.id))
        return found

    patch.setattr(facts, "of", leaky)


def _truth(release_id: str) -> list[str]:
    from threats.t_reading import HERE

    return HERE[0].store.get("truth", release_id, "truth.csv").decode().split()


HERE: list[Any] = []


def send_the_truth_live(patch: Any) -> None:
    patch.setattr(live, "mark", lambda *_: " ".join(_truth(HERE[1])))


def sign_the_truth(patch: Any) -> None:
    def leaky(arena: Any, session: Any, release: Any) -> Any:
        made = receipts.Receipt(kind="release", id=release.id, round="", label="", team="", sha256="", at=release.received.isoformat())
        return replace_struct(made, label="-".join(_truth(release.id)))

    patch.setattr(submitting, "release_receipt", leaky)


def replace_struct(one: Any, **changes: Any) -> Any:
    import msgspec

    return msgspec.structs.replace(one, **changes)


def show_everything_to_everybody(patch: Any) -> None:
    patch.setattr(sight.Sight, "players", property(lambda _: True))


def show_sample_attacks(patch: Any) -> None:
    patch.setattr(sight.Sight, "samples", property(lambda _: True))


def tell_the_truth_in_an_error(patch: Any) -> None:
    def leaky(arena: Any, actor: Any, release_id: str, *_: Any) -> Any:
        raise Refused(f"you have no right to {_truth(release_id)}")

    patch.setattr(ice, "withdraw", leaky)


def forget_a_route(patch: Any) -> None:
    patch.setattr(routes, "changing", lambda app: [*routes.every(app)[:0], routes.Route("POST", "/new")])


def keep_no_vault(patch: Any) -> None:
    patch.setattr(store, "SECRET", frozenset())


def tell_what_is_there(patch: Any) -> None:
    def leaky(arena: Any, actor: Any, release_id: str) -> Any:
        if arena.store.has("release", release_id, "released.csv"):
            raise Refused("this is not yours")
        return {}

    patch.setattr(fire, "download", leaky)


def count_ids(patch: Any) -> None:
    made = iter(range(1000))
    patch.setattr(ids, "new_id", lambda: f"{next(made):032x}")


def escape_nothing(patch: Any) -> None:
    patch.setattr(templating._ENVIRONMENT, "autoescape", False)
