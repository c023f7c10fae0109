"""Lines of the server's log, as text and as JSON."""

from __future__ import annotations

import json
import logging

import pytest

from icefire.arena.operations import logs


def test_a_line_of_json_has_the_request_and_its_figures(capsys):
    logs.configure("json", access=True)
    token = logs.REQUEST.set("0123456789abcdef")
    extra = {"method": "GET", "route": "/board", "status": 200, "ms": 1.5, "bytes": 10}
    logging.getLogger(logs.ACCESS).info("GET %s", "/board", extra=extra)
    logs.REQUEST.reset(token)
    line = json.loads(capsys.readouterr().err)
    assert line.pop("time").endswith("Z")
    expected = {"level": "info", "logger": logs.ACCESS, "request": "0123456789abcdef", "message": "GET /board"}
    assert line == {**expected, **extra}


@pytest.mark.parametrize("kind", ["text", "json"])
def test_the_trace_of_an_exception_is_written_with_its_request(capsys, kind):
    logs.configure(kind, access=False)
    token = logs.REQUEST.set("request-1")
    try:
        raise ValueError("of this one")
    except ValueError:
        logging.getLogger("icefire.arena").exception("it failed")
    logs.REQUEST.reset(token)
    written = capsys.readouterr().err
    assert "request-1" in written
    assert "it failed" in written
    assert "ValueError: of this one" in written
    assert (written.count("\n") == 1) is (kind == "json")


def test_without_the_access_log_requests_are_not_written(capsys):
    logs.configure("text", access=False)
    logging.getLogger(logs.ACCESS).info("GET /")
    logging.getLogger("sqlalchemy").info("SELECT 1")
    assert capsys.readouterr().err == ""
    logs.configure("text", access=True)
    logging.getLogger(logs.ACCESS).info("GET /")
    assert f" INFO - {logs.ACCESS}: GET /\n" in capsys.readouterr().err
