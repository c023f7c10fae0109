"""What the judge does, on the files of one folder: take a release in, judge it, score a guess.

These functions run in the sandbox. They know one submission and nothing else. `rules`, `custom` and `limits` are those
of the competition's definition.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from icefire.arena import play
from icefire.errors import IcefireError

Task = Callable[..., dict[str, Any]]
Table = Mapping[str, Any] | None


def receive(
    given: Path, out: Path, *, rules: str, seed: int, custom: Table = None, limits: Table = None
) -> dict[str, Any]:
    """Check what a team hands in; if it is right, write what may be handed out, shuffled, and the truth for it."""
    game = play.build(rules, custom, limits)
    with _as_problems(given) as problems:
        problems += game.problems(given)
        if not problems:
            made = game.publish(given, out, seed)
            return {"problems": [], "rows": made.rows, "content": made.content}
    return {"problems": problems}


def judge(
    given: Path, out: Path, *, rules: str, seed: int, custom: Table = None, limits: Table = None
) -> dict[str, Any]:
    """Measure a release, attack it with every sample attack, and say which limits it breaks."""
    return play.build(rules, custom, limits).judge(given, seed)


def reference(
    given: Path, out: Path, *, rules: str, seed: int, custom: Table = None, limits: Table = None
) -> dict[str, Any]:
    """Judge the original itself, given alone."""
    return play.build(rules, custom, limits).reference(given, seed)


def guess(
    given: Path,
    out: Path,
    *,
    rules: str,
    targets: int,
    originals: int | None = None,
    check_only: bool = False,
    custom: Table = None,
    limits: Table = None,
) -> dict[str, Any]:
    """Check a team's answers, for which no truth is needed, and unless only that is wanted, score them.

    `targets` are the rows of the release; `originals` are counted in the original's files if not given.
    """
    game = play.build(rules, custom, limits)
    counted = originals if originals is not None else game.originals({path.name: path for path in given.iterdir()})
    with _as_problems(given) as problems:
        problems += game.guess_problems(given, game.asked(targets, counted))
    return {"problems": problems} if problems or check_only else {"problems": [], **game.score(given)}


@contextmanager
def _as_problems(given: Path) -> Iterator[list[str]]:
    """Add to the problems what a reader says about a file that it cannot read."""
    problems: list[str] = []
    try:
        yield problems
    except (IcefireError, UnicodeError, csv.Error, pl.exceptions.PolarsError) as error:
        said = str(error).strip().partition("\n")[0].replace(f"{given}/", "")
        problems.append(said or type(error).__name__)


TASKS: dict[str, Task] = {"receive": receive, "judge": judge, "reference": reference, "guess": guess}
