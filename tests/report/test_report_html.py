"""The page: complete, self-contained, escaped, well formed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from support.html_page import Page
from support.report_card import ATTACKS, ROWS, SCRIPT, contradicted, empty_card, full_card, hostile_card, people

import icefire
from icefire.core import formatting, registry
from icefire.core.errors import OutputError, ParameterError
from icefire.core.scorecard import Aya, Limit, Roles, Scorecard, Verdict
from icefire.report import html
from icefire.report.sentences import usefulness


def written(card: Scorecard) -> Iterator[str]:
    """Every number of a scorecard as the page should write it."""
    for a in card.attacks.values():
        yield from map(formatting.percent, (a.rate, a.baseline, a.aya))
        yield from (formatting.short_interval(a.ci), f"{a.hits:,} of {a.targets:,}")
        yield from (formatting.count(a.answered), formatting.seconds(a.seconds))
        yield from [] if a.expected is None else [formatting.percent(a.expected)]
    for m in card.measures.values():
        yield from ("none" if m.value is None else formatting.number(m.value), m.best, m.note)
    for g in card.class_sizes:
        yield from (formatting.size_range(g.low, g.high), formatting.count(g.classes), formatting.count(g.rows))
    for p in card.at_risk:
        yield from map(formatting.count, (p.original_row, p.released_row, p.class_size))
        yield from (formatting.percent(p.risk), formatting.short_interval(p.interval), ", ".join(p.columns))
    yield from written_risks(card)
    assert card.aya
    for c in card.learned_columns:
        yield from (c.column, formatting.bits(c.bits), c.change)
    yield from (formatting.percent(card.aya.rate), formatting.count(card.aya.hits), formatting.count(card.aya.farther))
    assert card.recognition
    assert card.usefulness
    yield from (formatting.count(band.people) for band in card.recognition.bands)
    for c in card.usefulness.columns:
        yield from (c.column, formatting.count(c.changed) if c.changed else "unchanged", formatting.percent(c.loss))
    assert card.usefulness.distances
    for d in card.usefulness.distances.columns:
        yield from (usefulness.moved(d), formatting.percent(d.distance))
    yield usefulness.pairs(card.usefulness.distances)


def written_risks(card: Scorecard) -> Iterator[str]:
    """Every number of the risk models; of the attacks, those of the best one."""
    assert card.risks
    assert card.risks.classes
    assert card.risks.special
    found, alone, best = card.risks.classes, card.risks.special, card.risks.attacks["euc2"]
    assert found.population
    for r in (found.prosecutor, found.journalist):
        yield from (
            formatting.percent(r.highest),
            formatting.percent(r.mean),
            f"{r.rows_above:,} of {card.risks.rows:,}",
        )
    yield from map(formatting.percent, (found.marketer, found.population.share, found.population.correct_match))
    yield from (formatting.count(n) for n in (found.unmatched, found.unique, found.unique_in_original))
    yield from ("above 25 %", "a population of 1,234,567", "54,321 people", ", ".join(found.recoded))
    yield from map(formatting.count, (best.unique, best.above, best.special, best.unmatched, best.hits - best.above))
    yield from (
        f"{alone.rows:,} of",
        "8 by a single one, 201 by two together",
        "553 combinations of 2",
        "9 combinations",
    )
    for c in alone.columns:
        yield from (c.column, formatting.count(c.sets), formatting.percent(c.share))
    for t in alone.top:
        yield from (formatting.count(t.released_row), formatting.number(t.score))
    for i in card.risks.safe_harbour.found:
        yield from (i.column, f"{i.what} ({i.paragraph})", i.why, i.advice)


def test_every_number_of_the_scorecard_is_on_the_page() -> None:
    text = Page(full_card()).text
    assert [number for number in written(full_card()) if number not in text] == []


def test_provenance_recipe_and_reasons_are_on_the_page() -> None:
    text = Page(full_card()).text
    for part in (
        "20150801",
        "a1" * 32,
        "b2" * 32,
        "python: 3.11.9".replace(":", ""),
        "2025-11-15 20:30 UTC",
        "The released file stands in the original's order",
        "k_anonymize",
        "regions 2101",
        "scale 0.1",
        "needs a history",
        "both files in the same order",
        "scorecard format 1",
        "at most 5 %",
        "broken",
        "holds",
    ):
        assert part in text


def test_the_seed_of_a_release_is_never_on_the_page() -> None:
    secret = msgspec.structs.replace(full_card().provenance, seed=None)
    text = Page(full_card(provenance=secret)).text
    assert "kept secret" in text
    assert "4711" not in text


def test_sections_come_in_the_order_a_reader_needs() -> None:
    ids = [attrs["id"] for attrs in Page(full_card()).named("section")]
    assert ids == [
        "verdict",
        "limits",
        "attacks",
        "gives-away",
        "people",
        "aya",
        "classes",
        "risks",
        "measures",
        "roles",
        "recipe",
        "provenance",
        "glossary",
    ]


def test_attacks_are_sorted_worst_first() -> None:
    titles = re.findall(r"<title>(\w+): ", html.render(full_card()))
    assert titles == ["euc2", "euc1", "id_sa", "id_rand", "sa_nearest", "sort"]


def test_names_from_files_are_escaped_everywhere() -> None:
    page = Page(hostile_card())
    assert page.named("script") == []
    assert SCRIPT not in page.source
    assert SCRIPT in page.text


@pytest.mark.parametrize("card", [full_card(), hostile_card(), empty_card()])
def test_the_page_asks_nothing_of_the_network_and_runs_nothing(card: Scorecard) -> None:
    page = Page(card)
    assert not re.search(r"https?://|url\(|@import", page.source)
    assert not page.named("script", "link", "img", "iframe", "object", "base")
    assert all((attrs.get("href") or "#").startswith("#") for _, attrs in page.tags)
    assert not any(name in attrs for _, attrs in page.tags for name in ("src", "srcset", "style", "onload"))


def test_the_page_is_small() -> None:
    assert len(html.render(full_card()).encode()) < 100_000
    assert len(html.render(hostile_card()).encode()) < 300_000


@pytest.mark.parametrize(
    ("passed", "word", "tone"),
    [(True, "Passed", "passed"), (False, "Does not pass", "failed"), (None, "No limit set", "open")],
)
def test_the_verdict_is_said_in_words_and_not_by_colour_alone(passed: bool | None, word: str, tone: str) -> None:
    page = Page(full_card(verdict=Verdict(passed, "The headline", "The text.", "euc2")))
    assert f"{word} The headline" in page.text
    assert "The text." in page.text
    assert f'class="verdict {tone}"' in page.source


def test_a_page_without_attacks_says_so() -> None:
    text = Page(full_card(attacks={}, aya=None, recognition=None, at_risk=[], learned_columns=[])).text
    assert "No attack ran." in text
    assert "No attack ran, so nobody was identified." in text


def test_an_empty_scorecard_still_makes_a_page() -> None:
    text = Page(empty_card()).text
    for said in ("Not attacked yet", "No attack ran.", "No measure was computed.", "no classes", "Definitions"):
        assert said in text


def test_values_of_people_are_shown_only_when_the_scorecard_holds_them() -> None:
    assert "personal data" not in Page(full_card()).text
    text = Page(full_card(at_risk=people(2, {"income": 4321.5, "job": None}))).text
    assert "personal data" in text
    assert "income 4321.5 job missing" in text


def test_the_list_of_people_is_marked_confidential() -> None:
    assert "count from 0" in Page(full_card()).text
    assert "Confidential." in Page(full_card()).text
    assert "Confidential." in Page(full_card(at_risk=[])).text, "special uniques are listed by row, too"
    assert "onfidential" not in Page(full_card(at_risk=[], risks=None)).text


def test_inferred_roles_are_said_at_the_verdict_and_at_the_roles() -> None:
    assert Page(full_card()).text.count("inferred from the values") == 2
    assert "inferred" not in Page(full_card(roles=Roles(["a"], ["b"], [], [], "given"))).text
    assert "read from roles.toml" in Page(full_card(roles=Roles(["a"], ["b"], [], [], "roles.toml"))).text


def test_a_contradicted_correspondence_is_warned_about_and_an_honest_one_is_not() -> None:
    assert "Check how rows were matched" in Page(contradicted()).text
    honest = Page(full_card(aya=Aya("euc2", 0.99, 8250, 8300, ROWS))).text
    assert "Check how rows were matched" not in honest
    assert "Nothing contradicts the claimed correspondence" in honest


def test_no_rate_is_shown_large_where_the_correspondence_is_contradicted() -> None:
    assert "identified by the most successful attack" not in Page(contradicted()).text
    assert "identified by the most successful attack" in Page(full_card()).text


def test_an_unknown_limit_value_counts_as_failed_in_words() -> None:
    text = Page(full_card(limits=[Limit("aya", "max", 0.1, None, False)])).text
    assert "at most 10 % not known not known, does not hold" in text


def test_definitions_come_from_the_registry_plug_ins_included(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.load()
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))

    @registry.attack("plugged", code="P1", knows="secrets")
    def plugged(case: Any, *, rng: Any) -> None:
        """Ask `the neighbours`.

        They <always> know.
        """

    page = Page(full_card(attacks={"plugged": ATTACKS["euc1"], "nobody_knows": ATTACKS["euc2"]}))
    assert "<p>Ask <code>the neighbours</code>.</p><p>They &lt;always&gt; know.</p>" in page.source
    assert "Not registered in the icefire" in page.text


def test_a_broken_plug_in_does_not_stop_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise registry.IcefireError("plug-in failed to load")

    monkeypatch.setattr(registry, "get", broken)
    assert "Not registered" in Page(full_card()).text


@pytest.mark.parametrize("recipe", [{"seed": 1}, {"steps": []}, {"steps": [{}], "by": "hand"}])
def test_a_recipe_of_another_shape_is_shown_as_far_as_it_goes(recipe: dict[str, Any]) -> None:
    assert "Recipe as run" in Page(full_card(recipe=recipe)).text


@pytest.mark.parametrize("card", [full_card(), hostile_card(), empty_card()])
def test_the_page_is_well_formed_for_screen_readers(card: Scorecard) -> None:
    page = Page(card)
    assert page.open == []
    ids = Counter(attrs["id"] for _, attrs in page.tags if "id" in attrs)
    assert max(ids.values()) == 1
    assert {(a["href"] or "")[1:] for a in page.named("a")} <= set(ids)
    assert len(page.named("table")) == len(page.named("caption"))
    assert all("scope" in attrs for attrs in page.named("th"))
    drawn = page.named("svg")
    assert all(attrs.get("role") == "img" or attrs.get("aria-hidden") == "true" for attrs in drawn)
    assert len(page.named("title")) == 1 + sum(attrs.get("role") == "img" for attrs in drawn)
    assert page.named("html") == [{"lang": "en"}]


def test_headings_never_skip_a_level() -> None:
    levels = [int(tag[1]) for tag, _ in Page(full_card()).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_bars_stay_inside_the_chart() -> None:
    odd = {"odd": msgspec.structs.replace(ATTACKS["euc1"], rate=1.0, ci=(-0.1, 1.2), baseline=2.0)}
    places = [float(p) for p in re.findall(r'\b(?:x|x1|x2|width)="([-\d.e]+)%"', html.render(full_card(attacks=odd)))]
    assert min(places) >= 0
    assert max(places) <= 100


def test_the_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    html.write_report(full_card(), tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == html.render(full_card())
    monkeypatch.setattr(Path, "write_text", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        html.write_report(full_card(), tmp_path / "other.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_report_replaces_no_file_unasked_and_no_other_file_ever(tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    html.write_report(full_card(), place)
    with pytest.raises(OutputError, match="exists already; choose another name, or pass force=True"):
        html.write_report(full_card(), place)
    html.write_report(full_card(), place, force=True)
    place.write_text("my notes")
    with pytest.raises(OutputError, match="no file that icefire wrote"):
        html.write_report(full_card(), place, force=True)
    assert place.read_text() == "my notes"


def test_every_link_of_the_menu_leads_to_a_section() -> None:
    data = icefire.sample("households", rows=60)
    card = icefire.audit(data, data.frame, aligned=True, attacks=["id_rand", "class"]).scorecard
    page = html.render(card)
    links = re.findall(r'<li><a href="#([a-z-]+)"', page)
    assert {"hidden-values", "criteria"} <= set(links)
    assert [link for link in links if f'id="{link}"' not in page] == []


def test_the_report_is_written_of_an_audit_or_of_its_scorecard(tmp_path: Path) -> None:
    html.write_report(SimpleNamespace(scorecard=full_card()), tmp_path / "audit.html")
    html.write_report(full_card(), tmp_path / "card.html")
    assert (tmp_path / "audit.html").read_text() == (tmp_path / "card.html").read_text()
    with pytest.raises(ParameterError, match="write_report got a int; give an audit, or its scorecard"):
        html.write_report(3, tmp_path / "three.html")  # type: ignore[arg-type]
