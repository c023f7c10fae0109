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

The printed tables stand beside ours (`table16_beside`, `table14_beside`, `summary_beside`): printed value, ours,
difference. They are of other releases and other data, so what can be compared is the pattern: which attack finds most
on which kind of release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from rich.table import Table

from icefire.core.scorecard import Scorecard
from icefire.core.types import Progress
from icefire.kernels.types import Bool, Float
from icefire.studies import household_plots, households, printed_tables
from icefire.studies.result import Part, text_table

DECIMALS = 3
AYA = "AYA"
SHOWN = (*households.ATTACKS, AYA)
FAR = ["head_age", "employment", "industry", "firm_size", "children"]
"""Five quasi-identifiers outside the cross table."""

_K3 = {"method": "k_anonymize", "k": 3}
_UNIFY_IN = {"method": "unify", "columns": [households.INSIDE]}
_UNIFY_FAR = {"method": "unify", "columns": FAR}
_CHEAT = {"method": "permute_index"}
_SWAP = {"method": "swap"}
_AVERAGE = {"method": "average"}

RELEASES: dict[str, tuple[str, households.RecipeSteps]] = {
    "D1": ("unify inside", [_UNIFY_IN]),
    "D2": ("average", [_AVERAGE]),
    "D3": ("k = 3, swap", [_K3, _SWAP]),
    "D4": ("k = 5, swap", [{**_K3, "k": 5}, _SWAP]),
    "D5": ("unify 5, cheat", [_UNIFY_FAR, _CHEAT]),
    "D6": ("unify 5, cheat 90 %", [_UNIFY_FAR, {**_CHEAT, "share": 0.9}]),
    "D7": ("unify 5, k = 3, swap", [_UNIFY_FAR, _K3, _SWAP]),
    "D8": ("unify in, swap, cheat", [_UNIFY_IN, _SWAP, _CHEAT]),
    "D9": ("unify in, swap, cheat 90 %", [_UNIFY_IN, _SWAP, {**_CHEAT, "share": 0.9}]),
    "D10": ("k = 41, average", [{**_K3, "k": 41}, _AVERAGE]),
    "D11": ("k = 8, average", [{**_K3, "k": 8}, _AVERAGE]),
    "D12": ("k = 4, average", [{**_K3, "k": 4}, _AVERAGE]),
}


def parts(rows: int | None, seed: int, progress: Progress) -> list[Part]:
    """Make the twelve releases, attack each, and rank the attacks."""
    original = households.survey(rows, seed)
    cards = {}
    for name, (method, steps) in RELEASES.items():
        progress(f"{name}: {method}")
        cards[name] = households.audit_release(original, households.make_release(original, steps, seed), seed)
    rates = {name: households.rates(card) for name, card in cards.items()}
    measured = {name: households.values(card) for name, card in cards.items()}
    return [
        *(_table16(cards), _summary(cards), _table14(cards)),
        *(
            printed_tables.table16_beside(rates),
            printed_tables.summary_beside(rates),
            printed_tables.table14_beside(measured),
        ),
        _seconds(cards),
    ]


def table(cards: Mapping[str, Scorecard]) -> pl.DataFrame:
    """Return the rate of every attack on every release, and what AYA credits at most."""
    lines = [
        {
            "release": name,
            "recipe": RELEASES[name][0],
            **households.rates(card),
            AYA: card.aya.rate if card.aya else None,
        }
        for name, card in cards.items()
    ]
    return pl.DataFrame(lines)


def best(rates: Float) -> Bool:
    """Mark the highest rates of each row, as printed; ties share the mark, and 0 is never best."""
    printed = np.round(rates, DECIMALS)
    top = printed.max(axis=1, keepdims=True)
    marks: Bool = (printed == top) & (top > 0)
    return marks


def summary(rates: Float, attacks: Sequence[str]) -> pl.DataFrame:
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


def _table16(cards: Mapping[str, Scorecard]) -> Part:
    frame = table(cards)
    rates = frame.select(households.ATTACKS).to_numpy()
    totals = summary(rates, households.ATTACKS)
    return Part(
        "table16",
        "the rate of every attack on every release, and AYA.",
        frame,
        conclusion=_conclusion(totals),
        view=lambda: _view(frame, totals),
        figure=lambda: household_plots.heat(
            frame.select(SHOWN).to_numpy(),
            SHOWN,
            [f"{name}  {recipe}" for name, recipe in frame.select("release", "recipe").iter_rows()],
            _marks(frame),
            "Re-identification rate by attack (* best; AYA is the judge's)",
        ),
    )


def _summary(cards: Mapping[str, Scorecard]) -> Part:
    totals = summary(table(cards).select(households.ATTACKS).to_numpy(), households.ATTACKS)
    return Part("summary", "mean, sample standard deviation and number of bests of every attack.", totals)


def _table14(cards: Mapping[str, Scorecard]) -> Part:
    lines = [{"release": name, "recipe": RELEASES[name][0], **households.values(card)} for name, card in cards.items()]
    return Part("table14", "the measures of every release.", pl.DataFrame(lines))


def _seconds(cards: Mapping[str, Scorecard]) -> Part:
    lines = [{"release": name} | {a.code: a.seconds for a in card.attacks.values()} for name, card in cards.items()]
    return Part("seconds", "how long every attack took.", pl.DataFrame(lines), timed=True)


def _conclusion(totals: pl.DataFrame) -> str:
    top = totals.sort("mean", descending=True, maintain_order=True).row(0, named=True)
    counts = ", ".join(f"{attack} {count}" for attack, count in totals.select("attack", "best_of_6").iter_rows())
    return f"{top['attack']} finds most on average ({top['mean']:.3f}). Best of 6, ties for each: {counts}."


def _marks(frame: pl.DataFrame) -> Bool:
    """Marks for the columns shown; the last one, AYA, never has one."""
    marks = best(frame.select(households.ATTACKS).to_numpy())
    return np.column_stack([marks, np.zeros(len(marks), bool)])


def _view(frame: pl.DataFrame, totals: pl.DataFrame) -> Table:
    rows = []
    for line, marks in zip(frame.iter_rows(), _marks(frame), strict=True):
        rates = [f"{'*' if mark else ''}{rate:.{DECIMALS}f}" for rate, mark in zip(line[2:], marks, strict=True)]
        rows.append([*line[:2], *rates])
    aya = frame[AYA].to_numpy()
    rows += [
        ["", "mean", *(f"{v:.{DECIMALS}f}" for v in (*totals["mean"], aya.mean()))],
        ["", "sd (n - 1)", *(f"{v:.{DECIMALS}f}" for v in (*totals["sd"], aya.std(ddof=1)))],
        ["", "best of 6", *(str(count) for count in totals["best_of_6"]), ""],
        ["", "best of 5", *("" if count is None else str(count) for count in totals["best_of_5"]), ""],
    ]
    return text_table("Re-identification rates (* best)", ["", "recipe", *SHOWN], rows, left=2)
