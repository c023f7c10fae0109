"""The verdict in lines: what the attacks achieved, what was lost, then each reason why the release does not pass."""

from __future__ import annotations

from icefire.core.scorecard import Verdict
from icefire.words import t

POLICIES = ("public", "trusted", "internal")
"""Built-in policies, whose purpose has words."""


def achieved(verdict: Verdict) -> str:
    """Return the verdict's text without what was lost and the reasons, which are listed by themselves."""
    text = verdict.text
    for part in (verdict.lost, *(reason.text for reason in verdict.reasons)):
        text = text.replace(part, "", 1)
    return " ".join(text.split())


def policy(verdict: Verdict) -> str:
    """Say which policy's limits apply; empty where only limits of the user do."""
    if not verdict.policy:
        return ""
    if verdict.policy not in POLICIES:
        return t("verdict.policy", name=verdict.policy)
    return t("verdict.policy_for", name=verdict.policy, purpose=t(f"verdict.purpose.{verdict.policy}"))


def lines(verdict: Verdict) -> list[str]:
    """Return one line each: why it does not pass, what the attacks achieved, what was lost, which policy applies."""
    reasons = [f"• {reason.text}" for reason in verdict.reasons]
    return [line for line in (*reasons, achieved(verdict), verdict.lost, policy(verdict)) if line]
