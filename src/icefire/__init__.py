"""icefire: anonymise personal data, attack the result, measure what was lost.

The verbs are `read`, `anonymize`, `audit`, `attack`, `score`, `inspect` and `sample`; everything is loaded on first
use, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from icefire._version import __version__
from icefire.audit import audit

if TYPE_CHECKING:
    from icefire.audit.attack import attack
    from icefire.audit.inspect import inspect
    from icefire.audit.score import score
    from icefire.core.errors import IcefireError
    from icefire.io.read import read
    from icefire.recipe.anonymize import anonymize
    from icefire.report.html import write as write_report
    from icefire.samples.sample import sample

_HOME = {
    "anonymize": "recipe.anonymize",
    "attack": "audit.attack",
    "inspect": "audit.inspect",
    "read": "io.read",
    "sample": "samples.sample",
    "score": "audit.score",
    "IcefireError": "core.errors",
    "write_report": "report.html:write",
}

__all__ = [
    "IcefireError",
    "__version__",
    "anonymize",
    "attack",
    "audit",
    "inspect",
    "read",
    "sample",
    "score",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'icefire' has no attribute {name!r}")
    from importlib import import_module

    module, _, attribute = _HOME[name].partition(":")
    return getattr(import_module(f"icefire.{module}"), attribute or name)


def __dir__() -> list[str]:
    return sorted(__all__)
