"""The API keeps to its own description, whatever is sent and whoever sends it: no failure of the server, ever.

Requests are drawn from the description (schemathesis), for each role, with ids that exist among those that do not.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support.arena.fixtures import BEGIN, DAY, player, release_files

from icefire.arena.auth import passwords, tokens
from icefire.arena.auth.actor import VISITOR
from icefire.arena.judge import worker
from icefire.arena.storage.tables import AccountRow
from icefire.arena.submit import ice
from icefire.arena.web.app import create_app

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")
EXAMPLES = 6
PER_SLOW_OPERATION = 3
SLOW = ("/api/v1/tokens", "/api/v1/releases", "/api/v1/releases/{release_id}/guess")
"""These hash a password, or check files in a process of their own."""
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")
ROLES = ("visitor", "player", "attacker", "organiser")


@pytest.fixture
def scene(make_arena, database_url, original, monkeypatch):
    """A competition with a judged release: on SQLite while releases are taken, on PostgreSQL in the attack phase."""
    arena = make_arena(database_url)
    snow, embers = player(arena, "ann", "Snow"), player(arena, "bob", "Embers")
    receipt = ice.submit(arena, snow, "final", release_files(original))
    worker.finish(arena)
    if database_url is not None:
        arena.clock.set(BEGIN + 2.5 * DAY)
    monkeypatch.setattr(
        passwords, "matches", lambda password, stored: False
    )  # a tenth of a second each, tested elsewhere
    ours = dict.fromkeys(("release_id", "submission_id", "release"), receipt.id)
    real = {**ours, "round_name": "final", "round": "final", "name": "released.csv", "team": embers.team_id}
    return arena, {"player": snow, "attacker": embers}, real


@pytest.mark.parametrize("role", ROLES)
def test_no_request_makes_the_server_fail(scene, role):
    arena, players, real = scene
    who = players.get(role) or (VISITOR if role == "visitor" else player(arena, role, role=role))
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", create_app(arena, worker=False))
    headers = {"Authorization": f"Bearer {token_of(arena, who)}"} if who.known else {}
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 20
    for operation in operations:
        check(operation, headers, real)


def check(operation, headers, real) -> None:
    checks = schemathesis.checks.CHECKS.get_by_names(CHECKS)
    examples = PER_SLOW_OPERATION if operation.path in SLOW else EXAMPLES
    right, wrong = (operation.as_strategy(generation_mode=mode) for mode in schemathesis.GenerationMode)

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=st.one_of(right, wrong), known=st.booleans())
    def ask(case, known) -> None:
        if known:
            for part in (case.path_parameters, case.query, case.body):
                if isinstance(part, dict):
                    part.update({name: value for name, value in real.items() if name in part})
        case.call_and_validate(headers=headers, checks=checks)

    ask()


def token_of(arena, actor) -> str:
    with arena.database.transaction() as session:
        return tokens.new_token(session, session.get(AccountRow, actor.account_id), "test", arena.now())
