"""Audit a release: measure it, attack it, judge, and write the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from icefire.audit.run import Audit


def audit(*args: Any, **kwargs: Any) -> Audit:
    """Attack and measure a release by somebody who holds the original."""
    from icefire.audit.audit import audit as run_audit

    return run_audit(*args, **kwargs)
