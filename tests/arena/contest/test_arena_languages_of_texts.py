"""Texts that organisers write in several languages."""

from __future__ import annotations

import pytest

from icefire.arena.contest.languages_of_texts import combined, in_language


def test_a_text_of_two_languages_is_read_back():
    text = combined({"en": " Lunch\nat noon ", "ja": "昼食"})
    assert (in_language(text, "en"), in_language(text, "ja")) == ("Lunch\nat noon", "昼食")


@pytest.mark.parametrize("text", ["Lunch at noon", "Two words\nja:\nare no mark here", "en: Lunch", ""])
def test_a_text_for_all_stays_as_it_is(text):
    assert in_language(text, "ja") == in_language(text, "en") == text


def test_a_reader_without_a_part_gets_the_first():
    assert in_language("ja:\n昼食", "en") == "昼食"
    assert combined({"en": "", "ja": "昼食"}) == "昼食"
