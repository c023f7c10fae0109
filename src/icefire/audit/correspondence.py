"""Released rows and their originals: what the user says about it, what was loaded, and how a truth is read."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from icefire.core.errors import InputError, ParameterError
from icefire.core.release import Truth
from icefire.io import folder

DataT = TypeVar("DataT")


@dataclass(frozen=True, slots=True)
class LoadedRelease(Generic[DataT]):
    """A release as it was given, with the original brought to the same columns and types."""

    original: DataT
    released: DataT
    published: pl.DataFrame
    """The released table with every column it has."""
    original_as_read: DataT
    """The original with every column it has."""
    truth: Truth | Path | None = None
    """The truth that came along; a path is not read until it is needed."""
    recipe: dict[str, Any] = field(default_factory=dict)
    """How the release was made, where that is known."""


@dataclass(frozen=True, slots=True)
class TruthSource:
    """What the user said about how the release corresponds to the original."""

    truth: Any = None
    aligned: bool = False
    key: str | None = None

    def check(self) -> None:
        """Refuse two ways at once."""
        ways = {"--truth": self.truth is not None, "--aligned": self.aligned, "--key": self.key is not None}
        given = [option for option, is_given in ways.items() if is_given]
        if len(given) > 1:
            raise ParameterError(f"{' and '.join(given)} both say who is who; give only one of them")


@dataclass(frozen=True, slots=True)
class ControlFiles:
    """People outside the data as the user names them: hold-out and background, files, tables or None."""

    holdout: Any = None
    background: Any = None

    def check(self, synthetic: bool, source: TruthSource, method_known: bool, contest: str | None) -> None:
        """Refuse options that only make sense for releases of the other kind."""
        if not synthetic:
            if self.background is not None:
                raise ParameterError("--background is for synthetic releases; add --synthetic, or leave it out")
            if self.holdout is not None and contest is not None:
                raise ParameterError("--holdout has no part in a contest; leave it out, or leave --contest out")
            return
        given = {
            "--truth": source.truth is not None,
            "--aligned": source.aligned,
            "--key": source.key is not None,
            "--method-known": method_known,
            "--contest": contest is not None,
        }
        for option in (option for option, is_given in given.items() if is_given):
            raise ParameterError(
                f"{option} is for releases whose rows come from people; leave it out, or leave --synthetic out"
            )


def as_truth(source: str | Path | ArrayLike | Truth) -> Truth:
    """Take a truth, a file of integers, or integers."""
    if isinstance(source, Truth):
        return source
    if isinstance(source, str | os.PathLike):
        return folder.read_truth(source)
    values = np.asarray(source)
    if values.dtype.kind not in "iu":
        raise InputError(f"the truth holds {values.dtype} values; give whole numbers, one per released row")
    return Truth(values.reshape(-1).astype(np.int64))


def truth_by_order(originals: int, released: int, units: str) -> Truth:
    """Match rows or subjects by their order; there must be as many in both files."""
    if originals != released:
        raise InputError(
            f"--aligned: the original has {originals:,} {units}, the release {released:,}; "
            f"{'rows' if units == 'rows' else 'they'} can only be matched by order when there are as many: "
            "pass --truth or --key"
        )
    return Truth(np.arange(released, dtype=np.int64))
