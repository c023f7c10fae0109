"""What the cases of the gate share: what a verdict must say where a release passes and where it does not."""

from __future__ import annotations

from icefire.core.scorecard import Verdict


def codes(verdict: Verdict) -> set[str]:
    """The kinds of reasons a verdict gives."""
    return {reason.code for reason in verdict.reasons}


def assert_not_passed(verdict: Verdict, code: str | None = None) -> None:
    """A release that does not pass says so, and every reason is in the text with its evidence."""
    assert (verdict.state, verdict.passed) == ("not_passed", False), verdict.text
    assert verdict.reasons
    assert all(reason.text in verdict.text and reason.evidence for reason in verdict.reasons)
    assert code is None or code in codes(verdict), verdict.text


def assert_passed(verdict: Verdict) -> None:
    """A release that passes has no reason against it."""
    assert (verdict.state, verdict.passed, verdict.reasons) == ("passed", True, []), verdict.text
