"""What tests of the pages of a game begin with: browsers, teams, releases with scores, and tables read back."""

from __future__ import annotations

import re
from typing import Any

import pytest

from icefire.arena import ids
from icefire.arena.auth import sessions
from icefire.arena.storage.tables import AccountRow, GuessRow, IdentifiedRow, MeasuredRow, ReleaseRow
from icefire.arena.web.app import create_app
from icefire.arena.web.session import cookie_name as session_cookie
from support.arena.fixtures import BEGIN, DAY, player

pytestmark = pytest.mark.filterwarnings("ignore:Using `httpx` with")
FREEZE, ATTACK, REVEAL = BEGIN + 1.5 * DAY, BEGIN + 2.5 * DAY, BEGIN + 3.5 * DAY
SCORES = {"S1": 3.0, "S2": 4.5, "U1": 0.25, "U2": 12.5, "U3": 0.5, "U4": 0.125, "U5": 0.0625, "U6": 0.0}


class Browser:
    """Somebody in front of a browser, logged in already."""

    def __init__(self, app: Any, arena: Any, actor: Any = None) -> None:
        from starlette.testclient import TestClient

        self.web = TestClient(app, raise_server_exceptions=False, follow_redirects=False)
        self.csrf = ""
        if actor:
            with arena.database.transaction() as session:
                account = session.get(AccountRow, actor.account_id)
                opened = sessions.open_session(session, account, arena.now().replace(year=2100))
            self.web.cookies.set(session_cookie(arena), opened.cookie)
            self.csrf = opened.csrf

    def get(self, path: str, status: int = 200) -> str:
        answer = self.web.get(path)
        assert answer.status_code == status, (path, answer.status_code, answer.text[:500])
        return answer.text

    def post(self, path: str, status: int = 303, files: Any = None, **fields: str) -> Any:
        answer = self.web.post(path, data={"csrf": self.csrf, **fields}, files=files)
        assert answer.status_code == status, (path, answer.status_code, answer.text[:2000])
        return answer


@pytest.fixture
def browse(arena):
    """Open a browser for an actor on the competition."""
    return browsers(arena)


def browsers(arena):
    app = create_app(arena, worker=False)
    return lambda actor=None: Browser(app, arena, actor)


@pytest.fixture
def teams(arena):
    """Two teams and the staff."""
    return {
        "ann": player(arena, "ann", "Alder"),
        "ben": player(arena, "ben", "Birch"),
        "judge": player(arena, "judge", role="judge"),
        "olga": player(arena, "olga", role="organiser"),
        "adam": player(arena, "adam", role="admin"),
    }


def put(arena, actor, label: str, *, worst: float = 0.25, scores=SCORES, round_name: str = "final", **more: Any) -> str:
    """Write a judged release straight into the tables: 20 rows, each sample attack identifies the worst share."""
    release_id = ids.digest(label)[:32]
    values = {"sha256": ids.digest(label), "content": ids.digest(label), "rows": 20, "state": "judged", **more}
    with arena.database.transaction() as session:
        number = int(ids.digest(label)[:6], 16)
        release = ReleaseRow(
            id=release_id,
            round=round_name,
            label=label,
            team_id=actor.team_id,
            account_id=actor.account_id,
            number=number,
            received=arena.now(),
            **values,
        )
        session.add(release)
        session.flush()
        session.add_all(MeasuredRow(release_id=release_id, name=name, value=value) for name, value in scores.items())
        session.add_all(found(release_id, "sample", name, worst) for name in arena.game.attacks)
        session.add(found(release_id, "aya", "aya", worst / 2))
    arena.store.put("release", release_id, {"released.csv": b"rows of " + label.encode()})
    return release_id


def found(release_id: str, source: str, name: str, rate: float) -> IdentifiedRow:
    return IdentifiedRow(release_id=release_id, source=source, name=name, hits=round(20 * rate), targets=20, rate=rate)


def attack(arena, actor, release_id: str, rate: float | None = None) -> None:
    """Write a guess, scored if a rate is given."""
    with arena.database.transaction() as session:
        session.add(
            GuessRow(
                id=ids.digest(f"{actor.team_id}{release_id}")[:32],
                release_id=release_id,
                team_id=actor.team_id,
                account_id=actor.account_id,
                sha256="0" * 64,
                received=arena.now(),
                state="waiting" if rate is None else "scored",
            )
        )
        if rate is not None:
            session.add(found(release_id, "team", actor.team_id, rate))


def rows_of(page: str, table: str) -> list[list[str]]:
    """The text of a table's cells, row by row."""
    found_table = re.search(rf'<table class="{table}.*?</table>', page, re.DOTALL)
    assert found_table, f"no table {table}"
    rows = re.findall(r"<tr.*?</tr>", found_table.group(), re.DOTALL)
    return [
        [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        for row in rows
    ]
