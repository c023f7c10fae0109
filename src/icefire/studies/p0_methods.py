"""P0 Tables 12 and 13: eight releases, each by one method, measured beside what the paper expects.

The sample `households` (8,333 rows unless you ask for another number) and 100 rows drawn from it at random are each
released nine times: as they are, and by one method alone.

| release | method |
|---|---|
| Da | k-anonymise all quasi-identifiers, k = 3 |
| Db | noise on every sensitive attribute, a tenth of its standard deviation |
| Dc | the cheating permutation: values as they are, a false correspondence |
| Dd | unify `head_age`, a quasi-identifier outside the cross table of U2 and U3 |
| De | unify `members`, a quasi-identifier inside that cross table |
| Df | average the sensitive attributes of rows with the same quasi-identifiers |
| Dg | swap the sensitive attributes, each on its own, among rows with the same quasi-identifiers |
| Dh | delete a tenth of the rows |

E1 is the exact expectation over its random draws. E4 looks at `tuition` and does not answer a released zero, as in
the contest, so it cannot exceed the share of households that paid any. The paper's prediction for "EUC" is compared
with EUC1, the variant it evaluates; EUC2 is measured and has no prediction of its own.

How a number becomes a word, so that it can be compared with Table 12. The thresholds are conventions of this study,
the paper gives none.

- U1 to U6, as a share of a scale of the original: U1 and U2 of the average of the sensitive attributes, U3 of the
  mean count of an occupied cell, U4 of the mean absolute correlation, U5 of the loss if every row held the values of
  a random other row, U6 of the number of rows. 0 is "-", below 5 % "slightly", from 5 % on "negative".
- S1 and S2, as a multiple of the original's: within 1 % "-", larger "positive", smaller "negative".
- Attacks, as a share of the rate on the original: 0.9 or more "vulnerable", 0.1 or less "positive", between them
  "slightly".

Table 12 is a prediction, not a result: where it and the measurement differ, both are shown and nothing is adjusted.
The paper's own Table 13 departs from it too; there, swapping leaves EUC1 at 1 and deleting takes E3 down to 0.067.
"""

from __future__ import annotations

from typing import Any

import polars as pl
from rich.table import Table

from icefire.core.dataset import Dataset
from icefire.core.types import Progress
from icefire.studies import effect_labels, household_plots, households
from icefire.studies.printed import P0_TABLE_12, P0_TABLE_13
from icefire.studies.result import Part, text_table

SMALL = 100
ORIGINAL = "original"
CODES = (*households.MEASURES, *households.ATTACKS)
THRESHOLDS = (0.01, 0.02, effect_labels.SLIGHT, 0.1, 0.2)

RELEASES: dict[str, tuple[str, households.RecipeSteps]] = {
    "Da": ("k-anon.", [{"method": "k_anonymize", "k": 3}]),
    "Db": ("noise", [{"method": "noise", "scale": 0.1}]),
    "Dc": ("cheat", [{"method": "permute_index"}]),
    "Dd": ("unify out", [{"method": "unify", "columns": [households.OUTSIDE]}]),
    "De": ("unify in", [{"method": "unify", "columns": [households.INSIDE]}]),
    "Df": ("average", [{"method": "average"}]),
    "Dg": ("swap", [{"method": "swap"}]),
    "Dh": ("delete", [{"method": "delete", "share": 0.1}]),
}
SCHEMA = {
    "release": pl.String,
    "method": pl.String,
    "size": pl.Int64,
    "measure": pl.String,
    "value": pl.Float64,
    "relative": pl.Float64,
    "measured_label": pl.String,
    "expected_label": pl.String,
    "agrees": pl.Boolean,
    "printed": pl.Float64,
}

MeasuredValues = dict[str, float | None]


def parts(rows: int | None, seed: int, progress: Progress) -> list[Part]:
    """Release both tables by every method, measure, attack, and compare."""
    whole = households.survey(rows, seed)
    tables = [households.some_rows(whole, SMALL, seed)] + ([whole] if whole.height > SMALL else [])
    effects = pl.concat([measure(table, seed, progress) for table in tables])
    every = Part(
        "effects",
        "every value, its size relative to the original, its label, the label of P0's Table 12, whether they agree, "
        "and the value printed in P0's Table 13 (100 rows of other data).",
        effects,
    )
    sizes = [_size_part(effects, table.height) for table in tables]
    return [*sizes, every, _thresholds(effects)]


def measure(original: Dataset, seed: int, progress: Progress) -> pl.DataFrame:
    """Return one line per release and measure: value, label, expectation."""
    scales = effect_labels.scales(original)
    before = _numbers(original, [], seed)
    lines = [_line(ORIGINAL, "", original.height, code, before[code]) for code in CODES]
    for name, (method, steps) in RELEASES.items():
        progress(f"{original.height:,} rows: {name}, {method}")
        after = _numbers(original, steps, seed)
        for code in CODES:
            base = scales.get(code, before[code])
            lines.append(_line(name, method, original.height, code, after[code], base))
    return pl.DataFrame(lines, SCHEMA, orient="row")


def _numbers(original: Dataset, steps: households.RecipeSteps, seed: int) -> MeasuredValues:
    card = households.audit_release(original, households.make_release(original, steps, seed), seed)
    return households.values(card) | households.rates(card)


def _line(
    name: str, method: str, size: int, code: str, value: float | None, base: float | None = None
) -> tuple[object, ...]:
    relative = value / base if value is not None and base else None
    measured = effect_labels.label(code, relative)
    expected = P0_TABLE_12.get((name, code))
    agrees = None if measured is None or expected is None else measured == expected
    return name, method, size, code, value, relative, measured, expected, agrees, P0_TABLE_13.get((name, code))


def agreement(effects: pl.DataFrame) -> tuple[int, int]:
    """Count the labels that are as expected, and those that can be compared."""
    return int(effects["agrees"].sum()), effects["agrees"].count()


def wide(effects: pl.DataFrame, size: int, what: str = "value") -> pl.DataFrame:
    """Arrange one size as the paper's Table 13: a row per measure, a column per release."""
    return effects.filter(size=size).pivot("release", index="measure", values=what)


def _size_part(effects: pl.DataFrame, size: int) -> Part:
    part = effects.filter(size=size)
    same, compared = agreement(part)
    return Part(
        f"table13_{size}",
        f"the values at {size:,} rows in the form of P0's Table 13.",
        wide(effects, size),
        conclusion=f"{size:,} rows: {same} of {compared} labels are as expected; {_effects(part)}. {_where(part)}",
        view=lambda: _view(effects, size),
        figure=lambda: household_plots.label_grid(
            _pairs(part),
            {name: f"{name}\n{method}" for name, (method, _) in RELEASES.items()},
            CODES,
            f"{size:,} rows: {same} of {compared} effects as P0's Table 12 expects",
        ),
    )


def _effects(part: pl.DataFrame) -> str:
    """Count again where the paper expects a change: "-" and "vulnerable" both say that nothing happens."""
    same, compared = agreement(
        part.filter(~pl.col("expected_label").is_in([effect_labels.NOTHING, effect_labels.OPEN]))
    )
    return f"{same} of the {compared} that expect a change"


def _where(part: pl.DataFrame) -> str:
    """Say which measures disagree, most often first."""
    wrong = (
        part.filter(agrees=False)
        .group_by("measure", maintain_order=True)
        .len()
        .sort("len", descending=True, maintain_order=True)
    )
    listed = [f"{code} ({count})" for code, count in wrong.iter_rows()]
    return f"Not as expected, by measure: {', '.join(listed)}." if listed else ""


def _pairs(part: pl.DataFrame) -> dict[tuple[str, str], tuple[str | None, str | None]]:
    """Return (measure, release) → (measured, expected)."""
    lines = part.filter(pl.col("release") != ORIGINAL)
    return {(r["measure"], r["release"]): (r["measured_label"], r["expected_label"]) for r in lines.to_dicts()}


def _thresholds(effects: pl.DataFrame) -> Part:
    """Count the agreements again with other borders between "slightly" and "negative"."""
    lines, sentences = [], []
    for (size,), part in effects.group_by("size", maintain_order=True):
        counts = [_agreements_at(part, border) for border in THRESHOLDS]
        lines += [(size, border, count, agreement(part)[1]) for border, count in zip(THRESHOLDS, counts, strict=True)]
        sentences.append(f"{', '.join(map(str, counts))} ({size:,} rows)")
    borders = ", ".join(f"{100 * border:g}" for border in THRESHOLDS)
    return Part(
        "thresholds",
        'agreements if "slightly" ended at another share of the scale (U1 to U6).',
        pl.DataFrame(lines, ["size", "slightly_below", "agreements", "of"], orient="row"),
        conclusion=f'Agreements if "slightly" ended at {borders} % of the scale: {"; ".join(sentences)}.',
    )


def _agreements_at(part: pl.DataFrame, border: float) -> int:
    judged = part.filter(pl.col("agrees").is_not_null())
    names = zip(judged["measure"], judged["relative"], judged["expected_label"], strict=True)
    return sum(effect_labels.label(code, relative, border) == expected for code, relative, expected in names)


SHORT = {"slightly": "slight", "negative": "neg", "positive": "pos", "vulnerable": "vuln"}


def _view(effects: pl.DataFrame, size: int) -> Table:
    """Show each value with its label below it and, where it differs, the expected one."""
    part = effects.filter(size=size)
    cells = {(line["measure"], line["release"]): _cell(line) for line in part.to_dicts()}
    names = (ORIGINAL, *RELEASES)
    rows = [[code, *(cells[code, name] for name in names)] for code in CODES]
    return text_table(f"{size:,} rows: value, label, ≠ expected label", ["", "orig.", *RELEASES], rows)


def _cell(line: dict[str, Any]) -> str:
    shown = [short(line["value"])]
    if line["measured_label"]:
        shown.append(SHORT.get(line["measured_label"], line["measured_label"]))
    if line["agrees"] is False:
        shown.append(f"[bold]≠{SHORT.get(line['expected_label'], line['expected_label'])}[/]")
    return "\n".join(shown)


def short(value: float | None) -> str:
    """Write a number in at most seven characters."""
    if value is None:
        return "?"
    if abs(value) < effect_labels.UNCHANGED or abs(value) >= 100 or value == round(value):
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) >= 0.001 else "<0.001"
