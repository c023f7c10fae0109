"""Threats 9 and 19: names that lead elsewhere, and what a bundle carries away."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path

from sqlalchemy import select
from support.arena.played import boards

from icefire.arena import bundle, ids
from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards.ceremony import JUDGE
from icefire.arena.bundle import packing, public, unpacking
from icefire.arena.contest.arena import open_arena
from icefire.arena.errors import Refused
from icefire.arena.storage import store
from icefire.arena.storage.tables import AccountRow, BrowserSessionRow, InviteRow, TokenRow
from icefire.core.errors import IcefireError
from threats import answers, routes
from threats.story import ROUND
from threats.world import World

# --- 9: names that lead elsewhere


NAMES = (
    *("../evil.csv", "data/../../evil.csv", "/evil.csv", "data//evil.csv", "C:\\evil.csv", "data/C:\\evil.csv"),
    *(
        "data/..\\evil.csv",
        "data/\N{ONE DOT LEADER}\N{ONE DOT LEADER}/evil.csv",
        "data/\N{FULLWIDTH FULL STOP}./evil.csv",
    ),
    *(
        "data/evil.csv\0.txt",
        f"data/{'x' * 300}.csv",
        "data/arena.db",
        "data/vault/key",
        "vault/../evil.csv",
        "data/.x",
    ),
    "store/release/../../../evil.csv",
)


def names_never_lead_out(world: World) -> None:
    """Import bundles and send files whose names lead elsewhere: nothing is written but in its own place."""
    made, around = whole(world), world.tmp / "around"
    around.mkdir()
    for name in NAMES:
        refuse(world, repacked(world, made, {name: b"evil"}), name, around)
    refuse(world, repacked(world, made, {"data/link.csv": b"/etc/passwd"}, links=("data/link.csv",)), "a link", around)
    _send_odd_names(world)


def _send_odd_names(world: World) -> None:
    world.go("anonymise")
    for name in ("../../../evil.csv", "/evil.csv", "C:\\evil.csv"):
        files = {kind: (name, data, "text/csv") for kind, data in world.files(4).items()}
        assert world.as_("third").post("/submit", {"round": ROUND}, files=files).status_code in (303, 409)
    found = [path for path in world.tmp.rglob("*") if "evil" in path.name]
    assert not found, f"{found} was written"
    for bad in ("..", "../x", "x" * 32, "0" * 31 + "/", "0" * 33):
        for file in ("truth.csv", "../truth.csv", "x/y.csv", "truth.csv\0"):
            try:
                place = world.arena.store.path("truth", bad, file)
            except IcefireError:
                continue
            raise AssertionError(f"the store leads to {place}")
    for address in list(routes.static_addresses())[-5:]:
        assert world.as_("anonymous").get(address).status_code in (400, 404), f"{address} leads somewhere"


def whole(world: World) -> bytes:
    """Return the judge's bundle."""
    target = world.tmp / f"bundle{ids.new_id()}.zip"
    return bundle.export(world.arena, None, target, public=False).read_bytes()


def repacked(world: World, made: bytes, more: dict[str, bytes], links: tuple[str, ...] = ()) -> Path:
    """Return a bundle like another one, with other files that its manifest knows about."""
    target = world.tmp / "odd.zip"
    with zipfile.ZipFile(io.BytesIO(made)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        about = json.loads(old.read("manifest.json"))
        kept = {name: old.read(name) for name in old.namelist() if name != "manifest.json"} | more
        for name, data in kept.items():
            about["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o120777 if name in links else 0o600) << 16
            new.writestr(entry, data, zipfile.ZIP_DEFLATED)
        new.writestr("manifest.json", json.dumps(about))
    return target


def refuse(world: World, path: Path, what: str, around: Path | None = None) -> None:
    """Import a bundle, which must fail and leave nothing behind."""
    folder = (around or world.tmp) / "place" / "again"
    folder.parent.mkdir(exist_ok=True)
    try:
        bundle.restore(path, folder)
    except IcefireError:
        pass
    except Exception as error:
        raise AssertionError(f"{what!r} was met with {error!r}") from error
    else:
        raise AssertionError(f"a bundle with {what!r} was taken")
    left = sorted(str(one.relative_to(around or folder.parent)) for one in (around or folder.parent).rglob("*"))
    assert left in ([], ["place"]), f"{what!r} left {left}"


# --- 19: what a bundle carries away


def a_restored_competition_is_the_same(world: World) -> None:
    """Restore the judge's bundle on an empty server: the same rankings for everybody; no session moves with it."""
    world.go("reveal")
    world.as_("author")
    path = bundle.export(world.arena, None, world.tmp / "all.zip", public=False)
    restored = bundle.restore(path, world.tmp / "again")
    assert restored.problems == (), f"{restored.problems}"
    again = open_arena(restored.folder, clock=world.arena.clock)
    try:
        for who in (VISITOR, world.people["judge"], world.people["author"]):
            assert boards(again, who) == boards(world.arena, who), f"other rankings for {who.name}"
        for shelf in ("truth", "guess", "handed", "release"):
            assert again.store.names(shelf) == world.arena.store.names(shelf), f"{shelf}: something is missing"
        assert again.signer.public_key == world.arena.signer.public_key, "another key"
        with again.database.reading() as session:
            assert session.scalars(select(BrowserSessionRow)).all() == [], "sessions were carried away"
    finally:
        again.database.close()


def a_public_bundle_holds_no_secret(world: World) -> None:
    """Look into the public bundle, before and after the reveal; ask the web for the judge's."""
    world.token("author")
    world.as_("author").post("/team/invite")
    kept = {
        *(one.password for one in world.rows(AccountRow)),
        *(one.name for one in world.rows(AccountRow)),
        *(one.id for one in world.rows(AccountRow)),
        *(one.secret for one in world.rows(TokenRow)),
        *(one.code for one in world.rows(InviteRow)),
        *(value for one in world.rows(BrowserSessionRow) for value in (one.id, one.csrf)),
        "swordfish",
    }
    secrets = answers.of(world)
    for phase in ("attack", "reveal"):
        world.go(phase)
        answer = world.as_("organiser").post("/desk/bundle", {"public": "no", "judge": "yes"})
        assert answer.status_code == 200
        for part, said in answers.parts(answer):
            secrets.check(said, f"{part} of the public bundle")
            assert not part.startswith("vault"), f"the public bundle holds {part}"
            found = [one for one in kept if one.encode() in said and part not in ("headers", "body")]
            assert not found, f"{part} of the public bundle holds {found}"
            assert phase == "reveal" or not answers.scores_in(said, "team", "sample", "aya"), f"{part} holds scores"
    try:
        bundle.export(world.arena, world.people["admin"], world.tmp / "x.zip", public=False)
    except Refused:
        return
    raise AssertionError("the judge's bundle was given to somebody from the web")


# --- sabotages


def take_any_name(world: World) -> None:
    world.patch.setattr(unpacking, "_check_entry", lambda _: None)


def take_any_place(world: World) -> None:
    world.patch.setattr(store, "_ID", re.compile("(?s).*"))
    world.patch.setattr(store, "_NAME", re.compile("(?s).*"))


def lose_measures(world: World) -> None:
    world.patch.setattr(packing, "LEFT_OUT", (*packing.LEFT_OUT, "measured"))


def keep_sessions(world: World) -> None:
    world.patch.setattr(packing, "LEFT_OUT", ())


def publish_everything(world: World) -> None:
    world.patch.setattr(packing, "_contents", lambda session, arena, *_: packing._everything(session, arena, ()))


def publish_with_the_judge_s_eyes(world: World) -> None:
    world.patch.setattr(public, "VISITOR", JUDGE)
