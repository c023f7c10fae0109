"""P3's table of expected scores: whether an attacker who is not sure should say "member".

An attacker of PWS Cup 2021 is asked about 100 records, half of them in the release, and scores
(recall + δ)(precision + δ)(top-3 + δ) with δ = 0.01, where top-3 is the share of members whose own row is among the
three named. The slide assumes that all other records are called members, half of them rightly, and that their rows are
found with a chance of 0.3. One more record, whose row is found with chance p, is called a member too or left out.

The picture draws both over p. It always pays: leaving a record out costs recall, and the precision of somebody who
cannot tell members from others stays one half whatever is said. Beside it is what changes that: somebody who answers
"member or not" rightly with chance a may call only the likelier half members, which scores about a · a · 0.3a instead
of 1 · 0.5 · 0.3, and pays where a³ is above one half, from a ≈ 0.79 on.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from rich.table import Table

from icefire.core.errors import ParameterError
from icefire.core.types import Progress
from icefire.studies import survey_plots
from icefire.studies.result import Part, text_table
from icefire.theory import membership
from icefire.theory.membership import DELTA

PRINTED = {1.0: (0.16329, 0.15810), 0.1: (0.15865, 0.15810), 0.01: (0.15819, 0.15810), 0.0001: (0.15814, 0.15810)}
"""p → (included, left out), as on the slide."""
DIGITS = 5
TARGETS, OTHERS = 100, 0.3
POINTS = 501


def parts(rows: int | None, seed: int, progress: Progress) -> list[Part]:
    """Work the table out, and both curves; nothing is drawn at random."""
    if rows is not None:
        raise ParameterError(f"p3-score works a formula out and has no sample of {rows} rows; leave --rows out")
    return [_table(), _claims()]


def table() -> pl.DataFrame:
    """Return the expected scores beside the printed ones."""
    lines = [(p, *scores(p), *printed) for p, printed in PRINTED.items()]
    return pl.DataFrame(lines, ["p", "included", "left_out", "included_printed", "left_out_printed"], orient="row")


def scores(p: float) -> tuple[float, float]:
    """Return the score to expect if the record is called a member, and if it is left out."""
    included, left_out = (membership.expected_score(p, claimed, others=OTHERS) for claimed in (True, False))
    return included, left_out


def claims() -> pl.DataFrame:
    """Return the scores of calling all members, and the likelier half only, by how well members are told."""
    return pl.DataFrame([_claim(accuracy) for accuracy in np.linspace(0.5, 1, POINTS).tolist()])


def _claim(accuracy: float) -> dict[str, float | int]:
    """Half of the records are members with chance `accuracy`, the others with the rest of it."""
    chances = np.repeat([accuracy, 1 - accuracy], TARGETS // 2)
    best = membership.worth_claiming(chances, np.full(TARGETS, OTHERS))
    half = (accuracy + DELTA) * (accuracy + DELTA) * (accuracy * OTHERS + DELTA)
    return {"told": accuracy, "all": scores(OTHERS)[0], "half": half, "worth_claiming": int(best.sum())}


def _table() -> Part:
    frame, curve = table(), _curve()
    pairs = (("included", "included_printed"), ("left_out", "left_out_printed"))
    same = sum(int((frame[ours].round(DIGITS) == frame[theirs]).sum()) for ours, theirs in pairs)
    included, left_out = scores(0.0)
    return Part(
        "table",
        "expected score if a record with chance p is called a member, and if it is left out, beside the printed ones.",
        frame,
        conclusion=f"{same} of the {2 * frame.height} printed scores come out to the last digit. "
        f"Calling a record a member gains {included - left_out:.6f} even where its row is never found.",
        view=lambda: _view(frame),
        figure=lambda: survey_plots.scores(curve, frame, claims()),
    )


def _curve() -> pl.DataFrame:
    chances = np.logspace(-4, 0, POINTS).tolist()
    return pl.DataFrame([(p, *scores(p)) for p in chances], ["p", "included", "left_out"], orient="row")


def _claims() -> Part:
    frame = claims()
    turn = float(frame.filter(pl.col("worth_claiming") < TARGETS)["told"].to_numpy().min())
    return Part(
        "claims",
        "by the chance a to tell members from others: the score of calling all members, of calling the likelier half "
        "members, and how many of 100 records are worth it.",
        frame,
        conclusion="Calling everybody a member is best unless members are told from others rightly in "
        f"{turn:.1%} of cases or more.",
    )


def _view(frame: pl.DataFrame) -> Table:
    rows = [[f"{p:g}", *(f"{score:.{DIGITS}f}" for score in scores)] for p, *scores in frame.iter_rows()]
    head = ["p", "included", "left out", "included, printed", "left out, printed"]
    return text_table("Expected score by chance p", head, rows)
