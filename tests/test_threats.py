"""The twenty threats to a competition: every attack is played, fails here, and succeeds where its defence is taken out.

A check (in tests/threats) plays an attack and raises AssertionError if it succeeds. Every check stands in the table
with its sabotages: each takes one defence out of the program, and then the check must fail, for the reason given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from threats import t_reading, t_scores
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
r, s = t_reading, t_scores
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
    16: Threat(
        "frozen board",
        {
            s.a_frozen_board_stands: [
                broken(s.freeze_nothing, "these moved"),
                broken(s.show_releases_live, "these moved"),
            ]
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
