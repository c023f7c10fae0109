"""What the released labels of columns cover, read once for hidden values and for the three criteria."""

from __future__ import annotations

from collections.abc import Sequence

from icefire.core.release import Case
from icefire.hierarchy.coverage import Coverage, read_labels
from icefire.kernels.common import threads


def read_columns(case: Case, names: Sequence[str]) -> dict[str, Coverage]:
    """Read the labels of some columns of a release, as those of all people of the original; kept for others.

    Args:
        case: The original and the release.
        names: Columns of both.
    """
    kept = kept_columns(case)
    missing = [name for name in names if name not in kept]
    tables = case.known.frame, case.released.frame
    columns = threads.starmap(read_labels, [(tables[0][name], tables[1][name]) for name in missing])
    kept |= zip(missing, columns, strict=True)
    return {name: kept[name] for name in names}


def kept_columns(case: Case) -> dict[str, Coverage]:
    """Return what was read, by column."""
    return case.cached("labels read", dict[str, Coverage])


def forget_columns(case: Case) -> None:
    """Drop what was read: eight bytes for each row and column."""
    kept_columns(case).clear()
