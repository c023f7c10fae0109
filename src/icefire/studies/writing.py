"""Write a study to a folder: CSV for every part, PNG and SVG for every picture, and a README."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import polars.selectors as cs

from icefire._version import __version__
from icefire.io.tables import write_frame
from icefire.studies import plots
from icefire.studies.result import Part

README = "README.md"
DIGITS, ROUNDING_ERROR = 10, 1e-9


def write(folder: Path, command: str, about: str, parts: Sequence[Part]) -> list[str]:
    """Write all parts; returns the names of the files in order."""
    written = [README]
    (folder / README).write_text(readme(command, about, parts), encoding="utf-8")
    for part in parts:
        write_frame(rounded(part.table), folder / f"{part.name}.csv")
        written.append(f"{part.name}.csv")
        if part.as_json:
            (folder / f"{part.name}.json").write_text(rounded(part.table).write_json() + "\n", encoding="utf-8")
            written.append(f"{part.name}.json")
        if part.figure is not None:
            written += plots.save(part.figure, folder / part.name)
    return written


def rounded(table: pl.DataFrame) -> pl.DataFrame:
    """Drop the digits that differ between machines: keep ten, and write rounding errors near 0 as 0."""
    numbers = cs.float()
    return table.with_columns(
        pl.when(numbers.abs() < ROUNDING_ERROR).then(0.0).otherwise(numbers.round_sig_figs(DIGITS)).name.keep()
    )


def readme(command: str, about: str, parts: Sequence[Part]) -> str:
    """Explain the study, its results and its files; without a date, so that the same seed gives the same text."""
    conclusions = [part.conclusion for part in parts if part.conclusion]
    return "\n".join(
        [
            f"# {inspect.cleandoc(about)}",
            "",
            "## Found",
            "",
            *(f"- {' '.join(sentence.split())}" for sentence in conclusions),
            "",
            "## Files",
            "",
            *(_described(part) for part in parts),
            "",
            f"Made by icefire {__version__} with `{command}`.",
            "",
        ]
    )


def _described(part: Part) -> str:
    json = " Also as JSON." if part.as_json else ""
    picture = " Also drawn (PNG, SVG)." if part.figure is not None else ""
    times = " Holds times, which differ from run to run." if part.timed else ""
    return f"- `{part.name}.csv`: {part.description}{json}{picture}{times}"
