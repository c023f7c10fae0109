"""The twenty threats to a competition: every attack is played, fails here, and succeeds where its defence is taken out.

The table is in tests/arena/threats/table.py, the attacks and the sabotages beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.arena import postgres as arena_postgres
from threats import failures, output, sockets, story, visiting
from threats import world as worlds
from threats.kinds import Act, Broken
from threats.table import THREATS
from threats.world import World

from icefire.arena import ids


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, original: Any) -> story.Template:
    return story.build(tmp_path_factory.mktemp("threats") / "played", original)


@pytest.fixture(scope="module")
def server(template: story.Template) -> Iterator[worlds.Server]:
    one = worlds.Server(template)
    yield one
    one.close()


@pytest.fixture
def world(
    template: story.Template, server: worlds.Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> Iterator[World]:
    with worlds.opened(template, server, monkeypatch, tmp_path) as one:
        yield one


def test_all_twenty_are_there() -> None:
    assert sorted(THREATS) == list(range(1, 21))
    for number, threat in THREATS.items():
        assert threat.checks, number
        assert all(threat.checks.values()), f"a check of threat {number} was never seen to fail"


CHECKS = [(number, check) for number, threat in THREATS.items() for check in threat.checks]
LONG_CHECKS = (sockets.a_thousand_sockets_leave_the_pages_alone,)
"""Attacks that take half a minute."""
SABOTAGES = [(n, c, one) for n, c in CHECKS for one in THREATS[n].checks[c]]
SLOW = (sockets.hold_every_socket, sockets.write_about_every_socket)
"""Sabotages of a thousand connections, which take a minute or two."""


def name_of(given: Any) -> str:
    return given.sabotage.__name__ if isinstance(given, Broken) else getattr(given, "__name__", str(given))


@pytest.mark.parametrize(
    ("number", "check"),
    [pytest.param(*one, marks=pytest.mark.heavy) if one[1] in LONG_CHECKS else one for one in CHECKS],
    ids=name_of,
)
def test_the_attack_fails(world: World, number: int, check: Act) -> None:
    check(world)


@pytest.mark.parametrize("check", THREATS[6].checks, ids=name_of)
def test_races_are_lost_on_postgresql_too(world: World, postgres_address: str, check: Act) -> None:
    world.url = arena_postgres.new_database(postgres_address, ids.new_id())
    check(world)


@pytest.mark.heavy
@pytest.mark.parametrize(("check", "how"), [(c, how) for n, c, how in SABOTAGES if n == 6], ids=name_of)
def test_races_are_won_on_a_broken_build_with_postgresql_too(
    world: World, postgres_address: str, check: Act, how: Broken
) -> None:
    world.url = arena_postgres.new_database(postgres_address, ids.new_id())
    how.sabotage(world)
    with pytest.raises(AssertionError, match=how.said):
        check(world)


@pytest.mark.parametrize(
    ("number", "check", "how"),
    [pytest.param(*one, marks=pytest.mark.heavy) if one[2].sabotage in SLOW else one for one in SABOTAGES],
    ids=name_of,
)
def test_the_attack_succeeds_on_a_broken_build(world: World, number: int, check: Act, how: Broken) -> None:
    how.sabotage(world)
    with pytest.raises(AssertionError, match=how.said):
        check(world, **how.narrow)


# --- scripts in a real browser: words stay words, and if they did not, the policy would still stand before them


@pytest.mark.browser
@pytest.mark.parametrize("policy", [True, False], ids=["with a policy", "without"])
def test_no_script_of_a_player_runs_in_a_browser(world: World, browser: Any, policy: bool) -> None:
    output.hostile(world)
    if not policy:
        failures.have_no_policy(world)
    assert visiting.every_page(world, browser) == []


@pytest.mark.browser
def test_scripts_run_in_a_browser_on_a_broken_build(world: World, browser: Any) -> None:
    output.hostile(world)
    output.escape_nothing_in_pages(world)
    refused = visiting.every_page(world, browser, visiting.A_FEW, ())
    assert refused
    assert not any(visiting.RAN in one for one in refused), "the policy alone keeps scripts from running"
    failures.have_no_policy(world)
    assert any(visiting.RAN in one for one in visiting.every_page(world, browser, visiting.A_FEW, ()))
