"""The public bundle: what everybody may see of a competition, and the record restored from it."""

from __future__ import annotations

import json
from datetime import timedelta

import msgspec
import pytest
from sqlalchemy import delete, select
from support.arena.bundles import inside
from support.arena.played import BEGIN, DAY, TOML, boards

from icefire.arena import admin as admin_module
from icefire.arena import bundle, doctor
from icefire.arena.auth.actor import VISITOR
from icefire.arena.bundle import public
from icefire.arena.clock import SetClock
from icefire.arena.errors import Refused
from icefire.arena.judge import worker
from icefire.arena.storage.tables import (
    GuessRow,
    ReleaseRow,
    SettingRow,
)
from icefire.core.errors import InputError

CLOCK = SetClock(BEGIN + 7.5 * DAY)


def test_the_public_bundle_holds_no_secret(played, tmp_path):
    everything = b"\0".join(inside(bundle.export(played.arena, None, tmp_path / "public.zip", public=True)).values())
    for name, secret in played.secrets.items():
        assert secret not in everything, f"the public bundle holds the {name}"
    with played.arena.database.reading() as session:
        for table in (ReleaseRow, GuessRow):
            for one in session.scalars(select(table)):
                assert one.sha256.encode() not in everything
                assert one.account_id.encode() not in everything
        for one in session.scalars(select(GuessRow.id)):
            assert one.encode() not in everything
    judges = b"\0".join(inside(bundle.export(played.arena, None, tmp_path / "all.zip", public=False)).values())
    kept = {name for name, secret in played.secrets.items() if secret in judges}
    assert kept == set(played.secrets) - {"session", "csrf"}  # the search above would have found them


def test_the_public_bundle_becomes_a_record_with_the_same_rankings(played, tmp_path, reopen):
    target = bundle.export(played.arena, None, tmp_path / "public.zip", public=True)
    bundle.restore(target, tmp_path / "record", clock=CLOCK)
    record = reopen(tmp_path / "record", played.arena.now() + timedelta(days=400))
    assert boards(record, VISITOR) == boards(played.arena, VISITOR)
    assert worker.finish(record) == 0
    assert [one for one in doctor.examine(record) if one.level == "error"] == []
    assert not any((tmp_path / "record" / "vault").glob("*/*"))
    admin = _admin_of(record)
    for act in (
        lambda: admin_module.resume(record, admin),
        lambda: admin_module.announce(record, admin, "x"),
        lambda: admin_module.rescore(record, admin, round_name="final"),
        lambda: admin_module.move_phase(record, admin, "final", "reveal"),
        lambda: admin_module.make_account(record, admin, "new", "long enough password"),
    ):
        with pytest.raises(Refused, match="record"):
            act()


def _admin_of(arena):
    from support.arena.fixtures import player

    return player(arena, "admin", role="admin")


def test_a_release_handed_out_is_in_the_public_bundle_and_a_withdrawn_one_is_not(played, tmp_path):
    there = inside(bundle.export(played.arena, None, tmp_path / "public.zip", public=True))
    with played.arena.database.reading() as session:
        for one in session.scalars(select(ReleaseRow)):
            name = f"store/release/{one.id}/released.csv"
            assert (name in there) == one.in_play
            if one.in_play:
                assert there[name] == played.arena.store.get("release", one.id, "released.csv")
    assert not [name for name in there if name.startswith("vault")]


def test_before_the_reveal_the_public_bundle_shows_what_a_visitor_sees(played, tmp_path, reopen):
    arena = played.arena
    arena.clock.set(arena.definition.rounds[1].attack + DAY / 2)
    target = bundle.export(arena, None, tmp_path / "public.zip", public=True)
    there = inside(target)
    shown = [json.loads(there[f"results/round-2-{what}.json"])["rows"] for what in ("board", "fire", "matrix")]
    assert shown[1] == []
    assert {row["state"] for row in shown[2]} == {"open", "submitted"}
    assert {row["team"] for row in shown[0]} == {None}
    assert {row["best_player"] for row in shown[0]} == {None}
    assert {row["round"] for row in map(json.loads, there["tables/release.jsonl"].splitlines())} == {"preliminary"}
    with arena.database.reading() as session:
        for one in session.scalars(select(ReleaseRow).where(ReleaseRow.round == "final")):
            assert not [name for name in there if one.id in name]
    bundle.restore(target, tmp_path / "record", clock=CLOCK)
    record = reopen(tmp_path / "record", arena.now())
    assert [one.name for one in record.definition.rounds] == ["preliminary"]
    assert boards(record, VISITOR)[0] == boards(arena, VISITOR)[0]


def test_a_public_bundle_from_before_any_reveal_can_only_be_read(played, tmp_path):
    played.arena.clock.set(played.arena.definition.rounds[0].attack + DAY / 2)
    target = bundle.export(played.arena, None, tmp_path / "public.zip", public=True)
    assert {name.partition("/")[0] for name in inside(target)} == {"README.txt", "results", "manifest.json"}
    with pytest.raises(InputError, match="before anything was revealed"):
        bundle.restore(target, tmp_path / "record", clock=CLOCK)
    assert not (tmp_path / "record").exists()


def test_a_guess_at_a_release_that_left_the_competition_still_counts_in_the_record(played, tmp_path, reopen):
    with played.arena.database.transaction() as session:
        one = session.scalars(select(ReleaseRow).where(ReleaseRow.round == "final", ReleaseRow.in_play)).first()
        one.in_play, one.state = False, "failed"
    target = bundle.export(played.arena, None, tmp_path / "public.zip", public=True)
    bundle.restore(target, tmp_path / "record", clock=CLOCK)
    record = reopen(tmp_path / "record", played.arena.now())
    assert boards(record, VISITOR) == boards(played.arena, VISITOR)


def test_a_ceremony_that_is_over_is_over_in_the_record(played, tmp_path, reopen):
    (played.arena.folder / "contest.toml").write_text(TOML.format(more="ceremony = true"))
    arena = reopen(played.arena.folder, played.arena.now())
    with arena.database.transaction() as session:
        session.execute(delete(SettingRow).where(SettingRow.name.startswith("reveal:")))
    assert "contest.toml" not in inside(bundle.export(arena, None, tmp_path / "a.zip", public=True))
    with arena.database.transaction() as session:
        for name in ("preliminary", "final"):
            session.merge(SettingRow(name=f"reveal:{name}", value={"board": "fire", "shown": 9, "done": True}))
    bundle.restore(bundle.export(arena, None, tmp_path / "b.zip", public=True), tmp_path / "record", clock=CLOCK)
    record = reopen(tmp_path / "record", played.arena.now())
    assert boards(record, VISITOR) == boards(arena, VISITOR)


def test_a_definition_is_written_down_again_as_it_was(played):
    from icefire.arena.contest import definition

    odd = msgspec.structs.replace(
        played.arena.definition, title='quotes " and \\ and \x7f\n雪', limits={"U5": 0.5}, description="tab\there"
    )
    assert definition.parse(public.toml(odd)) == odd
