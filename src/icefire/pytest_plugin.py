"""Plug-in for pytest: the fixture and the marker `icefire`. Nothing but pytest is imported until a test asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from icefire.audit.run import Audit


@dataclass(slots=True)
class ReleaseChecks:
    """What the fixture `icefire` gives to a test: audits with the test's options, reported where the user asks."""

    options: dict[str, Any]
    """Keywords of `icefire.audit`, from the marker of the test and the configuration of pytest."""
    report_folder: Path | None
    name: str
    audits: list[Audit] = field(default_factory=list)

    def audit(self, released: Any, original: Any, **options: Any) -> Audit:
        """Audit a release; the keywords are those of `icefire.audit` and count before those of the marker."""
        from icefire.audit import audit

        audited = audit(original, released, **{**self.options, **options})
        self.audits.append(audited)
        if self.report_folder is not None:
            self._write_report(audited)
        return audited

    def assert_safe(self, released: Any, original: Any, **options: Any) -> Audit:
        """Audit a release, and fail the test unless it passes."""
        __tracebackhide__ = True
        from icefire.audit.assert_safe import UnsafeReleaseError

        audited = self.audit(released, original, **options)
        if audited.scorecard.verdict.passed is not True:
            raise UnsafeReleaseError(audited)
        return audited

    def _write_report(self, audited: Audit) -> None:
        from icefire.report.html import write_report

        assert self.report_folder is not None
        self.report_folder.mkdir(parents=True, exist_ok=True)
        plain = "".join(letter if letter.isalnum() else "_" for letter in self.name)
        write_report(audited.scorecard, self.report_folder / f"{plain}-{len(self.audits)}.html", force=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plug-in."""
    group = parser.getgroup("icefire", "attack releases of personal data")
    group.addoption("--icefire-policy", metavar="NAME|FILE", help="Policy of releases whose test names none.")
    group.addoption("--icefire-reports", metavar="FOLDER", help="Write the report of every audit here.")
    parser.addini("icefire_policy", "Policy of releases whose test names none.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Describe the marker."""
    config.addinivalue_line(
        "markers", "icefire(**options): keywords of icefire.audit for the audits of this test's fixture `icefire`"
    )


@pytest.fixture
def icefire(request: pytest.FixtureRequest) -> Iterator[ReleaseChecks]:
    """Audits of releases: `icefire.assert_safe(released, original)` fails the test unless the release passes."""
    config = request.config
    policy = config.getoption("--icefire-policy") or config.getini("icefire_policy")
    options: dict[str, Any] = {"policy": policy} if policy else {}
    for marker in reversed(list(request.node.iter_markers("icefire"))):
        options.update(marker.kwargs)
    folder = config.getoption("--icefire-reports")
    checks = ReleaseChecks(options, Path(folder) if folder else None, request.node.name)
    yield checks
    for audited in checks.audits:
        # The fixture record_property warns with the default form of pytest's JUnit file.
        request.node.user_properties.append(("icefire.verdict", audited.scorecard.verdict.headline))
