"""P0 Tables 14 and 16: twelve releases that combine methods, six attacks on each, and which attack does best.

The contest's own releases are not public. These twelve combine the methods that P0's Table 15 infers for them, on
the sample `households` (8,333 rows unless you ask for another number). Where the paper infers the same methods for
several releases, they differ here in a parameter.

E1 is the exact expectation over its random draws. E4 looks at `tuition` and does not answer a released zero. AYA is
the judge's check, not an attack: the best rate when an answer nearer than the claimed origin counts as right. It
takes no part in the marks.

- mean and sd: over the releases; sd is the sample standard deviation (n - 1). The deviations printed in the paper
  count the mean as a thirteenth value and are too small.
- \\*: the highest rate on a release, compared as printed, to three decimals; equal ones all carry the mark and each
  counts. Where every rate is 0.000, none is best.
- best of 6 counts the marks; best of 5 counts again without EUC2, as the paper compares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.table import Table

from icefire.scorecard import Scorecard
from icefire.studies import lab, plots
from icefire.studies.result import Part, text_table

DECIMALS = 3
AYA = "AYA"
SHOWN = (*lab.ATTACKS, AYA)
FAR = ["head_age", "employment", "industry", "firm_size", "children"]
"""Five quasi-identifiers outside the cross table."""

_K3 = {"method": "k_anonymize", "k": 3}
_UNIFY_IN = {"method": "unify", "columns": [lab.INSIDE]}
_UNIFY_FAR = {"method": "unify", "columns": FAR}
_CHEAT = {"method": "permute_index"}
_SWAP = {"method": "swap"}
_AVERAGE = {"method": "average"}

RELEASES: dict[str, tuple[str, lab.Steps]] = {
    "D1": ("unify inside", [_UNIFY_IN]),
    "D2": ("average", [_AVERAGE]),
    "D3": ("k = 3, swap", [_K3, _SWAP]),
    "D4": ("k = 5, swap", [{**_K3, "k": 5}, _SWAP]),
    "D5": ("unify 5, cheat", [_UNIFY_FAR, _CHEAT]),
    "D6": ("unify 5, cheat 90 %", [_UNIFY_FAR, {**_CHEAT, "share": 0.9}]),
    "D7": ("unify 5, k = 3, swap", [_UNIFY_FAR, _K3, _SWAP]),
    "D8": ("unify in, swap, cheat", [_UNIFY_IN, _SWAP, _CHEAT]),
    "D9": ("… cheat 90 %", [_UNIFY_IN, _SWAP, {**_CHEAT, "share": 0.9}]),
    "D10": ("k = 41, average", [{**_K3, "k": 41}, _AVERAGE]),
    "D11": ("k = 8, average", [{**_K3, "k": 8}, _AVERAGE]),
    "D12": ("k = 4, average", [{**_K3, "k": 4}, _AVERAGE]),
}

Rates = NDArray[np.float64]


def run(rows: int | None, seed: int, progress: Callable[[str], None]) -> list[Part]:
    """Make the twelve releases, attack each, and rank the attacks."""
    original = lab.households(rows, seed)
    cards = {}
    for name, (method, steps) in RELEASES.items():
        progress(f"{name}: {method}")
        cards[name] = lab.audit(original, lab.release(original, steps, seed), seed)
    return [_table16(cards), _summary(cards), _table14(cards), _seconds(cards)]


def table(cards: Mapping[str, Scorecard]) -> pl.DataFrame:
    """Return the rate of every attack on every release, and what AYA credits at most."""
    lines = [
        {"release": name, "recipe": RELEASES[name][0], **lab.rates(card), AYA: card.aya.rate if card.aya else None}
        for name, card in cards.items()
    ]
    return pl.DataFrame(lines)


def best(rates: Rates) -> NDArray[np.bool_]:
    """Mark the highest rates of each row, as printed; ties share the mark, and 0 is never best."""
    printed = np.round(rates, DECIMALS)
    top = printed.max(axis=1, keepdims=True)
    marks: NDArray[np.bool_] = (printed == top) & (top > 0)
    return marks


def summary(rates: Rates, attacks: Sequence[str]) -> pl.DataFrame:
    """Return mean, sample standard deviation and number of bests of every attack (one column each)."""
    without = [i for i, attack in enumerate(attacks) if attack != "EUC2"]
    best_of_5 = np.full(len(attacks), -1)
    best_of_5[without] = best(rates[:, without]).sum(axis=0)
    return pl.DataFrame(
        {
            "attack": list(attacks),
            "mean": rates.mean(axis=0),
            "sd": rates.std(axis=0, ddof=1),
            "best_of_6": best(rates).sum(axis=0),
            "best_of_5": [None if count < 0 else count for count in best_of_5.tolist()],
        }
    )
