"""Japanese: every text of a template and every help of the main verbs is known, and a verdict holds no English."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
import typer
from jinja2 import Environment
from support.commands import MAIN_VERBS

import icefire
from icefire import use_language
from icefire.attacks.tables.link import explanation
from icefire.cli.app import application
from icefire.core import registry
from icefire.report import html
from icefire.report.html.translated import LETTER, SENTENCE, text_parts, translated
from icefire.words import said, said_text

SAME_IN_JAPANESE = {"AUC", "SHA-256", "fire", "ice", "icefire", "k", "t"}
TEMPLATES = Path(html.__file__).parent / "templates"


def literals(source: str) -> set[str]:
    """The words that a template shows to people."""
    inside_tag, words = False, set()
    for _, kind, value in Environment(trim_blocks=True, lstrip_blocks=True).lex(source):
        if kind == "data":
            parts, inside_tag = text_parts(value, inside_tag)
            words |= {text for text, shown in parts if shown}
        elif kind == "string" and SENTENCE.fullmatch(value[1:-1]):
            words.add(value[1:-1])
    return {" ".join(text.split()) for text in words if LETTER.search(text)}


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.stem)
def test_every_word_of_a_template_is_known_in_japanese(path):
    with use_language("ja"):
        unknown = {text for text in literals(path.read_text(encoding="utf-8")) if translated(text) == text}
    assert unknown <= SAME_IN_JAPANESE


def test_words_in_a_tag_are_no_text():
    assert literals('<p class="Big {{ x }} word">Rate <b>{{ f("Attack", "id") }}</b></p>') == {"Rate", "Attack"}


def test_the_help_of_the_main_verbs_is_known_in_japanese():
    commands = typer.main.get_command(application()).commands
    texts = {" ".join(command.help.split()) for command in commands.values()}
    waiting = [commands[name] for name in MAIN_VERBS]
    for command in waiting:
        waiting += getattr(command, "commands", {}).values()
        texts |= {" ".join(one.help.split()) for one in (command, *command.params) if getattr(one, "help", None)}
    with use_language("ja"):
        assert sorted(text for text in texts if said(text) == text) == []


def test_what_attackers_know_is_known_in_japanese():
    knowledge = {entry.knows for kind in ("table", "history") for entry in registry.entries("attack", kind)}
    with use_language("ja"):
        own = {text for text in knowledge if text}
        assert sorted(text for text in own if said(text) == text) == []


def test_sentences_are_translated_one_by_one_and_names_stay():
    with use_language("ja"):
        assert said_text("date") == "date"
        text = said_text(
            "Known: date, price. Asked about: 12 people. Control: the same people, each without their own rows."
        )
        assert text == "既知の列：date, price。対象：12 人。対照：同じ人（本人の行を除く）。"


@pytest.mark.parametrize("change", list(explanation.WORDS.values()))
@pytest.mark.parametrize("swapped", ["", "; exchanged within classes"])
def test_how_columns_were_changed_is_known_in_japanese(change, swapped):
    with use_language("ja"):
        translated_text = said(change.format(scale=0.25) + swapped)
    assert not re.search("[A-Za-z]{3}", translated_text), translated_text


def test_the_group_about_whom_most_is_learned_is_named_in_japanese_with_its_value_as_it_is():
    with use_language("ja"):
        assert said("sex = all (46 people): 3.0 %") == "sex = all（46 人）：3.0 %"
        assert said("job = other (1 person): 3.0 %") == "job = other（1 人）：3.0 %"


def test_a_verdict_in_japanese_has_the_same_codes_and_no_english():
    columns = {"ZIP": [f"{n:03}" for n in range(40)], "AGE": list(range(20, 60)), "PAY": list(range(100, 140))}
    people = pl.DataFrame(columns)
    plain = icefire.audit(people, people, aligned=True, qi=["ZIP", "AGE"], sa=["PAY"]).scorecard.verdict
    with use_language("ja"):
        spoken = icefire.audit(people, people, aligned=True, qi=["ZIP", "AGE"], sa=["PAY"]).scorecard.verdict
    assert [reason.code for reason in spoken.reasons] == [reason.code for reason in plain.reasons]
    texts = [spoken.headline, spoken.text, spoken.lost, *(reason.text for reason in spoken.reasons)]
    names = {"ZIP", "AGE", "PAY"}
    assert {word for text in texts for word in re.findall(r"[A-Za-z]{2,}", text)} <= names
