"""The verdict in lines: what the attacks achieved, what was lost, then each reason why the release does not pass."""

from __future__ import annotations

from icefire.core.scorecard import Verdict

POLICIES = {
    "public": "release to the public",
    "trusted": "release to trusted partners",
    "internal": "use inside the organisation",
}


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
    purpose = POLICIES.get(verdict.policy)
    return f"Policy: {verdict.policy} ({purpose})." if purpose else f"Policy: {verdict.policy}."


def lines(verdict: Verdict) -> list[str]:
    """Return one line each: why it does not pass, what the attacks achieved, what was lost, which policy applies."""
    reasons = [f"• {reason.text}" for reason in verdict.reasons]
    return [line for line in (*reasons, achieved(verdict), verdict.lost, policy(verdict)) if line]
