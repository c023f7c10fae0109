"""Synthetic originals of a contest: which sample stands for its data, and how it is written to files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import polars as pl

from icefire import samples
from icefire.io.format import Format

Cut = Callable[[pl.DataFrame], pl.DataFrame]


def _whole(piece: pl.DataFrame) -> pl.DataFrame:
    return piece


@dataclass(frozen=True, slots=True)
class SampleFiles:
    """A sample and how its pieces become rows of the contest's tables."""

    name: str
    """The sample; see `icefire list samples`."""
    small: int = 300
    """Rows (of a history: customers) that are enough to play the contest once."""
    cut: Cut = _whole
    """Makes rows of the original from rows of the sample; columns are put into the contest's order afterwards."""
    cut_customers: Cut = _whole

    def write(self, path: Path, how: Format, rows: int | None = None, seed: int | None = None) -> None:
        """Write the original; rows (of a history: customers) and seed are the sample's own if not given."""
        module = samples.load(self.name)
        _write(map(self.cut, module.chunks(*_size_and_seed(module, rows, seed))), path, how)

    def write_customers(self, path: Path, how: Format, rows: int | None = None, seed: int | None = None) -> None:
        """Write the customers of the original."""
        module = samples.load(self.name)
        _write(map(self.cut_customers, module.customers(*_size_and_seed(module, rows, seed))), path, how)


def _size_and_seed(module: ModuleType, rows: int | None, seed: int | None) -> tuple[int, int]:
    return rows or module.DEFAULT_ROWS, module.DEFAULT_SEED if seed is None else seed


def _write(pieces: Iterator[pl.DataFrame], path: Path, how: Format) -> None:
    with path.open("wb") as file:
        for number, piece in enumerate(pieces):
            table = piece if how.columns is None else piece.select(how.columns)
            table.write_csv(file, include_header=how.has_header and number == 0)
