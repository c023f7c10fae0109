"""Whether the server lives and is ready, its metrics, and the ids of requests."""

from __future__ import annotations

import logging
import re
import shutil
from collections import namedtuple

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient
from support.arena.fixtures import player, release_files
from support.arena.played import run_here
from support.arena.web import web  # noqa: F401

from icefire.arena.judge import judging, sandbox, worker
from icefire.arena.operations import logs
from icefire.arena.submit import ice
from icefire.arena.web.app import create_app
from icefire.core.errors import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore:Using `httpx` with")
LOCAL = ("127.0.0.1", 50000)


@pytest.fixture
def here(arena):
    """A program on the server's own machine."""
    with TestClient(create_app(arena, worker=False), raise_server_exceptions=False, client=LOCAL) as client:
        yield client


def samples(client) -> dict[str, float]:
    """Return the metrics by their names and labels."""
    answer = client.get("/metrics").raise_for_status()
    found = [one for family in text_string_to_metric_families(answer.text) for one in family.samples]
    return {f"{one.name}{sorted(one.labels.values())}": one.value for one in found}


def test_a_server_lives_and_is_ready(web):
    assert web.get("/health/live").json() == {"status": "live"}
    assert web.get("/health/ready").json() == {"status": "ready"}


def test_without_its_database_it_lives_and_is_not_ready(arena, web, monkeypatch):
    from sqlalchemy.exc import OperationalError

    def down():
        raise OperationalError("SELECT 1", {}, Exception("connection refused"))

    monkeypatch.setattr(type(arena.database.engine), "connect", lambda self: down())
    assert web.get("/health/live").status_code == 200
    answer = web.get("/health/ready")
    assert answer.status_code == 503
    assert answer.json() == {"status": "not ready", "missing": ["database"]}
    assert "refused" not in answer.text


def test_with_a_full_disk_it_is_not_ready(web, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(1, 1, 0))
    assert web.get("/health/ready").json()["missing"] == ["disk"]


def test_metrics_tell_of_the_queue_submissions_judging_and_pages(arena, original, here, monkeypatch):
    monkeypatch.setattr(sandbox, "run_task", run_here)
    team, before = player(arena, "one", "One"), samples(here)
    ice.submit(arena, team, "final", release_files(original, 1))
    with pytest.raises(Exception, match="submission has the files"):
        ice.submit(arena, team, "final", {})
    here.get("/board")
    after = samples(here)
    change = {name: value - before.get(name, 0) for name, value in after.items()}
    assert after["icefire_queue_jobs['judge', 'waiting']"] == 1
    assert after["icefire_queue_oldest_seconds[]"] == 0
    assert change["icefire_submissions_total['release', 'taken']"] == 1
    assert change["icefire_submissions_total['refused', 'release']"] == 1
    assert change["icefire_page_seconds_count['/board', '200', 'GET']"] == 1
    assert after["icefire_event_streams[]"] == 0
    assert after["icefire_disk_free_bytes[]"] > 0
    arena.clock.set(arena.now().replace(hour=13))
    assert samples(here)["icefire_queue_oldest_seconds[]"] == 3600
    worker.finish(arena)
    done = samples(here)
    assert done["icefire_queue_jobs['judge', 'waiting']"] == 0
    assert done["icefire_judge_seconds_count['judge']"] - after.get("icefire_judge_seconds_count['judge']", 0) == 1


def test_pages_and_the_api_are_timed_apart(here):
    before = samples(here)
    here.get("/board")
    here.get("/api/v1/board")
    here.get("/api/v1/releases/" + 32 * "a")
    change = {name: value - before.get(name, 0) for name, value in samples(here).items()}
    for route, status in (("/board", 200), ("/api/v1/board", 200), ("/api/v1/releases/{release_id}", 404)):
        assert change[f"icefire_page_seconds_count['{route}', '{status}', 'GET']"] == 1, route


def test_a_failure_of_the_judge_is_counted_and_its_job_postponed(arena, original, here, monkeypatch):
    monkeypatch.setattr(sandbox, "run_task", run_here)
    ice.submit(arena, player(arena, "one", "One"), "final", release_files(original, 1))
    before = samples(here)

    def broken(arena, about):
        raise RuntimeError("out of memory")

    monkeypatch.setitem(judging.RUN, "judge", broken)
    worker.finish(arena)
    after = samples(here)
    failures = "icefire_judge_failures_total['judge']"
    assert after[failures] - before.get(failures, 0) == 1
    assert after["icefire_queue_jobs['judge', 'postponed']"] == 1


def test_metrics_are_for_this_machine_alone(arena, here):
    assert here.get("/metrics").status_code == 200
    for header in ("X-Forwarded-For", "Forwarded", "X-Real-IP"):  # it came through a proxy on this machine
        assert here.get("/metrics", headers={header: "127.0.0.1"}).status_code == 404
    app = create_app(arena, worker=False, metrics_from=("172.16.0.0/12",))
    for host, status in (("172.17.0.5", 200), ("::ffff:172.17.0.5", 200), ("127.0.0.1", 404), ("203.0.113.9", 404)):
        with TestClient(app, client=(host, 50000)) as client:
            assert client.get("/metrics").status_code == status, host
    with pytest.raises(ParameterError, match="metrics_from has 'nowhere'"):
        create_app(arena, worker=False, metrics_from=("nowhere",))


def test_every_answer_has_an_id_that_its_log_lines_have_too(arena, web, caplog):
    seen = []
    handler = logging.Handler()
    handler.emit = lambda record: seen.append((logs.REQUEST.get(), record))
    logger = logging.getLogger(logs.ACCESS)
    logger.addHandler(handler)
    try:
        with caplog.at_level(logging.INFO, logs.ACCESS):
            answers = [web.get(path) for path in ("/board", "/releases/" + 32 * "a", "/nothing/here?code=secret")]
    finally:
        logger.removeHandler(handler)
    assert [request for request, _ in seen] == [answer.headers["x-request-id"] for answer in answers]
    assert len({request for request, _ in seen}) == 3
    assert [record.route for _, record in seen] == ["/board", "/releases/{release_id}", "none"]
    assert [record.status for _, record in seen] == [200, 404, 404]
    assert "secret" not in " ".join(record.getMessage() for _, record in seen)


def test_the_id_of_a_proxy_is_kept_only_behind_one(arena, web):
    given = {"X-Request-ID": "proxy-0123456789"}
    assert web.get("/board", headers=given).headers["x-request-id"] != "proxy-0123456789"
    with TestClient(create_app(arena, worker=False, behind_proxy=("127.0.0.1",))) as proxied:
        assert proxied.get("/board", headers=given).headers["x-request-id"] == "proxy-0123456789"
        odd = proxied.get("/board", headers={"X-Request-ID": "a b<script>"}).headers["x-request-id"]
        assert re.fullmatch("[0-9a-f]{16}", odd)


def test_probes_and_streams_leave_no_line(web, caplog):
    with caplog.at_level(logging.INFO, logs.ACCESS):
        for path in ("/health/live", "/health/ready", "/metrics"):
            web.get(path)
    assert not [record for record in caplog.records if record.name == logs.ACCESS and record.route != "/metrics"]
