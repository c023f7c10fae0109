"""Every way into the application: found in the application itself, so that a new one cannot be forgotten."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from icefire.arena.boards import exports
from icefire.arena.web import assets
from threats.story import PASSWORD, ROUND
from threats.world import World

SAFE = ("GET", "HEAD")
NOWHERE = "0" * 32
EVENTS = "/events"
METRICS = "/metrics"
"""For operators on the machine itself: it counts every request and so moves with each."""
STATIC = "/static"


@dataclass(frozen=True)
class Route:
    """A method and a path with its parameters in braces."""

    method: str
    path: str


def every(app: Any) -> list[Route]:
    """Return all routes of an application; what is no plain route must be the static files."""
    from fastapi import routing

    walk: Callable[..., Any] = getattr(routing, "iter_route_contexts", iter)
    found = []
    for one in walk(app.routes):
        methods = getattr(one, "methods", None)
        assert methods or one.path == STATIC, f"{one.path}: what is this, and what may it show?"
        found += [Route(method, one.path) for method in sorted(methods or ())]
    return found


def reading(app: Any) -> list[str]:
    """Return the paths that can be looked at."""
    return [one.path for one in every(app) if one.method == "GET"]


def changing(app: Any) -> list[Route]:
    """Return the routes that may change something."""
    return [one for one in every(app) if one.method not in SAFE]


def values(world: World) -> dict[str, list[str]]:
    """Return what to put in place of each parameter of a path."""
    return {
        "release_id": [world.releases["author"], world.releases["withdrawn"]],
        "submission_id": [world.releases["author"], world.guesses["other"]],
        "name": ["released.csv", "truth.csv", "correspondence.csv"],
        "original": ["original.csv"],
        "round_name": [ROUND],
        "what": [*exports.OF_A_ROUND, *exports.OF_ALL],
        "table": ["attacks", "matrix"],
        "team_id": [world.people["author"].team_id or ""],
        "account_id": [world.people["third"].account_id or ""],
        "token_id": [NOWHERE],
    }


ANOTHER = {
    "/export/{what}.json": ("what", "table"),
    "/api/v1/export/{what}": ("what", "table"),
    "/data/{round_name}/{name}": ("name", "original"),
    "/api/v1/data/{round_name}/{name}": ("name", "original"),
}
"""Where a parameter means something else than elsewhere, or has been tried elsewhere with every value."""
QUERIES = {
    "/desk/log": ["verify=yes", "before=12"],
    "/export/{what}.csv": ["only=mine", "round=preliminary"],
    "/api/v1/export/{what}": ["format=json"],
    "/matrix": ["state=submitted", "team=Ice", "round=preliminary"],
    "/board": ["round=preliminary", "lang=ja"],
    "/login": ["next=/desk"],
}
"""Other ways to ask for a page, beside the plain one."""


def addresses(path: str, given: dict[str, list[str]], only_one: bool = False) -> Iterator[str]:
    """Give the addresses of a path, every parameter filled with every value there is for it, or with one."""
    plain = path.replace(*(f"{{{name}}}" for name in ANOTHER[path])) if path in ANOTHER else path
    names = re.findall(r"\{(\w+)\}", plain)
    unknown = set(names) - set(given)
    assert not unknown, f"{path}: say in routes.values what {unknown} may be"
    assert plain.count("{") == len(names), f"{path} has a parameter of a kind that is not known here"
    every_way = [
        plain.format(**dict(zip(names, some, strict=True))) for some in itertools.product(*map(given.get, names))
    ]
    yield from every_way[:1] if only_one else every_way
    if not only_one:
        yield from (f"{every_way[0]}?{query}" for query in QUERIES.get(path, ()))


def static_addresses() -> Iterator[str]:
    """Give the static files, and ways that must not lead out of their folder."""
    yield from (f"{STATIC}/{path.name}" for path in sorted(assets.STATIC.iterdir()) if path.is_file())
    for out in ("../app.py", "..%2f..%2fstore.py", "%2e%2e/%2e%2e/store.py", "..\\app.py", "%2fetc%2fpasswd"):
        yield f"{STATIC}/{out}"


@dataclass(frozen=True)
class Sent:
    """A request that would change something: by whom, and with what."""

    role: str = "admin"
    data: dict[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    json: dict[str, Any] | None = None


def bodies(world: World) -> dict[Route, Sent]:
    """Return a request for every route that may change something, sent by somebody who may do so."""
    team, release = world.people["third"].team_id or "", world.releases["author"]
    api = "/api/v1"
    pages = {
        "/login": Sent(data={"name": "ann", "password": PASSWORD}),
        "/register": Sent(data={"name": "newcomer", "password": PASSWORD}),
        "/password": Sent(data={"code": "wrong", "new": PASSWORD}),
        "/logout": Sent("author"),
        "/account/password": Sent("author", {"old": PASSWORD, "new": PASSWORD * 2}),
        "/account/tokens": Sent("author", {"name": "laptop"}),
        "/account/tokens/{token_id}/remove": Sent("author"),
        "/terms": Sent("author", {"sha256": "0" * 64}),
        "/team/found": Sent("lonely", {"name": "Newcomers"}),
        "/team/join": Sent("lonely", {"code": "wrong"}),
        "/team/invite": Sent("author"),
        "/team/leave": Sent("author"),
        "/team/rename": Sent("author", {"name": "Other name"}),
        "/team/members/{account_id}/remove": Sent("author"),
        "/team/members/{account_id}/captain": Sent("author"),
        "/releases/{release_id}/guess": Sent("fresh", files=("guess.csv",)),
        "/releases/{release_id}/withdraw": Sent("author"),
        "/submit": Sent("author", {"round": ROUND}, ("released.csv", "correspondence.csv")),
        "/reveal/{round_name}": Sent(data={"do": "step"}),
        "/desk/teams/{team_id}/disqualify": Sent(data={"reason": "cheating"}),
        "/desk/teams/{team_id}/reinstate": Sent(),
        "/desk/teams/{team_id}/division": Sent(data={"division": "students"}),
        "/desk/accounts": Sent(data={"name": "made", "role": "player"}),
        "/desk/accounts/{account_id}/password": Sent(),
        "/desk/accounts/{account_id}/link": Sent(),
        "/desk/accounts/people": Sent(files=("people.csv",)),
        "/desk/accounts/{account_id}/role": Sent(data={"role": "player"}),
        "/desk/accounts/{account_id}/disabled": Sent(data={"disabled": "yes"}),
        "/desk/accounts/{account_id}/lockout": Sent(),
        "/desk/lockouts": Sent(),
        "/desk/accounts/invites": Sent(data={"uses": "1"}),
        "/desk/fingerprints": Sent(data={"round_name": "preliminary"}),
        "/desk/phases/{round_name}/move": Sent(data={"phase": "reveal", "now": "yes", "confirmed": "yes"}),
        "/desk/phases/{round_name}/undo": Sent(),
        "/desk/phases/{round_name}/extend": Sent(data={"phase": "reveal", "minutes": "10"}),
        "/desk/messages": Sent(),
        "/desk/pause": Sent(),
        "/desk/resume": Sent(),
        "/desk/announcements": Sent(data={"text": "hello"}),
        "/desk/rescore": Sent(data={"round_name": ROUND}),
        "/desk/bundle": Sent(),
        f"{api}/releases": Sent("author", {"round": ROUND}, ("released", "correspondence")),
        f"{api}/releases/{{release_id}}/withdraw": Sent("author"),
        f"{api}/releases/{{release_id}}/guess": Sent("fresh", files=("answers",)),
        f"{api}/terms": Sent("author", json={"sha256": "0" * 64}),
        f"{api}/tokens": Sent(json={"name": "ann", "password": PASSWORD}),
        f"{api}/accounts": Sent(json={"people": [{"name": "By program", "team": "Programs"}]}),
        f"{api}/accounts/{{account_id}}/link": Sent(),
        f"{api}/announcements": Sent(json={"text": "hello"}),
        f"{api}/phases": Sent(json={"round": ROUND, "phase": "reveal", "minutes": 5}),
        f"{api}/pause": Sent(),
        f"{api}/resume": Sent(),
        f"{api}/disqualify": Sent(json={"team": team, "reason": "cheating"}),
        f"{api}/reinstate": Sent(json={"team": team}),
        f"{api}/rescore": Sent(json={"release": release}),
    }
    found = {Route("POST", path): sent for path, sent in pages.items()}
    return {**found, Route("DELETE", f"{api}/tokens/{{token_id}}"): Sent("author")}


def send(world: World, browser: Any, route: Route, sent: Sent, **more: Any) -> Any:
    """Send a request to the first address of a route; `more` says how it differs from what our pages send."""
    address = next(addresses(route.path, values(world)))
    content = {**world.files(7), "guess.csv": b"0\n" * 30, "answers": b"0\n" * 30}
    content["people.csv"] = b"name,team\nNew one,New team\n"
    files = {name: (f"{name}", content.get(name) or content[f"{name}.csv"], "text/csv") for name in sent.files}
    body: dict[str, Any] = {"json": sent.json} if sent.json is not None else {"data": dict(sent.data)}
    if files:
        body["files"] = files
    if route.method == "DELETE":
        return browser.post(address, method="DELETE", **more)
    if sent.json is not None:
        return browser.post(address, json=sent.json, **more)
    return browser.post(address, body["data"], **({"files": files} if files else {}), **more)
