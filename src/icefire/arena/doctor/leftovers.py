"""Checks of what a killed server has left behind in the vault, and older versions in the temporary folder."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from icefire.arena.contest import kept_head, signing
from icefire.arena.contest.arena import Arena
from icefire.arena.doctor.finding import FIXABLE, Finding
from icefire.arena.doctor.submissions import SETTLED
from icefire.arena.judge import task_folders
from icefire.arena.storage.store import SECRET

_DRAFT = re.compile(rf"\..+|{signing.KEY}\.\d+")
"""Names of files that are being written: they get their own name when they are whole."""


def of_tasks(arena: Arena) -> Iterator[Finding]:
    """Find folders of the judge's tasks that nobody works in."""
    for one in task_folders.left_behind(arena.store.vault):
        text = f"vault/{task_folders.FOLDER}/{one.name} was left behind by a judge that was killed"
        yield Finding("warning", text, FIXABLE, partial(task_folders.remove, one))
    for one in task_folders.left_in_temporary_folders():
        text = f"{one} was left behind by an older version; it may hold the truth of a release"
        yield Finding("warning", text, FIXABLE, partial(task_folders.remove, one))


def in_the_vault(arena: Arena) -> Iterator[Finding]:
    """Find drafts in the vault that were never finished, and what does not belong there at all."""
    vault = arena.store.vault
    for path in sorted(vault.rglob("*")):
        inside = path.relative_to(vault)
        if inside.parts[0] == task_folders.FOLDER or not path.is_file():
            continue
        if _DRAFT.fullmatch(path.name):
            if path.stat().st_mtime < time.time() - SETTLED:
                text = f"vault/{inside} was never finished"
                yield Finding("warning", text, FIXABLE, partial(path.unlink, missing_ok=True))
        elif not _belongs(inside):
            yield Finding("warning", f"vault/{inside} is not ours", "look at it, and take it away")


def _belongs(inside: Path) -> bool:
    return str(inside) in (signing.KEY, kept_head.FILE) or (inside.parts[0] in SECRET and len(inside.parts) == 3)
