"""Ice, fire, judge: the whole way of a release and of a guess, on both databases."""

from __future__ import annotations

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import func, select
from support.arena.fixtures import BEGIN, DAY, lines, player, release_files

from icefire.arena.auth.actor import VISITOR
from icefire.arena.contest import quotas, signing
from icefire.arena.contest.arena import open_arena
from icefire.arena.errors import Absent, Clash, NotLoggedIn, Refused, TooMany, WrongInput
from icefire.arena.judge import judging, sandbox, worker
from icefire.arena.storage import jobs, log
from icefire.arena.storage.tables import (
    Base,
    EventRow,
    GuessRow,
    IdentifiedRow,
    JobRow,
    MeasuredRow,
    QuotaRow,
    ReleaseRow,
    SettingRow,
)
from icefire.arena.submit import fire, ice, receipts

ATTACK = BEGIN + 2.5 * DAY


@pytest.fixture
def both(make_arena, database_url):
    """A competition on each database in turn."""
    return make_arena(database_url)


def count(arena, table) -> int:
    with arena.database.reading() as session:
        return session.scalar(select(func.count()).select_from(table))


def test_the_migrations_make_exactly_the_tables(both):
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    with both.database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_a_release_and_a_guess_go_all_the_way(both, original):
    ice_team, fire_team = player(both, "a", "Ice"), player(both, "b", "Fire")
    receipt = ice.submit(both, ice_team, "final", release_files(original))
    assert signing.verify(receipt, both.signer.public_key)
    assert not signing.verify(dataclasses.replace(receipt, sha256="0" * 64), both.signer.public_key)
    assert worker.finish(both) == 2  # the release, and the original for reference
    both.clock.set(ATTACK)
    got = fire.download(both, fire_team, receipt.id)
    assert list(got) == ["released.csv"]
    truth = both.store.get("truth", receipt.id, "truth.csv").decode().split()
    answers = [int(row) for row in truth[:10]] + [-1] * 20
    told = fire.submit(both, fire_team, receipt.id, lines(answers))
    assert told.label == receipt.label
    assert worker.finish(both) == 1
    with both.database.reading() as session:
        release = session.get(ReleaseRow, receipt.id)
        assert release.state == "judged"
        found = {(one.source, one.name): one.hits for one in session.scalars(select(IdentifiedRow))}
        assert found["team", fire_team.team_id] == 10
        assert {name for source, name in found if source == "sample"} == set(both.game.attacks) - {"replay"}
        assert ("aya", "aya") in found
        assert {one.name for one in session.scalars(select(MeasuredRow))} == set(both.game.measures)
        assert session.get(SettingRow, "reference:final").value["measures"]["U5"]["value"] == 0
        assert log.verify(session) == []


def test_judging_twice_stores_the_same_once(arena, original):
    receipt = ice.submit(arena, player(arena, "a", "Ice"), "final", release_files(original, noise=0.3))
    worker.finish(arena)
    before = facts(arena)
    with arena.database.transaction() as session:
        jobs.again(session, "judge", receipt.id, arena.now())
    worker.finish(arena)
    assert facts(arena) == before


def facts(arena) -> list[tuple]:
    with arena.database.reading() as session:
        found = [(m.release_id, m.name, m.value) for m in session.scalars(select(MeasuredRow))]
        return sorted(found + [(i.source, i.name, i.rate) for i in session.scalars(select(IdentifiedRow))], key=str)


def test_a_wrong_file_is_told_row_and_column_and_costs_nothing(arena, original):
    team = player(arena, "a", "Ice")
    files = release_files(original)
    rows = files["released.csv"].decode().splitlines()
    rows[3] = rows[3].rpartition(",")[0] + ",many"
    with pytest.raises(WrongInput) as wrong:
        ice.submit(arena, team, "final", {**files, "released.csv": "\n".join(rows).encode()})
    assert ["row 2, column social" in problem for problem in wrong.value.problems] == [True]
    with arena.database.reading() as session:
        assert quotas.team_quota(session, arena, "final", team.team_id).left == 3
    assert arena.store.names("handed") == []
    assert count(arena, JobRow) == 1  # the reference


def test_wrong_files_without_end_are_slowed_down(arena, original, monkeypatch):
    monkeypatch.setattr(sandbox, "run_task", lambda *a, **k: sandbox.TaskResult({"problems": ["no"]}))
    team = player(arena, "a", "Ice")
    for _ in range(30):
        with pytest.raises(WrongInput):
            ice.submit(arena, team, "final", release_files(original))
    with pytest.raises(TooMany):
        ice.submit(arena, team, "final", release_files(original))
    arena.clock.move(timedelta(minutes=16))
    with pytest.raises(WrongInput):
        ice.submit(arena, team, "final", release_files(original))


@pytest.mark.parametrize("seconds", [-1, 0, 1])
@pytest.mark.parametrize(("phase", "opens"), [("anonymise", True), ("freeze", False)])
def test_the_instant_decides(quick, original, seconds, phase, opens):
    quick.clock.set((BEGIN if phase == "anonymise" else BEGIN + DAY) + timedelta(seconds=seconds))
    team = player(quick, "a", "Ice")
    if opens == (seconds >= 0):
        assert ice.submit(quick, team, "final", release_files(original)).at == quick.now().isoformat(
            timespec="microseconds"
        )
    else:
        with pytest.raises(Refused, match="only in the phase 'anonymise'"):
            ice.submit(quick, team, "final", release_files(original))


@pytest.fixture
def quick(arena, monkeypatch):
    """A competition whose checks are not run: what is tested is what comes after."""
    take_anything(monkeypatch)
    return arena


def take_anything(monkeypatch) -> None:
    taken = sandbox.TaskResult(
        {"problems": [], "rows": 3, "content": "0" * 64}, {"released.csv": b"a\n1\n", "truth.csv": b"0\n"}
    )
    monkeypatch.setattr(sandbox, "run_task", lambda *a, **k: taken)


def test_who_may_not_submit(quick, original):
    for actor, error in ((VISITOR, NotLoggedIn), (player(quick, "lonely"), Refused)):
        with pytest.raises(error):
            ice.submit(quick, actor, "final", release_files(original))
    with pytest.raises(Absent):
        ice.submit(quick, player(quick, "a", "Ice"), "semi-final", release_files(original))


def at_once(number, act):
    """Run the same thing so many times at the same moment; returns what came back or went wrong."""
    gate = threading.Barrier(number)

    def one(place):
        gate.wait()
        try:
            return act(place)
        except Exception as error:
            return error

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(one, range(number)))


def test_twenty_at_once_store_exactly_three(both, original, monkeypatch):
    take_anything(monkeypatch)
    first = player(both, "a", "Ice")
    second = player(both, "b", join=first)
    came = at_once(20, lambda i: ice.submit(both, (first, second)[i % 2], "final", release_files(original)))
    assert [type(one) for one in came if isinstance(one, Exception)] == [Clash] * 17
    assert count(both, ReleaseRow) == 3
    assert count(both, JobRow) == 4
    assert len(both.store.names("handed")) == len(both.store.names("truth")) == 3
    with both.database.reading() as session:
        assert session.scalars(select(QuotaRow.used)).all() == [3]
        assert sorted(session.scalars(select(ReleaseRow.number))) == [1, 2, 3]
        assert log.verify(session) == []


def test_twenty_guesses_at_once_store_exactly_one(both, original, monkeypatch):
    take_anything(monkeypatch)
    receipt = ice.submit(both, player(both, "a", "Ice"), "final", release_files(original))
    both.clock.set(ATTACK)
    attacker = player(both, "b", "Fire")
    came = at_once(20, lambda i: fire.submit(both, attacker, receipt.id, lines([i])))
    assert [type(one) for one in came if isinstance(one, Exception)] == [Clash] * 19
    assert count(both, GuessRow) == 1
    assert len(both.store.names("guess")) == 1


def test_withdrawing_in_time_frees_the_place_and_keeps_the_bytes(quick, original):
    team = player(quick, "a", "Ice")
    made = [ice.submit(quick, team, "final", release_files(original, seed)) for seed in range(3)]
    with pytest.raises(Clash, match="used up"):
        ice.submit(quick, team, "final", release_files(original, 9))
    ice.withdraw(quick, team, made[0].id)
    with pytest.raises(Clash, match="withdrawn already"):
        ice.withdraw(quick, team, made[0].id)
    ice.submit(quick, team, "final", release_files(original, 9))
    assert quick.store.has("handed", made[0].id, "correspondence.csv")
    with quick.database.reading() as session:
        assert "withdrawn" in session.scalars(select(EventRow.kind)).all()
        assert not session.get(ReleaseRow, made[0].id).in_play


def test_withdrawing_late_changes_nothing_for_the_attackers(quick, original):
    team, attacker = player(quick, "a", "Ice"), player(quick, "b", "Fire")
    receipt = ice.submit(quick, team, "final", release_files(original))
    quick.clock.set(ATTACK)
    ice.withdraw(quick, team, receipt.id)
    assert fire.download(quick, attacker, receipt.id)
    assert fire.submit(quick, attacker, receipt.id, lines([0])).id
    with quick.database.reading() as session:
        assert session.get(ReleaseRow, receipt.id).in_play
        assert session.scalars(select(QuotaRow.used)).all() == [1]


def test_the_whole_number_of_submissions_is_limited(make_arena, original, monkeypatch):
    arena = make_arena(more="submissions_per_team = 4")
    take_anything(monkeypatch)
    team = player(arena, "a", "Ice")
    for _ in range(4):
        ice.withdraw(arena, team, ice.submit(arena, team, "final", release_files(original)).id)
    with pytest.raises(Clash):
        ice.submit(arena, team, "final", release_files(original))


def test_a_stranger_cannot_withdraw_and_learns_nothing(make_arena, original, monkeypatch):
    quick = make_arena(more="show_utility = false")
    take_anything(monkeypatch)
    receipt = ice.submit(quick, player(quick, "a", "Ice"), "final", release_files(original))
    stranger = player(quick, "b", "Fire")
    said = []
    for release_id in (receipt.id, "0" * 32):
        with pytest.raises(Absent) as absent:
            ice.withdraw(quick, stranger, release_id)
        said.append(str(absent.value))
        for action in (lambda r: fire.download(quick, stranger, r), lambda r: fire.submit(quick, stranger, r, b"0\n")):
            with pytest.raises(Absent) as absent:
                action(release_id)
            said.append(str(absent.value))
    assert len(set(said)) == 1


def test_own_data_never_count_even_after_changing_teams(quick, original):
    from icefire.arena.auth import actor, teams
    from icefire.arena.storage.tables import AccountRow

    owner, other = player(quick, "a", "Ice"), player(quick, "b", "Fire")
    receipt = ice.submit(quick, owner, "final", release_files(original))
    quick.clock.set(ATTACK)
    with pytest.raises(Refused, match="your own"):
        fire.submit(quick, owner, receipt.id, b"0\n")
    with quick.database.transaction() as session:
        teams.leave_team(session, owner, quick.now())
    with quick.database.transaction() as session:
        moved = actor.actor_of(session, session.get(AccountRow, owner.account_id))
        teams.join(session, owner.account_id, other.team_id, quick.now())
        session.flush()
        moved = actor.actor_of(session, session.get(AccountRow, owner.account_id))
    for attacker in (moved, other):
        with pytest.raises(Refused, match="your own"):
            fire.submit(quick, attacker, receipt.id, b"0\n")


# --- workers


def test_a_dead_workers_job_is_taken_over_and_its_late_result_is_not_stored(both, original, monkeypatch):
    receipt = ice.submit(both, player(both, "a", "Ice"), "final", release_files(original))
    job = next(
        job
        for job in (jobs.claim(both.database, "dead", both.now()), jobs.claim(both.database, "dead", both.now()))
        if job.kind == "judge"
    )
    assert jobs.claim(both.database, "heir", both.now()) is None
    both.clock.move(jobs.LEASE + timedelta(seconds=1))
    taken = [jobs.claim(both.database, "heir", both.now()), jobs.claim(both.database, "heir", both.now())]
    assert job.id in [one.id for one in taken]
    judging.work(both, job, "dead")
    assert count(both, MeasuredRow) == 0
    for one in taken:
        judging.work(both, one, "heir")
    assert count(both, MeasuredRow) == len(both.game.measures)
    with both.database.reading() as session:
        assert session.get(ReleaseRow, receipt.id).state == "judged"
        assert [e.body["release"] for e in session.scalars(select(EventRow)) if e.kind == "judged"] == [receipt.id]


def test_a_heartbeat_keeps_the_job(arena):
    job = jobs.claim(arena.database, "slow", arena.now())
    for _ in range(5):
        arena.clock.move(jobs.LEASE / 2)
        assert jobs.beat(arena.database, job.id, "slow", arena.now())
        assert jobs.claim(arena.database, "other", arena.now()) is None
    arena.clock.move(jobs.LEASE * 2)
    assert jobs.claim(arena.database, "other", arena.now()).id == job.id
    assert not jobs.beat(arena.database, job.id, "slow", arena.now())


def test_stopping_the_server_is_no_failure_of_the_judge(arena, monkeypatch):
    def stopped(*_, **__):
        raise sandbox.Stopped

    monkeypatch.setattr(sandbox, "run_task", stopped)
    for _ in range(6):
        assert worker.step(arena, "w")
    with arena.database.reading() as session:
        assert [(job.state, job.tries, job.worker) for job in jobs.queue(session)] == [("waiting", 0, None)]


def test_a_guess_the_judge_could_not_score_may_be_handed_in_again(quick, original, monkeypatch):
    receipt = ice.submit(quick, player(quick, "a", "Ice"), "final", release_files(original))
    quick.clock.set(ATTACK)
    attacker = player(quick, "b", "Fire")
    first = fire.submit(quick, attacker, receipt.id, lines([0]))
    with quick.database.transaction() as session:
        session.get(GuessRow, first.id).state = "failed"
    second = fire.submit(quick, attacker, receipt.id, lines([1]))
    assert second.id != first.id
    assert count(quick, GuessRow) == 1


def test_two_workers_share_the_queue_and_do_nothing_twice(both, original, monkeypatch):
    take_anything(monkeypatch)
    for number in range(4):
        team = player(both, f"p{number}", f"Team {number}")
        for seed in range(3):
            ice.submit(both, team, "final", release_files(original, seed))
    done = []
    monkeypatch.setattr(judging, "work", lambda arena, job, name: done.append(job.id) or end(arena, job, name))

    def end(arena, job, name):
        with arena.database.transaction() as session:
            assert jobs.end(session, job, name)

    at_once(4, lambda i: worker.finish(both, f"w{i}"))
    assert len(done) == len(set(done)) == 13


def test_the_queue_tells_the_place(quick, original):
    team = player(quick, "a", "Ice")
    quick.clock.move(timedelta(seconds=1))  # the reference was there before
    made = []
    for seed in range(2):
        made.append(ice.submit(quick, team, "final", release_files(original, seed)))
        quick.clock.move(timedelta(seconds=1))
    with quick.database.reading() as session:
        assert [jobs.position(session, "judge", one.id) for one in made] == [2, 3]
        assert jobs.position(session, "judge", "0" * 32) is None


def test_opening_again_changes_nothing(arena):
    before = count(arena, JobRow)
    again = open_arena(arena.folder, clock=arena.clock)
    assert count(again, JobRow) == before
    assert again.signer.public_key == arena.signer.public_key
    again.database.close()


def test_a_receipt_can_be_made_again_and_is_the_same(quick, original):
    receipt = ice.submit(quick, player(quick, "a", "Ice"), "final", release_files(original))
    with quick.database.reading() as session:
        assert receipts.release_receipt(quick, session, session.get(ReleaseRow, receipt.id)) == receipt
