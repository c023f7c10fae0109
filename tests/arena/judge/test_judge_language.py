"""The judge writes English, whatever language the server runs in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from icefire.arena.judge import child, tasks
from icefire.words.languages import current_language


def _language(*_: Any) -> dict[str, str]:
    return {"language": current_language()}


def test_a_task_is_done_in_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ICEFIRE_LANG", "ja")
    monkeypatch.setattr(child, "confine", lambda *_: [])
    monkeypatch.setattr(child, "_leave_the_cache_alone", lambda: None)
    monkeypatch.setattr(tasks, "do_task", _language)
    (tmp_path / child.OPTIONS).write_text("{}")
    child.work("judge", tmp_path, None)  # type: ignore[arg-type]
    assert json.loads((tmp_path / child.RESULT).read_text())["language"] == "en"
