"""The option --lang: anywhere among the words typed, for every command, and help in that language."""

from __future__ import annotations

import pytest
from support.commands import run_icefire

from icefire.cli.language import cells, split_language, wrapped
from icefire.core.errors import ParameterError


def test_the_language_is_taken_from_any_place_before_the_end_of_options(monkeypatch):
    monkeypatch.delenv("ICEFIRE_LANG", raising=False)
    assert split_language(["audit", "--lang", "ja", "a.csv"]) == ("ja", ["audit", "a.csv"])
    assert split_language(["--lang=ja-JP", "list"]) == ("ja", ["list"])
    assert split_language(["list", "--", "--lang", "ja"]) == ("en", ["list", "--", "--lang", "ja"])
    monkeypatch.setenv("ICEFIRE_LANG", "ja")
    assert split_language(["list"]) == ("ja", ["list"])
    assert split_language(["list", "--lang", "en"]) == ("en", ["list"])
    for words in (["--lang", "xx"], ["--lang"], ["--lang="]):
        with pytest.raises(ParameterError, match="lang: there is no language"):
            split_language(words)


def test_help_is_in_the_language_and_fits_the_terminal(capsys):
    for words in (
        ["--lang", "ja", "--help"],
        ["score", "--help", "--lang", "ja"],
        ["recipe", "check", "-h", "--lang=ja"],
    ):
        shown = run_icefire(capsys, *words)
        assert shown.code == 0
        assert shown.out.startswith("使い方: icefire")
        assert "--lang en|ja" in shown.out
        assert max(map(cells, shown.out.splitlines())) <= 80
    assert "--lang en|ja" in run_icefire(capsys, "score", "--help").out


def test_wide_characters_count_twice_and_no_line_begins_with_a_stop():
    lines = list(wrapped("あいう。えお、か ki ku", 7))
    assert lines == ["あい", "う。え", "お、か", "ki ku"]
