"""A verdict that was stored in English is said in Japanese as a whole, where `compare` shows it."""

from __future__ import annotations

from icefire.words import said
from icefire.words.languages import use_language


def test_the_commonest_reason_is_no_mixture_of_languages() -> None:
    with use_language("ja"):
        reason = said("The share of people identified by the best attack is 16 %; the limit is at most 5 %.")
        assert reason == "最も強い攻撃による再識別率は 16 % です。基準は 5 % 以下です。"
        assert said("Over a limit: do not release") == "基準を超えています：公開しないでください"
