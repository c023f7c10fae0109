"""Random identifiers and secrets, their digests, and comparison keys of names."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata


def new_id() -> str:
    """Return a fresh identifier: 128 random bits, safe in an address and as a file name."""
    return secrets.token_hex(16)


def new_secret() -> str:
    """Return a fresh password-like secret: 256 random bits."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """Return what is stored of a random secret; from it the secret cannot be found."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare two secrets in constant time; any text may be given, also what is no ASCII."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def name_key(name: str) -> str:
    """Return what two names are compared by: look-alikes, case and stray spaces make no difference."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def new_label() -> str:
    """Return a short name for a release that tells nothing about its author or age."""
    return "".join(secrets.choice("BCDFGHJKLMNPQRSTVWXYZ23456789") for _ in range(5))
