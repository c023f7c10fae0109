"""A recipe handed in with a release: the judge attacks with it in the sandbox, and nobody else gets it."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from support.arena.fixtures import BEGIN, DAY, TOML, lines, player

import icefire
from icefire.arena.bundle import packing, restoring
from icefire.arena.doctor import submissions
from icefire.arena.errors import WrongInput
from icefire.arena.judge import worker
from icefire.arena.storage.tables import IdentifiedRow
from icefire.arena.submit import fire, ice
from icefire.core.errors import InputError
from icefire.io.read import read_table
from icefire.samples import households

RECIPE = b'# by team Ice\n[[step]]\nmethod = "k_anonymize"\nk = 3\n'


@pytest.fixture
def files(original) -> dict[str, bytes]:
    data = read_table(original, qi=households.QI, sa=households.SA)
    release = icefire.anonymize(data, {"steps": [{"method": "k_anonymize", "k": 3}]}, seed=4)
    released = release.released.frame.write_csv().encode()
    return {"released.csv": released, "correspondence.csv": lines(release.truth.rows), "recipe.toml": RECIPE}


@pytest.fixture
def arena(make_arena):
    """A competition whose judge runs the joint attacks; in others of these tests it has none to run."""
    return make_arena(toml=TOML.replace("joint_attacks = false", "joint_attacks = true"))


def _sample_attacks(arena, release_id: str) -> dict[str, float]:
    with arena.database.reading() as session:
        rows = session.scalars(select(IdentifiedRow).where(IdentifiedRow.release_id == release_id)).all()
    return {row.name: row.rate for row in rows}


def test_a_release_with_its_recipe_goes_all_the_way(arena, files, tmp_path):
    team = player(arena, "a", "Ice")
    plain = ice.submit(arena, team, "final", {name: files[name] for name in ("released.csv", "correspondence.csv")})
    known = ice.submit(arena, team, "final", files)
    assert known.sha256 != plain.sha256
    worker.finish(arena)
    without, with_recipe = _sample_attacks(arena, plain.id), _sample_attacks(arena, known.id)
    assert "replay" not in without
    assert with_recipe["aya"] >= with_recipe["replay"] >= 1 / 4  # classes of 3 to 5, one in each is named for sure
    assert set(without) | {"replay"} == set(with_recipe) == {*arena.game.attacks, "aya"}

    assert list(submissions.changed(arena)) == []
    arena.clock.set(BEGIN + 2.5 * DAY)
    assert list(fire.download(arena, player(arena, "b", "Fire"), known.id)) == ["released.csv"]
    with pytest.raises(InputError, match="no such file"):
        arena.store.path("release", known.id, "recipe.toml")
    assert not [path for path in (arena.folder / "store").rglob("*") if path.is_file() and b"Ice" in path.read_bytes()]

    arena.clock.set(BEGIN + 9 * DAY)
    public = packing.export(arena, None, tmp_path / "public.zip", public=True)
    assert not [name for name in _names(public) if "recipe" in name]
    whole = packing.export(arena, None, tmp_path / "whole.zip", public=False)
    assert f"vault/handed/{known.id}/recipe.toml" in _names(whole)
    restoring.restore(whole, tmp_path / "again")
    assert (tmp_path / "again" / "vault" / "handed" / known.id / "recipe.toml").read_bytes() == RECIPE

    arena.store.put("handed", known.id, {"recipe.toml": RECIPE + b"#"})
    (finding,) = submissions.changed(arena)
    assert known.id in finding.text


def _names(bundle) -> list[str]:
    import zipfile

    with zipfile.ZipFile(bundle) as archive:
        return archive.namelist()


def test_a_wrong_recipe_costs_nothing(arena, files):
    team = player(arena, "a", "Ice")
    wrong = files | {"recipe.toml": RECIPE + b'hierarchies = "/etc"\n'}
    with pytest.raises(WrongInput) as refusal:
        ice.submit(arena, team, "final", wrong)
    (problem,) = refusal.value.problems
    assert problem.startswith("recipe.toml: step 1: k_anonymize: hierarchies names a file")
    assert arena.store.names("handed") == []


def test_other_files_are_not_taken(arena, files):
    with pytest.raises(WrongInput, match=r"may have recipe\.toml; these came: .*extra\.csv"):
        ice.submit(arena, player(arena, "a", "Ice"), "final", files | {"extra.csv": b"1\n"})
