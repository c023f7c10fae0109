"""The way from the command to the first attack is short, and docs/architecture.md names every file on it."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from support.places import DOCS

import icefire
from icefire.cli import main

ROOT = Path(icefire.__file__).parent
SERVICES = ("core", "io", "report", "kernels", "words")
"""Folders of data types, readers, output and words, which the way calls but which do not decide where it goes."""
COMMAND = {"cli/__init__", "cli/app", "cli/audit"}
"""How the command is found and begins; the other files of `cli` hold what all commands share: options, language."""


class FirstAttackReached(BaseException):
    """Ends an audit where its first attack begins."""


def audit(monkeypatch: pytest.MonkeyPatch, folder: Path, *more: str) -> None:
    words = ("audit", f"{folder}/x.csv", f"{folder}/x.csv", "--aligned", "--schema", f"{folder}/schema.toml", *more)
    monkeypatch.setattr(sys, "argv", ["icefire", *words])
    with contextlib.suppress(SystemExit, FirstAttackReached), contextlib.redirect_stdout(io.StringIO()):
        main()


def files_before_the_first_attack(monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[str]:
    """The files whose functions run, in order; modules are loaded beforehand, so that only the way itself is seen."""
    audit(monkeypatch, folder, "--attacks", "id_rand", "--measures", "U6")
    passed: dict[str, None] = {}
    root = f"{ROOT}/"

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(root):
            name = path.removeprefix(root).removesuffix(".py")
            if name.startswith("attacks/"):
                raise FirstAttackReached
            passed[name] = None

    sys.setprofile(note)
    try:
        audit(monkeypatch, folder)
    finally:
        sys.setprofile(None)
    return list(passed)


def test_the_way_to_the_first_attack_is_short_and_documented(monkeypatch, tmp_path, households) -> None:
    households.frame.head(60).write_csv(tmp_path / "x.csv")
    roles = f"qi = {list(households.qi)}\nsa = {list(households.sa)}\n".replace("'", '"')
    (tmp_path / "schema.toml").write_text(roles, encoding="utf-8")
    files = files_before_the_first_attack(monkeypatch, tmp_path)
    own = [name for name in files if name.split("/")[0] not in (*SERVICES, "cli") or name in COMMAND]
    assert len(own) <= 20, own
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    walk = re.search(r"## The walk of one audit(.*?)\n## ", text, re.DOTALL)
    assert walk is not None
    elsewhere = ("report", "risk", "words", "io")  # described where the folders are
    decisive = [name for name in files if name.split("/")[0] not in elsewhere or name == "io/read"]
    missing = [name for name in decisive if f"`{name}" not in walk.group(1)]
    assert missing == []
