"""The verdict in lines: what the attacks achieved, then each reason why the release does not pass."""

from __future__ import annotations

from icefire.core.scorecard import Verdict


def achieved(verdict: Verdict) -> str:
    """Return the verdict's text without the reasons, which are listed by themselves."""
    text = verdict.text
    for reason in verdict.reasons:
        text = text.replace(reason.text, "", 1)
    return " ".join(text.split())


def lines(verdict: Verdict) -> list[str]:
    """Return what the attacks achieved and, one line each, why the release does not pass."""
    return [line for line in (achieved(verdict), *(f"• {reason.text}" for reason in verdict.reasons)) if line]
