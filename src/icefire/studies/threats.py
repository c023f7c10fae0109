"""Which method defends against which threat: releases by one method each, and the questions an attacker may ask.

The sample `households` (400 rows unless you ask for another number) with its quasi-identifiers and three of its
sensitive columns is released by one method at a time, after a fifth of the people was left out at random, so that there
is somebody who is not in the release.

- identified: share of the released rows whose person the joint attack `link` names.
- learned: what the best attack learns about a hidden column beyond leave-one-out, for the worst column.
- certain: share of the people whose hidden value is certain by the rows that may be theirs, for the worst column.
- members: share of the members that the joint attack recognises where 1 % of the others are taken for members.
- singled out: share of the people whom at most three released values isolate, in the release and in the original.
- linked: share of the people two halves of whose record the release brings together, beyond leave-one-out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
from rich.table import Table

import icefire
from icefire.core import roles
from icefire.core.dataset import Dataset
from icefire.core.formatting import percent
from icefire.core.scorecard import Scorecard
from icefire.core.types import Progress
from icefire.studies import plots
from icefire.studies.result import Part, text_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROWS = 400
LEFT_OUT = {"method": "delete", "share": 0.2}
SENSITIVE = ("food", "housing", "tuition")
METHODS: dict[str, list[dict[str, Any]]] = {
    "nothing but a sample": [],
    "one column made equal": [{"method": "unify"}],
    "cells left out, 30 %": [{"method": "suppress_cells", "share": 0.3}],
    "rounding": [{"method": "round_values"}],
    "top and bottom coding": [{"method": "top_code", "quantile": 0.9}, {"method": "bottom_code", "quantile": 0.1}],
    "k-anonymity, k = 5": [{"method": "k_anonymize", "k": 5}],
    "k-anonymity, k = 11": [{"method": "k_anonymize", "k": 11}],
    "k = 5, t-closeness 0.2": [{"method": "k_anonymize", "k": 5, "t_ordered": 0.2}],
    "noise on hidden columns": [{"method": "noise", "scale": 0.5}],
    "rank swapping": [{"method": "rank_swap", "p": 20}],
    "microaggregation": [{"method": "microaggregate", "k": 5}],
    "PRAM": [{"method": "pram", "keep": 0.7}],
    "shuffled columns": [{"method": "shuffle"}],
    "k = 5 and noise": [{"method": "k_anonymize", "k": 5}, {"method": "noise", "scale": 0.5}],
    "k = 5 and averages": [{"method": "k_anonymize", "k": 5}, {"method": "average"}],
    "k = 5 and swapping": [{"method": "k_anonymize", "k": 5}, {"method": "swap"}],
    "synthetic rows": [{"method": "synthesize"}],
}
"""The methods that P2 names (its 2.3) and combinations of two, one or two steps each."""
QUESTIONS = ("identified", "learned", "certain", "members", "singled out", "linked")
SCHEMA = {"method": pl.String, **dict.fromkeys(QUESTIONS, pl.Float64)}


def parts(rows: int | None, seed: int, progress: Progress) -> list[Part]:
    """Release a table by every method, and put every question."""
    data = _people(ROWS if rows is None else rows, seed)
    lines = []
    for name, steps in METHODS.items():
        progress(name)
        lines.append({"method": name, **measured(data, [LEFT_OUT, *steps], seed)})
    frame = pl.DataFrame(lines, SCHEMA)
    return [
        Part(
            "threats",
            "shares by method and question.",
            frame,
            conclusion=_conclusion(lines),
            view=lambda: _view(lines),
            figure=lambda: _figure(lines),
            as_json=True,
        )
    ]


def _people(rows: int, seed: int) -> Dataset:
    everything = icefire.sample("households", rows=rows, seed=seed)
    assert isinstance(everything, Dataset)
    frame = everything.frame.select(*everything.qi, *SENSITIVE)
    return Dataset(frame, roles.choose(frame, everything.qi, SENSITIVE), "households")


def measured(data: Dataset, steps: list[dict[str, Any]], seed: int) -> dict[str, float | None]:
    """Release a table by a recipe, audit it, and return the figure of each question."""
    release = icefire.anonymize(data, {"steps": steps}, seed=seed)
    card = icefire.audit(
        data, release, attacks=["link", "link_members"], measures=["k_min"], ask=("origin", "membership"), seed=seed
    ).scorecard
    return dict(zip(QUESTIONS, _figures(card), strict=True))


def _figures(card: Scorecard) -> list[float | None]:
    assert card.attributes is not None
    assert card.criteria is not None
    assert card.membership is not None
    columns = card.attributes.columns.values()
    learned = max(result.advantage_over_best_guess for column in columns for result in column.attacks.values())
    isolated, linked = card.criteria.named("singling out"), card.criteria.named("linkability")
    return [
        card.attacks["link"].rate,
        max(0.0, learned),
        max(column.certain_known for column in columns),
        card.membership.attacks["link_members"].tpr_at_fpr["0.01"],
        None if isolated is None else isolated.value,
        None if linked is None or linked.advantage is None else max(0.0, linked.advantage),
    ]


def _conclusion(lines: list[dict[str, Any]]) -> str:
    """Name the methods that keep every share below a tenth, and where each of the others is weakest."""
    weakest = {line["method"]: max(QUESTIONS, key=lambda question: line[question] or 0.0) for line in lines}
    safe = [line["method"] for line in lines if (line[weakest[line["method"]]] or 0.0) < 0.1]
    listed = "; ".join(safe) or "none"
    return f"Below 10 % on every question: {listed}. Every other method leaves at least one question open."


def _view(lines: list[dict[str, Any]]) -> Table:
    rows = [
        [line["method"], *("" if line[name] is None else percent(line[name]) for name in QUESTIONS)] for line in lines
    ]
    return text_table("Which method defends against which threat", ["method", *QUESTIONS], rows)


def _figure(lines: list[dict[str, Any]]) -> Figure:
    """Draw methods × questions, darker where more is given away."""
    figure = plots.blank(7.2, 1.0 + 0.36 * len(lines))
    axes = figure.subplots()
    plots.names_only(axes, list(QUESTIONS), [line["method"] for line in lines])
    values = [[line[name] if line[name] is not None else float("nan") for name in QUESTIONS] for line in lines]
    axes.pcolormesh(values, cmap="OrRd", vmin=0, vmax=1, edgecolors="white", linewidth=1.5)
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            if value == value:
                colour = "white" if value > 0.6 else "black"
                axes.text(x + 0.5, y + 0.5, f"{100 * value:.0f} %", ha="center", va="center", color=colour, fontsize=9)
    axes.invert_yaxis()
    return figure
