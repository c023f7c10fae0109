"""Threat 12: requests that another site makes a browser send."""

from __future__ import annotations

import secrets as chance
from typing import Any

from icefire.arena import ids
from icefire.arena.web import csrf
from threats import routes
from threats.world import World

FORGED = ("not from here", "another site")
FOR_VISITORS = ("/login", "/register", "/password")
NO_COOKIE_NEEDED = "/api/v1/tokens"
"""This one goes by name and password alone, whatever cookie comes with it."""


def a_forged_request_changes_nothing(world: World) -> None:
    """Send everything that changes something as another site would: nothing changes, and it is said why."""
    world.add("lonely")
    world.add("fresh", "Fresh")
    bodies = routes.bodies(world)
    assert set(bodies) == set(routes.changing(world.server.app)), "a route is missing in routes.bodies"
    stranger, before = world.new_browser("judge").csrf, world.state()
    for route, sent in bodies.items():
        if route.path == NO_COOKIE_NEEDED:
            continue
        world.go("anonymise" if route.path == "/submit" else "attack")  # which is looked at before the form is read
        browser = world.as_(sent.role)
        for sender in (browser, world.as_("anonymous")) if route.path in FOR_VISITORS else (browser,):
            for how, more in _forgeries(stranger).items():
                answer = routes.send(world, sender, route, sent, **more)
                assert answer.status_code == 403, f"{route} {how}: {answer.status_code}"
                assert any(said in answer.text for said in FORGED), f"{route} {how} was refused for another reason"
        plain = browser.get(next(routes.addresses(route.path, routes.values(world))), params=sent.data)
        assert plain.status_code < 500, f"GET {route.path}: {plain.status_code}"
    changed = [name for name, rows in world.state().items() if rows != before[name]]
    assert not changed, f"forged requests changed {changed}"


def _forgeries(stranger: str) -> dict[str, dict[str, Any]]:
    return {
        "without a token": {"csrf": ""},
        "with another session's token": {"csrf": stranger},
        "with a token that is no ASCII": {"csrf": "тайна\N{SNOWMAN}"},
        "from another site": {"headers": {"sec-fetch-site": "cross-site"}},
        "from a sister site": {"headers": {"sec-fetch-site": "same-site"}},
        "from another origin": {"headers": {"origin": "https://evil.example"}},
    }


def only_tokens_need_no_proof(world: World) -> None:
    """A program with a token needs no proof that it was meant; the same request with a cookie does."""
    body, path = {"text": "hello"}, "/api/v1/announcements"
    token = {"authorization": f"Bearer {world.token('admin')}"}
    forged = world.as_("admin").send("POST", path, json=body)
    assert forged.status_code == 403, f"a cookie alone was enough: {forged.status_code}"
    both = world.as_("author").send("POST", path, json=body, headers=token)
    assert both.status_code == 201, "a program is shut out"
    other = world.as_("admin").send("POST", path, json=body, headers={"authorization": "Basic x"})
    assert other.status_code == 403, "anything in the place of a token is taken for one"


# --- sabotages


def believe_every_form(world: World) -> None:
    world.patch.setattr(csrf, "check_csrf", lambda *_: None)


def believe_every_site(world: World) -> None:
    world.patch.setattr(csrf, "check_site", lambda *_: None)


def believe_any_token(world: World) -> None:
    world.patch.setattr(ids, "same", lambda one, other: len(one) == len(other))


def compare_ascii_only(world: World) -> None:
    world.patch.setattr(ids, "same", lambda one, other: chance.compare_digest(one, other))
