"""What icefire says to people, in every language: `t` returns a text by its name, `said` translates an English one.

Texts stand in `texts/*.toml`, all languages side by side; the first part of a name is the file. A file is read when its
first text is asked for. The language is that of the context (see `languages`), so that no function has to pass it on.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from icefire.words import patterns
from icefire.words.files import Text, read_texts
from icefire.words.languages import DEFAULT, current_language

if TYPE_CHECKING:
    from markupsafe import Markup

FOLDER = Path(__file__).parent / "texts"


def t(key: str, /, **values: Any) -> str:
    """Return a text in the current language.

    Args:
        key: Name of the text: file, section, own name ("verdict.headline.limit").
        values: What is filled in. Whole numbers get separators; `n` chooses between singular and plural.

    Raises:
        KeyError: If there is no such text.
    """
    return chosen_form(_text(key), values).format(**_shown(values))


def t_markup(key: str, /, **values: Any) -> Markup:
    """Return a text for an HTML page; everything is escaped, except values that are markup themselves."""
    from markupsafe import Markup, escape

    return Markup(escape(chosen_form(_text(key), values))).format(**_shown(values))


def said(text: str) -> str:
    """Return a sentence that was written in English in the current language, as far as it is known there."""
    return patterns.translate(text, current_language(), (FOLDER,))


def said_text(text: str) -> str:
    """Translate a text of several sentences one by one; a single word may be somebody's name and stays as it is."""
    if " " not in text or current_language() == DEFAULT:
        return text
    if (whole := patterns.whole_sentence(text, current_language(), (FOLDER,))) is not None:
        return whole
    sentences = re.split(r"(?<=[^.][.!?]) (?=\S)", text)
    translated = [said(sentence) for sentence in sentences]
    return "".join(translated) if translated != sentences else text


def details_of(sort: str, name: str, data: str) -> str:
    """Return what a registered attack or measure does beyond its one-line summary, in the language in use.

    Args:
        sort: "attack" or "measure".
        name: Its name.
        data: Kind of data; an entry of histories may share its name with one of tables.

    Returns:
        The details; empty in English, where the docstring says them, and where there is no translation.
    """
    texts = _details(current_language()).get(sort, {})
    return texts.get(f"{data}.{name}", texts.get(name, ""))


@cache
def _details(language: str) -> dict[str, dict[str, str]]:
    path = FOLDER / f"details_{language}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def chosen_form(text: Text, values: Mapping[str, Any]) -> str:
    """Return the singular of a text that has one if the value `n` is 1, otherwise the plural."""
    if isinstance(text, str):
        return text
    return text["one"] if values.get("n") == 1 and "one" in text else text["other"]


def _text(key: str) -> Text:
    language = current_language()
    name = key.partition(".")[0]
    texts = texts_of(name, language)
    if key not in texts:
        # A language that is being added may lack some texts; English never does.
        texts = texts_of(name, DEFAULT)
    return texts[key]


@cache
def texts_of(name: str, language: str) -> dict[str, Text]:
    """Return the texts of one file in a language by their full names."""
    return read_texts([FOLDER / f"{name}.toml"], language)


def _shown(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
        for name, value in values.items()
    }
