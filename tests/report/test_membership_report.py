"""Membership in the report: attacks that ran, and those that did not."""

from __future__ import annotations

import io

from rich.console import Console
from support.html_page import Page
from support.report_card import full_card

from icefire.core.scorecard.membership import MembershipFindings
from icefire.report.text import scorecard

SKIPPED = MembershipFindings(30, 20, {}, {"candidate_bayes": "needs a numeric sa column"})


def test_a_membership_attack_that_did_not_run_is_shown_with_the_reason() -> None:
    card = full_card(membership=SKIPPED)
    console = Console(file=io.StringIO(), width=100)
    scorecard.show(card, console)
    shown = console.file.getvalue()
    assert "Left out candidate_bayes (membership): needs a numeric sa column" in shown
    page = Page(card)
    assert "Membership attacks that did not run, with the reason" in page.text
    assert "candidate_bayes needs a numeric sa column" in page.text
    assert page.source.replace("<wbr>", "").count(">candidate_bayes<") >= 2, "it is defined in the glossary as well"


def test_nothing_is_said_of_membership_where_it_was_not_asked_for_or_nothing_was_left_out() -> None:
    assert "Membership attacks that did not run" not in Page(full_card(membership=MembershipFindings(30, 20, {}))).text
    assert "Membership attacks" not in Page(full_card(membership=None)).text
