"""Unpacking a competition, as `import` and `restore` do it."""

from __future__ import annotations

from pathlib import Path

from icefire.cli.console import note, out, progress


def unpack(source: Path, what: str, folder: Path, database: str | None) -> None:
    """Unpack a bundle or a backup to a new folder, and say what is wrong with its log and how it is started."""
    from icefire.arena import bundle

    with progress() as stage:
        stage("unpacking")
        restored = bundle.restore(source, folder, database)
    for problem in restored.problems:
        note(f"the log in the {what}: {problem}")
    started = f"icefire arena serve {folder}{' --database ADDRESS' if database else ''}"
    out.print(f"{folder}: start it with: {started}", markup=False, soft_wrap=True)
