"""The twenty threats to a competition: every attack is played, fails here, and succeeds where its defence is taken out.

A check (in tests/threats) plays an attack and raises AssertionError if it succeeds. Every check stands in the table
with its sabotages: each takes one defence out of the program, and then the check must fail, for the reason given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from threats import t_doors, t_output, t_races, t_reading, t_scores, t_time
from threats import world as worlds
from threats.world import World

Act = Callable[..., None]


@dataclass(frozen=True)
class Broken:
    """A defence taken out, what the check then says, and how much of it is enough to see that."""

    sabotage: Act
    said: str
    narrow: dict[str, Any]


def broken(sabotage: Act, said: str, **narrow: Any) -> Broken:
    return Broken(sabotage, said, narrow)


@dataclass(frozen=True)
class Threat:
    """One of the twenty: its checks, each with its sabotages."""

    title: str
    checks: dict[Act, list[Broken]]


ONE = {"phases": ("attack",), "roles": ("other",)}
r, s, t, q, d, o = t_reading, t_scores, t_time, t_races, t_doors, t_output
THREATS = {
    1: Threat(
        "reading others' correspondence",
        {
            r.nobody_is_shown_an_answer: [
                broken(r.hand_out_the_truth, "truth.csv", **ONE),
                broken(r.note_the_truth, "truth.csv", phases=("attack",), roles=("author",)),
                broken(r.log_the_truth, "server's own log", **ONE),
                broken(r.send_the_truth_live, "truth.csv", phases=("attack",), roles=("anonymous",)),
                broken(r.sign_the_truth, "truth.csv", phases=("attack",), roles=("author",)),
                broken(r.show_players_results, "is shown", **ONE),
                broken(r.show_sample_attacks, "is shown", **ONE),
                broken(r.add_a_route_to_read, "secret_id", **ONE),
            ],
            r.every_change_is_answered_without_an_answer: [
                broken(r.tell_the_truth_in_an_error, "truth.csv", roles=("other",)),
                broken(r.add_a_route_to_write, "missing in routes.bodies", roles=("other",)),
            ],
            r.answers_lie_in_the_vault_alone: [broken(r.keep_no_vault, "holds")],
            r.absent_and_not_yours_look_the_same: [
                broken(r.tell_what_is_there, "403, 404"),
                broken(r.let_anybody_look, "200, 404"),
            ],
            r.ids_cannot_be_guessed: [broken(r.count_ids, "hardly ever changes")],
        },
    ),
    2: Threat(
        "leak through timing or order",
        {
            s.right_and_wrong_answers_look_alike: [
                broken(s.tell_the_score_at_once, "told apart at once"),
                broken(s.score_while_they_wait, "before the judge"),
                broken(r.show_players_results, "told apart after"),
            ],
            s.nothing_moves_when_a_guess_is_scored: [
                broken(s.tell_that_it_was_scored, "moved"),
                broken(r.show_players_results, "moved"),
            ],
            s.an_unknown_name_takes_as_long: [broken(s.hash_only_for_known_names, "1 times in 3")],
        },
    ),
    3: Threat(
        "score oracle",
        {
            s.one_guess_for_ever: [
                broken(s.take_the_last_guess, "a second guess was answered"),
                broken(s.drop_the_unique_key, "the database itself"),
            ],
            s.scores_wait_for_the_reveal: [broken(r.show_players_results, "a score is shown")],
            s.a_puppet_is_flagged: [broken(s.suspect_nobody, "nobody is told")],
        },
    ),
    4: Threat(
        "after the deadline",
        {
            t.the_server_s_clock_decides: [
                broken(t.let_an_instant_belong_to_the_past, "0 s from the deadline"),
                broken(t.believe_the_client, "0 s from the deadline"),
            ],
            t.a_slow_upload_is_late: [broken(t.count_from_the_first_byte, "what came too late")],
            t.a_phase_moved_meanwhile_counts: [broken(t.look_at_the_clock_once, "a phase that has ended")],
            t.clocks_that_are_put_back_are_known: [broken(t.take_all_times_for_utc, "25 hours")],
        },
    ),
    5: Threat(
        "withdrawing to escape",
        {
            t.withdrawing_late_changes_nothing: [
                broken(t.let_them_out_at_any_time, "can no longer be attacked"),
                broken(t.forget_attacks_on_what_is_withdrawn, "attacks were removed"),
            ]
        },
    ),
    6: Threat(
        "quota races",
        {
            q.twenty_releases_at_once: [broken(q.count_then_insert, "20 of 20 were taken")],
            q.twenty_guesses_at_once: [broken(q.let_the_last_guess_win, "20 of 20 were taken")],
            q.a_crash_leaves_nothing_behind: [broken(q.store_step_by_step, "without a job")],
        },
    ),
    7: Threat(
        "one's own data",
        {
            t.own_data_never_count: [
                broken(t.let_anybody_attack_anything, "author attacked its own data"),
                broken(t.forget_where_members_were, "fresh attacked its own data"),
                broken(t.forget_who_was_where, "mate attacked its own data"),
            ]
        },
    ),
    10: Threat(
        "CSV formula injection",
        {
            o.no_spreadsheet_runs_a_name: [
                broken(o.leave_formulas, "holds formulas"),
                broken(o.quote_numbers_too, "a number was changed"),
            ]
        },
    ),
    11: Threat(
        "stored scripts",
        {
            o.what_people_write_stays_words: [
                broken(o.escape_nothing_in_pages, "holds <"),
                broken(o.escape_nothing_in_pictures, "/pictures.* holds <"),
                broken(o.escape_nothing_in_sentences, "holds <"),
            ]
        },
    ),
    12: Threat(
        "forged requests",
        {
            d.a_forged_request_changes_nothing: [
                broken(d.believe_every_form, "without a token"),
                broken(d.believe_any_token, "with another session's token"),
                broken(d.compare_ascii_only, "no ASCII: 500"),
                broken(d.believe_every_site, "from another site"),
            ],
            d.only_tokens_need_no_proof: [broken(d.believe_every_form, "a cookie alone")],
        },
    ),
    13: Threat(
        "session fixation and life",
        {
            d.a_session_is_new_after_every_change: [
                broken(d.keep_the_session, "after the login too"),
                broken(d.end_no_session, "after the logout"),
            ],
            d.a_new_password_or_role_ends_other_sessions: [broken(d.end_no_other_session, "outlives a new password")],
            d.cookies_are_for_the_server_alone: [broken(d.give_plain_cookies, "can be read or sent")],
            d.nobody_is_sent_elsewhere: [broken(d.send_them_anywhere, "leads to")],
        },
    ),
    14: Threat(
        "brute force and reset",
        {
            d.guessing_passwords_is_slowed_down: [
                broken(d.count_nothing, "tried for ever"),
                broken(d.count_in_memory, "a restart forgives"),
                broken(d.compare_names_letter_by_letter, "another spelling"),
            ],
            d.look_alikes_are_refused: [
                broken(d.compare_names_letter_by_letter, "was taken"),
                broken(d.take_names_as_they_are, "was taken"),
            ],
            d.invitations_are_for_one_thing_and_one_time: [broken(d.let_invitations_live, "lets in two")],
            d.a_flood_of_passwords_waits: [broken(d.hash_as_many_as_come, "hashed at once")],
        },
    ),
    16: Threat(
        "frozen board",
        {
            s.a_frozen_board_stands: [
                broken(s.freeze_nothing, "these moved"),
                broken(s.show_releases_live, "these moved"),
            ]
        },
    ),
    20: Threat(
        "headers and errors",
        {
            o.every_answer_is_wrapped: [
                broken(o.have_no_policy, "has no content policy"),
                broken(o.allow_inline_scripts, "unsafe-inline"),
                broken(o.let_browsers_guess, "taken for something else"),
                broken(o.let_others_keep_pages, "may be kept"),
            ],
            o.failures_tell_nothing: [
                broken(o.show_what_failed, "shows"),
                broken(o.quote_the_judge, "third.*shows"),
                broken(o.quote_the_answers_to_the_staff, "/desk/queue holds truth"),
                broken(o.log_what_is_stored, "the server's log"),
            ],
            o.odd_requests_are_no_failure: [broken(o.fail_over_unknown_rounds, "gave 500")],
        },
    ),
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, original: Any) -> worlds.Template:
    return worlds.build(tmp_path_factory.mktemp("threats") / "played", original)


@pytest.fixture(scope="module")
def server(template: worlds.Template) -> Iterator[worlds.Server]:
    one = worlds.Server(template)
    yield one
    one.close()


@pytest.fixture
def world(
    template: worlds.Template, server: worlds.Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> Iterator[World]:
    with worlds.opened(template, server, monkeypatch, tmp_path) as one:
        yield one


CHECKS = [(number, check) for number, threat in THREATS.items() for check in threat.checks]
SABOTAGES = [(n, c, one) for n, c in CHECKS for one in THREATS[n].checks[c]]


def name_of(given: Any) -> str:
    return given.sabotage.__name__ if isinstance(given, Broken) else getattr(given, "__name__", str(given))


@pytest.mark.parametrize(("number", "check"), CHECKS, ids=name_of)
def test_the_attack_fails(world: World, number: int, check: Act) -> None:
    check(world)


@pytest.mark.parametrize(("number", "check", "how"), SABOTAGES, ids=name_of)
def test_the_attack_succeeds_on_a_broken_build(world: World, number: int, check: Act, how: Broken) -> None:
    how.sabotage(world)
    with pytest.raises(AssertionError, match=how.said):
        check(world, **how.narrow)
