"""Games that ask of every released row or customer: which original is this?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from icefire.arena.play.base import Game
from icefire.arena.play.game import ANSWERS, TRUTH, Asked
from icefire.audit import judge as judges
from icefire.core.release import Guess
from icefire.core.scorecard import AttackResult
from icefire.io import folder


class Linkage(Game):
    """What such games have in common."""

    def asked(self, rows: int, originals: int) -> Asked:
        """One answer for each released row: an original one."""
        return Asked(rows, originals)

    def score(self, given: Path) -> dict[str, Any]:
        """Count the right answers."""
        found = judges.score(folder.read_truth(given / TRUTH), Guess(folder.read_guess(given / ANSWERS)))
        return {"hits": found.hits, "targets": found.targets, "rate": found.rate}


def found(attacks: Mapping[str, AttackResult]) -> dict[str, dict[str, Any]]:
    """Write down what the attacks achieved."""
    return {name: {"hits": a.hits, "targets": a.targets, "rate": a.rate} for name, a in attacks.items()}
