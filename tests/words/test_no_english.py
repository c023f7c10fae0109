"""In Japanese nothing is said in English: every page, summary and file of four kinds of releases, and the help."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl
import pytest
from rich.console import Console
from support.commands import MAIN_VERBS, run_icefire
from support.synthetic_tables import ROLES, gaussian_copula, population

import icefire
from icefire import use_language
from icefire.audit.compare import compare
from icefire.audit.run import Audit
from icefire.core import registry
from icefire.core.registry import Sort
from icefire.report import html as page
from icefire.report.html import compare as compare_page
from icefire.report.notebook import html_of
from icefire.report.pipelines import junit, markdown, sarif
from icefire.report.pipelines.checks import checks_of_scorecard
from icefire.report.text import compare as compare_text
from icefire.report.text import scorecard
from icefire.words import details_of, said

SORTS: tuple[Sort, ...] = ("attack", "measure", "method")
NAMES = {
    *[
        "AYA",
        "HIPAA",
        "SUDA",
        "CFR",
        "ARX",
        "EUC",
        "PWS",
        "Cup",
        "TF-IDF",
        "Jaccard",
        "icefire",
        "ice",
        "fire",
        "hold-out",
    ],
    *["neighbour", "journalist", "insider", "maximum", "public", "trusted", "internal", "all"],
    *["csv", "json", "parquet", "excel", "sqlite", "toml", "html", "markdown", "junit", "sarif", "utf", "cp"],
}
"""Proper names, codes, and words that are typed as they are."""
WORDS = re.compile(r"[A-Za-z][\w'’-]*(?:[ ,;/]+[A-Za-z][\w'’-]*){2,}", re.ASCII)
"""Three words in a row, or more: an English sentence, or a list of names."""


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("率は the share of rows です", ["the share of rows"]),
        ("列：age, town, sex。", []),
        ("`icefire compare ORIGINAL OLD NEW`", []),
    ],
)
def test_the_test_sees_english(text: str, sentences: list[str]) -> None:
    assert english(text, {"age", "town", "sex"}) == sentences


@pytest.fixture(scope="module")
def audits() -> dict[str, Audit]:
    people, half = population(60, 1), list(range(0, 60, 2))
    coarse = people.with_columns(pl.col("income") // 100 * 100, pl.col("age") // 5 * 5)
    shop = icefire.sample("shop", 20, seed=1)
    few: Any = {"attacks": ["jaccard", "dates", "profile"], "measures": ["rows_added", "u3_rfm"]}
    with use_language("ja"):
        return {
            "table": icefire.audit(people, coarse, aligned=True, knowledge="all", population=10_000, **ROLES),
            "membership": icefire.audit(people, people[half], truth=half, ask="membership", target="income", **ROLES),
            "synthetic": icefire.audit(
                people, gaussian_copula(people, 60, 3), synthetic=True, holdout=population(60, 2), **ROLES
            ),
            "history": icefire.audit(shop, icefire.anonymize(shop, "shop_strong", seed=3), **few),
        }


@pytest.mark.parametrize("kind", ["table", "membership", "synthetic", "history"])
def test_a_release_is_judged_without_an_english_sentence(audits: dict[str, Audit], kind: str) -> None:
    audit = audits[kind]
    with use_language("ja"):
        shown = {name: english(text, names(audit)) for name, text in rendered(audit)}
    assert all(sentences == [] for sentences in shown.values()), shown


def test_several_releases_are_compared_without_an_english_sentence(audits: dict[str, Audit]) -> None:
    with use_language("ja"):
        compared = compare(None, [audits["table"].scorecard, audits["membership"].scorecard], names=["A", "B"])
        console = Console(width=300, file=io.StringIO(), color_system=None)
        compare_text.show(compared, console)
        texts = [visible(compare_page.render_compared(compared)), console.file.getvalue()]  # type: ignore[attr-defined]
    assert [english(text, {"A", "B"}) for text in texts] == [[], []]


@pytest.mark.parametrize("verb", MAIN_VERBS)
def test_the_help_of_a_verb_has_no_english_sentence(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = run_icefire(capsys, verb, "--help", "--lang", "ja").out
    without_options = re.sub(r"(?m)^ {2}\S.*?(?:  |$)", "", shown)
    without_arguments = re.sub(r"\b[A-Z]{2,}\b", "", without_options)
    assert english(re.sub(r"\s+", " ", without_arguments), set()) == []


def test_every_attack_measure_and_method_is_summed_up_in_japanese() -> None:
    with use_language("ja"):
        unknown = [entry.name for entry in _entries() if said(entry.summary) == entry.summary]
        short = [
            entry.name
            for entry in _entries()
            if entry.sort != "method"
            and "\n\n" in page.glossary.description(entry.function.__doc__ or "")
            and not details_of(entry.sort, entry.name, entry.data)
        ]
    assert (unknown, short) == ([], [])
    assert details_of("attack", "link", "table") == ""


def _entries() -> Iterator[registry.Entry]:
    return (
        entry for sort in SORTS for entry in registry.entries(sort) if entry.function.__module__.startswith("icefire.")
    )


def rendered(audit: Audit) -> Iterator[tuple[str, str]]:
    """Everything that is written of an audit, by where it is written."""
    card = audit.scorecard
    verdict = card.verdict
    yield (
        "verdict",
        "。".join([verdict.headline, verdict.text, verdict.lost, *(reason.text for reason in verdict.reasons)]),
    )
    yield "report", visible(page.render(card))
    console = Console(width=500, file=io.StringIO(), color_system=None)
    scorecard.show(card, console)
    yield "terminal", console.file.getvalue()  # type: ignore[attr-defined]
    yield "notebook", visible(html_of(audit))
    checks = checks_of_scorecard(card, "released.csv")
    yield "JUnit", visible(junit.as_junit([checks]))
    yield "summary", markdown.as_markdown([checks]).replace("\\", "")
    run = json.loads(sarif.as_sarif([checks]))["runs"][0]
    yield "SARIF", "。".join(result["message"]["text"] for result in run["results"])
    yield "SARIF rules", "。".join(rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"])


def visible(markup: str) -> str:
    """The text of a page, with what is read out of pictures and tables; not what is set as code."""
    markup = re.sub(r"(?s)<style>.*?</style>|<code[^>]*>.*?</code>", "。", markup.replace("<wbr>", ""))
    spoken = "。".join(re.findall(r'(?:aria-label|title|data-label|message)="([^"]*)"', markup))
    return html.unescape(re.sub(r"<[^>]+>", "。", markup)) + "。" + spoken


def names(audit: Audit) -> set[str]:
    """Names out of the data: columns, categories, and what the recipe sets."""
    card = audit.scorecard
    columns = {*card.roles.qi, *card.roles.sa, *ROLES["qi"], *ROLES["sa"]}
    return columns | ({*card.history.profile, *card.history.fields.values()} if card.history else set())


def english(text: str, own: Iterable[str]) -> list[str]:
    """Runs of three words or more that are not all names."""
    known = NAMES | set(own) | {entry.name for sort in SORTS for entry in registry.entries(sort)}
    known |= {name for sort in SORTS for entry in registry.entries(sort) for name in entry.parameters}
    plain = re.sub(r"`[^`]*`|\"[^\"]*\"|--[a-z-]+(?: [A-Z]+)?|icefire [a-z]+(?: [a-z]+)?|https?:\S+", "。", text)
    runs = (run.group() for run in WORDS.finditer(re.sub(r"[ \n\t]+", " ", plain)))
    return [run for run in runs if not set(re.split(r"[ ,;/]+", run)) <= known]
