"""The provider: its description, its keys, and the exchange of a code for a checked identity token."""

from __future__ import annotations

import hmac
import os
import threading
import time
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx

from icefire.arena.contest import settings
from icefire.arena.contest.settings import Oidc
from icefire.arena.errors import Refused, Unavailable
from icefire.core import extras

ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")
"""Signatures with a key pair alone: neither "none" nor one made with a secret that the client has too."""
SECONDS = 10
KEPT_SECONDS = 3600
LEEWAY_SECONDS = 60
LARGEST = 512 * 1024
_LOCAL = ("127.0.0.1", "::1", "localhost")


class Provider:
    """One provider, as the contest names it; what it says of itself is kept for an hour."""

    def __init__(self, oidc: Oidc) -> None:
        extras.require("joserfc", "oidc", "login by OpenID Connect")
        self.oidc = oidc
        self._lock = threading.Lock()
        self._described: tuple[float, dict[str, Any]] | None = None
        self._keys: tuple[float, Any] | None = None

    def address(self, redirect: str, state: str, nonce: str, challenge: str) -> str:
        """Return where the browser is sent to log in."""
        asked = {
            "response_type": "code",
            "client_id": self.oidc.client_id,
            "redirect_uri": redirect,
            "scope": "openid profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        endpoint = self._endpoint("authorization_endpoint")
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked, quote_via=quote)}"

    def check_issuer(self, given: str | None) -> None:
        """Refuse an answer that comes from another provider than the one asked (RFC 9207)."""
        wanted = bool(self._description().get("authorization_response_iss_parameter_supported"))
        if (given is None and wanted) or (given is not None and given != self.oidc.issuer):
            raise refused("it comes from another provider")

    def claims(self, code: str, verifier: str, redirect: str, nonce: str, now: datetime) -> dict[str, Any]:
        """Exchange a code and return what the provider says of its user, checked."""
        given = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect,
            "code_verifier": verifier,
        }
        answer = self._ask("POST", self._endpoint("token_endpoint"), given)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise refused("the provider gave no identity token")
        return self._checked(token, nonce, now)

    def _checked(self, token: str, nonce: str, now: datetime) -> dict[str, Any]:
        """Check signature, issuer, audience, times and nonce of an identity token."""
        from joserfc import jwt
        from joserfc.errors import JoseError

        wanted = jwt.JWTClaimsRegistry(
            now=int(now.timestamp()),
            leeway=LEEWAY_SECONDS,
            iss={"essential": True, "value": self.oidc.issuer},
            aud={"essential": True, "value": self.oidc.client_id},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
        )
        try:
            claims = self._decoded(token).claims
            wanted.validate(claims)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            raise refused(f"its identity token is not valid ({type(error).__name__})") from None
        said = claims.get("nonce")
        if not isinstance(said, str) or not hmac.compare_digest(said.encode(), nonce.encode()):
            raise refused("its identity token is for another login")
        audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        if (len(audience) > 1 or "azp" in claims) and claims.get("azp") != self.oidc.client_id:
            raise refused("its identity token is for another client")
        if not claims["sub"] or len(claims["sub"]) > 255:
            raise refused("its identity token names nobody")
        return dict(claims)

    def _decoded(self, token: str) -> Any:
        """Check the signature; with a key that is not known, the provider's keys are asked for anew."""
        from joserfc import jwt
        from joserfc.errors import JoseError

        try:
            return jwt.decode(token, self._key_set(), algorithms=ALGORITHMS)
        except (JoseError, ValueError):
            if self._keys is not None and time.monotonic() - self._keys[0] < LEEWAY_SECONDS:
                raise
            return jwt.decode(token, self._key_set(anew=True), algorithms=ALGORITHMS)

    def _key_set(self, anew: bool = False) -> Any:
        from joserfc.jwk import KeySet

        with self._lock:
            if anew or self._keys is None or time.monotonic() - self._keys[0] > KEPT_SECONDS:
                fetched = self._ask("GET", self._endpoint("jwks_uri", locked=True))
                pairs = [one for one in fetched.get("keys", []) if one.get("kty") in ("RSA", "EC", "OKP")]
                self._keys = (time.monotonic(), KeySet.import_key_set({"keys": pairs}))
            return self._keys[1]

    def _endpoint(self, name: str, locked: bool = False) -> str:
        url = str((self._read_description() if locked else self._description()).get(name, ""))
        parts = urlsplit(url)
        if not (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOCAL)):
            raise refused(f"it describes itself with {name} {url!r}")
        return url

    def _description(self) -> dict[str, Any]:
        with self._lock:
            return self._read_description()

    def _read_description(self) -> dict[str, Any]:
        if self._described is None or time.monotonic() - self._described[0] > KEPT_SECONDS:
            description = self._ask("GET", f"{self.oidc.issuer.rstrip('/')}/.well-known/openid-configuration")
            if description.get("issuer") != self.oidc.issuer:
                raise refused(f"it calls itself {str(description.get('issuer'))[:100]!r}, not {self.oidc.issuer!r}")
            self._described = (time.monotonic(), description)
        return self._described[1]

    def _ask(self, method: str, url: str, form: dict[str, str] | None = None) -> dict[str, Any]:
        """Ask the provider for JSON; the client proves itself by its secret where it has one."""
        secret = os.environ.get(settings.OIDC_SECRET, "")
        more: dict[str, Any] = {}
        if form is not None and secret:
            more["auth"] = (quote(self.oidc.client_id, safe=""), quote(secret, safe=""))
        elif form is not None:
            form = {**form, "client_id": self.oidc.client_id}
        try:
            with httpx.Client(timeout=SECONDS, follow_redirects=False, trust_env=False) as client:
                answer = client.request(method, url, data=form, headers={"Accept": "application/json"}, **more)
        except httpx.HTTPError:
            raise Unavailable("the login provider does not answer; log in with your password, or try later") from None
        try:
            body = answer.json() if answer.status_code == 200 and len(answer.content) <= LARGEST else None
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise refused(f"it answered {answer.status_code}")
        return body


def refused(why: str) -> Refused:
    """Return the refusal of a login that the provider has not proved."""
    return Refused(f"the login by the provider failed: {why}; try again, or log in with your password")
