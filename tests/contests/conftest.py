"""Fixtures of all tests of contests."""

from __future__ import annotations

from support.games import run  # noqa: F401
