"""The attack `profile`: match by the customer table alone."""

from __future__ import annotations

import numpy as np

from icefire.attacks.answers import draw_answers, no_answers
from icefire.core import blocks
from icefire.core.align import as_text
from icefire.core.errors import ParameterError, did_you_mean
from icefire.core.history import HistoryCase
from icefire.core.parameters import Columns
from icefire.core.registry import attack
from icefire.core.release import Guess


@attack("profile", data="history", needs=("customers",), knows="the table of customers, not what anybody bought")
def profile(case: HistoryCase, *, rng: np.random.Generator, columns: Columns = None) -> Guess:
    """Draw one original customer among those with the same entries in the table of customers.

    The attacker knows the table of customers (`columns`, default all that were released with none but original
    values) and nothing of the purchases. Success is drawing the right customer; where nobody agrees there is no
    answer. The judge also gets the exact expectation.

    Args:
        case: What the attacker holds: the original history and the released one.
        rng: The generator of the draws.
        columns: Columns of the customer table to compare. Default: those released with none but original values.

    Returns:
        One original customer per released one, -1 for no answer, and the candidates it was drawn from.

    Raises:
        ParameterError: If a column named is not in both tables of customers.
    """
    known, shown = case.known.customers, case.released.customers
    if known is None or shown is None:
        return no_answers(case.targets)
    there = [name for name in known.columns if name in shown.columns and name != case.known.fields.subject]
    for name in columns or ():
        if name not in there:
            raise ParameterError(
                f"profile: no column {name!r} in both tables of customers; {did_you_mean(name, there)}"
            )
    known, shown = (table.select(as_text(table[name]) for name in there) for table in (known, shown))
    kept = [name for name in there if set(shown[name].unique()) <= set(known[name].unique())]
    used = kept if columns is None else list(columns)
    if not used:
        return no_answers(case.targets)
    return draw_answers(blocks.blocks_of_tables(known, shown, used).candidates, rng)
