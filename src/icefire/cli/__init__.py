"""The command line: one thin function per verb. Result on standard output, progress on standard error."""

from __future__ import annotations

from icefire.cli.app import main

__all__ = ["main"]
