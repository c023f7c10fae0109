"""Logs of the server: lines of text or of JSON on standard error, each with the id of the request it belongs to.

Addresses, queries, cookies and names of people are never written.
"""

from __future__ import annotations

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal

LogFormat = Literal["text", "json"]
ACCESS = "icefire.arena.access"
NO_REQUEST = "-"
REQUEST: ContextVar[str] = ContextVar("request", default=NO_REQUEST)
"""The id of the request that is being answered."""
FIELDS = ("method", "route", "status", "ms", "bytes")
"""What a line about a request has besides, given as `extra`."""


def configure(kind: LogFormat, access: bool) -> None:
    """Write the logs of this process to standard error; `access` adds a line for each request."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if kind == "json" else TextLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("icefire").setLevel(logging.INFO)
    logging.getLogger(ACCESS).setLevel(logging.INFO if access else logging.WARNING)


def _instant(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class TextLines(logging.Formatter):
    """Lines for people: time, level, request, logger, message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line, followed by the trace of an exception if there is one."""
        head = f"{_instant(record)} {record.levelname} {REQUEST.get()} {record.name}: {record.getMessage()}"
        return f"{head}\n{self.formatException(record.exc_info)}" if record.exc_info else head


class JsonLines(logging.Formatter):
    """Lines for programs: one object of JSON each."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        line: dict[str, Any] = {
            "time": _instant(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "request": REQUEST.get(),
            "message": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)
