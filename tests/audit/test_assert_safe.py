"""`assert_safe`, and the plug-in for pytest that uses it."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from support import report_card

import icefire
from icefire import UnsafeReleaseError
from icefire.audit.options import AuditOptions
from icefire.audit.run import Audit
from icefire.core.scorecard import Verdict

TABLE = {"age": [30, 31, 40, 41, 50, 51], "pay": [100, 250, 300, 410, 520, 680]}
QUICK = {"qi": "age", "sa": "pay", "aligned": True, "attacks": ["id_rand"], "measures": ["k_min"]}


def judged(passed: bool | None) -> Audit:
    card = report_card.full_card(verdict=Verdict(passed, "A headline", "The text. Give --holdout FILE."))
    return Audit(card, icefire.read(TABLE, qi="age").frame)


def test_a_release_that_does_not_pass_is_an_assertion_error_with_the_verdict_in_words() -> None:
    with pytest.raises(AssertionError) as caught:
        icefire.assert_safe(TABLE, TABLE, **QUICK)
    assert isinstance(caught.value, UnsafeReleaseError)
    verdict = caught.value.audit.scorecard.verdict
    assert str(caught.value).startswith(verdict.headline)
    assert all(f"- {reason.text}" in str(caught.value) for reason in verdict.reasons)


@pytest.mark.parametrize("passed", [False, None])
def test_what_was_not_judged_is_not_safe(monkeypatch: pytest.MonkeyPatch, passed: bool | None) -> None:
    module = importlib.import_module("icefire.audit.assert_safe")
    monkeypatch.setattr(module, "audit", lambda *_, **__: judged(passed))
    with pytest.raises(UnsafeReleaseError, match=r"The text\. Give holdout=…"):
        icefire.assert_safe(TABLE, TABLE)


def test_a_release_that_passes_gives_its_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("icefire.audit.assert_safe")
    safe = judged(True)
    monkeypatch.setattr(module, "audit", lambda *_, **__: safe)
    assert icefire.assert_safe(TABLE, TABLE, policy="public") is safe


def test_its_keywords_are_those_of_audit() -> None:
    keywords = list(inspect.signature(icefire.audit).parameters)[2:]
    assert set(AuditOptions.__annotations__) == set(keywords)
    assert list(inspect.signature(icefire.assert_safe).parameters) == ["released", "original", *keywords]
    with pytest.raises(icefire.ParameterError, match="no keyword 'polcy'; did you mean 'policy'"):
        icefire.assert_safe(TABLE, TABLE, polcy="public")  # type: ignore[call-arg]


TESTS = """
import pytest

TABLE = {"age": [30, 31, 40, 41, 50, 51], "pay": [100, 250, 300, 410, 520, 680]}

@pytest.mark.icefire(qi="age", sa="pay", aligned=True, attacks=["id_rand"], measures=["k_min"])
def test_release(icefire):
    assert icefire.options["policy"] == "internal"
    icefire.assert_safe(TABLE, TABLE)

@pytest.mark.icefire(policy="trusted")
def test_the_marker_counts_before_the_configuration(icefire):
    assert icefire.options == {"policy": "trusted"}
"""


def test_the_plug_in_fails_a_test_whose_release_does_not_pass(tmp_path: Path) -> None:
    (tmp_path / "test_release.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nicefire_policy = internal\naddopts = --strict-markers\n", "utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    if not entry_points(group="pytest11", name="icefire"):  # a copy that was not installed
        words += ["-p", "icefire.pytest_plugin"]
    words += ["--icefire-reports", "reports", "--junit-xml", "junit.xml"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
    assert "UnsafeReleaseError" in done.stdout
    assert [path.name for path in (tmp_path / "reports").iterdir()] == ["test_release-1.html"]
    assert "icefire.verdict" in (tmp_path / "junit.xml").read_text("utf-8")


def test_the_plug_in_loads_nothing_heavy() -> None:
    script = "import sys, icefire.pytest_plugin; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"polars", "numpy", "numba", "msgspec", "jinja2", "rich"} & set(done.stdout.split())
