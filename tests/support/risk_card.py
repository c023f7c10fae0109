"""Risks made by hand that fill every field; part of the scorecard the report tests draw."""

from __future__ import annotations

from icefire.risk import (
    Classes,
    ClassRisk,
    Identifier,
    Population,
    Reached,
    Risks,
    SafeHarbour,
    SpecialColumn,
    SpecialRow,
    SpecialUniques,
)

REACHED = {
    "id_rand": Reached(1987, 1721, 1902, 150, 0),
    "id_sa": Reached(4021, 2801, 3602, 190, 301),
    "sort": Reached(11, 4, 7, 0, 2),
    "sa_nearest": Reached(214, 98, 151, 6, 33),
    "euc1": Reached(4977, 2907, 4404, 197, 0),
    "euc2": Reached(7608, 2955, 5077, 203, 2890),
}


def risks(rows: int, names: list[str]) -> Risks:
    """Return risks with every field filled, about columns of these names."""
    return Risks(
        rows=rows,
        threshold=0.25,
        classes=Classes(
            prosecutor=ClassRisk(0.9876, 0.53087, 5585),
            journalist=ClassRisk(0.8765, 0.27712, 2345),
            marketer=0.27713,
            unmatched=3213,
            recoded=names[:2],
            unique=3012,
            unique_in_original=1999,
            population=Population(1_234_567, "pitman", 54321.4, 0.1357, 0.0246),
        ),
        special=SpecialUniques(
            max_size=2,
            asked_size=3,
            rows=209,
            rows_by_size=[8, 201],
            sets_by_size=[9, 553],
            columns=[SpecialColumn(name, 348 - i, 0.6314 - 0.01 * i) for i, name in enumerate(names)],
            top=[
                SpecialRow(4522, 2.2045, [2, 3], [names[:1], names[1:2], names[2:4], names[3:5]], ["euc1", "euc2"]),
                SpecialRow(1717, 0.0833, [0, 1], [names[:2]], []),
            ],
        ),
        attacks=REACHED,
        safe_harbour=SafeHarbour(
            26,
            [Identifier(names[0], "B", "a place smaller than a state", "the name of the column says so", "Drop it.")],
        ),
    )
