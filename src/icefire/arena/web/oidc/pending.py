"""A login on its way to the provider and back: for ten minutes in a signed cookie of the browser that began it."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from fastapi import Request, Response

from icefire.arena import ids
from icefire.arena.contest.arena import Arena

COOKIE = "icefire-oidc"
PATH = "/login/oidc"
LIFE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Pending:
    """What the browser must bring back, and what was begun."""

    state: str
    nonce: str
    verifier: str
    next: str
    connects: str
    """The account that is to be connected; empty where somebody logs in."""
    expires: str

    @property
    def challenge(self) -> str:
        """What the provider is told of the verifier (PKCE, S256)."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def begin(next_path: str, connects: str, now: datetime) -> Pending:
    """Begin a login, with secrets that nobody can guess."""
    return Pending(
        state=ids.new_secret(),
        nonce=ids.new_secret(),
        verifier=ids.new_secret(),
        next=next_path,
        connects=connects,
        expires=(now + LIFE).isoformat(),
    )


def keep(request: Request, response: Response, pending: Pending) -> None:
    """Give the browser the cookie; no script reads it, and it is sent nowhere but to the provider's answer."""
    arena: Arena = request.app.state.arena
    packed = base64.urlsafe_b64encode(json.dumps(asdict(pending)).encode()).decode()
    value = f"{packed}.{_proof(arena, packed)}"
    secure = request.app.state.secure
    seconds = int(LIFE.total_seconds())
    response.set_cookie(COOKIE, value, max_age=seconds, httponly=True, samesite="lax", secure=secure, path=PATH)


def kept(request: Request) -> Pending | None:
    """Return what this browser began, if the cookie is one of ours and not too old."""
    arena: Arena = request.app.state.arena
    packed, _, proof = request.cookies.get(COOKIE, "").partition(".")
    if not packed or not ids.same(proof, _proof(arena, packed)):
        return None
    pending = Pending(**json.loads(base64.urlsafe_b64decode(packed)))
    return pending if arena.now() < datetime.fromisoformat(pending.expires) else None


def forget(request: Request, response: Response) -> None:
    """Take the cookie away: a login is answered once."""
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=request.app.state.secure, path=PATH)


def _proof(arena: Arena, packed: str) -> str:
    return arena.signer.digest(f"oidc {packed}")
