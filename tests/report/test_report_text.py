"""The terminal: everything in sight, nothing cut, at any width."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console
from support.report_card import ATTACKS, ROWS, attack, contradicted, empty_card, full_card, hostile_card

from icefire.audit.judge import Score
from icefire.core import formatting
from icefire.core.scorecard import Aya, LearnedColumn, MeasureResult, Roles, Scorecard, Verdict
from icefire.report.sentences import attacks
from icefire.report.text import roles, score, scorecard
from icefire.report.text.tables import TextColumn, fitting


def shown(card: Scorecard, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    scorecard.show(card, console)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def one_line(card: Scorecard, width: int = 80) -> str:
    return " ".join(shown(card, width).split())


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("card", [full_card(), hostile_card(), empty_card()])
def test_no_line_is_longer_than_the_console(card: Scorecard, width: int) -> None:
    assert max(cell_len(line) for line in shown(card, width).splitlines()) <= width


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_number_is_cut_or_wrapped(width: int) -> None:
    found = shown(full_card(), width)
    assert "…" not in found
    for result in ATTACKS.values():
        assert formatting.percent(result.rate) in found
        assert formatting.short_interval(result.ci) in found
        assert f"{result.hits:,}/{result.targets:,}" in found


def test_a_wide_console_shows_every_column() -> None:
    found = one_line(full_card(), 120)
    for title in ("code", "answered", "by chance", "expected", "seconds", "direction", "best"):
        assert title in found


def test_a_narrow_console_drops_the_least_important_columns() -> None:
    assert "seconds" not in shown(full_card(), 80)
    assert "expected" in shown(full_card(), 80)
    assert "expected" not in shown(full_card(), 60)


def test_a_long_name_is_broken_before_the_numbers_are() -> None:
    columns = [TextColumn("name", ["x" * 50], 0), TextColumn("rate", ["12.3 %"], 0), TextColumn("seconds", ["1.00"], 7)]
    assert [column.title for column in fitting(columns, 40)] == ["name", "rate"]


def test_measures_utility_and_findings_are_shown() -> None:
    found = one_line(full_card())
    for part in (
        "information_loss U5 0.01235 lower is better",
        "correlation_error has no value: no two sensitive attributes",
        "3,012 of 8,333 released rows (36.1 %) are alone",
        "region 8.5, members 6.9",
        "On average 5,120 of 8,333 people (61.4 %) are recognised",
        "random guesses would recognise 1. 6,012 people are recognised more likely than not",
        "row 17 99.0 %, row 418 98.0 %, row 819 97.0 %; by id_sa: head_age",
        "Left out jaccard: needs a history",
        "reid broken: at most 5 %, found 91.3 %",
        "k_min holds",
        "shuffled before",
        "Columns: 13 quasi-identifiers, 12 sensitive",
        "prosecutor risk at most 98.8 %, mean 53.1 %, above 25 % in 5,585 of 8,333 (67.0 %) rows",
        "euc2 identified 91.3 %, 1.7 times as many",
        "209 of 8,333 (2.5 %) released rows are alone by at most 2 quasi-identifiers together",
        "1 of 26 released columns looks like one of the 18 HIPAA identifiers. region: a place smaller than a state (B)",
    ):
        assert part in found


@pytest.mark.parametrize(("passed", "word"), [(True, "passed"), (False, "does not pass"), (None, "no limit set")])
def test_the_verdict_is_said_in_words(passed: bool | None, word: str) -> None:
    assert f"Verdict: {word}" in shown(full_card(verdict=Verdict(passed, "The headline", "The text.", "euc2")))


def test_the_columns_that_moved_most_and_the_task_are_named() -> None:
    card = full_card()
    task = MeasureResult("", 0.8, "higher", "1", {"target": "job"}, "accuracy for job: 0.8 trained on the release")
    found = one_line(msgspec.structs.replace(card, measures={**card.measures, "task_score": task}), 120)
    assert "Distributions that moved most: region 100.0 %, industry 10.4 %, head_age 1.2 %" in found
    assert "Task: accuracy for job: 0.8 trained on the release" in found


def test_no_expected_column_where_no_attack_draws_lots() -> None:
    assert "expected" not in shown(full_card(attacks={"euc2": ATTACKS["euc2"]}), 120)


def test_the_aya_check_is_shown_where_the_correspondence_is_contradicted_and_says_what_to_do() -> None:
    found = one_line(contradicted())
    assert "For 8,300 of 8,333 released rows (99.6 %)" in found
    assert "Check how rows were matched (the truth file, --aligned or --key) and audit again" in found
    honest = one_line(full_card(aya=Aya("euc2", 0.99, 8250, 8300, ROWS)))
    assert "nearest original row" not in honest
    assert "Check how rows" not in honest


def test_names_are_never_read_as_markup_or_escape_codes() -> None:
    found = shown(hostile_card(), 200)
    assert "\x1b" not in found
    assert "[bold]long_attack" in found


def test_roles_are_listed_by_name_and_inferred_ones_said_to_be_a_guess() -> None:
    console = Console(width=60, file=io.StringIO())
    roles.show_roles(Roles(["age", "[/]job\n"], ["income"], [], [], "inferred"), console)
    found = console.file.getvalue()  # type: ignore[attr-defined]
    assert "Quasi-identifiers (2): age, [/]job?" in found
    assert "Sensitive attributes (1): income" in found
    assert "Identifiers" not in found
    assert "a guess" in found


def test_a_sampled_correspondence_check_says_it_is_a_sample() -> None:
    card = msgspec.structs.replace(contradicted(), aya=Aya("euc2", 0.5, 4000, 5, 100))
    assert "For 5 of a sample of 100 released rows (5.0 %)" in one_line(card)


def test_attacks_that_use_everything_come_first() -> None:
    few = {"euc2": attack("EUC2", 800, "x"), "replay": attack("replay", 5, "x"), "link": attack("link", 3, "x")}
    names = [name for name, _ in attacks.ranked(full_card(attacks=few))]
    assert names == ["link", "replay", "euc2"]


def test_a_score_is_shown_with_all_it_knows() -> None:
    console = Console(width=60, file=io.StringIO())
    score.show(Score(0.25, 1, 4, 3, (0.05, 0.7), 0.25, recall=1.0, precision=0.5, top_k=0.75), console)
    found = console.file.getvalue()  # type: ignore[attr-defined]
    assert "Rate: 25.0 %, 95 % interval 5.0–70.0 %" in found
    assert "Hits: 1 of 4 targets, 3 answered" in found
    assert "Recall: 100.0 %" in found
    assert "Expected" not in found


def test_no_column_gives_people_away_where_nothing_was_learned() -> None:
    unknown = [LearnedColumn(name, "not known", 0.0) for name in ("age", "town")]
    text = one_line(full_card(learned_columns=unknown), 200)
    assert "Columns that give people away (bits): none; nothing was learned about any column" in text
