"""Completion of the command line by the shell."""

from __future__ import annotations

import pytest
from support.commands import run_icefire


def _completed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str) -> list[str]:
    """Return what Bash is offered after these words."""
    monkeypatch.setenv("_ICEFIRE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    done = run_icefire(capsys)
    assert done.code == 0
    return done.out.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("icefire au", ["audit"]),
        ("icefire audit --min", ["--min"]),
        ("icefire audit --la", ["--lang"]),
        ("icefire recipe che", ["check"]),
    ],
)
def test_a_shell_completes_commands_and_options(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, offered: list[str]
) -> None:
    assert _completed(monkeypatch, capsys, words) == offered


def test_the_help_names_completion(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--install-completion" in run_icefire(capsys, "--help").out
