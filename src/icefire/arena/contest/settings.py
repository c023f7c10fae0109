"""Settings of the server in contest.toml: time of the judge's tasks, rate limits, mail, webhook, login by a provider.

Secrets do not stand there, because the file is copied and shown: they are taken from the environment.
"""

from __future__ import annotations

import os
import re
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from icefire.core.errors import InputError

MAIL_PASSWORD = "ICEFIRE_ARENA_MAIL_PASSWORD"
WEBHOOK_SECRET = "ICEFIRE_ARENA_WEBHOOK_SECRET"
OIDC_SECRET = "ICEFIRE_ARENA_OIDC_SECRET"
LEAST_SECRET = 16
_MAIL = re.compile(r"[^\s@<>]+@[^\s@<>]+")
_HERE = ("127.0.0.1", "::1", "localhost")


class Server(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much the judge may use, how often things may fail, and which proxies are believed."""

    check_seconds: int = 60
    """How long a submission may take to be read and checked."""
    judge_seconds: int = 300
    """How long a release may take to be measured and attacked."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses or networks of HTTPS proxies that are believed where a request came from; as `serve --behind-proxy`."""
    failures: dict[str, int] = {}
    """Failures allowed in 15 minutes, where they are others than usual; see `throttling.TRIES`."""


class Mail(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where mail is handed in to be sent (SMTP)."""

    host: str
    sender: str
    """The address it comes from."""
    port: int = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str = ""


class Webhook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The organisers' own server, which is told when phases change."""

    url: str


class Oidc(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A provider by which people may log in (OpenID Connect)."""

    issuer: str
    client_id: str
    name: str = "OpenID"
    """What the button says."""
    register: bool = False
    """Whether somebody unknown gets an account, where registration is open."""


def check_server(server: Server, known: tuple[str, ...]) -> None:
    """Refuse times and limits that are none."""
    for name, value in (("check_seconds", server.check_seconds), ("judge_seconds", server.judge_seconds)):
        if not 1 <= value <= 86_400:
            raise InputError(f"server.{name} is {value}; it takes 1 to 86,400")
    for name, value in server.failures.items():
        if name not in known or not 1 <= value <= 1_000_000:
            raise InputError(f"server.failures has {name} = {value}; it takes numbers from 1 for {', '.join(known)}")


def check_services(mail: Mail | None, webhook: Webhook | None, oidc: Oidc | None) -> None:
    """Refuse addresses that cannot be used; only a service on the same machine may be reached without TLS."""
    if mail is not None and not _MAIL.fullmatch(mail.sender):
        raise InputError(f"mail.sender is {mail.sender!r}; it takes an address such as cup@example.org")
    if mail is not None and mail.security == "none" and (mail.user or mail.host not in _HERE):
        raise InputError("mail.security is 'none'; that is for a server on this machine, without a user; use starttls")
    if webhook is not None:
        _check_url("webhook.url", webhook.url)
    if oidc is not None:
        _check_url("oidc.issuer", oidc.issuer)


def _check_url(name: str, url: str) -> None:
    parts = urlsplit(url)
    plain = parts.scheme == "http" and parts.hostname in _HERE
    if not parts.hostname or not (parts.scheme == "https" or plain) or parts.username or parts.query or parts.fragment:
        raise InputError(f"{name} is {url!r}; it takes https://HOST/PATH, without a password or query")


def secret(name: str, purpose: str) -> str:
    """Return a secret from the environment, or say how to give it."""
    value = os.environ.get(name, "")
    if len(value) < LEAST_SECRET:
        raise InputError(f"{purpose} needs a secret of {LEAST_SECRET} characters or more in the environment: {name}")
    return value
