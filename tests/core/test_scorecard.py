"""A scorecard is written as JSON and read back."""

from __future__ import annotations

import msgspec
from support.report_card import full_card

from icefire.core import scorecard


def test_the_card_survives_json() -> None:
    assert scorecard.from_json(full_card().to_json()) == full_card()


def test_a_card_from_before_there_were_risk_models_is_still_read() -> None:
    old = msgspec.json.decode(full_card().to_json())
    del old["risks"]
    assert scorecard.from_json(msgspec.json.encode(old)) == full_card(risks=None)
