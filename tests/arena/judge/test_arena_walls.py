"""Which walls stand around a task, and how that is said."""

from __future__ import annotations

import logging

from icefire.arena.judge import walls


def test_the_probe_finds_the_limits_that_every_system_has():
    standing = walls.probe()
    assert "memory" in standing
    assert "capabilities" in standing


def test_a_probe_that_cannot_run_says_that_nothing_holds(monkeypatch):
    monkeypatch.setattr(walls.sys, "executable", "/nowhere/python")
    assert walls.probe() == []


def test_missing_walls_are_named_and_logged_as_a_warning(caplog):
    caplog.set_level(logging.INFO)
    walls.log(list(walls.MEANING))
    walls.log(["memory"])
    assert [one.levelname for one in caplog.records] == ["INFO", "WARNING"]
    whole, broken = (one.getMessage() for one in caplog.records)
    assert "NOT" not in whole
    assert "NOT: no network, no files but its own, no other programs, no powers of root" in broken
