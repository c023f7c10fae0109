"""The curve of attackers: ordered by what they know, drawn from three attackers on."""

from __future__ import annotations

from icefire.core.scorecard.attackers import AttackerResult
from icefire.report.html.attacker_curve import attacker_curve, by_knowledge


def attacker(name: str, columns: int, people: int, rate: float | None, **more: object) -> AttackerResult:
    names = [f"c{number}" for number in range(columns)]
    return AttackerResult(
        name=name, words="", columns=names, people=people, targets=people, released=100, rate=rate, **more
    )


FOUR = [
    attacker("maximum", 4, 100, 0.9),
    attacker("register", 3, 60, 0.2, strangers=50),
    attacker("neighbour", 2, 100, 0.3, blurred={"c0": "within 2", "c1": "within 3"}),
    attacker("insider", 3, 100, 0.6),
]


def test_attackers_stand_in_the_order_of_the_values_they_know() -> None:
    # 10 people with 3 columns, 100 with 2 blurred ones that count half, 100 with 3 and with 4 columns.
    assert [one.name for one in by_knowledge(FOUR)] == ["register", "neighbour", "insider", "maximum"]


def test_the_curve_rises_from_left_to_right_with_the_names_below() -> None:
    drawn = str(attacker_curve(FOUR))
    assert 'points="0,80 33.33,70 66.67,40 100,10"' in drawn
    places = [drawn.index(f">{name}</text>") for name in ("register", "neighbour", "insider", "maximum")]
    assert places == sorted(places)


def test_two_attackers_are_no_curve_and_one_without_a_rate_is_none() -> None:
    assert not attacker_curve(FOUR[:2])
    assert not attacker_curve([*FOUR[:2], attacker("nobody", 1, 0, None)])


def test_many_or_long_names_do_not_run_into_one_another() -> None:
    many = [attacker(f"age~{number},sex,postcode!0.1", 3, 10 + number, 0.1) for number in range(9)]
    drawn = str(attacker_curve(many))
    assert drawn.count("</text>") - drawn.count('class="level"') == 2
    assert "age~0,sex,postc…" in drawn
