"""What an audit reports as learned about columns: nothing, where the tables show nothing."""

from __future__ import annotations

import json

import pytest
from support.gate_tables import CLUB, club, shuffled
from support.html_page import Page

import icefire
from icefire.attacks.tables.link.explanation import UNKNOWN


@pytest.fixture(scope="module")
def card():
    return icefire.audit(club(), shuffled(club()), aligned=True, attacks=["link"], **CLUB).scorecard


def test_nothing_is_reported_as_learned_about_columns_shuffled_independently(card):
    assert {column.column for column in card.learned_columns} == set(club().columns)
    assert {(column.change, column.bits) for column in card.learned_columns} == {(UNKNOWN, 0.0)}


def test_json_and_html_say_so(card):
    assert {column["change"] for column in json.loads(card.to_json())["learned_columns"]} == {UNKNOWN}
    page = Page(card)
    assert page.text.count(UNKNOWN) == len(club().columns)
    assert "equal to the original in" not in page.text


def test_what_was_learned_about_an_unchanged_release_is_reported():
    card = icefire.audit(club(), club(), aligned=True, attacks=["link"], **CLUB).scorecard
    assert all("equal to the original" in column.change and column.bits > 1 for column in card.learned_columns)
