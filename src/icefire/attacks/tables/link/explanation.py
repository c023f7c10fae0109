"""What was learned about each column: how it was changed, and what it gives away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np

from icefire.attacks.tables.link.channels import NOTHING
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.attacks.tables.link.learning import Learned
from icefire.attacks.tables.link.matching import Scorer
from icefire.core.answer_evidence import AnswerEvidence
from icefire.kernels.types import Int

WORDS = {
    "same": "equal to the original in {scale:.1%} of the rows, otherwise drawn anew",
    "covers": "generalised: labels cover the original value",
    "rank": "moved by about {scale:.1%} of the ranks",
    "own_rank": "order kept within about {scale:.1%} of the ranks; values replaced",
    "reversed_rank": "order reversed within about {scale:.1%} of the ranks; values replaced",
    "renamed": "values replaced by others of the same frequency",
    "box": "swapped with values at most {scale:.0%} of the ranks away",
    "value": "noise of about {scale:.2g} standard deviations",
    "student": "noise of varying size, about {scale:.2g} standard deviations",
}
UNKNOWN = "not known: nothing shows that its values and those of other columns are one person's"
ALONE = "values of the original; one column alone cannot show whether they were moved to other rows"


class ColumnEvidence(Enum):
    """What the tables show about how columns were changed."""

    LEARNED = "learned"
    SINGLE_COLUMN = "single column"
    """One column is compared, and taken as it stands."""
    NONE = "none"
    """The values of a released row do not fit one person better than by chance."""


def evidence_of(columns: Sequence[LinkColumn], learned: Learned, connected: bool) -> ColumnEvidence:
    """Return what is known about the columns.

    Args:
        columns: The columns of both tables.
        learned: Their channels.
        connected: The tables show that the values of a released row are one person's.
    """
    if not connected:
        return ColumnEvidence.NONE
    return ColumnEvidence.SINGLE_COLUMN if learned.supposed and learned.used(columns) == 1 else ColumnEvidence.LEARNED


def bits_of_answers(tool: Scorer, answers: Int) -> AnswerEvidence:
    """Return what each column says for each answer; 0 where nobody is answered.

    Args:
        tool: The learned channels.
        answers: The original row answered for every released row; -1 for nobody.
    """
    bits = np.zeros((len(answers), len(tool.columns)), np.float32)
    answered = np.flatnonzero(answers >= 0)
    for place, column in enumerate(tool.columns):
        levels = column.x.codes[answers[answered]]
        bits[answered, place] = np.log2(tool.ratios[place][tool.y_rows[answered, place], levels])
    return AnswerEvidence(tuple(column.name for column in tool.columns), bits)


def explain(
    tool: Scorer, answers: Int, evidence: ColumnEvidence, sources: Mapping[str, str] | None = None
) -> dict[str, dict[str, Any]]:
    """Return for every column that says something its change in words and the bits it gives away on average.

    Args:
        tool: The learned channels.
        answers: The original row answered for every released row; -1 for nobody.
        evidence: What the tables show about the columns. Without any, all columns are unknown and give nothing away.
        sources: In words where a column comes from, if not from the one of its name.
    """
    if evidence is ColumnEvidence.NONE:
        unknown = {"family": NOTHING.family, "scale": NOTHING.scale, "swapped": False, "change": UNKNOWN, "bits": 0.0}
        return {column.name: dict(unknown) for column in tool.columns}
    notes: dict[str, dict[str, Any]] = {}
    answered = np.flatnonzero(answers >= 0)
    for place, (column, channel) in enumerate(zip(tool.columns, tool.channels, strict=True)):
        levels = column.x.codes[answers[answered]]
        bits = float(np.log2(tool.ratios[place][tool.y_rows[answered, place], levels]).mean())
        alone = evidence is ColumnEvidence.SINGLE_COLUMN
        words = ALONE if alone else WORDS[channel.family].format(scale=channel.scale)
        if sources and column.source in sources:
            words = f"{sources[column.source]}; {words}"
        notes[column.name] = {
            "family": channel.family,
            "scale": channel.scale,
            "swapped": channel.swapped,
            "change": f"{words}; exchanged within classes" if channel.swapped else words,
            "bits": round(bits, 3),
        }
    return notes
