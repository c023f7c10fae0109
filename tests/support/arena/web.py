"""What tests of pages and doors begin with: a browser without a window, and passwords that hash quickly."""

from __future__ import annotations

import re
import threading
import time

import pytest
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from icefire.arena.auth import accounts, passwords
from icefire.arena.web.app import create_app

pytestmark = pytest.mark.filterwarnings("ignore:Using `httpx` with")
PASSWORD = "correct horse battery"
QUICK = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),))
STORED = passwords.Hashed(QUICK.hash(PASSWORD))
CSRF = re.compile(r'name="csrf" value="([^"]+)"')


@pytest.fixture(autouse=True)
def _quick_passwords(monkeypatch):
    """Hashes that take no time; those of the server take a tenth of a second each."""
    monkeypatch.setattr(passwords, "_hasher", lambda: QUICK)
    monkeypatch.setattr(passwords, "_unknown_account_hash", lambda: str(STORED))


@pytest.fixture
def web(arena):
    """A browser that has just come."""
    from starlette.testclient import TestClient

    with TestClient(create_app(arena, worker=False), raise_server_exceptions=False, follow_redirects=False) as client:
        yield client


@pytest.fixture
def another(web):
    """Make one more browser for the same server."""
    from starlette.testclient import TestClient

    return lambda: TestClient(web.app, raise_server_exceptions=False, follow_redirects=False)


def account(arena, name: str, role: str = "player") -> str:
    with arena.database.transaction() as session:
        return accounts.add_account(session, name, STORED, arena.now(), role).id


def csrf(browser, path: str = "/login") -> str:
    found = CSRF.search(browser.get(path).text)
    assert found, f"no form at {path}"
    return found.group(1)


def log_in(browser, name: str, password: str = PASSWORD, **fields: str):
    return browser.post("/login", data={"csrf": csrf(browser), "name": name, "password": password, **fields})


@pytest.fixture
def served(arena):
    """A real server on a port of its own; its clock is the test's."""
    import uvicorn

    config = uvicorn.Config(create_app(arena, worker=False), port=0, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield server, thread, f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(20)
