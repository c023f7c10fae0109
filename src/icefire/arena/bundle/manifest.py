"""The manifest of a bundle: its kind, its origin, and every file with its size and SHA-256."""

from __future__ import annotations

import hashlib
from datetime import datetime

import msgspec

from icefire.arena.contest.signing import LogHead
from icefire.core.errors import InputError

FILE = "manifest.json"
FORMAT = "icefire-arena-bundle"
VERSION = 1
MOST_BYTES = 64 << 20


class Packed(msgspec.Struct, frozen=True):
    """One file of a bundle."""

    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The first thing that is read of a bundle."""

    format: str = FORMAT
    version: int = VERSION
    public: bool
    title: str
    made: datetime
    software: str
    tables: str | None
    """Version of the tables it was made from."""
    key: str
    """Public half of the competition's key: with it a receipt can be checked."""
    log_lines: int
    log_head: str
    """How long the log was and the hash of its last line: whoever keeps the bundle can tell a log rewritten later."""
    head: LogHead | None = None
    """The same, signed; bundles of older versions have none."""
    files: dict[str, Packed] = {}


def packed(data: bytes) -> Packed:
    """Return the entry of a file."""
    return Packed(len(data), hashlib.sha256(data).hexdigest())


def read(data: bytes) -> Manifest:
    """Read a manifest of a version we know."""
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(f"the bundle's {FILE} cannot be read: {error}") from None
    if manifest.format != FORMAT or manifest.version != VERSION:
        raise InputError(
            f"the bundle is {manifest.format!r} version {manifest.version}; "
            f"this icefire reads {FORMAT!r} version {VERSION}"
        )
    return manifest
