"""Tables and pictures of the page: names break between words, every column is named, defaults are not listed."""

from __future__ import annotations

import re

from markupsafe import Markup

from icefire.core.scorecard.distributions import Association
from icefire.report.html.glossary import options_whole, step_settings
from icefire.report.html.heat import association_picture
from icefire.report.html.scatter import END, Dot, trade_off
from icefire.report.html.stacked_tables import labelled

HEAD = '<thead><tr><th class="n">Row</th><th>Name</th></tr></thead>'


def test_long_names_break_after_an_underscore_and_pictures_stay() -> None:
    name = '<th scope="row" id="x_y">other_diseases<svg><title>a_b</title></svg></th>'
    found = str(labelled(Markup(f"{HEAD}<tbody><tr>{name}<td>p_q</td></tr></tbody>")))
    assert "other_<wbr>diseases" in found
    assert "<title>a_b</title>" in found
    assert 'id="x_y"' in found
    assert "p_q" in found


def test_a_row_that_is_named_by_a_number_says_of_what_on_a_phone() -> None:
    body = '<tbody><tr><th scope="row" class="n">34</th><td>x</td></tr></tbody>'
    found = str(labelled(Markup(HEAD + body)))
    assert '<th scope="row" class="n" data-label="Row">34' in found
    assert '<th scope="row">' in str(labelled(Markup(HEAD + '<tbody><tr><th scope="row">a</th></tr></tbody>')))


def test_every_column_of_the_picture_of_pairs_is_named() -> None:
    pairs = [Association(a, b, 0.5, 0.1) for a, b in (("born", "sex"), ("born", "cost"), ("sex", "cost"))]
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", str(association_picture(pairs)))
    assert texts == ["1 born", "2 sex", "3 cost", "1", "2"]


def test_no_point_stands_where_the_levels_are_written() -> None:
    picture = str(trade_off("t", "d", [Dot("a", 1.0, 0.25), Dot("b", 0.0, 0.5)]))
    places = [float(x) for x in re.findall(r'cx="([\d.]+)%"', picture)]
    assert max(places) == END < 95


def test_settings_left_at_their_default_are_not_listed() -> None:
    step = {"method": "generalize", "columns": ["born"], "unit": "decade", "width": None, "notes": {"x": 1}}
    assert step_settings(step) == {"columns": ["born"], "unit": "decade"}


def test_options_of_a_command_are_not_broken_after_their_hyphens() -> None:
    assert options_whole("icefire audit <a> --schema s.toml") == (
        "icefire audit &lt;a&gt; <span>--schema</span> s.toml"
    )
