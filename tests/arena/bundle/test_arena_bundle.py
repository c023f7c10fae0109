"""A whole competition in one file: nothing lost in the judge's, nothing secret in the public one."""

from __future__ import annotations

import json
import stat
import zipfile
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import select
from support.arena.played import BEGIN, DAY, TOML, boards

from icefire.arena import admin as admin_module
from icefire.arena import bundle, doctor
from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.bundle import manifest, packing, public, unpacking
from icefire.arena.clock import SetClock
from icefire.arena.contest import signing
from icefire.arena.contest.arena import open_arena
from icefire.arena.errors import NotLoggedIn, Refused
from icefire.arena.judge import worker
from icefire.arena.storage import log
from icefire.arena.storage.tables import (
    AccountRow,
    BrowserSessionRow,
    EventRow,
    GuessRow,
    ReleaseRow,
    SettingRow,
    TokenRow,
)
from icefire.arena.submit import receipts
from icefire.core.errors import InputError, OutputError

CLOCK = SetClock(BEGIN + 7.5 * DAY)
JUDGE = Actor("j" * 32, "judge", "judge")


def inside(path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


# --- the judge's bundle


def test_the_judges_bundle_gives_the_same_competition(played, tmp_path, reopen):
    arena = played.arena
    target = bundle.export(arena, None, tmp_path / "all.zip", public=False)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    done = bundle.restore(target, tmp_path / "again", clock=CLOCK)
    assert done.problems == ()
    again = reopen(tmp_path / "again", arena.now())
    for actor in (VISITOR, JUDGE):
        assert boards(again, actor) == boards(arena, actor)
    assert any(row["rank"] for row in boards(again, VISITOR)[0]["ice"]["rows"])
    assert again.signer.public_key == arena.signer.public_key
    with again.database.reading() as session, arena.database.reading() as before:
        for one in before.scalars(select(ReleaseRow)):
            receipt = receipts.release_receipt(again, session, session.get(ReleaseRow, one.id))
            assert receipt == receipts.release_receipt(arena, before, one)
            assert signing.verify(receipt, arena.signer.public_key)
        assert (
            session.scalars(select(AccountRow.password).where(AccountRow.name == "somebody"))
            .one()
            .startswith("$argon2")
        )
        assert session.scalars(select(BrowserSessionRow)).all() == []
        assert len(session.scalars(select(TokenRow)).all()) == 1
        assert session.scalars(select(GuessRow.id)).all()
    assert [one for one in doctor.examine(again) if one.level == "error"] == []


def test_the_log_goes_on_where_it_ended(played, tmp_path, reopen):
    target = bundle.export(played.arena, None, tmp_path / "all.zip", public=False)
    bundle.restore(target, tmp_path / "again", clock=CLOCK)
    again = reopen(tmp_path / "again", played.arena.now())
    admin_module.announce(again, played.admin, "We are back.")
    with again.database.reading() as session, played.arena.database.reading() as before:
        old, new = (list(one.scalars(select(EventRow).order_by(EventRow.number))) for one in (before, session))
        assert [one.hash for one in new[: len(old)]] == [one.hash for one in old]
        assert [one.kind for one in new[len(old) - 1 :]] == ["export", "restored", "announcement"]
        assert log.verify(session) == []


def test_a_log_that_was_tampered_with_is_told_when_it_is_restored(played, tmp_path):
    with played.arena.database.transaction() as session:
        session.get(EventRow, 3).actor = "nobody"
    target = bundle.export(played.arena, None, tmp_path / "all.zip", public=False)
    assert any("line 3 was changed" in one for one in bundle.restore(target, tmp_path / "again", clock=CLOCK).problems)


def test_judging_again_from_the_archive_gives_the_same(played, tmp_path, reopen):
    target = bundle.export(played.arena, None, tmp_path / "all.zip", public=False)
    bundle.restore(target, tmp_path / "again", clock=CLOCK)
    again = reopen(tmp_path / "again", played.arena.now())
    before = boards(again, JUDGE)
    for one in again.definition.rounds:
        admin_module.rescore(again, played.admin, round_name=one.name)
    assert worker.finish(again) == 2 * (1 + 5 + 12)
    assert boards(again, JUDGE) == before


def test_from_sqlite_to_postgresql_and_back(played, tmp_path, reopen, postgres_address):
    from support.arena import postgres as arena_postgres

    from icefire.arena import ids

    url = arena_postgres.new_database(postgres_address, ids.new_id())
    wanted = boards(played.arena, VISITOR)
    first = bundle.export(played.arena, None, tmp_path / "one.zip", public=False)
    bundle.restore(first, tmp_path / "there", url, clock=CLOCK)
    there = reopen(tmp_path / "there", played.arena.now(), url)
    assert not there.database.is_sqlite
    assert boards(there, VISITOR) == wanted
    second = bundle.export(there, None, tmp_path / "two.zip", public=False)
    bundle.restore(second, tmp_path / "back", clock=CLOCK)
    back = reopen(tmp_path / "back", played.arena.now())
    assert boards(back, VISITOR) == wanted
    with back.database.reading() as session:
        assert log.verify(session) == []
    with pytest.raises(InputError, match="holds a competition already"):
        bundle.restore(first, tmp_path / "third", url, clock=CLOCK)
    assert not (tmp_path / "third").exists()


def test_a_database_is_emptied_again_when_the_folder_cannot_be_made(played, tmp_path, postgres_address, monkeypatch):
    from support.arena import postgres as arena_postgres

    from icefire.arena import ids
    from icefire.arena.bundle import restoring

    url = arena_postgres.new_database(postgres_address, ids.new_id())
    target = bundle.export(played.arena, None, tmp_path / "one.zip", public=False)
    with monkeypatch.context() as broken:
        broken.setattr("os.replace", lambda *a: (_ for _ in ()).throw(OSError("full")))
        with pytest.raises(OSError, match="full"):
            bundle.restore(target, tmp_path / "there", url, clock=CLOCK)
    assert not (tmp_path / "there").exists()
    left = restoring.Database(url)
    restoring._check_empty(left)
    left.close()
    assert bundle.restore(target, tmp_path / "there", url, clock=CLOCK).problems == ()


def test_only_the_operator_gets_the_judges_bundle(played, tmp_path):
    for actor, error in ((played.admin, Refused), (JUDGE, Refused), (played.teams[0], Refused), (VISITOR, NotLoggedIn)):
        with pytest.raises(error):
            bundle.export(played.arena, actor, tmp_path / "all.zip", public=False)
    for actor in (JUDGE, played.teams[0], VISITOR):
        with pytest.raises(Refused):
            bundle.export(played.arena, actor, tmp_path / "all.zip", public=True)
    assert list(tmp_path.glob("*.zip")) == []
    bundle.export(played.arena, played.admin, tmp_path / "public.zip", public=True)
    with played.arena.database.reading() as session:
        last = session.scalars(select(EventRow).order_by(EventRow.number.desc()).limit(1)).one()
        assert (last.kind, last.actor, last.body) == ("export", played.admin.account_id, {"public": True})


def test_a_full_folder_is_not_written_into(played, tmp_path):
    target = bundle.export(played.arena, None, tmp_path / "all.zip", public=False)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="holds something already"):
        bundle.restore(target, tmp_path / "there", clock=CLOCK)
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["mine.txt"]


# --- the public bundle


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


# --- crafted bundles


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    """A bundle that can be restored, to craft others from."""
    from datetime import UTC, datetime

    import icefire

    folder = tmp_path_factory.mktemp("small") / "arena"
    folder.mkdir()
    icefire.sample("households", 20).frame.write_csv(folder / "original.csv")
    (folder / "contest.toml").write_text(TOML.format(more=""))
    arena = open_arena(folder, clock=SetClock(datetime(2026, 5, 1, tzinfo=UTC)))
    made = bundle.export(arena, None, folder.parent / "small.zip", public=False)
    arena.database.close()
    return made


def craft(source, target, change=None, entries=(), sign=True, **about):
    """Write a bundle anew with some files changed (None drops one) and entries added as they are."""
    there = inside(source)
    listed = json.loads(there.pop("manifest.json"))
    there.update(change or {})
    there = {name: data for name, data in there.items() if data is not None}
    if sign:
        listed["files"] = {name: msgspec.to_builtins(manifest.packed(data)) for name, data in there.items()}
    listed.update(about)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in there.items():
            archive.writestr(name, data)
        for entry, data in entries:
            archive.writestr(entry, data)
        archive.writestr("manifest.json", json.dumps(listed))
    return target


def refused(path, tmp_path, said):
    """Restore it, and see one clear line and nothing written anywhere."""
    before = sorted(path for path in tmp_path.rglob("*"))
    with pytest.raises(InputError, match=said) as refusal:
        bundle.restore(path, tmp_path / "there")
    assert "\n" not in str(refusal.value)
    assert sorted(path for path in tmp_path.rglob("*")) == before


def link(name):
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


ID = "0" * 32


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "/etc/x",
        "C:\\x",
        "c:/x",
        "data/../../x",
        "data/..",
        "data/./x",
        "data//x",
        "data/．．/x",
        "data/x\\..\\y",
        "data/" + "a" * 300,
        "data/.ssh/x",
        "data/vault/key",
        "data/Vault/key",
        "data/arena.db",
        "data/contest.toml",
        "data/con:x",
        "data/x\u202e",
        "data/x\n",
        "data/",
        "store/release/x/released.csv",
        f"store/release/{ID}/../../../x.csv",
        f"vault/truth/{ID}/truth.zip",
        "vault/key.pem",
        "inner.zip",
        "tables/session.sqlite",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(small, tmp_path, name):
    crafted = craft(small, tmp_path / "x.zip", {name: b"bad"})
    refused(crafted, tmp_path, "which no bundle has")


def test_a_name_with_a_zero_byte_is_refused(small, tmp_path):
    crafted = craft(small, tmp_path / "x.zip", {"data/original.csvA.exe": b"bad"})
    crafted.write_bytes(crafted.read_bytes().replace(b"data/original.csvA.exe", b"data/original.csv\0.exe"))
    refused(crafted, tmp_path, r"which no bundle has|differ|cannot be read|damaged")


@pytest.mark.parametrize("name", ["vault/key", "data/more.csv", f"store/release/{ID}/released.csv"])
def test_a_link_is_refused(small, tmp_path, name):
    crafted = craft(small, tmp_path / "x.zip", {"vault/key": None}, [(link(name), "/etc/passwd")])
    refused(crafted, tmp_path, "is a link or no plain file")


@pytest.mark.parametrize("other", ["data/original.csv", "data/ORIGINAL.csv", "data/ｏriginal.csv"])
def test_a_name_twice_is_refused(small, tmp_path, other):
    with pytest.warns(UserWarning, match="Duplicate name") if other == "data/original.csv" else _quiet():
        crafted = craft(small, tmp_path / "x.zip", entries=[(other, b"bad")])
    refused(crafted, tmp_path, "twice")


def _quiet():
    from contextlib import nullcontext

    return nullcontext()


def test_a_bomb_by_ratio_is_refused(small, tmp_path):
    crafted = craft(small, tmp_path / "x.zip", {"data/original.csv": bytes(20 << 20)})
    refused(crafted, tmp_path, "more than 200 times as many")


def test_a_bomb_by_count_is_refused(small, tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_FILES", 30)
    crafted = craft(small, tmp_path / "x.zip", {f"data/{number}.csv": b"" for number in range(30)})
    refused(crafted, tmp_path, "at most 30 are taken")


def test_a_bomb_by_size_is_refused(small, tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_BYTES", 1 << 20)
    crafted = craft(small, tmp_path / "x.zip", {"data/original.csv": b"12,34\n" * 200_000})
    refused(crafted, tmp_path, "at most 1,048,576 are taken")


def test_a_table_too_large_to_be_held_is_refused(small, tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_READ", 100)
    crafted = craft(small, tmp_path / "x.zip", {"tables/team.jsonl": b" " * 101})
    refused(crafted, tmp_path, "larger than 100 bytes")


def test_a_bundle_in_a_bundle_is_refused(small, tmp_path):
    crafted = craft(small, tmp_path / "x.zip", {"data/bundle.zip": small.read_bytes()})
    refused(crafted, tmp_path, "differ about 'data/bundle.zip'")


def test_what_does_not_fit_on_the_disk_is_refused(small, tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10})())
    refused(craft(small, tmp_path / "x.zip"), tmp_path, "has 10 free")


def test_a_size_that_lies_is_refused(small, tmp_path):
    """The list says 20 bytes, the data go on."""
    crafted = craft(small, tmp_path / "x.zip", {"data/original.csv": b"x" * 5000})
    with zipfile.ZipFile(crafted) as archive:
        size = archive.getinfo("data/original.csv").file_size
    crafted.write_bytes(crafted.read_bytes().replace(size.to_bytes(4, "little"), (20).to_bytes(4, "little")))
    refused(crafted, tmp_path, "damaged")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sign": False, "change": {"contest.toml": b"title = 1"}}, "has not the size"),
        ({"sign": False, "change": {"vault/key": b"k" * 32}}, "is not what its manifest says"),
        ({"sign": False, "change": {"vault/key": None}}, "differ about 'vault/key'"),
        ({"sign": False, "change": {"data/more.csv": b"1"}}, "differ about 'data/more.csv'"),
        ({"change": {"data/more.csv": b"1"}}, "differ about 'data/more.csv'"),
        ({"change": {"contest.toml": b"title = "}}, "not TOML"),
        ({"public": True}, "says it is public and holds 'vault/key'"),
        ({"version": 99}, "version 99; this icefire reads"),
        ({"format": "other"}, "'other'"),
        ({"files": []}, "cannot be read"),
        ({"change": {"tables/spell.jsonl": b""}}, "'tables/spell.jsonl', which this icefire does not know"),
        ({"change": {"tables/team.jsonl": b"{"}}, "line 1 is not JSON"),
        ({"change": {"tables/team.jsonl": b"[" * 100_000}}, "line 1 is not JSON"),
        ({"change": {"tables/team.jsonl": b"[]"}}, "line 1 is not a row"),
        ({"change": {"tables/team.jsonl": b'{"idd": 1}'}}, "column 'idd'"),
        ({"change": {"tables/team.jsonl": b'{"id": 1}'}}, "id is '1', which does not belong there"),
        ({"change": {"tables/phase.jsonl": b'{"round":"x","name":"y","starts":"2026-05-01"}'}}, "starts is"),
        ({"change": {"tables/setting.jsonl": b'{"name":"a","value":1}\n' * 2}}, "do not fit together"),
        ({"change": {"tables/membership.jsonl": b'{"account_id":"a","team_id":"b"}'}}, "do not fit together"),
    ],
)
def test_a_bundle_that_is_not_in_order_is_refused(small, tmp_path, change, said):
    refused(craft(small, tmp_path / "x.zip", **change), tmp_path, said)


def test_the_vault_cannot_be_given_out_as_data(small, tmp_path):
    text = inside(small)["contest.toml"].replace(b'"original.csv"', b'"vault/key"')
    refused(craft(small, tmp_path / "x.zip", {"contest.toml": text}), tmp_path, "vault/key")


def test_no_manifest_no_zip_and_no_file_are_refused(small, tmp_path):
    with zipfile.ZipFile(tmp_path / "none.zip", "w") as archive:
        archive.writestr("contest.toml", "")
    refused(tmp_path / "none.zip", tmp_path, "has no manifest.json")
    (tmp_path / "text.zip").write_text("not a zip")
    refused(tmp_path / "text.zip", tmp_path, "is not a bundle")
    refused(tmp_path / "absent.zip", tmp_path, "cannot be read")
    cut = tmp_path / "cut.zip"
    cut.write_bytes(small.read_bytes()[:-200])
    refused(cut, tmp_path, "is not a bundle")


def test_the_bundle_itself_is_restored(small, tmp_path):
    """The crafted ones above differ from this one only in what was crafted."""
    bundle.restore(craft(small, tmp_path / "x.zip"), tmp_path / "there")
    assert (tmp_path / "there" / "contest.toml").is_file()
    assert stat.S_IMODE((tmp_path / "there" / "vault").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "there" / "vault" / "key").stat().st_mode) == 0o600


def test_our_own_bundle_never_looks_like_a_bomb(tmp_path):
    """A release in which everybody is the same packs very tightly; it is stored as it is."""
    target = tmp_path / "x.zip"
    about = manifest.Manifest(
        public=True,
        title="",
        made="2026-05-01",  # type: ignore[arg-type]
        software="",
        tables=None,
        key="",
        log_lines=0,
        log_head="",
    )
    packing._write(target, about, iter([("data/same.csv", b"1,1,1\n" * 2_000_000)]))
    with zipfile.ZipFile(target) as archive:
        unpacking._entries(archive)
