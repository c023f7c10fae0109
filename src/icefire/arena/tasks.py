"""What the judge does, on the files of one folder: take a release in, judge it, score a guess.

These functions run in the sandbox. They know one submission and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from icefire.arena import play

Task = Callable[..., dict[str, Any]]


def receive(given: Path, out: Path, *, rules: str, seed: int) -> dict[str, Any]:
    """Check what a team hands in; if it is right, write what may be handed out, shuffled, and the truth for it."""
    game = play.of(rules)
    problems = game.problems(given)
    if problems:
        return {"problems": problems}
    rows = game.publish(given, out, seed)
    return {"problems": [], "rows": rows}


def judge(given: Path, out: Path, *, rules: str, seed: int) -> dict[str, Any]:
    """Measure a release and attack it with every sample attack."""
    return play.of(rules).judge(given, seed)


def guess(given: Path, out: Path, *, rules: str, check_only: bool = False) -> dict[str, Any]:
    """Check a team's answers and, unless only that is wanted, score them."""
    game = play.of(rules)
    problems = game.guess_problems(given)
    return {"problems": problems} if problems or check_only else {"problems": [], **game.score(given)}


TASKS: dict[str, Task] = {"receive": receive, "judge": judge, "guess": guess}
