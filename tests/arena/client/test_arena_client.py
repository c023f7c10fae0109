"""The client of the API: servers it cannot use, and names it does not trust."""

from __future__ import annotations

import pytest

from icefire.arena.client import Client, Unreachable, safe_name
from icefire.core.errors import InputError


def test_a_server_that_is_none_is_told_in_one_line():
    import httpx

    with pytest.raises(Unreachable, match="cannot be reached"):
        Client("http://127.0.0.1:9").contest()
    for answer, said in (
        (httpx.Response(404, text="<html>"), "is no arena"),
        (httpx.Response(200, text="<html>"), "is no arena"),
        (httpx.Response(200, json=[]), "is no arena"),
        (httpx.Response(301, headers={"location": "https://example.test/"}), "sends on to 'https://example.test/'"),
    ):
        page = httpx.Client(transport=httpx.MockTransport(lambda request, answer=answer: answer))
        with pytest.raises(Unreachable, match=said):
            Client("http://example.test", http=page).contest()
    for bad in ("ftp://x", "http://", "file:///etc/passwd", "http://a:b@host"):
        with pytest.raises(InputError, match="no address"):
            Client(bad)


def test_names_from_a_server_lead_nowhere():
    for bad in ("../../x.csv", "/etc/passwd", "a/b", "..", "", "C:\\x"):
        shown = safe_name(bad)
        assert "/" not in shown
        assert "\\" not in shown
        assert not shown.startswith(".")
        assert shown
    assert safe_name("released.csv") == "released.csv"
