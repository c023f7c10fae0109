"""What is to be said about a hold-out: people of the original in it, too few people, columns that vary only there."""

from __future__ import annotations

from collections.abc import Sequence

from icefire.audit.attributes.rates import LEAST_CONTROLS
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.core.formatting import spoken_list
from icefire.words import t


def control_notes(original: Dataset, secrets: Sequence[str], holdout: Dataset, as_read: Dataset | None) -> list[str]:
    """Say what limits the control by a hold-out.

    Args:
        original: The people the release was made from.
        secrets: The columns asked about.
        holdout: The people outside that are asked about.
        as_read: The hold-out with the notes of `read_holdout`, where it was read so.
    """
    notes = [] if as_read is None else _overlap(as_read)
    outside = {name: holdout.frame[name].drop_nulls() for name in secrets if name in holdout.frame.columns}
    fewest = min(map(len, outside.values()), default=holdout.height)
    if fewest < LEAST_CONTROLS:
        notes.append(t("hidden_values.few_controls", n=fewest, least=LEAST_CONTROLS))
    constant = [name for name in outside if original.frame[name].drop_nulls().n_unique() == 1]
    varied = [name for name in constant if outside[name].n_unique() > 1]
    if varied:
        notes.append(t("hidden_values.constant_inside", columns=spoken_list(varied)))
    return notes


def check_controls(holdout: Dataset, column: str) -> None:
    """Refuse a hold-out in which nobody has a value of a sensitive column."""
    if holdout.frame[column].null_count() == holdout.height:
        raise InputError(
            f"the hold-out {holdout.name!r} has no value in the sensitive column {column!r}, so what is guessed about "
            "people outside cannot be checked; give their values, or leave out --holdout"
        )


def _overlap(holdout: Dataset) -> list[str]:
    """Say how many people of the hold-out are in the original, or have the same values by coincidence."""
    if alike := holdout.notes.get("alike_by_coincidence", 0):
        return [t("hidden_values.coincidences", n=alike)]
    count, rows = holdout.notes.get("people_of_the_original", 0), holdout.notes.get("their_rows", [])
    if not count:
        return []
    named = ", ".join(str(row) for row in rows) + (", …" if count > len(rows) else "")
    return [t("hidden_values.overlap", n=count, rows=named)]
