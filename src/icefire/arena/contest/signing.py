"""Signed statements: receipts (what was handed in, and when its last byte arrived) and heads of the log."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY = "key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The signed statement that something was received."""

    kind: Literal["release", "guess"]
    id: str
    round: str
    label: str
    """The release it is, or is about."""
    team: str
    sha256: str
    at: str
    """When the last byte arrived: UTC, by the server's clock."""
    key: str
    signature: str
    log_line: int | None = None
    """The line of the log that tells of it; receipts of older versions name none."""
    log_hash: str | None = None
    """The hash of that line: it stands for the whole log up to there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogHead:
    """The signed statement how long the log was at some time, and what it held."""

    log_line: int
    log_hash: str
    """The hash of that line: it stands for the whole log up to there."""
    at: str
    """When that line was written: UTC, by the server's clock."""
    key: str
    signature: str


Statement = TypeVar("Statement", Receipt, LogHead)


class Signer:
    """The competition's own key. It lies in the vault; only its public half leaves it."""

    def __init__(self, private: bytes) -> None:
        self._secret = private
        self._key = Ed25519PrivateKey.from_private_bytes(private)

    @property
    def public_key(self) -> str:
        """The public half, in base64."""
        return base64.b64encode(self._key.public_key().public_bytes_raw()).decode()

    @property
    def log_key(self) -> bytes:
        """The key of the log's hashes; it never leaves the server."""
        return hmac.digest(self._secret, b"log", hashlib.sha256)

    def digest(self, name: str) -> str:
        """Return a short digest that only this competition can make, of something that is not to be stored."""
        return hmac.digest(self._secret, f"digest {name}".encode("utf-8", "surrogatepass"), hashlib.sha256).hex()[:32]

    def sign(self, statement: Statement) -> Statement:
        """Return the statement with its signature."""
        unsigned = replace(statement, key=self.public_key, signature="")
        signature = base64.b64encode(self._key.sign(_signed_part(unsigned))).decode()
        return replace(unsigned, signature=signature)

    def seed(self, name: str, bits: int = 128) -> int:
        """Return a seed that nobody can guess and that is the same every time: a second judging repeats the first.

        With 128 bits nobody can try them all either, as the seed of a shuffle demands.
        """
        return int.from_bytes(hmac.digest(self._secret, name.encode(), hashlib.sha256), "big") >> (256 - bits)


def signer(vault: Path) -> Signer:
    """Return the signer of a competition; its key is made when there is none yet."""
    path = vault / KEY
    if not path.exists():
        draft = vault / f"{KEY}.{os.getpid()}"
        draft.touch(mode=0o600)
        draft.write_bytes(Ed25519PrivateKey.generate().private_bytes_raw())
        try:
            os.link(draft, path)  # whoever comes second takes the first one's key
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return Signer(path.read_bytes())


def verify(statement: Receipt | LogHead, public_key: str) -> bool:
    """Tell whether the holder of this key signed the statement as it stands."""
    unsigned = replace(statement, signature="")
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key, validate=True))
        key.verify(base64.b64decode(statement.signature, validate=True), _signed_part(unsigned))
    except (InvalidSignature, ValueError):
        return False
    return statement.key == public_key


def _signed_part(statement: Receipt | LogHead) -> bytes:
    """Return what is signed; what a statement of an older version did not have is not part of it."""
    fields = {name: value for name, value in msgspec.to_builtins(statement).items() if value is not None}
    return msgspec.json.encode(fields, order="sorted")
