"""The tasks of the judge, on the files of one folder: take a release in, judge it, score a guess.

These functions run in the sandbox. They know one submission and nothing else.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal

import polars as pl

from icefire import contests
from icefire.contests.common import formulas as cells
from icefire.contests.common.game import ORIGINAL, ORIGINAL_CUSTOMERS, Game
from icefire.core.errors import IcefireError

Task = Callable[..., dict[str, Any]]
MOST_PROBLEMS = 1000
LONGEST_PROBLEM = 400


def do_task(
    task: str,
    given: Path,
    out: Path,
    *,
    rules: str,
    custom: Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
    joint_attacks: bool = True,
    formulas: Literal["refuse", "escape"] = "escape",
    **options: Any,
) -> dict[str, Any]:
    """Do a task by its name.

    Args:
        task: One of `TASKS`.
        given: Folder of the files that the task reads.
        out: Folder for the files that it writes.
        rules: Name of the contest.
        custom: The table of a contest of an organiser's own.
        limits: Limits of the organisers, in place of those of the contest.
        joint_attacks: Whether the joint attacks are among the sample attacks.
        formulas: What is done with cells of releases that a spreadsheet would run.
        options: What the task needs besides.
    """
    work = partial(_receive, formulas=formulas) if task == "receive" else TASKS[task]
    game = contests.get_or_build(rules, custom).play(limits, joint_attacks=joint_attacks)
    return work(game, given, out, **options)


def _receive(game: Game, given: Path, out: Path, *, seed: int, formulas: str = "escape") -> dict[str, Any]:
    """Check what a team hands in; if it is right, write what may be handed out, shuffled, and the truth for it."""
    with _as_problems(given) as problems:
        problems += game.submission_problems(given)
        if not problems and formulas == "refuse":
            problems += _formulas(game, given)
        if not problems:
            published = game.publish(given, out, seed)
            if formulas == "escape":
                for name in game.handed_out:
                    (out / name).write_bytes(cells.escaped((out / name).read_bytes()))
            return {"problems": [], "rows": published.rows, "content": published.content}
    return {"problems": problems}


def _formulas(game: Game, given: Path) -> list[str]:
    """Name cells that a spreadsheet would run, in the files of a submission that are handed out."""
    known = [given / ORIGINAL, given / ORIGINAL_CUSTOMERS]
    handed = [name for name in game.handed_out if name in game.handed_in]
    return [str(one) for name in handed for one in cells.problems(given / name, known, game.has_header)]


def _judge(game: Game, given: Path, out: Path, *, seed: int) -> dict[str, Any]:
    """Measure a release, attack it with every sample attack, and say which limits it breaks."""
    return game.judge(given, seed)


def _reference(game: Game, given: Path, out: Path, *, seed: int) -> dict[str, Any]:
    """Judge the original itself, given alone."""
    return game.judge_original(given, seed)


def _guess(
    game: Game, given: Path, out: Path, *, targets: int, originals: int | None = None, check_only: bool = False
) -> dict[str, Any]:
    """Check a team's answers, for which no truth is needed, and unless only that is wanted, score them.

    `targets` are the rows of the release; `originals` are counted in the original's files if not given.
    """
    counted = originals if originals is not None else game.count_originals(given)
    with _as_problems(given) as problems:
        problems += game.guess_problems(given, game.answer_shape(targets, counted))
    return {"problems": problems} if problems or check_only else {"problems": [], **game.score_guess(given)}


def _fingerprint(game: Game, given: Path, out: Path, *, seed: int) -> dict[str, Any]:
    """Recognise the methods that made a release."""
    return game.fingerprint(given, seed)


@contextmanager
def _as_problems(given: Path) -> Iterator[list[str]]:
    """Add to the problems what a reader says about a file that it cannot read, and keep all of them short."""
    problems: list[str] = []
    try:
        yield problems
    except IcefireError as error:
        problems.append(error.message.replace(f"{given}/", ""))
    except (UnicodeError, csv.Error, pl.exceptions.PolarsError) as error:
        reason = str(error).strip().partition("\n")[0]
        problems.append(f"a file cannot be read as CSV ({reason}); look for a quotation mark that is left open")
    more = len(problems) - MOST_PROBLEMS
    problems[:] = [_short(problem) for problem in problems[:MOST_PROBLEMS]]
    if more > 0:
        problems.append(f"{more:,} more problems like these")


def _short(problem: str) -> str:
    """Cut what a team wrote, and show nothing that a terminal would obey."""
    plain = "".join(sign if sign.isprintable() else "?" for sign in problem)
    return plain if len(plain) <= LONGEST_PROBLEM else f"{plain[:LONGEST_PROBLEM]}…"


TASKS: dict[str, Task] = {
    "receive": _receive,
    "judge": _judge,
    "reference": _reference,
    "guess": _guess,
    "fingerprint": _fingerprint,
}
