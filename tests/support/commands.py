"""Run the command line in this process, as a user would type it."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import pytest

from icefire.cli import main

MAIN_VERBS = (
    "anonymize",
    "attack",
    "audit",
    "check",
    "compare",
    "demo",
    "fingerprint",
    "gate",
    "inspect",
    "list",
    "recipe",
    "sample",
    "score",
    "study",
)
"""Verbs whose help is in every language."""


@dataclass
class Done:
    code: int
    out: str
    err: str


def run_icefire(capsys: pytest.CaptureFixture[str], *words: object) -> Done:
    """Run `icefire` with these words; returns exit code and what it printed."""
    before = sys.argv
    sys.argv = ["icefire", *map(str, words)]
    try:
        main()
        code = 0
    except SystemExit as stop:
        code = int(stop.code or 0)
    finally:
        sys.argv = before
    captured = capsys.readouterr()
    return Done(code, captured.out, captured.err)
