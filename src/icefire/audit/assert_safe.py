"""The verb `assert_safe`: audit a release and raise an error unless it passes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from icefire.audit import audit
from icefire.core.option_names import in_words_of_surface

if TYPE_CHECKING:
    from icefire.audit.options import AuditOptions
    from icefire.audit.run import Audit
    from icefire.core.release import Release
    from icefire.io.options import DataSource

Function = TypeVar("Function", bound=Callable[..., Any])


class UnsafeReleaseError(AssertionError):
    """A release does not pass; the message is the verdict in words, `audit` is everything that was found."""

    def __init__(self, audited: Audit) -> None:
        verdict = audited.scorecard.verdict
        reasons = [f"- {reason.text}" for reason in verdict.reasons]
        super().__init__(in_words_of_surface("\n".join([verdict.headline, *(reasons or [verdict.text])])))
        self.audit = audited


def _takes_audit_options(function: Function) -> Function:
    """Show the keywords of `audit` in the signature and the docstring."""
    both = list(inspect.signature(function).parameters.values())[:2]
    keywords = [p for p in inspect.signature(audit).parameters.values() if p.kind is p.KEYWORD_ONLY]

    @wraps(function)
    def shown(*data: Any, **options: Any) -> Any:
        return function(*data, **options)

    shown.__signature__ = inspect.signature(function).replace(parameters=[*both, *keywords])  # type: ignore[attr-defined]
    _, _, described = (audit.__doc__ or "").partition("        truth:")
    lines, _, _ = described.partition("\n    Returns:")
    before, section, after = (function.__doc__ or "").partition("\n    Returns:\n")
    shown.__doc__ = f"{before}        truth:{lines}{section}{after}"
    return shown  # type: ignore[return-value]


@_takes_audit_options
def assert_safe(released: DataSource | Release[Any], original: DataSource, **options: Unpack[AuditOptions]) -> Audit:
    """Audit a release, and raise an error unless it passes: for tests and notebooks.

    Args:
        released: The released data: a file, a release folder, a table, or a `Release`.
        original: The original data.

    Returns:
        The audit of a release that passes.

    Raises:
        UnsafeReleaseError: An `AssertionError`: the release does not pass, or could not be judged.
        IcefireError: If a table cannot be read or a keyword is not allowed.
    """
    audited = audit(original, released, **options)  # type: ignore[arg-type]
    if audited.scorecard.verdict.passed is not True:
        raise UnsafeReleaseError(audited)
    return audited
