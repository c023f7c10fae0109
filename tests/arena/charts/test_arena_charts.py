"""The pictures of a round, against the paper's own tables (P2, tables 5 to 7) and boards made by hand."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files
from itertools import combinations, pairwise
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the arena's packages are not installed")

from icefire.arena import charts
from icefire.arena.boards.facts import ReleaseFacts
from icefire.arena.boards.rankings import FireBoard, FireRow, IceBoard, IceRow, average_ratio
from icefire.arena.charts import labels, scales, words
from icefire.arena.charts.labels import Point

UTILITIES = ("U1", "U2", "U3", "U4", "U5", "U6")
MEASURES = ("S1", "S2", *UTILITIES)
# rank, team, U1..U6, S1, S2, E1..E4, AYA, maximum
TABLE_5 = """
1 02 0.00 0.00 0.00 0.09 0.01 0.00 1 13.71 0.00 0.00 0.00 0.00 0.03 0.03
2 02 0.00 0.00 0.00 0.09 0.01 0.00 1 13.68 0.00 0.00 0.00 0.00 0.08 0.08
3 01 0.00 0.00 0.00 0.07 0.02 0.00 1 36.07 0.00 0.02 0.00 0.00 0.36 0.36
4 02 0.00 4321.75 1.54 0.03 0.01 0.00 3 36.07 0.00 0.02 0.01 0.00 0.21 0.30
5 10 0.00 0.00 0.00 0.00 0.03 0.00 1 36.07 0.00 0.08 0.08 0.01 0.92 0.92
6 15 0.00 31400.95 0.99 0.00 0.02 0.00 3 4.86 0.19 0.24 0.25 0.05 0.57 0.57
7 07 0.00 46944.41 2.16 0.00 0.02 0.00 5 89.60 0.00 0.00 0.00 0.00 0.63 0.63
8 10 0.00 0.00 0.00 0.00 0.03 0.00 1 36.07 0.00 0.07 0.07 0.01 0.93 0.93
9 10 0.00 0.00 0.00 0.00 0.03 0.00 1 36.07 0.00 0.07 0.07 0.01 0.93 0.93
10 15 0.00 31572.91 1.01 0.00 0.02 0.00 3 4.91 0.20 0.24 0.25 0.05 0.63 0.63
"""
# rank, identified, trials, tests, ratio
TABLE_7 = """
1 51628 21 174993 29.5
2 44852 23 191659 23.4
3 40204 17 141661 28.4
4 38811 22 183326 21.2
5 34247 8 66664 51.4
6 34059 12 99996 34.1
7 31110 22 183326 17.0
8 23420 21 174993 13.4
9 13584 8 66664 20.4
10 8344 11 91663 9.1
11 1943 1 8333 23.3
12 18 2 16666 0.1
13 5 5 41665 0.0
"""


def row(
    rank: int | None,
    label: str,
    measures: dict[str, float | None] | None,
    security: float | None = None,
    team: str | None = None,
    **more: Any,
) -> IceRow:
    release = ReleaseFacts(
        id=label,
        label=label,
        round="final",
        number=1,
        team_id=team,
        team=team,
        own=False,
        rows=8333,
        received=datetime(2015, 10, 1, tzinfo=UTC),
        withdrawn=None,
        in_play=True,
        state="judged",
        note="",
        measures=measures,
        found=(),
        twin=False,
    )
    given = {"samples": None, "aya": None, "players": None, "total": None, "normalised": {}} | more
    return IceRow(rank=rank, why=None, release=release, security=security, **given)


def board(*rows: IceRow, utilities: tuple[str, ...] = UTILITIES, **more: Any) -> IceBoard:
    measures = more.pop("measures", MEASURES)
    return IceBoard(rows, more.pop("reference", None), measures, utilities, ("E1",), complete=True, worst=7.0)


def table_5() -> IceBoard:
    rows = []
    for line in TABLE_5.split("\n")[1:-1]:
        rank, team, *values = line.split()
        u, (s1, s2), e, (aya, most) = (
            *(list(map(float, values[a:b])) for a, b in ((0, 6), (6, 8), (8, 12), (12, 14))),
        )
        measured: dict[str, float | None] = dict(zip(MEASURES, (s1, s2, *u), strict=True))
        normalised = dict.fromkeys(UTILITIES, 0.1) | {"security": most}
        more = {"samples": max(e), "aya": aya, "players": most, "total": 0.6 + most, "normalised": normalised}
        rows.append(row(int(rank), f"Y{rank}", measured, most, f"Team {team}", **more))
    original = row(None, "X", dict(zip(MEASURES, (1, 1.88, 0, 0, 0, 0.09, 0.01, 0), strict=True)), 1.0, samples=1.0)
    return board(*rows, reference=original)


def table_7() -> FireBoard:
    rows = []
    for line in TABLE_7.split("\n")[1:-1]:
        rank, hits, trials, tests, ratio = line.split()
        team = f"Team {rank}"
        rows.append(FireRow(int(rank), team, team, int(hits), int(trials), int(tests), float(ratio), float(hits)))
    return FireBoard(tuple(rows), "total")


def drawn(ice: IceBoard, fire: FireBoard | None = None, language: str = "en") -> dict[str, charts.Chart]:
    return {one.name: one for one in charts.round_charts(ice, fire, language)}


def texts(picture: charts.Chart, tone: str) -> list[str]:
    return [element.text or "" for element in _tree(picture).iter("text") if tone in element.get("class", "").split()]


def _tree(picture: charts.Chart) -> ET.Element:
    return ET.fromstring(f"<div>{picture.svg}</div>")


def test_a_round_like_the_first_contest_has_all_its_figures() -> None:
    found = drawn(table_5(), table_7())
    assert list(found) == ["places", "tradeoff", "methods", "attackers", "spread", "together", "crowds", "classes"]
    for picture in found.values():
        assert picture.title
        assert picture.caption
        whole = [one for one in _tree(picture).iter("svg") if one.get("role") == "img"]
        assert whole
        assert all(one.findtext("title") and one.findtext("desc") for one in whole)


def test_no_picture_needs_what_a_strict_content_policy_forbids() -> None:
    for picture in drawn(table_5(), table_7()).values():
        assert "style" not in picture.svg
        assert "<script" not in picture.svg
        assert not re.search(r"\son\w+=|href|url\(", picture.svg)


def test_the_trade_off_names_the_first_five() -> None:
    found = texts(drawn(table_5())["tradeoff"], "label")
    assert {text.split()[0] for text in found} >= {"1", "2", "3", "4", "5", "X"}
    assert "1 Team 02" in found


def test_a_point_lies_where_its_values_say() -> None:
    ice = board(row(1, "A", {"U5": 0.5}, 0.25), row(2, "B", {"U5": 1.0}, 0.75), utilities=("U5",))
    spots = [one for one in _tree(drawn(ice)["tradeoff"]).iter("svg") if one.find("path/title") is not None]
    # drawn from the last to the first; the plot is 320 high, so that 25 % is 240 down
    assert [(one.get("x"), one.get("y")) for one in spots] == [("100%", "80"), ("50%", "240")]


def test_the_methods_are_stacked_and_the_false_correspondence_is_one_long_part() -> None:
    ice = board(
        row(1, "A", {"U5": 0.1}, 1.0, samples=0.0, aya=1.0, players=0.25),
        row(2, "B", {"U5": 0.1}, 0.5, samples=0.5, aya=0.5, players=0.5),
    )
    bars = [
        (one.get("class", "").split()[0], one.get("x"), one.get("width"))
        for one in _tree(drawn(ice)["methods"]).iter("rect")
    ]
    # the axis goes from 0 to 150 %; a share of 0 takes no room
    third, two_thirds, sixth = "33.33%", "66.67%", "16.67%"
    assert bars[:2] == [("three", "0%", two_thirds), ("two", two_thirds, sixth)]
    assert bars[2:] == [("one", "0%", third), ("three", third, third), ("two", two_thirds, third)]
    assert texts(drawn(ice)["methods"], "row-value") == ["100.0 %", "50.0 %"]


def test_the_axis_of_the_trade_off_says_how_it_is_scaled() -> None:
    even = board(*(row(n, f"R{n}", {"U5": 0.1 * n}, 0.5) for n in range(1, 6)), utilities=("U5",))
    skewed = board(*(row(n, f"R{n}", {"U5": 10.0**n}, 0.5) for n in range(1, 6)), utilities=("U5",))
    for ice, axis, sentence in (
        (even, "even", "is even: equal"),
        (skewed, "log", "even up to about 333 and logarithmic"),
    ):
        picture = drawn(ice)["tradeoff"]
        assert any(f"U5 ({axis} scale)" in text for text in texts(picture, "axis-name"))
        assert sentence in picture.caption


def test_the_average_of_the_teams_is_the_printed_one() -> None:
    picture = drawn(table_5(), table_7())["attackers"]
    assert "average of the teams' shares: 20.9 %" in picture.caption
    assert "average 20.9 %" in [one.text for one in _tree(picture).iter("title")]
    (line,) = (one for one in _tree(picture).iter("line") if one.get("class") == "average")
    assert float(line.get("y1", "")) == pytest.approx(320 * (1 - 0.2087 / 0.6), abs=1)  # the axis ends at 60 %
    assert average_ratio(FireBoard((), "total")) is None


def test_the_parts_of_a_total_are_as_long_as_they_count() -> None:
    parts = {"U1": 0.5, "U5": 0.25, "security": 1.0}
    ice = board(row(1, "A", {"U1": 1, "U5": 1}, 1.0, total=1.75, normalised=parts), utilities=("U1", "U5"))
    bars = [(one.get("class"), one.get("x"), one.get("width")) for one in _tree(drawn(ice)["places"]).iter("rect")]
    # the axis goes from 0 to 2
    assert bars == [("one piece", "0%", "25%"), ("one piece", "25%", "12.5%"), ("two piece", "37.5%", "50%")]


def test_bars_by_k_are_the_mean_of_the_releases() -> None:
    found = texts(drawn(table_5())["classes"], "row-value")
    # k = 1: 3, 8, 36, 92, 93, 93 %; k = 3: 30, 57, 63 %; k = 5: 63 %
    assert found == ["54.2 % · releases: 6", "50.0 % · releases: 3", "63.0 % · releases: 1"]


def test_attackers_are_told_by_total_and_ratio() -> None:
    picture = drawn(table_5(), table_7())["attackers"]
    assert "51,628 of 174,993, 29.5 %" in picture.caption
    assert {"1 Team 1", "5 Team 5"} <= set(texts(picture, "label"))


def test_values_are_standardised_and_sorted() -> None:
    assert scales.standardised([1.0, 2.0, 3.0]) == pytest.approx([-(1.5**0.5), 0, 1.5**0.5])
    assert scales.standardised([0.1, 0.1, 0.1]) is None
    ice = board(*(row(None, name, {"U5": u}) for name, u in (("A", 3.0), ("B", 1.0), ("C", 2.0))), utilities=("U5",))
    told = [one.text for one in _tree(drawn(ice)["spread"]).iter("title")][1:]
    assert told == ["B: U5 1", "C: U5 2", "A: U5 3"]


def test_three_measures_together_are_in_the_order_of_the_last() -> None:
    values = {"A": (1, 9, 3), "B": (2, 8, 1), "C": (3, 7, 2)}
    rows = (row(None, name, dict(zip(("U1", "U3", "U5"), u, strict=True))) for name, u in values.items())
    picture = drawn(board(*rows, utilities=("U1", "U3", "U5")))["together"]
    assert texts(picture, "tick")[-3:] == ["B", "C", "A"]


def test_what_is_hidden_is_a_sentence_and_no_drawing() -> None:
    rows = [replace(one, security=None, samples=None, aya=None, players=None, rank=None, total=None, normalised={})
            for one in table_5().rows]  # fmt: skip
    found = drawn(board(*rows), None)
    for name in ("places", "tradeoff", "methods", "attackers", "crowds", "classes"):
        assert "<svg" not in found[name].svg
        assert "after the reveal" in found[name].svg
    assert "<svg" in found["spread"].svg


def test_hidden_measures_and_an_empty_round_are_sentences_too() -> None:
    hidden = drawn(board(row(None, "A", None), row(None, "B", None)))
    assert "not shown yet" in hidden["spread"].svg
    assert "not shown yet" in hidden["together"].svg
    for picture in drawn(board(), FireBoard((), "total")).values():
        assert "<svg" not in picture.svg
        assert "picture-nothing" in picture.svg


def test_pictures_that_do_not_fit_the_contest_are_left_out() -> None:
    ice = board(row(1, "A", {"distance": 0.4}, 0.4, samples=0.4), utilities=(), measures=("distance",))
    assert list(drawn(ice)) == ["methods", "attackers"]


def test_withdrawn_releases_are_not_drawn() -> None:
    ice = table_5()
    gone = replace(ice.rows[0], release=replace(ice.rows[0].release, in_play=False, label="GONE"), rank=None)
    for name, picture in drawn(board(gone, *ice.rows[1:])).items():
        assert "GONE" not in picture.svg, name


def test_names_are_text_wherever_they_come_from() -> None:
    evil = '"><script>alert(1)</script>{rank}%s'
    ice = table_5()
    rows = [replace(one, release=replace(one.release, team=evil)) for one in ice.rows]
    fire = FireBoard(tuple(replace(one, team=evil) for one in table_7().rows), "total")
    for picture in drawn(board(*rows), fire).values():
        assert "<script" not in picture.svg
        _tree(picture)  # and it is well-formed


@pytest.mark.parametrize("many", [1, 2, 30])
def test_names_never_cover_each_other_however_wide_the_page_is(many: int) -> None:
    # a crowd in one corner, some of it in the very same place
    points = [Point((n % 7) / 40, 300 - 9.0 * (n % 5), 6, (f"{n} Team Number {n}", str(n)), True) for n in range(many)]
    placed = labels.place(points, 320)
    assert placed[0] is not None
    assert placed[0].text.endswith("Number 0")
    for across in labels.WIDTHS:
        boxes = [labels._box(one, point, across) for one, point in zip(placed, points, strict=True) if one]
        assert not any(one.meets(other) for one, other in combinations(boxes, 2))
        dots = [labels._dot(point, across) for point in points]
        assert not any(box.meets(dot) for box in boxes for dot in dots)


def test_long_names_are_cut_by_their_width() -> None:
    assert labels.shorten("Team Aurora") == "Team Aurora"
    assert labels.shorten("x" * 40) == "x" * 17 + "…"
    assert labels.shorten("氷" * 40) == "氷" * 10 + "…"


def test_axes_are_round() -> None:
    assert scales.linear([0.013, 0.118]).ticks == pytest.approx((0, 0.025, 0.05, 0.075, 0.1, 0.125))
    assert scales.linear([3, 11], "count").ticks == (0, 5, 10, 15)
    assert scales.linear([1, 2], "count").ticks == (0, 1, 2)
    assert scales.linear([0, 0]).ticks == pytest.approx((0, 0.2, 0.4, 0.6, 0.8, 1.0))
    grown = scales.fitting([0.01, 0.03, 0.04, 0.05, 2.0])
    assert grown.ticks[0] == 0
    assert grown.high == 2
    assert grown.at(0.05) > 0.2, "an even axis would give it 0.025"
    assert scales.fitting([0.01, 0.03, 0.05]).bend is None
    places = [grown.at(tick) for tick in grown.ticks]
    assert all(b - a >= scales.APART for a, b in pairwise(places))


def test_numbers_below_an_axis_do_not_meet_on_a_phone() -> None:
    def below(most: int) -> list[str]:
        fire = FireBoard((FireRow(1, "a", "A", most, 1, 10_000_000, 10.0, 1.0),), "total")
        return [text for text in texts(drawn(table_5(), fire)["attackers"], "tick") if "%" not in text]

    assert below(50) == ["0", "10", "20", "30", "40", "50"]
    assert below(5_000_000) == ["0", "2,000,000", "4,000,000"]


def test_of_very_many_releases_the_first_are_drawn_and_that_is_said() -> None:
    many = [row(n, f"Y{n}", {"U5": n}, 0.5, samples=0.5, total=float(n), normalised={"U5": n}) for n in range(1, 61)]
    found = drawn(board(*many, utilities=("U5",)))
    assert "first 40 of 60" in found["methods"].caption
    assert "first 12 of 60" in found["places"].caption
    assert len(texts(found["methods"], "row-name")) == 40


def test_every_language_says_the_same() -> None:
    english, japanese = words.chart_words("en").texts, words.chart_words("ja").texts
    assert english.keys() == japanese.keys()
    for key, text in english.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", japanese[key])), key
    assert "再識別" in drawn(table_5(), table_7(), "ja")["tradeoff"].caption
    assert words.chart_words("xx") == words.chart_words("en")


@pytest.mark.browser
def test_in_a_browser_nothing_overflows_and_no_names_collide() -> None:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not chromium:
        pytest.skip("no Chromium found")
    css = files("icefire.arena.web").joinpath("static/pictures.css").read_text(encoding="utf-8")
    body = "".join(str(one.svg) for one in charts.round_charts(table_5(), table_7()))
    with api.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
        page = browser.new_page(viewport={"width": 390, "height": 800})
        for width in (390, 1100):
            page.set_viewport_size({"width": width, "height": 800})
            page.set_content(f"<!doctype html><meta charset=utf-8><style>{css}</style>{body}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            boxes = page.evaluate(
                """[...document.querySelectorAll('svg.plot')].map(svg => [...svg.querySelectorAll('.label')].map(t => {
                     const b = t.getBoundingClientRect(); return [b.left, b.right, b.top, b.bottom]; }))"""
            )
            assert sum(map(len, boxes)) > 20
            for some in boxes:
                for one, other in combinations(some, 2):
                    apart = one[1] <= other[0] + 1 or other[1] <= one[0] + 1 or one[3] <= other[2] + 2
                    assert apart or other[3] <= one[2] + 2, (width, one, other)
        browser.close()
