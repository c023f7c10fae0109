"""The part of the table about sessions, passwords and tokens: threats 13 and 14."""

from __future__ import annotations

from threats import lockouts, logins, tokens
from threats.kinds import Threat, broken

LOGINS = {
    13: Threat(
        "session fixation and life",
        {
            logins.a_session_is_new_after_every_change: [
                broken(logins.keep_the_session, "after the login too"),
                broken(logins.end_no_session, "after the logout"),
            ],
            logins.a_new_password_or_role_ends_other_sessions: [
                broken(logins.end_no_other_session, "outlives a new password")
            ],
            tokens.tokens_end_with_the_password: [broken(tokens.end_no_token, "outlives a new password")],
            tokens.tokens_end_by_themselves: [
                broken(tokens.let_tokens_live, "lives for ever"),
                broken(tokens.make_any_number, "22 tokens of one account"),
            ],
            tokens.tokens_never_gain_a_role: [broken(tokens.give_tokens_the_role_of_today, "gained a role")],
            logins.cookies_are_for_the_server_alone: [broken(logins.give_plain_cookies, "can be read or sent")],
            logins.nobody_is_sent_elsewhere: [broken(logins.send_them_anywhere, "leads to")],
        },
    ),
    14: Threat(
        "brute force and reset",
        {
            logins.guessing_passwords_is_slowed_down: [
                broken(logins.count_nothing, "tried for ever"),
                broken(logins.count_in_memory, "a restart forgives"),
                broken(logins.compare_names_letter_by_letter, "another spelling"),
                broken(logins.forget_other_addresses, "from many addresses"),
                broken(lockouts.slow_nobody_down, "as fast as it likes"),
            ],
            lockouts.nobody_is_kept_out_by_wrong_passwords: [
                broken(lockouts.lock_everybody_out, "is kept out at home"),
                broken(lockouts.slow_nobody_down, "is not slowed down"),
            ],
            lockouts.a_rival_elsewhere_keeps_nobody_out: [broken(lockouts.lock_by_account_alone, "keeps ann out")],
            lockouts.a_hall_behind_one_address_logs_in: [broken(lockouts.lock_by_address, "from the hall")],
            lockouts.the_desk_clears_a_lockout: [broken(lockouts.clear_nothing, "cannot let ann in")],
            logins.look_alikes_are_refused: [
                broken(logins.compare_names_letter_by_letter, "was taken"),
                broken(logins.compare_folded_names, "was taken"),
                broken(logins.take_names_as_they_are, "was taken"),
            ],
            logins.invitations_are_for_one_thing_and_one_time: [broken(logins.let_invitations_live, "lets in two")],
            logins.a_flood_of_passwords_waits: [
                broken(logins.hash_as_many_as_come, "hashed at once"),
                broken(logins.let_everybody_wait, "0 of 40 were asked"),
            ],
        },
    ),
}
