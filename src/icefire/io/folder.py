"""Release folders: `released.csv` and `scorecard.json` to hand out, the folder `secret/` to keep.

The seed is as secret as the truth: the shuffle and every draw can be repeated from it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from icefire.core import scorecard
from icefire.core.errors import InputError
from icefire.core.release import Release, Truth
from icefire.core.scorecard import Scorecard
from icefire.io import files
from icefire.kernels.types import Int

SCORECARD = "scorecard.json"
TRUTH = Path("secret") / "truth.csv"
SEED = Path("secret") / "seed.txt"
TABLES = ("released.csv", "released.parquet")
CUSTOMERS = ("customers.csv", "customers.parquet")


def write(
    release: Release[Any],
    card: Scorecard,
    path: str | Path,
    kind: Literal["csv", "parquet"] = "csv",
    force: bool = False,
) -> None:
    """Write a release folder whole or not at all."""
    with files.whole_folder(path, force) as draft:
        files.write_frame(release.released.frame, draft / f"released.{kind}")
        for name, frame in release.released.side_tables.items():
            files.write_frame(frame, draft / f"{name}.{kind}")
        (draft / SCORECARD).write_text(card.to_json(), encoding="utf-8")
        (draft / TRUTH.parent).mkdir(mode=0o700)
        files.write_integers(release.truth.rows, draft / TRUTH)
        (draft / SEED).write_text(f"{release.seed}\n", encoding="utf-8")


def table(path: Path) -> Path:
    """Return the released table for a path that is a file or a release folder."""
    if not path.is_dir():
        return path
    for name in TABLES:
        if (path / name).exists():
            return path / name
    raise InputError(f"folder {str(path)!r} holds no released.csv or released.parquet; give the released file")


def customers(path: Path) -> Path | None:
    """Return the customer table of a release folder of a history, if it has one."""
    return next((path / name for name in CUSTOMERS if (path / name).exists()), None) if path.is_dir() else None


def recipe(path: Path) -> dict[str, Any]:
    """Return the recipe a release folder was made by; empty for a plain file."""
    card = path / SCORECARD
    return scorecard.load(card).recipe if path.is_dir() and card.exists() else {}


def read_truth(path: str | Path) -> Truth:
    """Read a truth file: one integer per row, no header."""
    rows = files.read_integers(Path(path), "truth")
    if rows.shape[1] != 1:
        raise InputError(f"truth {str(path)!r} has {rows.shape[1]} columns; a truth is one whole number per row")
    return Truth(rows[:, 0].copy())


def read_guess(path: str | Path) -> Int:
    """Read a guess file: one row per target, one or more integers, no header."""
    return files.read_integers(Path(path), "guess")
