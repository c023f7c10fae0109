"""The terminal of somebody who types commands of the arena."""

from __future__ import annotations

import io
import sys

import pytest

from icefire.arena.client import keyring


@pytest.fixture
def at_home(tmp_path, monkeypatch):
    """A home of one's own, a folder to work in, and no environment from outside."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in (keyring.URL, keyring.TOKEN, "ICEFIRE_ARENA_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ICEFIRE_ARENA_AS_ROOT", "1")  # tests may run as root, as in a container


def typed(monkeypatch, text: str) -> None:
    """Let the next command read this from standard input."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
