"""The table: number, threat, the checks that play it, and the sabotages under which each of them must fail.

A sabotage takes one defence out of the program. `said` is what the check then complains about: it must fail for that
reason and for no other. What follows makes a long check short where one role and one phase are enough to see it fail.
"""

from __future__ import annotations

from threats import (
    bombs,
    bundles,
    deadlines,
    failures,
    forgery,
    frozen,
    judging,
    leftovers,
    logbook,
    neighbours,
    outages,
    output,
    puppets,
    races,
    reading,
    reveals,
    rewriting,
    scores,
    sockets,
    strange_databases,
    uploading,
)
from threats.kinds import Threat, broken
from threats.table_of_logins import LOGINS

ONE = {"phases": ("attack",), "roles": ("other",)}
THREATS = {
    1: Threat(
        "reading others' correspondence",
        {
            reading.nobody_is_shown_an_answer: [
                broken(reading.hand_out_the_truth, "truth.csv", **ONE, below="/releases"),
                broken(reading.note_the_truth, "truth.csv", **ONE, below="/export"),
                broken(reading.log_the_truth, "server's own log", **ONE, below="/releases"),
                broken(reading.send_the_truth_live, "truth.csv", **ONE, below="/events"),
                broken(reading.sign_the_truth, "truth.csv", phases=("freeze",), roles=("author",), below="/receipts"),
                broken(reading.show_players_results, "is shown", **ONE, below="/export"),
                broken(reading.show_sample_attacks, "is shown", **ONE, below="/export"),
                broken(reading.add_a_route_to_read, "secret_id", **ONE, below="/vault"),
                broken(reading.add_a_route_that_tells, "/everything .body. holds", **ONE, below="/e"),
            ],
            reading.every_change_is_answered_without_an_answer: [
                broken(reading.tell_the_truth_in_an_error, "truth.csv", roles=("other",)),
                broken(reading.add_a_route_to_write, "missing in routes.bodies", roles=("other",)),
            ],
            reading.answers_lie_in_the_vault_alone: [broken(reading.keep_no_vault, "holds")],
            neighbours.neighbours_can_open_nothing: [
                broken(neighbours.make_folders_for_everybody, "store is open"),
                broken(neighbours.let_sqlite_make_its_file, "arena.db is open"),
                broken(neighbours.write_files_for_everybody, "csv is open"),
            ],
            leftovers.a_killed_judge_leaves_no_truth_in_temporary_folders: [
                broken(leftovers.work_in_the_system_s_folder, "the truth is left in"),
                broken(leftovers.look_for_no_leftovers, "the doctor does not find"),
            ],
            leftovers.a_new_judge_removes_what_a_killed_one_left: [
                broken(leftovers.look_for_no_leftovers, "is still there"),
                broken(leftovers.take_everything_for_left, "lost its folder"),
            ],
            leftovers.orphans_in_the_vault_are_removed: [
                broken(leftovers.look_for_no_drafts, "the doctor does not find")
            ],
            reading.absent_and_not_yours_look_the_same: [
                broken(reading.tell_what_is_there, "403, 404"),
                broken(reading.let_anybody_look, "200, 404"),
            ],
            reading.ids_cannot_be_guessed: [broken(reading.count_ids, "hardly ever changes")],
        },
    ),
    2: Threat(
        "leak through timing or order",
        {
            scores.right_and_wrong_answers_look_alike: [
                broken(scores.tell_the_score_at_once, "told apart at once"),
                broken(scores.score_while_they_wait, "before the judge"),
                broken(reading.show_players_results, "told apart after"),
            ],
            scores.nothing_moves_when_a_guess_is_scored: [
                broken(scores.tell_that_it_was_scored, "moved"),
                broken(reading.show_players_results, "moved"),
            ],
            scores.a_ceremony_tells_place_by_place: [
                broken(scores.reveal_with_the_clock, "before it was told"),
                broken(scores.tell_all_places_at_once, "more than one place"),
            ],
            reveals.the_reveal_waits_for_the_judge: [
                broken(reveals.reveal_without_looking, "revealed without a result"),
                broken(reveals.forget_the_reveal, "hides what was public"),
            ],
            reveals.the_ceremony_waits_for_the_judge: [broken(reveals.reveal_without_looking, "step was taken")],
            reveals.beginning_at_once_asks_and_can_be_taken_back: [
                broken(reveals.begin_everything_at_once, "began without asking"),
                broken(reveals.take_back_at_any_time, "somebody founds a team"),
            ],
            scores.an_unknown_name_takes_as_long: [broken(scores.hash_only_for_known_names, "1 times in 3")],
        },
    ),
    3: Threat(
        "score oracle",
        {
            scores.one_guess_for_ever: [
                broken(scores.take_the_last_guess, "a second guess was answered"),
                broken(scores.drop_the_unique_key, "the database itself"),
            ],
            scores.no_measure_is_an_oracle: [broken(scores.show_every_digit, "shows U5 as 0[.]\\d{5,}, which 1 of")],
            scores.scores_wait_for_the_reveal: [broken(reading.show_players_results, "a score is shown")],
            scores.a_puppet_is_flagged: [
                broken(scores.suspect_nobody, "nobody is told"),
                broken(scores.suspect_nine_tenths_only, "nobody is told"),
            ],
            puppets.teams_that_belong_together_are_shown: [
                broken(puppets.forget_invitations, "an invitation"),
                broken(puppets.forget_addresses, "an address"),
            ],
            puppets.only_organisers_let_in: [broken(puppets.let_captains_let_in, "a captain's code")],
        },
    ),
    4: Threat(
        "after the deadline",
        {
            deadlines.the_server_s_clock_decides: [
                broken(deadlines.let_an_instant_belong_to_the_past, "0 s from the deadline"),
                broken(deadlines.believe_the_client, "0 s from the deadline"),
            ],
            deadlines.a_slow_upload_is_late: [broken(deadlines.count_from_the_first_byte, "what came too late")],
            uploading.waiting_for_a_thread_is_not_late: [
                broken(uploading.look_at_the_clock_in_the_thread, "what came in time was answered with 403")
            ],
            deadlines.a_phase_moved_meanwhile_counts: [
                broken(deadlines.look_at_the_clock_once, "a phase that has ended")
            ],
            deadlines.nothing_is_handed_out_early: [
                broken(deadlines.hand_out_originals_at_once, "original.csv early"),
                broken(deadlines.hand_out_releases_at_once, "released.csv early"),
            ],
            deadlines.clocks_that_are_put_back_are_known: [broken(deadlines.take_all_times_for_utc, "25 hours")],
        },
    ),
    5: Threat(
        "withdrawing to escape",
        {
            deadlines.withdrawing_late_changes_nothing: [
                broken(deadlines.let_them_out_at_any_time, "can no longer be attacked"),
                broken(deadlines.forget_attacks_on_what_is_withdrawn, "attacks were removed"),
            ]
        },
    ),
    6: Threat(
        "quota races",
        {
            races.twenty_releases_at_once: [broken(races.count_then_insert, "20 of 20 were taken")],
            races.twenty_guesses_at_once: [broken(races.look_whether_there_is_one, "20 of 20 were taken")],
            races.a_crash_leaves_nothing_behind: [broken(races.store_step_by_step, "without a job")],
            outages.wrong_submissions_are_counted_exactly: [
                broken(outages.count_when_it_is_over, "20 were read, 5 are allowed")
            ],
            outages.what_failed_before_never_exceeds_the_quota: [
                broken(outages.revive_beyond_the_quota, "4 releases are in play")
            ],
        },
    ),
    7: Threat(
        "one's own data",
        {
            deadlines.own_data_never_count: [
                broken(deadlines.let_anybody_attack_anything, "author attacked its own data"),
                broken(deadlines.forget_where_members_were, "mate attacked its own data"),
                broken(deadlines.look_only_one_way, "second attacked its own data"),
            ]
        },
    ),
    8: Threat(
        "bombs",
        {
            bombs.bombs_are_refused_unread: [
                broken(bombs.read_anything, "was read before"),
                broken(bombs.charge_first, "a bomb was charged"),
            ],
            uploading.nothing_is_read_before_it_may_be_sent: [
                broken(uploading.look_when_it_is_there, "the body was read before")
            ],
            uploading.a_file_is_measured_by_the_data: [broken(uploading.take_the_largest_file, "10 MB for 40 rows")],
            uploading.a_slow_sender_is_cut_off: [broken(uploading.wait_for_ever, "a slow sender was answered")],
            uploading.uploads_at_once_are_limited: [broken(uploading.let_any_number_send, "was let in")],
            uploading.uploads_are_bounded_and_lie_beside_the_data: [
                broken(uploading.use_the_system_s_folder, "files lay in")
            ],
            uploading.checks_leave_the_threads_of_pages_alone: [
                broken(uploading.check_in_a_thread_of_the_pages, "a thread of the pages")
            ],
            bombs.a_body_without_end_is_cut_off: [broken(bombs.read_bodies_to_the_end, "without end was answered")],
            sockets.a_thousand_sockets_leave_the_pages_alone: [
                broken(sockets.hold_every_socket, "leave the pages", kinds=("live pages",)),
                broken(sockets.write_about_every_socket, "the log has", kinds=("silent ones",)),
            ],
            sockets.senders_who_leave_are_not_written_down: [
                broken(sockets.write_about_whoever_leaves, "the log has 2 lines")
            ],
            bombs.the_judge_survives: [broken(bombs.let_the_worker_die, "the worker died")],
            bombs.bundles_that_blow_up_are_not_unpacked: [broken(bombs.unpack_anything, "'too tight' was taken")],
        },
    ),
    9: Threat(
        "path traversal",
        {
            bundles.names_never_lead_out: [
                broken(bundles.take_any_name, "evil"),
                broken(bundles.take_any_place, "the store leads"),
            ]
        },
    ),
    10: Threat(
        "CSV formula injection",
        {
            output.no_spreadsheet_runs_a_name: [
                broken(output.leave_formulas, "holds formulas"),
                broken(output.quote_numbers_too, "a number was changed"),
            ],
            output.no_spreadsheet_runs_a_release: [
                broken(output.take_formulas, "a release with formulas was taken"),
                broken(output.escape_no_release, "rivals get a formula"),
            ],
        },
    ),
    11: Threat(
        "stored scripts",
        {
            output.what_people_write_stays_words: [
                broken(output.escape_nothing_in_pages, "holds <"),
                broken(output.escape_nothing_in_pictures, "/pictures holds <", paths=("/pictures",)),
                broken(output.escape_nothing_in_sentences, "holds <"),
            ]
        },
    ),
    12: Threat(
        "forged requests",
        {
            forgery.a_forged_request_changes_nothing: [
                broken(forgery.believe_every_form, "without a token"),
                broken(forgery.believe_any_token, "with another session's token"),
                broken(forgery.compare_ascii_only, "no ASCII: 500"),
                broken(forgery.believe_every_site, "from another site"),
            ],
            forgery.only_tokens_need_no_proof: [broken(forgery.believe_every_form, "a cookie alone")],
        },
    ),
    15: Threat(
        "cheating permutations",
        {
            judging.a_false_correspondence_is_seen_through: [broken(judging.believe_the_author, "AYA believes")],
            judging.the_original_itself_does_not_win: [
                broken(judging.rank_whatever_is_broken, "the unchanged original is ranked"),
                broken(judging.believe_the_author, "a false correspondence is ranked"),
            ],
            judging.a_wrong_correspondence_is_refused: [broken(judging.check_no_correspondence, "was taken")],
            judging.a_copied_table_is_flagged: [broken(judging.compare_no_tables, "nobody is told")],
        },
    ),
    16: Threat(
        "frozen board",
        {
            frozen.a_frozen_board_stands: [
                broken(frozen.freeze_nothing, "these moved", below="/b"),
                broken(frozen.show_releases_live, "these moved", below="/api/v1/releases"),
            ]
        },
    ),
    17: Threat(
        "scoring sandbox",
        {
            outages.a_failing_judge_takes_nothing_out_of_play: [
                broken(outages.give_up_as_before, "took the release out of play")
            ],
            outages.a_full_disk_takes_no_submission: [broken(outages.notice_no_full_disk, "a full disk gave 500")],
            judging.a_task_can_do_nothing_but_its_sums: [
                broken(judging.confine_nothing, "a task can"),
                broken(judging.build_no_wall_around_files, "read the vault"),
                broken(judging.keep_the_powers_of_root, "use a power of root"),
                broken(judging.let_tasks_send_signals, "run programs"),
                broken(judging.give_the_whole_environment, "knows the database"),
            ],
            judging.a_task_has_its_limits: [broken(judging.limit_nothing, "did not mind")],
            judging.a_task_knows_one_submission: [broken(judging.give_the_judge_everything, "knows the answers")],
            judging.a_dead_worker_is_replaced_once: [
                broken(judging.let_the_dead_store, "the dead have stored"),
                broken(judging.leave_the_dead_their_work, "nobody takes over"),
            ],
        },
    ),
    18: Threat(
        "audit log",
        {
            logbook.a_log_that_was_touched_is_told: [
                broken(logbook.hash_nothing, "nobody notices: who"),
                broken(logbook.leave_out_the_words, "nobody notices: the words"),
            ],
            rewriting.only_the_key_makes_lines: [broken(rewriting.chain_without_a_key, "the chain made anew")],
            rewriting.history_cannot_be_changed_in_the_tables: [broken(rewriting.compare_no_tables, "an arrival")],
            rewriting.history_cannot_be_written_anew: [
                broken(rewriting.believe_what_is_there, "does not show: an arrival")
            ],
            logbook.every_action_leaves_a_line: [
                broken(logbook.be_silent_about_staff, "no line tells"),
                broken(logbook.tidy_up_the_log, "changed the log"),
            ],
        },
    ),
    19: Threat(
        "export and import",
        {
            bundles.a_restored_competition_is_the_same: [
                broken(bundles.lose_measures, "other rankings"),
                broken(bundles.keep_sessions, "sessions were carried away"),
            ],
            bundles.a_public_bundle_holds_no_secret: [
                broken(bundles.publish_everything, "public bundle"),
                broken(bundles.publish_with_the_judge_s_eyes, "holds scores"),
            ],
        },
    ),
    20: Threat(
        "headers and errors",
        {
            failures.every_answer_is_wrapped: [
                broken(failures.have_no_policy, "has no content policy"),
                broken(failures.allow_inline_scripts, "unsafe-inline"),
                broken(failures.let_browsers_guess, "taken for something else"),
                broken(failures.let_others_keep_pages, "may be kept"),
            ],
            failures.failures_tell_nothing: [
                broken(failures.show_what_failed, "shows"),
                broken(failures.quote_the_judge, "third.*shows"),
                broken(failures.quote_the_answers_to_the_staff, "/desk/queue holds truth"),
                broken(failures.log_what_is_stored, "the server's log"),
            ],
            strange_databases.a_database_that_is_away_is_told: [
                broken(strange_databases.take_outages_for_faults, "without a database gave 500")
            ],
            strange_databases.another_version_is_named: [
                broken(strange_databases.upgrade_anything, "the answer is CommandError")
            ],
            strange_databases.the_end_of_the_calendar_is_refused: [
                broken(strange_databases.take_any_time, "at the desk gave 500")
            ],
            strange_databases.passwords_of_databases_are_not_printed: [
                broken(strange_databases.print_addresses, "the password is printed"),
                broken(strange_databases.repeat_what_was_said, "the password is printed"),
            ],
            failures.odd_requests_are_no_failure: [
                broken(failures.fail_over_unknown_rounds, "gave 500", paths=("/matrix",))
            ],
        },
    ),
    **LOGINS,
}
