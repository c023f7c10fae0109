"""Bundles from untrusted sources: names, links, sizes and contents that are refused."""

from __future__ import annotations

import json
import stat
import zipfile
from pathlib import Path

import msgspec
import pytest
from support.arena.bundles import inside
from support.arena.played import TOML

from icefire.arena import bundle
from icefire.arena.bundle import manifest, packing, unpacking
from icefire.arena.clock import SetClock
from icefire.arena.contest.arena import open_arena
from icefire.core.errors import InputError


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
