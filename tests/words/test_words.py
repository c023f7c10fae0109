"""Texts in every language: the same names, the same blanks, singular and plural, and the language in use."""

from __future__ import annotations

import string

import pytest
from markupsafe import Markup

from icefire import use_language, words
from icefire.core import formatting
from icefire.words import languages, patterns, t, t_markup
from icefire.words.files import Text, read_texts

FILES = sorted(path for path in words.FOLDER.glob("*.toml") if not path.name.startswith((patterns.PREFIX, "details_")))


def forms(text: Text) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


def blanks(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_text_has_all_languages_with_the_same_blanks(path):
    english = read_texts([path], "en")
    assert english
    assert {key.partition(".")[0] for key in english} == {path.stem}, "a file is found by the first part of a name"
    for language in set(languages.LANGUAGES) - {"en"}:
        other = read_texts([path], language)
        assert other.keys() == english.keys()
        for key, text in english.items():
            needed = blanks(forms(text)[-1])
            assert blanks(forms(other[key])[-1]) == needed, key
            assert all(blanks(form) <= needed | {"n"} for form in (*forms(text), *forms(other[key]))), key


def test_a_pattern_and_its_translation_have_the_same_blanks():
    import tomllib

    for path in words.FOLDER.glob(f"{patterns.PREFIX}*.toml"):
        for english, other in tomllib.loads(path.read_text(encoding="utf-8")).items():
            assert blanks(other) <= blanks(english), english


def test_numbers_choose_the_form_and_get_separators():
    assert t("numbers.people", n=1) == "1 person"
    assert t("numbers.people", n=1234) == "1,234 people"
    with use_language("ja"):
        assert t("numbers.people", n=1) == "1 人"


def test_markup_is_escaped_except_what_is_markup():
    assert t_markup("numbers.at_least", low="<b>") == "&lt;b&gt; or more"
    assert t_markup("numbers.at_least", low=Markup("<b>1</b>")) == "<b>1</b> or more"


def test_the_language_is_that_of_the_context_else_of_the_variable_else_english(monkeypatch):
    monkeypatch.delenv(languages.VARIABLE, raising=False)
    assert formatting.percent(0.5) == "50.0 %"
    with use_language("ja_JP.UTF-8"):
        assert formatting.percent(0.5) == "50.0%"
        with use_language("en"):
            assert formatting.percent(0.5) == "50.0 %"
    monkeypatch.setenv(languages.VARIABLE, "ja")
    assert formatting.interval((0.1, 0.2)) == "10.0%～20.0%"
    monkeypatch.setenv(languages.VARIABLE, "xx")
    with pytest.raises(ValueError, match="ICEFIRE_LANG: there is no language 'xx'; there are en, ja"):
        languages.current_language()


def test_lists_and_ranges_are_written_in_the_language():
    assert formatting.spoken_list(["a", "b", "c"]) == "a, b and c"
    assert formatting.spoken_list(list("abcdefgh")) == "a, b, c, d, e, f and 2 other columns"
    assert formatting.short_interval((0.1, 0.2)) == "10.0–20.0 %"
    with use_language("ja"):
        assert formatting.spoken_list(["a", "b", "c"]) == "a、b、c"
        assert formatting.spoken_list(list("abcdefgh")) == "a、b、c、d、e、f ほか 2 列"
        assert formatting.size_range(1000, None) == "1,000 以上"
