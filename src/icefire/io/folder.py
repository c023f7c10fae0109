"""Release folders: `DIR` with `released.csv` and `scorecard.json` to hand out, `DIR.secret` with truth and seed.

The seed is as secret as the truth: the shuffle and every draw can be repeated from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from icefire.core import scorecard
from icefire.core.errors import InputError, OutputError, ParameterError, did_you_mean, listing
from icefire.core.extras import require
from icefire.core.reading import SourceReading
from icefire.core.release import Release, Truth
from icefire.core.scorecard import Scorecard
from icefire.io import files
from icefire.io.places import RELEASE, SEED, TRUTH
from icefire.io.sources.json_files import JSON_LINES
from icefire.io.tables import write_frame
from icefire.io.writing import NewFolder, whole_folders
from icefire.kernels.types import Float, Int

SCORECARD = "scorecard.json"
SECRET = ".secret"
"""What the name of a release folder ends in where its secrets are."""
ReleaseFormat = Literal["csv", "parquet", "arrow", "json", "jsonl", "xlsx"]
"""Ending of the released files."""
FORMATS: tuple[ReleaseFormat, ...] = get_args(ReleaseFormat)
TABLES = tuple(f"released.{kind}" for kind in FORMATS)
CUSTOMERS = tuple(f"customers.{kind}" for kind in FORMATS)


def secret_place(path: str | Path) -> Path:
    """Return the folder that keeps the secrets of a release folder unless another is named."""
    release = Path(path)
    named = release if release.name not in ("", "..") else release.resolve()
    return named.parent / f"{named.name}{SECRET}"


@dataclass(frozen=True, slots=True)
class ReleasePlace:
    """Where a release is written: the folder that is handed out, and the folder of its secrets."""

    path: str | Path
    secret: str | Path | None = None
    """Default: beside the release folder, its name with .secret."""
    force: bool = False
    inputs: Sequence[str | Path] = ()

    @property
    def folders(self) -> tuple[NewFolder, NewFolder]:
        """The folder to hand out and the one to keep."""
        kept = self.secret or secret_place(self.path)
        name = Path(self.path).resolve().name
        return (
            NewFolder(self.path, RELEASE, self.force, self.inputs),
            NewFolder(kept, f"secrets of {name}", self.force, self.inputs, secret=True),
        )

    def check(self) -> None:
        """Refuse, before any work is done, places that must not be written."""
        public, kept = self.folders
        if public.target in (kept.target, *kept.target.parents) or kept.target in public.target.parents:
            raise OutputError(
                f"the secrets ({str(kept.path)!r}) must not lie in the folder that is handed out "
                f"({str(public.path)!r}), nor hold it; choose another folder with --secret"
            )
        for one in (public, kept):
            one.check()


def write(
    release: Release[Any],
    card: Scorecard,
    place: ReleasePlace,
    kind: ReleaseFormat = "csv",
    reading: SourceReading | None = None,
) -> None:
    """Write the release folder and its secrets: both whole, or none; values as the source wrote them."""
    place.check()
    with whole_folders(*place.folders) as (draft, secret):
        write_frame(release.released.frame, draft / f"released.{kind}", reading)
        for name, frame in release.released.side_tables.items():
            write_frame(frame, draft / f"{name}.{kind}")
        (draft / SCORECARD).write_text(card.to_json(), encoding="utf-8")
        files.write_integers(release.truth.rows, secret / TRUTH)
        (secret / SEED).write_text(f"{release.seed}\n", encoding="utf-8")


def release_format(asked: ReleaseFormat | None, reading: SourceReading | None) -> ReleaseFormat:
    """Return the format asked for, or that of the source; CSV where the source cannot be written.

    Raises:
        ParameterError: If there is no such format.
        MissingPackageError: If a package that writes it is not installed.
    """
    if asked is not None and asked not in FORMATS:
        raise ParameterError(f"--format got {asked!r}; {did_you_mean(asked, FORMATS)}")
    source = "" if reading is None else reading.format
    like: dict[str, ReleaseFormat] = {"parquet": "parquet", "arrow": "arrow", "excel": "xlsx", "json": "json"}
    usual = "jsonl" if reading is not None and reading.source == JSON_LINES else like.get(source, "csv")
    kind = asked or usual
    if kind == "xlsx":
        require("xlsxwriter", "excel", "writing a workbook")
    return kind


def is_release(path: Path) -> bool:
    """Tell whether a path is a release folder, and not a file or a folder of Parquet files."""
    return path.is_dir() and table(path) != path


def table(path: Path) -> Path:
    """Return the released table for a path that is a file or a release folder."""
    if not path.is_dir():
        return path
    for name in TABLES:
        if (path / name).exists():
            return path / name
    if any(path.rglob("*.parquet")):
        return path
    raise InputError(f"folder {str(path)!r} holds no {listing(TABLES)}; give the released file")


def customers(path: Path) -> Path | None:
    """Return the customer table of a release folder of a history, if it has one."""
    return next((path / name for name in CUSTOMERS if (path / name).exists()), None) if path.is_dir() else None


def recipe(path: Path) -> dict[str, Any]:
    """Return the recipe a release folder was made by; empty for a plain file."""
    card = path / SCORECARD
    return scorecard.load(card).recipe if path.is_dir() and card.exists() else {}


def truth_of(path: Path) -> Path | None:
    """Return the truth kept beside a release folder, if there is one."""
    truth = secret_place(path) / TRUTH
    return truth if path.is_dir() and truth.exists() else None


def read_truth(path: str | Path) -> Truth:
    """Read a truth: a file with one integer per row and no header, or the folder of secrets that holds it."""
    file = Path(path) / TRUTH if Path(path).is_dir() else Path(path)
    rows = files.read_integers(file, "truth")
    if rows.shape[1] != 1:
        raise InputError(f"truth {str(path)!r} has {rows.shape[1]} columns; a truth is one whole number per row")
    return Truth(rows[:, 0].copy())


def read_guess(path: str | Path) -> Int:
    """Read a guess file: one row per target, one or more integers, no header."""
    return files.read_integers(Path(path), "guess")


def read_scores(path: str | Path) -> Float:
    """Read scores of membership: one number per target, no header."""
    return files.read_scores(Path(path))
