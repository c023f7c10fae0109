"""A whole contest as one file: the judge's bundle with everything, the public one with what everybody may see."""

from __future__ import annotations

from icefire.arena.bundle.backups import backup
from icefire.arena.bundle.manifest import Manifest
from icefire.arena.bundle.packing import export
from icefire.arena.bundle.restoring import Restored, restore

__all__ = ["Manifest", "Restored", "backup", "export", "restore"]
