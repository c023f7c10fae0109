"""Pages that are drawn before the server answers anybody: whoever comes first does not wait for them."""

from __future__ import annotations

import logging

import pytest
from starlette.testclient import TestClient

from icefire.arena.boards import reading
from icefire.arena.operations import logs, metrics
from icefire.arena.web import first_pages
from icefire.arena.web.app import create_app

pytestmark = pytest.mark.filterwarnings("ignore:Using `httpx` with")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_first_visitor_has_nothing_read_or_drawn_but_the_page_around_it(played, monkeypatch, language):
    with TestClient(create_app(played.arena, worker=False, draws_first=True)) as client:
        kept = set(client.app.state.fragments._values)
        assert kept
        monkeypatch.setattr(reading, "round_facts", _fail)
        for path in (*first_pages.PAGES, *first_pages.API):
            assert client.get(path, headers={"accept-language": language}).status_code == 200, path
        assert set(client.app.state.fragments._values) == kept


def _fail(*_, **__):
    raise AssertionError("a round was read again")


def test_nothing_is_counted_or_written_down_of_it(played, caplog):
    before = _counted()
    with caplog.at_level(logging.DEBUG), TestClient(create_app(played.arena, worker=False, draws_first=True)):
        assert _counted() == before
    assert not [one for one in caplog.records if one.name == logs.ACCESS]


def _counted() -> float:
    every = (sample for family in metrics.PAGE_SECONDS.collect() for sample in family.samples)
    return sum(sample.value for sample in every if sample.name.endswith("_count"))


def test_a_database_that_is_away_keeps_no_server_from_starting(played, monkeypatch, caplog):
    from sqlalchemy.exc import OperationalError

    def away(_arena):
        raise OperationalError("SELECT 1", {}, ConnectionError("nobody is there"))

    monkeypatch.setattr(first_pages.freezing, "keep_up", away)
    with TestClient(create_app(played.arena, worker=False, draws_first=True)) as client:
        assert client.get("/health/live").status_code == 200
