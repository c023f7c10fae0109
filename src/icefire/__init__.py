"""icefire: anonymise personal data, attack the result, measure what was lost.

Public are the names listed in `__all__`: the verbs (`read`, `sample`, `anonymize`, `audit`, `assert_safe`, `attack`,
`compare`, `score`, `inspect`, `swap_candidates`, `fingerprint`, `write_report`), the types they take and return, the
decorators that register a `method`, a `measure` or an `attack` of your own, `use_language`, the errors, and the
module `icefire.testing`. Everything else may change without notice.

Names are loaded on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from icefire._version import __version__
from icefire.audit import audit

if TYPE_CHECKING:
    from icefire.audit.anonymize import anonymize
    from icefire.audit.assert_safe import UnsafeReleaseError, assert_safe
    from icefire.audit.attack import attack
    from icefire.audit.compare import compare
    from icefire.audit.fingerprint.result import Fingerprint
    from icefire.audit.fingerprint.verb import fingerprint
    from icefire.audit.inspect import inspect
    from icefire.audit.inspection.histories import HistoryInspection
    from icefire.audit.inspection.tables import Inspection
    from icefire.audit.limits import Gate
    from icefire.audit.run import Audit
    from icefire.audit.score import score
    from icefire.audit.swap_candidates import swap_candidates
    from icefire.core.dataset import Dataset
    from icefire.core.errors import (
        IcefireError,
        InputError,
        OutputError,
        ParameterError,
        SchemaError,
        UndefinedError,
        UnknownNameError,
    )
    from icefire.core.history import History, HistoryCase, HistoryComparison
    from icefire.core.knowledge import Knowledge, KnownColumn
    from icefire.core.membership import MembershipCase
    from icefire.core.parameters import Bounds, Columns, Share
    from icefire.core.registry import measure, method
    from icefire.core.release import Case, Comparison, Guess, Release, Truth
    from icefire.core.schema import Schema
    from icefire.core.scorecard import Scorecard, Verdict
    from icefire.core.scorecard.compared import ComparedRelease, ComparedReleases
    from icefire.core.scorecard.scores import Membership, Score
    from icefire.io.format import Format
    from icefire.io.read import read
    from icefire.recipe import Recipe
    from icefire.report.html import write_report
    from icefire.samples.sample import sample
    from icefire.words.languages import use_language

_MODULES = {
    "audit.anonymize": ("anonymize",),
    "audit.assert_safe": ("UnsafeReleaseError", "assert_safe"),
    "audit.attack": ("attack",),
    "audit.compare": ("compare",),
    "audit.fingerprint.result": ("Fingerprint",),
    "audit.fingerprint.verb": ("fingerprint",),
    "audit.inspect": ("inspect",),
    "audit.inspection.histories": ("HistoryInspection",),
    "audit.inspection.tables": ("Inspection",),
    "audit.limits": ("Gate",),
    "audit.run": ("Audit",),
    "audit.score": ("score",),
    "audit.swap_candidates": ("swap_candidates",),
    "core.dataset": ("Dataset",),
    "core.errors": (
        "IcefireError",
        "InputError",
        "OutputError",
        "ParameterError",
        "SchemaError",
        "UndefinedError",
        "UnknownNameError",
    ),
    "core.history": ("History", "HistoryCase", "HistoryComparison"),
    "core.knowledge": ("Knowledge", "KnownColumn"),
    "core.membership": ("MembershipCase",),
    "core.parameters": ("Bounds", "Columns", "Share"),
    "core.registry": ("measure", "method"),
    "core.release": ("Case", "Comparison", "Guess", "Release", "Truth"),
    "core.schema": ("Schema",),
    "core.scorecard": ("Scorecard", "Verdict"),
    "core.scorecard.compared": ("ComparedRelease", "ComparedReleases"),
    "core.scorecard.scores": ("Membership", "Score"),
    "io.format": ("Format",),
    "io.read": ("read",),
    "recipe": ("Recipe",),
    "report.html": ("write_report",),
    "samples.sample": ("sample",),
    "words.languages": ("use_language",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Audit",
    "Bounds",
    "Case",
    "Columns",
    "ComparedRelease",
    "ComparedReleases",
    "Comparison",
    "Dataset",
    "Fingerprint",
    "Format",
    "Gate",
    "Guess",
    "History",
    "HistoryCase",
    "HistoryComparison",
    "HistoryInspection",
    "IcefireError",
    "InputError",
    "Inspection",
    "Knowledge",
    "KnownColumn",
    "Membership",
    "MembershipCase",
    "OutputError",
    "ParameterError",
    "Recipe",
    "Release",
    "Schema",
    "SchemaError",
    "Score",
    "Scorecard",
    "Share",
    "Truth",
    "UndefinedError",
    "UnknownNameError",
    "UnsafeReleaseError",
    "Verdict",
    "__version__",
    "anonymize",
    "assert_safe",
    "attack",
    "audit",
    "compare",
    "fingerprint",
    "inspect",
    "measure",
    "method",
    "read",
    "sample",
    "score",
    "swap_candidates",
    "use_language",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'icefire' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"icefire.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
