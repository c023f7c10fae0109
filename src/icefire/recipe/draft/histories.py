"""A first recipe for a history: nothing that tells the people of a cluster apart, then clusters with the same items."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from icefire.core.errors import ParameterError
from icefire.core.history import History
from icefire.recipe.draft.toml import DraftStep, RecipeDraft, listed


def draft(data: History, k: int) -> RecipeDraft:
    """Return the first recipe of a history."""
    size = _cluster_size(k)
    active = int(np.count_nonzero(data.baskets.sizes))
    if active < size:
        raise ParameterError(
            f"recipe init: the policy asks for clusters of {size}, but only {active} people have rows; choose another "
            "policy, or more people"
        )
    return RecipeDraft(_about(data), [*_plain_purchases(data), _clusters(active, size)])


def _cluster_size(k: int) -> int:
    """Half as many again as the policy's k: an attack on clusters does somewhat better than chance."""
    return k + (k + 1) // 2


def _about(data: History) -> list[str]:
    present = data.fields.present
    remarks = [f"Columns: {', '.join(f'{meaning} {listed([name])}' for meaning, name in present.items())}."]
    unknown = [name for name in data.frame.columns if name not in present.values()]
    if unknown:
        remarks.append(
            f"WARNING: no step changes {listed(unknown)}: they would be released as they are. Leave them out."
        )
    return remarks


def _plain_purchases(data: History) -> Iterator[DraftStep]:
    """Remove what tells people of a cluster apart, as far as the history has it."""
    if data.has("customers"):
        yield DraftStep(
            "drop_profile",
            "What the table of customers says singles out nearly everybody. columns = [...] blanks only some of it.",
        )
    yield DraftStep(
        "merge_purchases",
        "One row for every item of a person: coming back for the same one is a habit, and added rows have none.",
    )
    if data.has("number") or data.has("price"):
        yield DraftStep(
            "round_purchases",
            'Unusual numbers and prices give real rows away. number = "powers" keeps 1, 2, 4, 8, …',
            {"number": "one", "price": "usual"},
        )
    if data.has("date"):
        yield DraftStep(
            "coarsen_dates",
            'Which items were bought in which month is enough to recognise people. to = "quarter" or "year" keeps '
            "more; audit again after such a change.",
            {"to": "all"},
        )
    if data.has("receipt"):
        yield DraftStep(
            "rename_receipts",
            'What was on one receipt tells whose it is: each person gets one receipt. per = "day" keeps more.',
            {"per": "customer"},
        )


def _clusters(active: int, size: int) -> DraftStep:
    return DraftStep(
        "dummies",
        f"Rows are added until all people of a cluster of at least {size} have the same items. Larger clusters protect "
        "more and need more added rows. suppress_rare_goods before this step saves many of them.",
        {"clustering": "minimal", "clusters": active // size, "min_size": size, "placement": "plausible"},
    )
