"""A scorecard made by hand that fills every field; the report tests draw it."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from icefire.core.scorecard import (
    AttackResult,
    Aya,
    ClassBin,
    LearnedColumn,
    Limit,
    MeasureResult,
    Provenance,
    Reason,
    Roles,
    Scorecard,
    Table,
    Verdict,
)
from icefire.core.scorecard.distances import ColumnDistance, DistributionDistances
from icefire.core.scorecard.people import Person, Recognition, RiskBand
from icefire.core.scorecard.usefulness import ColumnChange, Usefulness
from icefire.risk import Reached
from support.risk_card import risks

ROWS = 8333
QI = [
    "region",
    "members",
    "workers",
    "dwelling",
    "tenure",
    "head_sex",
    "head_age",
    "employment",
    "industry",
    "firm_size",
    "spouse_work",
    "children",
    "seniors",
]
SA = [
    "food",
    "housing",
    "fuel",
    "furniture",
    "clothing",
    "medical",
    "transport",
    "education",
    "leisure",
    "other_spending",
    "gifts",
    "remittance",
]


def attack(code: str, hits: int, knows: str, answered: int = ROWS, expected: float | None = None) -> AttackResult:
    rate = hits / ROWS
    half = 1.96 * math.sqrt(rate * (1 - rate) / ROWS)
    return AttackResult(
        code,
        rate,
        hits,
        ROWS,
        answered,
        (max(0.0, rate - half), min(1.0, rate + half)),
        1 / ROWS,
        expected,
        min(1.0, rate + 0.021),
        knows,
        {"qi": None, "scale": "raw"} if code.startswith("EUC") else {},
        0.0042 + rate,
    )


ATTACKS = {
    "id_rand": attack(
        "E1",
        1987,
        "everybody's quasi-identifiers and draws one person at random among those who share them",
        5120,
        0.24113,
    ),
    "id_sa": attack("E2", 4021, "everybody's quasi-identifiers and one sensitive value"),
    "sort": attack("E3", 11, "the total of everybody's sensitive values and matches the order of the totals"),
    "sa_nearest": attack("E4", 214, "one sensitive value of everybody and nothing else"),
    "euc1": attack(
        "EUC1", 4977, "everybody's quasi-identifiers and sensitive values, and trusts the quasi-identifiers", 5120
    ),
    "euc2": attack(
        "EUC2", 7608, "everybody's quasi-identifiers and sensitive values, and searches everybody when nobody matches"
    ),
}
MEASURES = {
    "k_min": MeasureResult("S1", 1.0, "higher", "8,333", {"qi": None}),
    "k_mean": MeasureResult("S2", 1.8837, "higher", "8,333", {"qi": None}),
    "mean_error": MeasureResult("U1", 1234.567, "lower", "0"),
    "cross_mean": MeasureResult("U2", 20417.25, "lower", "0", {"cells": "both"}),
    "cross_count": MeasureResult("U3", 3.3e-17, "lower", "0", {"cells": "union"}),
    "correlation_error": MeasureResult("U4", None, "lower", "0", {}, "no two sensitive attributes vary in both tables"),
    "information_loss": MeasureResult("U5", 0.0123456, "lower", "0"),
    "row_change": MeasureResult("U6", 0.0, "lower", "0"),
}
GAINS = (0.2131, 0.1717, 0.0904, 0.0511, 0.0302, 0.0212, 0.0109, 0.0081, 0.0034, 0.0007, 0.0, -0.0041, -0.0253)
BANDS = ((0.0, 0.09, 1310), (0.09, 0.2, 612), (0.2, 0.33, 388), (0.33, 0.5, 11), (0.5, 0.9, 2401), (0.9, 1.0, 3611))
BINS = (
    (1, 1, 3012, 3012),
    (2, 2, 611, 1222),
    (3, 4, 398, 1351),
    (5, 9, 211, 1377),
    (10, 19, 64, 811),
    (20, 49, 13, 380),
    (50, 99, 2, 180),
    (100, 999, 0, 0),
    (1000, None, 0, 0),
)


def people(count: int = 20, values: dict[str, Any] | None = None) -> list[Person]:
    return [
        Person(
            original_row=17 + 401 * i,
            released_row=(7919 * i + 5) % ROWS,
            risk=0.99 - 0.01 * i,
            interval=(0.95 - 0.01 * i, 0.998 - 0.005 * i),
            by="id_sa",
            columns=["head_age", "industry"][: 1 + i % 2],
            class_size=1 + i // 6,
            values=values,
        )
        for i in range(count)
    ]


def full_card(**changes: Any) -> Scorecard:
    """Return a scorecard with every field filled; keywords replace fields."""
    card = Scorecard(
        provenance=Provenance(
            "0.1.0",
            20150801,
            Table("households.csv", ROWS, "a1" * 32),
            Table("released.csv", ROWS, "b2" * 32),
            "row by row: both files in the same order",
            True,
            "2025-11-15 20:30 UTC",
            {"python": "3.11.9", "polars": "2.1.0"},
        ),
        roles=Roles(QI, SA, ["household_id"], ["comment"], "inferred"),
        measures=MEASURES,
        attacks=ATTACKS,
        left_out={"jaccard": "needs a history"},
        aya=Aya("euc2", 7790 / ROWS, 7790, 683, ROWS),
        recognition=Recognition(5120.4, 1.0, ROWS, [RiskBand(*band) for band in BANDS]),
        usefulness=Usefulness(
            "What was lost: 12 % of the cells were changed.",
            0.0,
            0.04,
            0.12,
            [
                ColumnChange("head_age", "qi", 1412, 1412 / ROWS, 1412, 0.012),
                ColumnChange("industry", "qi", 940, 940 / ROWS, 0, 0.113),
                ColumnChange("region", "qi", ROWS, 1.0, 0, 1.0, True),
                ColumnChange("food", "sa", 0, 0.0, 0, 0.0),
            ],
            DistributionDistances(
                [
                    ColumnDistance("head_age", "qi", "wasserstein", 0.0123, 31),
                    ColumnDistance("industry", "qi", "total_variation", 0.1037),
                    ColumnDistance("region", "qi", "lost", 1.0),
                    ColumnDistance("food", "sa", "wasserstein", 0.0),
                ],
                0.279,
                1.0,
                "region",
                0.0511,
                0.2222,
                ["head_age", "industry"],
                3,
                3,
            ),
        ),
        at_risk=people(),
        class_sizes=[ClassBin(*group) for group in BINS],
        learned_columns=[LearnedColumn(q, f"noise in {q}", 40 * abs(g)) for q, g in zip(QI, GAINS, strict=True)],
        risks=risks(ROWS, QI),
        recipe={
            "seed": 4711,
            "steps": [
                {"method": "k_anonymize", "k": 3, "qi": None, "notes": {"regions": 2101, "suppressed": 0}},
                {"method": "noise", "scale": 0.1, "columns": ["food", "housing"], "distribution": "normal"},
            ],
        },
        limits=[Limit("reid", "max", 0.05, 7608 / ROWS, False), Limit("k_min", "min", 1.0, 1.0, True)],
        verdict=Verdict(
            False,
            "Over a limit: do not release",
            "7,608 of 8,333 people are identified (91.3 %) by an attacker who knows everybody's quasi-identifiers and "
            "sensitive values, and searches everybody when nobody matches. Guessing at random would "
            "identify about 1.0. reid is 0.913, the limit is at most 0.05.",
            "euc2",
        ),
    )
    return msgspec.structs.replace(card, **changes)


def empty_card(**changes: Any) -> Scorecard:
    """Return the least a scorecard can hold."""
    card = Scorecard(
        provenance=Provenance("0.1.0", 0, Table("x", 0), Table("y", 0), ""), roles=Roles([], [], [], [], "given")
    )
    return msgspec.structs.replace(card, **changes)


SCRIPT = "<script>alert(1)</script>"


def hostile_card() -> Scorecard:
    """Return a scorecard whose names were chosen to break pages and terminals: long, many, and with markup."""
    names = [f"{SCRIPT}[red]column_{i}_{'very_long_' * 12}" for i in range(60)]
    ours = msgspec.structs.replace
    longest = f"{SCRIPT}[bold]{'long_attack_' * 10}"
    feared = risks(ROWS, names)
    return full_card(
        provenance=ours(full_card().provenance, released=Table(f"{SCRIPT}\x1b[31m[/]{'x' * 300}.csv", ROWS, "c3" * 32)),
        roles=Roles(names, names[:30], [], [], "inferred"),
        attacks={longest: attack("<E9>", 8333, SCRIPT), **ATTACKS},
        measures={SCRIPT: MeasureResult("<U9>", 1e-7, "lower", SCRIPT, {SCRIPT: SCRIPT}, SCRIPT), **MEASURES},
        left_out={SCRIPT: SCRIPT},
        at_risk=people(3, dict.fromkeys(names, SCRIPT)),
        learned_columns=[LearnedColumn(n, SCRIPT, 0.01 * (30 - i)) for i, n in enumerate(names)],
        risks=ours(feared, attacks={longest: Reached(8333, 3012, 5585, 209, 3213), **feared.attacks}),
        recipe={"seed": 1, "steps": [{"method": SCRIPT, SCRIPT: SCRIPT, "notes": {SCRIPT: SCRIPT}}]},
        limits=[Limit(SCRIPT, "max", 1.0, None, False)],
        verdict=Verdict(False, SCRIPT, SCRIPT, SCRIPT),
    )


def contradicted(**changes: Any) -> Scorecard:
    """Return a scorecard whose claimed correspondence contradicts rows whose origin is plain."""
    reason = Reason("correspondence", "The claimed correspondence cannot be right.", {"rows": 8300})
    verdict = Verdict(
        False,
        "The correspondence cannot be right",
        reason.text,
        worst_attack="euc2",
        state="not_passed",
        reasons=[reason],
    )
    return full_card(verdict=verdict, aya=Aya("euc2", 0.99, 8250, 8300, ROWS), **changes)
