"""Threats 4, 5 and 7: too late, withdrawn in time to escape, and against one's own data."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from sqlalchemy import select
from support.arena.fixtures import DAY, lines

from icefire.arena import admin
from icefire.arena.auth import actor as actors
from icefire.arena.auth import shared_people, teams
from icefire.arena.boards import freezing, visibility
from icefire.arena.contest import definition as definitions
from icefire.arena.contest import phases
from icefire.arena.contest.phases import RoundNow
from icefire.arena.judge import sandbox, worker
from icefire.arena.storage.tables import GuessRow, IdentifiedRow, MembershipRow, PastMembershipRow, QuotaRow, ReleaseRow
from icefire.arena.submit import fire, gates, ice
from icefire.arena.web.pages.admin import phases as phases_page
from threats.story import ROUND
from threats.world import World

LIES = {"Date": "Fri, 01 May 2026 00:00:00 GMT", "X-Timestamp": "0", "X-Received": "2026-05-05T00:00:00Z"}
"""What a client may claim about the time."""


# --- 4: after the deadline


def the_server_s_clock_decides(world: World) -> None:
    """Come a second early, on the instant and a second late; claim another time; the receipt has the server's."""
    for seconds, taken in ((-1, True), (0, False), (1, False)):
        world.go("freeze", seconds)
        sent = _submit(world, "third", headers=LIES, at="2026-05-05T00:00:00Z", received="0")
        assert (sent.status_code == 201) == taken, f"{seconds} s from the deadline: {sent.status_code}"
        if taken:
            assert datetime.fromisoformat(sent.json()["at"]) == world.arena.now(), "the receipt has another time"
    world.add("fresh", "Fresh")
    for seconds, status in ((0, 403), (1, 403), (-1, 303)):
        world.go("reveal", seconds)
        path = f"/releases/{world.releases['author']}/guess"
        sent = world.as_("fresh").post(path, files={"guess.csv": ("g", lines(range(30)), "text/csv")}, headers=LIES)
        assert sent.status_code == status, f"a guess {seconds} s from the deadline: {sent.status_code}"


def _submit(world: World, role: str, headers: Any = None, **fields: str) -> httpx.Response:
    files = {name.removesuffix(".csv"): ("x.csv", data, "text/csv") for name, data in world.files(80).items()}
    return world.as_(role).post("/api/v1/releases", {"round": ROUND, **fields}, files=files, headers=headers or {})


def a_slow_upload_is_late(world: World) -> None:
    """Begin to send before the deadline and end after it: the last byte counts."""
    world.go("freeze", -1)
    before = world.state()
    files = {name.removesuffix(".csv"): ("x.csv", data, "text/csv") for name, data in world.files(81).items()}
    whole = httpx.Request("POST", "http://arena.test/", files=files, data={"round": ROUND})
    body = whole.read()

    async def slowly() -> AsyncIterator[bytes]:
        yield body[:100]
        world.arena.clock.move(timedelta(seconds=2))
        yield body[100:]

    headers = {"content-type": whole.headers["content-type"], "authorization": f"Bearer {world.token('third')}"}
    before = world.state()
    sent = world.as_("anonymous").send("POST", "/api/v1/releases", headers=headers, content=slowly())
    assert sent.status_code == 403, f"what came too late was answered with {sent.status_code}"
    assert world.state() == before, "what came too late is stored"


def a_phase_moved_meanwhile_counts(world: World) -> None:
    """Have the organiser end the phase while a submission is checked: it is refused, and nothing of it stays."""
    world.go("anonymise")
    real = sandbox.run_task

    def meanwhile(*given: Any, **options: Any) -> Any:
        admin.move_phase(world.arena, world.people["organiser"], ROUND, "freeze")
        return real(*given, **options)

    world.patch.setattr(sandbox, "run_task", meanwhile)
    kept = len(world.rows(ReleaseRow)), world.arena.store.names("truth")
    sent = _submit(world, "third")
    assert sent.status_code == 403, f"a submission of a phase that has ended was answered with {sent.status_code}"
    assert kept == (len(world.rows(ReleaseRow)), world.arena.store.names("truth")), "something of it stayed"


def nothing_is_handed_out_early(world: World) -> None:
    """Ask for the data of a round before it begins, and for releases before they are attacked, by every way."""
    release = world.releases["author"]
    early = {
        "before": ("/data/final/original.csv", "/api/v1/data/final/original.csv"),
        "freeze": (f"/releases/{release}/files/released.csv", f"/api/v1/releases/{release}/files/released.csv"),
    }
    for phase, later in (("before", "anonymise"), ("freeze", "attack")):
        for path in early[phase]:
            for role in ("anonymous", "other"):
                world.go(phase)
                assert world.as_(role).get(path).status_code == 404, f"{role} gets {path} early"
                world.go(later)
                assert world.as_(role).get(path).status_code == 200, f"{role} does not get {path} at all"


TOML = """
title = "Autumn"
rules = "pwscup2015"
zone = "Europe/Berlin"
[[round]]
name = "final"
data = "original.csv"
anonymise = 2026-10-24T12:00:00
freeze = 2026-10-25T12:00:00
attack = 2026-10-25T02:30:00+01:00
reveal = 2026-03-29T03:00:00
"""


def clocks_that_are_put_back_are_known(world: World) -> None:
    """Let a day of 25 hours pass: times are instants, whatever the clocks on the wall are put to."""
    one = definitions.parse(TOML).rounds[0]
    assert one.freeze - one.anonymise == timedelta(hours=25), "the day on which clocks go back has 25 hours"
    assert one.freeze == datetime(2026, 10, 25, 11, tzinfo=UTC), "noon in winter is 11 o'clock in UTC"
    assert one.attack == datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "a time with an offset is taken as it says"
    assert one.reveal == datetime(2026, 3, 29, 1, tzinfo=UTC), "after the change in spring it is 1 o'clock in UTC"
    local = phases_page.read_local_time("2026-07-01T09:00", world.arena.definition.zone)
    assert local == datetime(2026, 7, 1, tzinfo=UTC), "Tokyo is 9 hours ahead"


# --- 5: withdrawing to escape


def withdrawing_late_changes_nothing(world: World) -> None:
    """Withdraw after the attacks have begun: attacks, scores, quota, files and the log stay as they are."""
    release = world.releases["author"]
    scores = sorted((one.source, one.name, one.hits) for one in world.rows(IdentifiedRow) if one.release_id == release)
    used = {(one.round, one.team_id): one.used for one in world.rows(QuotaRow)}
    for phase in ("freeze", "attack"):
        name = {"freeze": "third", "attack": "author"}[phase]
        world.go(phase)
        assert world.as_(name).post(f"/releases/{world.releases[name]}/withdraw").status_code == 303
    world.add("fresh", "Fresh")
    for one in ("author", "third"):
        got = world.as_("fresh").get(f"/releases/{world.releases[one]}/files/released.csv")
        assert got.status_code == 200, "a withdrawn release can no longer be attacked"
    sent = fire.submit(world.arena, world.people["fresh"], release, lines(range(30)))
    worker.finish(world.arena)
    after = sorted((one.source, one.name, one.hits) for one in world.rows(IdentifiedRow) if one.release_id == release)
    assert set(scores) < set(after), "attacks were removed"
    assert {(one.round, one.team_id): one.used for one in world.rows(QuotaRow)} == used, "the quota was given back"
    assert world.arena.store.has("handed", release, "correspondence.csv"), "the bytes are gone"
    assert world.events().count("withdrawn") == 3, "the withdrawal is not in the log"
    assert any(one.id == sent.id for one in world.rows(GuessRow))
    world.go("reveal")
    with world.arena.database.reading() as session:
        board = freezing.board(world.arena, session, actors.VISITOR, ROUND)
    counted = {row.team: row.trials for row in board.fire.rows} if board.fire else {}
    assert counted == {"Fire": 1, "Snow": 1, "Ice": 1, "Fresh": 1}, f"attacks on it no longer count: {counted}"


# --- 7: one's own data


def own_data_never_count(world: World) -> None:
    """Attack one's own release: as its author, after leaving for another team, and as that team."""
    release = world.releases["author"]
    mate = world.add("mate", join=world.people["author"])
    world.add("fresh", "Fresh")
    with world.arena.database.transaction() as session:
        teams.leave_team(session, mate, world.arena.now())
    with world.arena.database.transaction() as session:
        teams.join(session, mate.account_id or "", world.people["fresh"].team_id or "", world.arena.now())
    _move_the_other_way(world)
    for who in ("author", "mate", "fresh", "second"):
        claimed = {"team": world.people["other"].team_id or "", "team_id": world.people["other"].team_id or ""}
        files = {"guess.csv": ("g", lines(range(30)), "text/csv")}
        sent = world.as_(who).post(f"/releases/{release}/guess", claimed, files=files)
        assert sent.status_code == 403, f"{who} attacked its own data: {sent.status_code}"
    _count_own(world, release)


def _move_the_other_way(world: World) -> None:
    """Somebody leaves a team and joins the author's: the team that was left knows too much as well."""
    world.add("second", "Second")
    gone = world.add("gone", join=world.people["second"])
    with world.arena.database.transaction() as session:
        teams.leave_team(session, gone, world.arena.now())
    with world.arena.database.transaction() as session:
        teams.join(session, gone.account_id or "", world.people["author"].team_id or "", world.arena.now())


def _count_own(world: World, release: str) -> None:
    """Even where such a guess is stored, nobody ever reads it."""
    team, account = world.people["author"].team_id, world.people["author"].account_id
    with world.arena.database.transaction() as session:
        whose = {"team_id": team, "account_id": account, "received": world.arena.now(), "state": "scored"}
        session.add(GuessRow(id="f" * 32, release_id=release, sha256="", **whose))
        session.add(IdentifiedRow(release_id=release, source="team", name=team, hits=30, targets=30, rate=1.0))
    world.arena.clock.move(DAY)
    with world.arena.database.reading() as session:
        board = freezing.board(world.arena, session, actors.VISITOR, ROUND)
        row = next(one for one in board.ice.rows if one.release.id == release)
    trials = {one.team: one.trials for one in board.fire.rows} if board.fire else {}
    assert row.players != 1.0, "its own answers count against a team's release"
    assert trials.get("Ice") == 1, "its own answers count for a team"


# --- sabotages


def let_an_instant_belong_to_the_past(world: World) -> None:
    def late(starts: dict[str, datetime], at: datetime) -> Any:
        return ["before", *(name for name in definitions.PHASES if starts[name] < at)][-1]

    world.patch.setattr(phases, "_phase", late)


def believe_the_client(world: World) -> None:
    real = ice._check_open
    claimed = world.arena.definition.rounds[1].anonymise
    world.patch.setattr(gates, "release_gate", lambda *_: 1 << 20)
    world.patch.setattr(ice, "_check_open", lambda s, a, r, t, _: real(s, a, r, t, claimed))


def count_from_the_first_byte(world: World) -> None:
    begun = world.arena.definition.rounds[1].freeze - timedelta(seconds=1)
    real = ice._check_open
    world.patch.setattr(ice, "_check_open", lambda s, a, r, t, at: real(s, a, r, t, min(at, begun)))


def look_at_the_clock_once(world: World) -> None:
    real, looked = ice._check_open, []

    def once(*given: Any) -> None:
        if not looked:
            looked.append(real(*given))

    world.patch.setattr(ice, "_check_open", once)


def take_all_times_for_utc(world: World) -> None:
    def plain(at: datetime, zone: Any) -> datetime:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at

    for module in (definitions, phases_page):
        world.patch.setattr(module, "in_utc", plain)


def hand_out_originals_at_once(world: World) -> None:
    world.patch.setattr(visibility.Visibility, "original", True)


def hand_out_releases_at_once(world: World) -> None:
    world.patch.setattr(visibility.Visibility, "file", lambda *_: True)


def let_them_out_at_any_time(world: World) -> None:
    world.patch.setattr(RoundNow, "allows", lambda *_: True)


def forget_attacks_on_what_is_withdrawn(world: World) -> None:
    real = ice.withdraw

    def forget(arena: Any, actor: Any, release_id: str) -> None:
        real(arena, actor, release_id)
        with arena.database.transaction() as session:
            for one in session.scalars(select(IdentifiedRow).where(IdentifiedRow.release_id == release_id)):
                session.delete(one)

    world.patch.setattr(ice, "withdraw", forget)


def let_anybody_attack_anything(world: World) -> None:
    world.patch.setattr(fire, "_target", lambda session, _, __, release_id, *___: session.get(ReleaseRow, release_id))


def forget_where_members_were(world: World) -> None:
    world.patch.setattr(shared_people, "shared", lambda *_: set())


def look_only_one_way(world: World) -> None:
    """What it was: whether somebody who is in the attacking team now was in the other before."""

    def shared(session: Any, releasing: str, attacking: str) -> set[str]:
        members = select(MembershipRow.account_id).where(MembershipRow.team_id == attacking)
        past = select(PastMembershipRow.account_id).where(PastMembershipRow.team_id == releasing)
        return {*session.scalars(members)} & {*session.scalars(past)}

    world.patch.setattr(shared_people, "shared", shared)
