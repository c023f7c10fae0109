"""What was learned about each column: how it was changed, and what it gives away."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefire.attacks.tables.link.matching import Scorer
from icefire.kernels.types import Int

WORDS = {
    "same": "equal to the original in {scale:.1%} of the rows, otherwise drawn anew",
    "covers": "generalised: labels cover the original value",
    "rank": "moved by about {scale:.1%} of the ranks",
    "own_rank": "order kept within about {scale:.1%} of the ranks; values replaced",
    "box": "swapped with values at most {scale:.0%} of the ranks away",
    "value": "noise of about {scale:.2g} standard deviations",
    "student": "noise of varying size, about {scale:.2g} standard deviations",
}


def explain(tool: Scorer, answers: Int) -> dict[str, dict[str, Any]]:
    """Return for every column that says something its change in words and the bits it gives away on average.

    Args:
        tool: The learned channels.
        answers: The original row answered for every released row.
    """
    notes: dict[str, dict[str, Any]] = {}
    for place, (column, channel) in enumerate(zip(tool.columns, tool.channels, strict=True)):
        levels = column.x.codes[answers]
        bits = float(np.log2(tool.ratios[place][tool.y_rows[:, place], levels]).mean())
        words = WORDS[channel.family].format(scale=channel.scale)
        notes[column.name] = {
            "family": channel.family,
            "scale": channel.scale,
            "swapped": channel.swapped,
            "change": f"{words}; exchanged within classes" if channel.swapped else words,
            "bits": round(bits, 3),
        }
    return notes
