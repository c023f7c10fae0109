"""Threat 20: answers without their headers, and failures that tell too much."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import text

from icefire.arena.boards import reading
from icefire.arena.errors import Absent
from icefire.arena.judge import judging, sandbox, worker
from icefire.arena.judge.sandbox import JudgeFailed
from icefire.arena.storage.tables import JobRow, ReleaseRow
from icefire.arena.submit import ice
from icefire.arena.web import error_pages, round_choice, security
from threats import answers, routes
from threats.story import ROUND
from threats.streams import first_frame
from threats.world import World


def every_answer_is_wrapped(world: World) -> None:
    """Look at the headers of every answer, also where something is refused, wrong or broken."""
    paths = [next(routes.addresses(path, routes.values(world))) for path in routes.reading(world.server.app)]
    for path in (*paths, "/nowhere", "/api/v1/nowhere", "/static/arena.css"):
        for role in ("anonymous", "admin"):
            answer = first_frame(world) if path == routes.EVENTS else world.as_(role).get(path)
            _check_headers(f"{role} {path}", answer.headers)
    _check_headers("another method", world.as_("admin").send("PUT", "/board").headers)
    broken = world.as_("admin").send("POST", "/submit", content=b"\xff", headers={"content-type": "x"})
    _check_headers("a broken form", broken.headers)


def _check_headers(where: str, headers: Any) -> None:
    policy = headers.get("content-security-policy", "")
    rules = {part.strip().partition(" ")[0]: part for part in policy.split(";")}
    assert rules.get("default-src") == "default-src 'none'", f"{where} has no content policy"
    assert not any(loose in policy for loose in ("unsafe", "*", "http")), f"{where}: {policy}"
    assert {"frame-ancestors", "form-action", "base-uri"} <= set(rules), f"{where}: {policy}"
    assert headers.get("x-content-type-options") == "nosniff", f"{where} may be taken for something else"
    assert headers.get("referrer-policy") == "no-referrer", f"{where} tells where one comes from"
    kept = headers.get("cache-control", "")
    assert "static" in where or "no-store" in kept, f"{where} may be kept by others: {kept}"
    assert "server" not in headers, f"{where} tells what the server is"


def failures_tell_nothing(world: World) -> None:
    """Break the program, the judge and the database: pages, tables and the log say nothing of what is inside."""
    _break_a_page(world)
    _break_the_judge(world)
    _break_the_database(world)


INSIDE = ("Traceback", "RuntimeError", "boom", 'File "', "site-packages", "sqlite3.", "SELECT ", "INSERT ")


def _check_quiet(where: str, said: str) -> None:
    found = [one for one in INSIDE if one in said]
    assert not found, f"{where} shows {found}"


def _break_a_page(world: World) -> None:
    def boom(*_: Any) -> Any:
        raise RuntimeError("boom in a secret place")

    real = reading.round_facts
    world.patch.setattr(reading, "round_facts", boom)
    for path in (f"/releases/{world.releases['author']}", f"/api/v1/releases/{world.releases['author']}"):
        answer = world.as_("other").get(path)
        assert answer.status_code == 500
        _check_quiet(path, answer.text)
    world.patch.setattr(reading, "round_facts", real)


def _break_the_judge(world: World) -> None:
    """Have the judge fail over a release, saying the truth as it does."""
    world.go("anonymise")
    release = ice.submit(world.arena, world.people["third"], ROUND, world.files(90)).id
    truth = world.arena.store.get("truth", release, "truth.csv").decode().split()
    real = sandbox.run_task

    def fails(*_: Any, **__: Any) -> Any:
        raise JudgeFailed(f'Traceback\n  File "judge.py"\nRuntimeError: boom\n[{" ".join(truth)}]')

    world.patch.setattr(sandbox, "run_task", fails)
    worker.finish(world.arena)
    world.patch.setattr(sandbox, "run_task", real)
    for phase, role in (("anonymise", "third"), ("reveal", "third"), ("reveal", "anonymous"), ("reveal", "judge")):
        world.go(phase)
        for path in (f"/releases/{release}", "/export/releases.csv", "/team", "/board", "/api/v1/releases"):
            _check_quiet(f"{role} {path}", world.as_(role).get(path).text)
    secrets = answers.Secrets(world.arena.store.vault)
    for path in ("/desk/queue", "/desk/submissions", "/desk/doctor", "/desk/log"):
        said = world.as_("admin").get(path)
        assert path != "/desk/queue" or "boom" in said.text, "the staff should see why"
        secrets.check(said.content, path)


def _break_the_database(world: World) -> None:
    """Have the database refuse something: neither the answer nor the log shows what was being stored."""
    with world.arena.database.engine.begin() as connection:
        connection.execute(text("CREATE TRIGGER no BEFORE INSERT ON token BEGIN SELECT RAISE(ABORT, 'full'); END"))
    heard = io.StringIO()
    handler = logging.StreamHandler(heard)
    logging.getLogger().addHandler(handler)
    answer = world.as_("author").post("/account/tokens", {"name": "label nobody should read"})
    logging.getLogger().removeHandler(handler)
    assert answer.status_code == 500
    _check_quiet("a page without its database", answer.text)
    assert "label nobody" not in heard.getvalue(), "the server's log shows what was being stored"
    assert "full" in heard.getvalue(), "the server's log should say why"


ODD = ("final%00", "%ED%A0%80", "..%2f..%2f%3Cx%3E%27%22", "x" * 3000, "%F0%9D%95%8F", "-1")


def odd_requests_are_no_failure(world: World, paths: Sequence[str] = ()) -> None:
    """Ask for odd things everywhere: whatever comes, the program does not fail."""
    for path in paths or (*routes.reading(world.server.app), "/matrix?rows={odd}", "/desk/log?before={odd}"):
        for odd in ODD:
            query = "" if "{" in path else f"?round={odd}&team={odd}&lang={odd}&next={odd}"
            address = re.sub(r"\{\w+\}", odd, path) + query
            if not address.startswith(routes.EVENTS):
                status = world.as_("admin").get(address).status_code
                assert status < 500, f"{address[:80]} gave {status}"
    odd_fields = {"phase": "x", "do": "x", "seen": "9" * 99, "uses": "9" * 99, "minutes": "9" * 99, "role": "x"}
    for route in routes.bodies(world):
        address = next(routes.addresses(route.path, routes.values(world)))
        way = {"method": route.method} if route.path.startswith("/api/") else {}
        status = world.as_("admin").post(address, odd_fields, **way).status_code
        assert status < 500, f"{route} gave {status}"


# --- sabotages


def have_no_policy(world: World) -> None:
    world.patch.delitem(security.HEADERS, "content-security-policy")


def allow_inline_scripts(world: World) -> None:
    loose = security.POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")
    world.patch.setitem(security.HEADERS, "content-security-policy", loose)


def let_browsers_guess(world: World) -> None:
    world.patch.delitem(security.HEADERS, "x-content-type-options")


def let_others_keep_pages(world: World) -> None:
    world.patch.setitem(security.HEADERS, "cache-control", "public")


def show_what_failed(world: World) -> None:
    world.patch.setitem(error_pages.GENERAL, 500, "Traceback (most recent call last): RuntimeError: boom")


def quote_the_judge(world: World) -> None:
    def loud(session: Any, job: Any, _: str) -> None:
        session.refresh(job := session.get_one(JobRow, job.id))
        session.get_one(ReleaseRow, job.about).note = job.error

    world.patch.setattr(judging, "_tell_team", loud)


def quote_the_answers_to_the_staff(world: World) -> None:
    world.patch.setattr(judging, "_without_answers", lambda words: words)


def log_what_is_stored(world: World) -> None:
    world.patch.setattr(world.arena.database.engine, "hide_parameters", False)


def fail_over_unknown_rounds(world: World) -> None:
    def chosen(session: Any, arena: Any, name: str) -> Any:
        try:
            return real(session, arena, name)
        except Absent:
            raise KeyError(name) from None

    real = round_choice.choose_round
    world.patch.setattr(round_choice, "choose_round", chosen)
