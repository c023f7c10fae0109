"""Sending messages: mail by SMTP, webhooks by HTTP with a signature."""

from __future__ import annotations

import hashlib
import hmac
import json
import smtplib
import ssl
from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

from icefire.arena.contest import settings
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.settings import Mail
from icefire.arena.storage.tables import DeliveryRow

SECONDS = 15
"""How long a server may take to answer."""
SIGNATURE = "X-Icefire-Signature"
MESSAGE = "X-Icefire-Delivery"


class NotSent(Exception):  # noqa: N818 - it is tried again
    """The message could not be handed over."""


def check(arena: Arena) -> None:
    """Refuse to begin without the secrets that sending needs."""
    mail = arena.definition.mail
    if arena.definition.webhook is not None:
        settings.secret(settings.WEBHOOK_SECRET, "the webhook")
    if mail is not None and mail.user:
        settings.secret(settings.MAIL_PASSWORD, "mail")


def send(arena: Arena, message: DeliveryRow) -> None:
    """Send one message, or raise `NotSent`."""
    SENDERS[message.kind](arena, message)


def _send_webhook(arena: Arena, message: DeliveryRow) -> None:
    import httpx

    body = json.dumps({"id": message.id, **message.body}, ensure_ascii=False, sort_keys=True).encode()
    at = int(arena.now().timestamp())
    headers = {
        "Content-Type": "application/json",
        SIGNATURE: f"t={at},v1={signature(settings.secret(settings.WEBHOOK_SECRET, 'the webhook'), at, body)}",
        MESSAGE: message.id,
    }
    try:
        with httpx.Client(timeout=SECONDS, follow_redirects=False, trust_env=False) as client:
            answer = client.post(message.target, content=body, headers=headers)
    except httpx.HTTPError as error:
        raise NotSent(f"{type(error).__name__}: {error}") from None
    if not answer.is_success:
        raise NotSent(f"the server answered {answer.status_code}")


def signature(secret: str, at: int, body: bytes) -> str:
    """Return the signature of a body sent at an instant (seconds since 1970): HMAC-SHA-256 of "AT.BODY", in hex."""
    return hmac.digest(secret.encode(), b"%d." % at + body, hashlib.sha256).hex()


def _send_mail(arena: Arena, message: DeliveryRow) -> None:
    mail = arena.definition.mail
    if mail is None:
        raise NotSent("contest.toml has no [mail] any more")
    try:
        with _connected(mail) as server:
            server.send_message(_letter(mail, message.target, message.body))
    except (OSError, smtplib.SMTPException) as error:
        raise NotSent(f"{type(error).__name__}: {error}") from None


def _connected(mail: Mail) -> smtplib.SMTP:
    """Connect to the server; the certificate is checked, and nothing is sent without TLS that should be."""
    context = ssl.create_default_context()
    if mail.security == "tls":
        server: smtplib.SMTP = smtplib.SMTP_SSL(mail.host, mail.port, timeout=SECONDS, context=context)
    else:
        server = smtplib.SMTP(mail.host, mail.port, timeout=SECONDS)
    try:
        if mail.security == "starttls":
            server.starttls(context=context)
        if mail.user:
            server.login(mail.user, settings.secret(settings.MAIL_PASSWORD, "mail"))
    except BaseException:
        server.close()
        raise
    return server


def _letter(mail: Mail, target: str, body: dict[str, Any]) -> EmailMessage:
    letter = EmailMessage(policy=SMTP)
    letter["From"], letter["To"], letter["Subject"] = mail.sender, target, body["subject"]
    letter["Auto-Submitted"] = "auto-generated"
    letter.set_content(body["text"])
    return letter


SENDERS: dict[str, Callable[[Arena, DeliveryRow], None]] = {"webhook": _send_webhook, "mail": _send_mail}
